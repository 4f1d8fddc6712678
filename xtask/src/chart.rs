//! Figures of lines on logarithmic axes, side by side.

use std::sync::Arc;

use kuva::TickFormat;
use kuva::backend::svg::SvgBackend;
use kuva::plot::{LinePlot, LineStyle, ScatterPlot};
use kuva::render::figure::Figure;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;

/// Okabe and Ito's colours, which colour-blind people can tell apart, without those too pale for
/// lines.
const COLOURS: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#000000"];

/// Points that belong together.
pub(crate) struct Line {
    /// What the legend calls it.
    pub(crate) name: String,
    /// Lines of the same group have the same colour.
    pub(crate) group: usize,
    /// What tells lines of one group apart.
    pub(crate) is_dashed: bool,
    /// Positive, from left to right.
    pub(crate) points: Vec<(f64, f64)>,
}

/// Lines with axes around them.
pub(crate) struct Panel {
    pub(crate) title: &'static str,
    /// A value on the upright axis, with its unit.
    pub(crate) tick: fn(f64) -> String,
    pub(crate) lines: Vec<Line>,
}

/// Shorter than kuva's, two of which do not fit into its legend.
fn dashes() -> LineStyle {
    LineStyle::Custom("4 3".to_owned())
}

/// An SVG of panels that share a level axis and a legend. Ticks of that axis are the smallest size,
/// doubled and doubled again.
pub(crate) fn draw(title: &str, level_axis: &str, panels: &[Panel]) -> String {
    let points = || panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points);
    let smallest = points().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let largest = points().map(|point| point.0).fold(0.0, f64::max);
    // kuva's own logarithmic ticks are those of ten: 10, 20, 50.
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
        let heights = || panel.lines.iter().flat_map(|line| &line.points).map(|point| point.1);
        let lowest = heights().fold(f64::INFINITY, f64::min);
        let highest = heights().fold(0.0, f64::max);
        let layout = Layout::auto_from_plots(&plots)
            .with_title(panel.title)
            .with_title_size(16)
            .with_x_label(level_axis)
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
