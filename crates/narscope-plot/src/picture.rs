//! Pictures and their panels.

use crate::{Axis, ColourBar, Entry, Mark, Scheme};

/// Width of a picture in print. Its text has the same size at any width; panels that do not fit next to each other
/// go below each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Width {
    /// One column of a journal: 85 mm.
    Single,
    /// Two columns of a journal: 170 mm.
    #[default]
    Double,
    /// As many millimetres.
    Mm(f64),
}

impl Width {
    /// The width in millimetres.
    pub fn mm(self) -> f64 {
        match self {
            Self::Single => 85.0,
            Self::Double => 170.0,
            Self::Mm(mm) => mm,
        }
    }
}

/// How a picture is rendered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Light or dark.
    pub scheme: Scheme,
    /// Width in millimetres; `None` for that of the picture.
    pub width_mm: Option<f64>,
    /// Whether there is no background.
    pub transparent: bool,
    /// Dots per inch of layers with thousands of points, which are bitmaps inside of SVG and PDF.
    pub dense_dpi: f64,
}

impl Default for Style {
    fn default() -> Self {
        Self { scheme: Scheme::Light, width_mm: None, transparent: false, dense_dpi: 300.0 }
    }
}

impl Style {
    /// The default style in a scheme.
    pub fn of(scheme: Scheme) -> Self {
        Self { scheme, ..Self::default() }
    }
}

/// A grid of panels with a title.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// States the finding.
    pub title: String,
    /// The panels, row by row. An empty panel leaves its place free.
    pub panels: Vec<Panel>,
    /// Number of panels in a row, where they fit.
    pub columns: usize,
    /// Relative widths of columns; empty for equal ones.
    pub column_widths: Vec<f64>,
    /// Width in print.
    pub width: Width,
    /// Small text below the panels; may be empty.
    pub caption: String,
}

/// Marks and their axes.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Title, next to the panel's letter.
    pub title: String,
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// The marks, from back to front.
    pub marks: Vec<Mark>,
    /// Entries of the legend besides those of the marks.
    pub legend: Vec<Entry>,
    /// The meaning of [`Colour::Scale`](crate::Colour::Scale).
    pub colour_bar: Option<ColourBar>,
    /// Height of the plot area in millimetres; `None` chooses it.
    pub height_mm: Option<f64>,
    /// Whether both axes have the same scale.
    pub equal: bool,
    /// Whether axes, ticks and grid are left out.
    pub bare: bool,
    /// Small text in the upper left corner of the plot area; may be empty.
    pub note: String,
}

impl Panel {
    /// Whether it only leaves its place free.
    pub(crate) fn is_empty(&self) -> bool {
        self.title.is_empty() && self.marks.is_empty()
    }
}
