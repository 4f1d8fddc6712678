//! Line charts with logarithmic axes, side by side.

use narscope_plot::{Axis, Colour, Format, Line as Curve, Panel as Frame, Picture, Spacing, Style};

use crate::Result;

/// A line of a chart.
pub(crate) struct Line {
    /// Name in the legend.
    pub(crate) name: String,
    /// Lines of the same group have the same colour.
    pub(crate) group: usize,
    /// Distinguishes lines of the same group.
    pub(crate) is_dashed: bool,
    /// Positive coordinates, sorted by x.
    pub(crate) points: Vec<(f64, f64)>,
}

/// A chart: lines and axes.
pub(crate) struct Panel {
    pub(crate) title: &'static str,
    /// Formats a value of the y axis with its unit.
    pub(crate) tick: fn(f64) -> String,
    pub(crate) lines: Vec<Line>,
}

/// Renders panels with a common legend as SVG. The x axis has ticks at powers of two.
pub(crate) fn draw(title: &str, x_label: &str, panels: &[Panel]) -> Result<String> {
    let panels = panels.iter().map(|panel| Frame {
        title: panel.title.to_owned(),
        x: Axis::new(x_label).spacing(Spacing::Log2),
        y: Axis::default().spacing(Spacing::Log10).format(Format::Custom(panel.tick)),
        marks: panel.lines.iter().map(|line| curve(line).into()).collect(),
        ..Frame::default()
    });
    let panels: Vec<Frame> = panels.collect();
    let picture =
        Picture { title: title.to_owned(), columns: panels.len(), panels, ..Picture::default() };
    picture.svg_light_and_dark(&Style::default()).map_err(|error| error.to_string())
}

fn curve(line: &Line) -> Curve {
    let curve = Curve::new(line.points.clone(), Colour::Category(line.group));
    let curve = curve.marked().named(&line.name);
    if line.is_dashed { curve.dashed() } else { curve }
}
