//! Line charts with logarithmic axes, side by side.

use std::sync::Arc;

use kuva::TickFormat;
use kuva::backend::svg::SvgBackend;
use kuva::plot::{LinePlot, LineStyle, ScatterPlot};
use kuva::render::figure::Figure;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;

/// The colour-blind safe palette of Okabe and Ito, without the colours that are too pale for lines.
const COLOURS: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#000000"];

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

/// Shorter dashes than kuva's default, so that two of them fit into the legend.
fn dashes() -> LineStyle {
    LineStyle::Custom("4 3".to_owned())
}

/// Renders panels with a common x axis and legend as SVG. The x axis is logarithmic: its ticks are
/// the smallest size times powers of two.
pub(crate) fn draw(title: &str, x_label: &str, panels: &[Panel]) -> String {
    let points = || panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points);
    let smallest = points().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let largest = points().map(|point| point.0).fold(0.0, f64::max);
    // kuva's logarithmic ticks are decimal (10, 20, 50), so x is transformed here.
    let doublings = move |size: f64| (size / smallest).log2();

    let mut all_plots = vec![];
    let mut layouts = vec![];
    for panel in panels {
        let mut plots: Vec<Plot> = vec![];
        for line in &panel.lines {
            let colour = COLOURS[line.group % COLOURS.len()];
            let points: Vec<_> = line.points.iter().map(|&(x, y)| (doublings(x), y)).collect();
            plots.push(ScatterPlot::new().with_data(points.clone()).with_color(colour).into());
            let plot = LinePlot::new().with_data(points).with_color(colour).with_stroke_width(2.0);
            let plot = if line.is_dashed { plot.with_line_style(dashes()) } else { plot };
            plots.push(plot.with_legend(&line.name).into());
        }
        let ys = || panel.lines.iter().flat_map(|line| &line.points).map(|point| point.1);
        let lowest = ys().fold(f64::INFINITY, f64::min);
        let highest = ys().fold(0.0, f64::max);
        let layout = Layout::auto_from_plots(&plots)
            .with_title(panel.title)
            .with_title_size(16)
            .with_x_label(x_label)
            .with_x_tick_step(1.0)
            .with_x_tick_format(TickFormat::Custom(Arc::new(move |x| {
                format!("{:.0}", smallest * x.exp2())
            })))
            .with_x_axis_min(-0.25)
            .with_x_axis_max(doublings(largest) + 0.25)
            .with_log_y()
            .with_y_tick_format(TickFormat::Custom(Arc::new(panel.tick)))
            .with_y_axis_min(lowest / 1.5)
            .with_y_axis_max(highest * 1.5);
        all_plots.push(plots);
        layouts.push(layout);
    }
    let figure = Figure::new(1, panels.len())
        .with_title(title)
        .with_title_size(18)
        .with_plots(all_plots)
        .with_layouts(layouts)
        .with_cell_size(420.0, 380.0)
        .with_shared_legend_right_middle();
    SvgBackend::default().render_scene(&figure.render())
}
