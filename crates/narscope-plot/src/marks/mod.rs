//! What a panel can contain.

mod arrows;
mod bars;
mod dots;
pub(crate) mod error_bars;
mod estimate;
mod graph;
mod heatmap;
mod histogram;
mod line;
mod note;
pub(crate) mod points;
mod reference;
mod space;

pub use arrows::{Arrow, Arrows};
pub use bars::Bars;
pub use dots::Dots;
pub use error_bars::ErrorBars;
pub use estimate::{Estimate, Series};
pub use graph::{Edge, Graph, Node, graph_layout};
pub use heatmap::Heatmap;
pub use histogram::Histogram;
pub use line::Line;
pub use note::Note;
pub use points::Points;
pub use reference::{Along, Reference};
pub use space::{Line3d, Point3d, Projection, Space, View};

use crate::Entry;
use crate::frame::{Extent, Frame};
use crate::scene::Scene;
pub use crate::sign::Marker;

/// Something to draw.
#[derive(Clone, Debug)]
pub enum Mark {
    /// Points of one colour.
    Points(Points),
    /// A line, optionally with a band.
    Line(Line),
    /// Points with their intervals.
    ErrorBars(ErrorBars),
    /// Named rows with a dot per series.
    Dots(Dots),
    /// Groups of bars.
    Bars(Bars),
    /// Counts in bins.
    Histogram(Histogram),
    /// A matrix of values.
    Heatmap(Heatmap),
    /// Arrows from position to position.
    Arrows(Arrows),
    /// A line across the panel.
    Reference(Reference),
    /// Text at a position.
    Note(Note),
    /// Points and lines in three dimensions; alone in its panel.
    Space(Space),
    /// Nodes and edges; alone in its panel.
    Graph(Graph),
}

/// What every mark can do.
pub(crate) trait Draw {
    /// The values that it covers.
    fn extent(&self) -> Extent;
    /// Its names in the legend.
    fn entries(&self) -> Vec<Entry>;
    /// Draws it.
    fn draw(&self, frame: &Frame, scene: &mut Scene);
}

impl Mark {
    fn inner(&self) -> &dyn Draw {
        match self {
            Self::Points(mark) => mark,
            Self::Line(mark) => mark,
            Self::ErrorBars(mark) => mark,
            Self::Dots(mark) => mark,
            Self::Bars(mark) => mark,
            Self::Histogram(mark) => mark,
            Self::Heatmap(mark) => mark,
            Self::Arrows(mark) => mark,
            Self::Reference(mark) => mark,
            Self::Note(mark) => mark,
            Self::Space(mark) => mark,
            Self::Graph(mark) => mark,
        }
    }

    pub(crate) fn extent(&self) -> Extent {
        self.inner().extent()
    }

    /// Its names in the legend.
    pub fn entries(&self) -> Vec<Entry> {
        self.inner().entries()
    }

    pub(crate) fn draw(&self, frame: &Frame, scene: &mut Scene) {
        self.inner().draw(frame, scene);
    }

    /// Names along the x axis, in place of numbers.
    pub(crate) fn columns(&self) -> Option<&[String]> {
        match self {
            Self::Bars(bars) => Some(&bars.groups),
            Self::Heatmap(heatmap) => Some(&heatmap.columns),
            _ => None,
        }
    }

    /// Names along the y axis, from top to bottom, in place of numbers.
    pub(crate) fn rows(&self) -> Option<&[String]> {
        match self {
            Self::Dots(dots) => Some(&dots.rows),
            Self::Heatmap(heatmap) => Some(&heatmap.rows),
            _ => None,
        }
    }

    /// How far it reaches to the left and right of its values, in points of print.
    pub(crate) fn half_width(&self) -> f64 {
        match self {
            Self::ErrorBars(_) => error_bars::HALF_WIDTH,
            _ => 0.0,
        }
    }

    /// Whether its lengths mean something, so that the y axis must start at zero.
    pub(crate) fn stands_on_zero(&self) -> bool {
        matches!(self, Self::Bars(_) | Self::Histogram(_))
    }
}

/// An entry per name that is there.
fn named(name: Option<&String>, colour: crate::Colour, key: crate::Key) -> Vec<Entry> {
    name.map(|name| Entry::new(name, colour, key)).into_iter().collect()
}

/// Makes marks of their structures.
macro_rules! into_mark {
    ($($name:ident),*) => {
        $(impl From<$name> for Mark {
            fn from(mark: $name) -> Self {
                Self::$name(mark)
            }
        })*
    };
}

into_mark!(
    Points, Line, ErrorBars, Dots, Bars, Histogram, Heatmap, Arrows, Reference, Note, Space, Graph
);
