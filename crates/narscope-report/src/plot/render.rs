//! Marks as plots of `kuva`.

use std::sync::Arc;

use kuva::plot::{
    BarPlot, ColorMap, Heatmap, LinePlot, NetworkLayout, NetworkPlot, Scatter3DPlot, ScatterPlot,
};
use kuva::render::plots::Plot;

use super::{
    Colour, ColourScheme, DotSeries, Estimate, GraphEdge, GraphNode, Mark, Point3d, colours,
};

/// Maximum distance between the series of a row, where rows are 1 apart.
const MAX_SERIES_DISTANCE: f64 = 0.2;
/// Maximum height of all series of a row.
const MAX_SERIES_HEIGHT: f64 = 0.8;

impl Mark {
    pub(super) fn plots(&self, scheme: ColourScheme) -> Vec<Plot> {
        match self {
            Self::Points { points, colour, size, name } => {
                let plot = ScatterPlot::new()
                    .with_data(points.clone())
                    .with_color(colour.hex(scheme))
                    .with_size(*size);
                vec![name.iter().fold(plot, ScatterPlot::with_legend).into()]
            }
            Self::ErrorBars { points, colour, name } => {
                let plot = ScatterPlot::new()
                    .with_data(points.iter().map(|it| (it.x, it.y)).collect::<Vec<_>>())
                    .with_y_err(points.iter().map(|it| it.error))
                    .with_color(colour.hex(scheme))
                    .with_size(4.0);
                vec![name.iter().fold(plot, ScatterPlot::with_legend).into()]
            }
            Self::Dots { rows, series } => {
                let offset = |index: usize| series_offset(index, series.len());
                let all = series.iter().enumerate();
                all.map(|(index, it)| dots(it, rows.len(), offset(index), scheme)).collect()
            }
            Self::Line { points, colour, width, band, name } => {
                let mut plot = LinePlot::new()
                    .with_data(points.clone())
                    .with_color(colour.hex(scheme))
                    .with_stroke_width(*width);
                if !band.is_empty() {
                    let pairs = || points.iter().zip(band);
                    let lower: Vec<f64> = pairs().map(|((_, y), by)| y - by).collect();
                    let upper: Vec<f64> = pairs().map(|((_, y), by)| y + by).collect();
                    plot = plot.with_band(lower, upper);
                }
                vec![name.iter().fold(plot, LinePlot::with_legend).into()]
            }
            Self::Bars { groups, bars, values } => {
                let mut plot = BarPlot::new();
                for (group, values) in groups.iter().zip(values) {
                    let bars = values.iter().zip(bars);
                    let bars = bars.map(|(&value, bar)| (value, bar.colour.hex(scheme)));
                    plot = plot.with_group(group, bars.collect::<Vec<_>>());
                }
                vec![plot.with_legend(bars.iter().map(|bar| bar.name.as_str()).collect()).into()]
            }
            Self::Heatmap { values, rows, columns } => {
                let upwards: Vec<Vec<f64>> = values.iter().rev().cloned().collect();
                let names = rows.iter().rev().cloned().collect();
                let plot = Heatmap::new()
                    .with_data(upwards)
                    .with_labels(names, columns.clone())
                    // Values are black in both colour schemes, so cells are pale.
                    .with_color_map(ColorMap::Custom(Arc::new(colours::pale)))
                    .with_values();
                vec![plot.into()]
            }
            Self::Space { points, lines } => space(points, lines, scheme),
            Self::Graph { nodes, edges } => graph(nodes, edges, scheme),
            Self::VerticalLine { .. } => vec![],
        }
    }
}

/// Vertical offset of a series from the middle of its row.
fn series_offset(index: usize, count: usize) -> f64 {
    let distance = MAX_SERIES_DISTANCE.min(MAX_SERIES_HEIGHT / count as f64);
    distance * (index as f64 - 0.5 * (count as f64 - 1.0))
}

/// One series of a dot plot, the first row on top.
fn dots(series: &DotSeries, rows: usize, offset: f64, scheme: ColourScheme) -> Plot {
    let dots = series.dots.iter().enumerate().filter_map(|(row, dot)| Some((row, (*dot)?)));
    let mut dots: Vec<(usize, Estimate)> = dots.collect();
    // `kuva` assigns the error bars to the first points.
    dots.sort_by_key(|(_, it)| it.interval.is_none());
    let y = |row: usize| (rows - 1 - row) as f64 - offset;
    let points: Vec<(f64, f64)> = dots.iter().map(|(row, it)| (it.value, y(*row))).collect();
    let errors = dots.iter().filter_map(|(_, it)| {
        let (low, high) = it.interval?;
        Some((it.value - low, high - it.value))
    });
    ScatterPlot::new()
        .with_data(points)
        .with_x_err_asymmetric(errors)
        .with_color(series.colour.hex(scheme))
        .with_size(3.2)
        .with_legend(&series.name)
        .into()
}

fn space(points: &[Point3d], lines: &[Vec<[f32; 3]>], scheme: ColourScheme) -> Vec<Plot> {
    let mut plots = vec![];
    // `kuva` has no lines in three dimensions: they are drawn as many small points.
    let on_lines: Vec<(f64, f64, f64)> =
        lines.iter().flat_map(|line| line.windows(2)).flat_map(interpolate).collect();
    if !on_lines.is_empty() {
        let plot = Scatter3DPlot::new()
            .with_data(on_lines)
            .with_color(Colour::Trajectory.hex(scheme))
            .with_size(0.35);
        plots.push(plot.into());
    }
    let positions: Vec<(f64, f64, f64)> = points.iter().map(|it| to_f64(it.position)).collect();
    let colours = points.iter().map(|it| it.colour.hex(scheme));
    let plot = Scatter3DPlot::new()
        .with_data(positions)
        .with_colors(colours.collect::<Vec<_>>())
        .with_size(1.6)
        .with_x_label("component 1")
        .with_y_label("component 2")
        .with_z_label("component 3");
    plots.push(plot.into());
    plots
}

fn graph(nodes: &[GraphNode], edges: &[GraphEdge], scheme: ColourScheme) -> Vec<Plot> {
    let mut plot = NetworkPlot::new()
        .with_layout(NetworkLayout::Circle)
        .with_node_radius(17.0)
        .with_label_size(9)
        .with_labels_inside();
    for (index, GraphNode { label, colour }) in nodes.iter().enumerate() {
        let angle = std::f64::consts::TAU * index as f64 / nodes.len() as f64;
        let (x, y) = (0.5 + 0.44 * angle.sin(), 0.5 - 0.44 * angle.cos());
        plot = plot.with_node_color(label, colour.hex(scheme)).with_node_position(label, x, y);
    }
    for edge in edges {
        let (from, to) = (&nodes[edge.from].label, &nodes[edge.to].label);
        plot = plot.with_edge_color(from, to, edge.width, edge.colour.hex(scheme));
    }
    vec![plot.into()]
}

fn to_f64([x, y, z]: [f32; 3]) -> (f64, f64, f64) {
    (x.into(), y.into(), z.into())
}

/// Evenly spaced points from the first position of a pair to the second.
fn interpolate(pair: &[[f32; 3]]) -> impl Iterator<Item = (f64, f64, f64)> {
    const COUNT: usize = 24;
    let [from, to] = [pair[0], pair[1]];
    (0..COUNT).map(move |index| {
        let share = index as f32 / COUNT as f32;
        to_f64(std::array::from_fn(|axis| from[axis] + share * (to[axis] - from[axis])))
    })
}
