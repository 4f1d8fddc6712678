//! Figures for print and screen.
//!
//! A [`Picture`] is data: panels with axes and marks. This crate decides about sizes, fonts and colours, once, and
//! writes SVG, PNG and PDF. The same picture gives the same bytes, on any computer and any number of threads: text
//! is measured with the font that comes with the crate, and nothing has an id.
//!
//! ```
//! use narscope_plot::{Axis, Colour, Line, Panel, Picture, Style, Width};
//!
//! let scores = vec![(1.0, 0.5), (2.0, 0.75), (3.0, 1.0)];
//! let panel = Panel {
//!     x: Axis::integers("step"),
//!     y: Axis::percent("score").range(0.0, 1.0),
//!     marks: vec![Line::new(scores, Colour::Category(0)).named("mpnn").into()],
//!     ..Panel::default()
//! };
//! let picture = Picture {
//!     title: "All nodes are right after three steps".to_owned(),
//!     panels: vec![panel],
//!     width: Width::Single,
//!     ..Picture::default()
//! };
//! assert!(picture.svg(&Style::default())?.contains("mpnn"));
//! assert!(picture.pdf(&Style::default())?.starts_with(b"%PDF"));
//! # Ok::<(), narscope_plot::Error>(())
//! ```

#[cfg(test)]
extern crate self as narscope_plot;

mod axis;
mod clip;
mod colour;
mod compose;
mod error;
mod frame;
#[cfg(test)]
mod laws;
mod layout;
mod legend;
mod marks;
mod pdf;
mod picture;
mod raster;
mod render;
#[cfg(test)]
mod samples;
mod scene;
mod sign;
mod size;
mod svg;
mod text;
mod ticks;

pub use axis::{Axis, Format, Spacing};
pub use colour::{Colour, Scheme};
pub use error::{Error, Result};
pub use legend::{ColourBar, Entry, Key};
pub use marks::{
    Along, Arrow, Arrows, Bars, Dots, Edge, ErrorBars, Estimate, Graph, Heatmap, Histogram, Line,
    Line3d, Mark, Marker, Node, Note, Point3d, Points, Projection, Reference, Series, Space, View,
    graph_layout,
};
pub use picture::{Panel, Picture, Style, Width};
pub use scene::Anchor;
