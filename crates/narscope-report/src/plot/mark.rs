//! What a panel can contain.

use super::Colour;

/// A value with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Lower and upper end, if known: an interval of zero width would look exact.
    pub interval: Option<(f64, f64)>,
}

/// A point with a symmetric error bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorPoint {
    /// Position on the x axis.
    pub x: f64,
    /// Position on the y axis.
    pub y: f64,
    /// Half the length of the error bar.
    pub error: f64,
}

/// One colour of a dot plot.
#[derive(Clone, Debug, PartialEq)]
pub struct DotSeries {
    /// Colour of the dots.
    pub colour: Colour,
    /// Name in the legend.
    pub name: String,
    /// One dot per row; `None` leaves it out.
    pub dots: Vec<Option<Estimate>>,
}

/// Colour and legend of one bar of each group.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Colour of the bar.
    pub colour: Colour,
    /// Name in the legend.
    pub name: String,
}

/// A point in three dimensions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point3d {
    /// Coordinates.
    pub position: [f32; 3],
    /// Colour.
    pub colour: Colour,
}

/// A node of a drawn graph.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphNode {
    /// Text inside the node.
    pub label: String,
    /// Colour.
    pub colour: Colour,
}

/// An edge of a drawn graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphEdge {
    /// Index of the node that it leaves.
    pub from: usize,
    /// Index of the node that it enters.
    pub to: usize,
    /// Colour.
    pub colour: Colour,
    /// Line width.
    pub width: f64,
}

/// Something to draw.
#[derive(Clone, Debug)]
pub enum Mark {
    /// Points of one colour.
    Points {
        /// Positions.
        points: Vec<(f64, f64)>,
        /// Colour.
        colour: Colour,
        /// Radius.
        size: f64,
        /// Name in the legend.
        name: Option<String>,
    },
    /// Points with vertical error bars.
    ErrorBars {
        /// Positions and errors.
        points: Vec<ErrorPoint>,
        /// Colour.
        colour: Colour,
        /// Name in the legend.
        name: Option<String>,
    },
    /// A dot plot: named rows, with a dot and its interval per series.
    Dots {
        /// Names of the rows, from top to bottom.
        rows: Vec<String>,
        /// The series.
        series: Vec<DotSeries>,
    },
    /// A line, optionally with a band around it.
    Line {
        /// Points of the line.
        points: Vec<(f64, f64)>,
        /// Colour.
        colour: Colour,
        /// Line width.
        width: f64,
        /// Half the height of the band at each point; empty for no band.
        band: Vec<f64>,
        /// Name in the legend.
        name: Option<String>,
    },
    /// Groups of bars.
    Bars {
        /// Names of the groups.
        groups: Vec<String>,
        /// The bars of each group.
        bars: Vec<Bar>,
        /// Heights, by group and bar.
        values: Vec<Vec<f64>>,
    },
    /// A heat map with its values, the first row on top.
    Heatmap {
        /// Values, by row and column.
        values: Vec<Vec<f64>>,
        /// Names of the rows.
        rows: Vec<String>,
        /// Names of the columns.
        columns: Vec<String>,
    },
    /// Points and lines in three dimensions.
    Space {
        /// The points.
        points: Vec<Point3d>,
        /// Lines through positions.
        lines: Vec<Vec<[f32; 3]>>,
    },
    /// A graph with its nodes on a circle.
    Graph {
        /// The nodes.
        nodes: Vec<GraphNode>,
        /// The edges.
        edges: Vec<GraphEdge>,
    },
    /// A dashed vertical line across the panel.
    VerticalLine {
        /// Position on the x axis.
        x: f64,
        /// Text next to the line.
        label: String,
    },
}

impl Mark {
    /// Names in the legend.
    pub(super) fn legend_names(&self) -> Vec<&str> {
        match self {
            Self::Points { name, .. } | Self::ErrorBars { name, .. } | Self::Line { name, .. } => {
                name.as_deref().into_iter().collect()
            }
            Self::Bars { bars, .. } => bars.iter().map(|bar| bar.name.as_str()).collect(),
            Self::Dots { series, .. } => series.iter().map(|it| it.name.as_str()).collect(),
            Self::Heatmap { .. }
            | Self::Space { .. }
            | Self::Graph { .. }
            | Self::VerticalLine { .. } => vec![],
        }
    }

    /// Names below the x axis, in place of numbers.
    pub(super) fn categories(&self) -> &[String] {
        match self {
            Self::Bars { groups, .. } => groups,
            Self::Heatmap { columns, .. } => columns,
            Self::Points { .. }
            | Self::ErrorBars { .. }
            | Self::Dots { .. }
            | Self::Line { .. }
            | Self::Space { .. }
            | Self::Graph { .. }
            | Self::VerticalLine { .. } => &[],
        }
    }
}
