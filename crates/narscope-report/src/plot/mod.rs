//! Drawing primitives: a picture has panels, a panel has marks and axes. Light and dark.
//!
//! Figures choose what to draw; colours, sizes and fonts are chosen here, once.
//!
//! ```
//! use narscope_report::plot::{Colour, ColourScheme, Mark, Panel, Picture};
//!
//! let scores = Mark::Line {
//!     points: vec![(1.0, 0.5), (2.0, 0.75), (3.0, 1.0)],
//!     colour: Colour::Category(0),
//!     width: 1.8,
//!     band: vec![],
//!     name: Some("mpnn".to_owned()),
//! };
//! let panel = Panel {
//!     x_label: "step".to_owned(),
//!     y_label: "score".to_owned(),
//!     marks: vec![scores],
//!     y_percent: true,
//!     ..Panel::default()
//! };
//! let picture = Picture { title: "Scores".to_owned(), columns: 1, panels: vec![panel] };
//! assert!(picture.svg(ColourScheme::Light).contains("mpnn"));
//! ```

pub mod colours;
mod layout;
mod light_dark;
mod mark;
mod render;

use kuva::backend::png::PngBackend;
use kuva::backend::svg::SvgBackend;

use crate::{Error, Result};
pub use colours::Colour;
pub use mark::{Bar, DotSeries, ErrorPoint, Estimate, GraphEdge, GraphNode, Mark, Point3d};

/// Light or dark background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourScheme {
    /// Black on white.
    Light,
    /// White on black.
    Dark,
}

/// A grid of panels with a title.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Title.
    pub title: String,
    /// Number of panels in a row.
    pub columns: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
}

/// Marks and their axes.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Title.
    pub title: String,
    /// Label of the x axis.
    pub x_label: String,
    /// Label of the y axis.
    pub y_label: String,
    /// The marks, from back to front.
    pub marks: Vec<Mark>,
    /// Whether y values are shares, shown in percent.
    pub y_percent: bool,
    /// Whether x values are shares, shown in percent.
    pub x_percent: bool,
    /// Range of the y axis; `None` for that of the marks.
    pub y_range: Option<(f64, f64)>,
    /// Range of the x axis; `None` for that of the marks.
    pub x_range: Option<(f64, f64)>,
    /// Whether the x axis has integer ticks only.
    pub x_integers: bool,
}

/// PNG pixels per SVG pixel: 300 dots per inch instead of 96.
const PNG_SCALE: f32 = 300.0 / 96.0;

impl Picture {
    /// Renders the picture as SVG.
    pub fn svg(&self, scheme: ColourScheme) -> String {
        SvgBackend::default().render_scene(&self.figure(scheme).render())
    }

    /// Renders the picture as SVG that follows the colour scheme of the reader's screen.
    pub fn svg_light_and_dark(&self) -> String {
        light_dark::merge(&self.svg(ColourScheme::Light), &self.svg(ColourScheme::Dark))
    }

    /// Renders the picture as PNG with 300 dots per inch.
    pub fn png(&self, scheme: ColourScheme) -> Result<Vec<u8>> {
        let scene = self.figure(scheme).render();
        PngBackend::new().with_scale(PNG_SCALE).render_scene(&scene).map_err(Error::Picture)
    }
}
