//! The one way in which figures look: panels of points, lines, bars and cells, light or dark.
//!
//! Figures say what goes where; colours, sizes and fonts are chosen here, once.

pub mod colours;
mod looks;

use std::collections::BTreeSet;
use std::sync::Arc;

use kuva::TickFormat;
use kuva::backend::png::PngBackend;
use kuva::backend::svg::SvgBackend;
use kuva::plot::{
    BarPlot, ColorMap, Heatmap, LinePlot, NetworkLayout, NetworkPlot, Scatter3DPlot, ScatterPlot,
};
use kuva::render::annotations::ReferenceLine;
use kuva::render::figure::Figure;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use kuva::render::theme::Theme;

use crate::{Error, Result};
pub use colours::Colour;

/// The colours of paper or of a screen at night.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Black on white.
    Light,
    /// White on black.
    Dark,
}

/// Panels side by side, with a title.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What it shows.
    pub title: String,
    /// How many panels there are in a row.
    pub columns: usize,
    /// The panels, row after row.
    pub panels: Vec<Panel>,
}

/// Marks with axes around them.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// What it shows.
    pub title: String,
    /// What lies along the level axis.
    pub x: String,
    /// What lies along the upright axis.
    pub y: String,
    /// From back to front.
    pub marks: Vec<Mark>,
    /// Whether values on the upright axis are shares, shown in percent.
    pub y_percent: bool,
    /// The same for the level axis.
    pub x_percent: bool,
    /// The least and largest value on the upright axis, if not those of the marks.
    pub y_range: Option<(f64, f64)>,
    /// The same for the level axis.
    pub x_range: Option<(f64, f64)>,
    /// Whether the level axis counts something, and so has whole numbers only.
    pub x_counts: bool,
}

/// A value, and how far it may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beside {
    /// The value.
    pub value: f64,
    /// Where it may end below and above, if that is known: a line of no length would look like certainty.
    pub interval: Option<(f64, f64)>,
}

/// Something to draw.
#[derive(Clone, Debug)]
pub enum Mark {
    /// Points of one colour.
    Points {
        /// Where.
        points: Vec<(f64, f64)>,
        /// In what colour.
        colour: Colour,
        /// How large.
        size: f64,
        /// What the legend calls them.
        name: Option<String>,
    },
    /// Points that may be too high or too low.
    Uncertain {
        /// Where, and by how much they may be off.
        points: Vec<(f64, f64, f64)>,
        /// In what colour.
        colour: Colour,
        /// What the legend calls them.
        name: Option<String>,
    },
    /// Points with intervals, each beside a name on the upright axis.
    Rows {
        /// The names, from top to bottom.
        names: Vec<String>,
        /// Kinds of points: the colour, what the legend calls them, and one beside each name.
        series: Vec<(Colour, String, Vec<Option<Beside>>)>,
    },
    /// A line.
    Line {
        /// Through which points.
        points: Vec<(f64, f64)>,
        /// In what colour.
        colour: Colour,
        /// How wide.
        width: f64,
        /// How far each point may be off, both ways; none if empty.
        spread: Vec<f64>,
        /// What the legend calls it.
        name: Option<String>,
    },
    /// Groups of bars side by side, one of each colour in a group.
    Bars {
        /// The names of the groups.
        groups: Vec<String>,
        /// The colours and names of the bars.
        series: Vec<(Colour, String)>,
        /// By group and bar.
        values: Vec<Vec<f64>>,
    },
    /// A matrix of numbers, the first row on top.
    Cells {
        /// By row and column.
        values: Vec<Vec<f64>>,
        /// The names of the rows.
        rows: Vec<String>,
        /// The names of the columns.
        columns: Vec<String>,
    },
    /// Points in space.
    Space {
        /// Where, and in what colour.
        points: Vec<([f32; 3], Colour)>,
        /// Trajectories through some of them.
        lines: Vec<Vec<[f32; 3]>>,
    },
    /// A graph, its nodes on a circle.
    Graph {
        /// What is written on each node, and its colour.
        nodes: Vec<(String, Colour)>,
        /// From, to, the colour and how thick.
        edges: Vec<(usize, usize, Colour, f64)>,
    },
    /// An upright line across the panel.
    Rule {
        /// Where it crosses the level axis.
        at: f64,
        /// What is written beside it.
        label: String,
    },
}

/// How many panels do not each have the same legend.
const MANY_PANELS: usize = 3;
/// Pixels of a panel.
const PANEL: (f64, f64) = (430.0, 370.0);
/// Pixels more where names are long.
const FOR_NAMES: f64 = 120.0;
/// Pixels more where names of rows are.
const FOR_ROW_NAMES: f64 = 200.0;
/// How long a name may be to stand beside a panel as it is.
const SHORT_NAME: usize = 12;
/// How many letters of longer ones stand in a line.
const LINE: usize = 20;
/// How many letters of all names together stand side by side below a panel.
const FIT_BELOW: usize = 28;
/// How far kinds of points beside one name stand apart at most, and all of them together, in names.
const APART: (f64, f64) = (0.2, 0.8);
/// Pixels of a name beside a panel at least, of each kind of points beside it, and of what is above and below
/// all of them.
const ROW: (f64, f64, f64) = (26.0, 9.0, 110.0);
/// Pixels of a letter of such a name, and of what is beside all of them.
const ROW_NAME: (f64, f64) = (7.5, 30.0);
/// 300 dots per inch where SVG has 96.
const PRINT: f32 = 300.0 / 96.0;

impl Picture {
    /// As SVG.
    pub fn svg(&self, look: Look) -> String {
        SvgBackend::default().render_scene(&self.figure(look).render())
    }

    /// As SVG that is light or dark as the reader's screen is.
    pub fn svg_of_both_looks(&self) -> String {
        looks::joined(&self.svg(Look::Light), &self.svg(Look::Dark))
    }

    /// As PNG, 300 dots per inch.
    pub fn png(&self, look: Look) -> Result<Vec<u8>> {
        let scene = self.figure(look).render();
        PngBackend::new().with_scale(PRINT).render_scene(&scene).map_err(Error::Picture)
    }

    fn figure(&self, look: Look) -> Figure {
        let rows = self.panels.len().div_ceil(self.columns.max(1));
        let (mut plots, mut layouts) = (vec![], vec![]);
        for panel in &self.panels {
            let (marks, layout) = panel.laid_out(look);
            plots.push(marks);
            layouts.push(layout);
        }
        let has = |is_so: fn(&Panel) -> bool| self.panels.iter().any(is_so);
        let shares_legend = self.shares_legend();
        let more = [
            (has(Panel::has_long_names) && !shares_legend, FOR_NAMES),
            (has(Panel::has_rows), FOR_ROW_NAMES),
        ];
        let width = PANEL.0 + more.iter().filter(|it| it.0).map(|it| it.1).sum::<f64>();
        let height = self.panels.iter().map(Panel::height).fold(PANEL.1, f64::max);
        let figure = Figure::new(rows, self.columns)
            .with_title(&self.title)
            .with_title_size(18)
            .with_plots(plots)
            .with_layouts(layouts)
            .with_cell_size(width, height);
        if shares_legend { figure.with_shared_legend_right_top() } else { figure }
    }

    /// Whether one legend does for many panels: each would repeat it, or a part of it.
    fn shares_legend(&self) -> bool {
        let names = |panel: &Panel| -> BTreeSet<String> {
            panel.marks.iter().flat_map(Mark::names).map(str::to_owned).collect()
        };
        let names: Vec<BTreeSet<String>> = self.panels.iter().map(names).collect();
        let fullest = names.iter().max_by_key(|names| names.len());
        names.len() >= MANY_PANELS
            && fullest.is_some_and(|all| {
                names.iter().all(|names| !names.is_empty() && names.is_subset(all))
            })
    }
}

impl Panel {
    /// Whether its legend needs some room.
    fn has_long_names(&self) -> bool {
        self.marks.iter().flat_map(Mark::names).any(|name| name.len() > SHORT_NAME)
    }

    /// Whether there are names beside it.
    fn has_rows(&self) -> bool {
        self.marks.iter().any(|mark| matches!(mark, Mark::Rows { .. }))
    }

    /// How many pixels these need.
    fn height(&self) -> f64 {
        let needed = |mark: &Mark| match mark {
            Mark::Rows { names, series } => {
                ROW.0.max(ROW.1 * series.len() as f64) * names.len() as f64
            }
            _ => 0.0,
        };
        ROW.2 + self.marks.iter().map(needed).fold(0.0, f64::max)
    }

    /// Its marks, and the axes around them.
    fn laid_out(&self, look: Look) -> (Vec<Plot>, Layout) {
        let plots: Vec<Plot> = self.marks.iter().flat_map(|mark| mark.plots(look)).collect();
        let mut layout = Layout::auto_from_plots(&plots)
            .with_title(&self.title)
            .with_title_size(15)
            .with_x_label(&self.x)
            .with_y_label(&self.y)
            .with_theme(theme(look));
        for mark in &self.marks {
            match mark {
                Mark::Cells { rows, columns, .. } => {
                    let upwards = rows.iter().rev().cloned().collect();
                    layout = layout.with_y_categories(upwards).with_x_categories(columns.clone());
                }
                Mark::Rows { names, .. } => {
                    let upwards = names.iter().rev().cloned().collect();
                    layout = layout
                        .with_y_tick_step(1.0)
                        .with_y_tick_format(in_place_of_numbers(upwards))
                        .with_y_axis_min(-0.5)
                        .with_y_axis_max(names.len() as f64 - 0.5);
                    // Otherwise there would be room for the names of rows with points only.
                    let longest = names.iter().map(|name| name.chars().count()).max();
                    let letters = longest.unwrap_or(0) as f64;
                    layout.force_margin_left = Some(ROW_NAME.0 * letters + ROW_NAME.1);
                }
                Mark::Rule { at, label } => {
                    let line = ReferenceLine::vertical(*at).with_color(Colour::Muted.hex(look));
                    let line = line.with_label(label).with_dasharray("4 3");
                    layout = layout.with_reference_line(line);
                }
                _ => {}
            }
        }
        if self.has_long_names() {
            layout = layout.with_legend_wrap(LINE);
        }
        let below: usize = self.marks.iter().flat_map(Mark::categories).map(String::len).sum();
        if below > FIT_BELOW {
            layout = layout.with_x_tick_rotate(-30.0);
        }
        if self.y_percent {
            layout = layout.with_y_tick_format(TickFormat::Custom(Arc::new(percent)));
        }
        if self.x_percent {
            layout = layout.with_x_tick_format(TickFormat::Custom(Arc::new(percent)));
        }
        if let Some((low, high)) = self.y_range {
            layout = layout.with_y_axis_min(low).with_y_axis_max(high);
        }
        if let Some((low, high)) = self.x_range {
            layout = layout.with_x_axis_min(low).with_x_axis_max(high);
        }
        if self.x_counts {
            layout = layout.with_x_tick_step(1.0);
        }
        (plots, layout)
    }
}

impl Mark {
    /// What legends call it.
    fn names(&self) -> Vec<&str> {
        match self {
            Self::Points { name, .. } | Self::Uncertain { name, .. } | Self::Line { name, .. } => {
                name.as_deref().into_iter().collect()
            }
            Self::Bars { series, .. } => series.iter().map(|(_, name)| name.as_str()).collect(),
            Self::Rows { series, .. } => series.iter().map(|(_, name, _)| name.as_str()).collect(),
            Self::Cells { .. } | Self::Space { .. } | Self::Graph { .. } | Self::Rule { .. } => {
                vec![]
            }
        }
    }

    /// What is written below it in place of numbers.
    fn categories(&self) -> &[String] {
        match self {
            Self::Bars { groups, .. } => groups,
            Self::Cells { columns, .. } => columns,
            _ => &[],
        }
    }

    fn plots(&self, look: Look) -> Vec<Plot> {
        match self {
            Self::Points { points, colour, size, name } => {
                let plot = ScatterPlot::new()
                    .with_data(points.clone())
                    .with_color(colour.hex(look))
                    .with_size(*size);
                vec![name.iter().fold(plot, ScatterPlot::with_legend).into()]
            }
            Self::Uncertain { points, colour, name } => {
                let plot = ScatterPlot::new()
                    .with_data(points.iter().map(|&(x, y, _)| (x, y)).collect::<Vec<_>>())
                    .with_y_err(points.iter().map(|&(_, _, off)| off))
                    .with_color(colour.hex(look))
                    .with_size(4.0);
                vec![name.iter().fold(plot, ScatterPlot::with_legend).into()]
            }
            Self::Rows { names, series } => {
                let kinds = series.iter().enumerate();
                kinds
                    .map(|(kind, it)| row(names.len(), aside(kind, series.len()), it, look))
                    .collect()
            }
            Self::Line { points, colour, width, spread, name } => {
                let mut plot = LinePlot::new()
                    .with_data(points.clone())
                    .with_color(colour.hex(look))
                    .with_stroke_width(*width);
                if !spread.is_empty() {
                    let pairs = || points.iter().zip(spread);
                    let lower: Vec<f64> = pairs().map(|((_, y), by)| y - by).collect();
                    let upper: Vec<f64> = pairs().map(|((_, y), by)| y + by).collect();
                    plot = plot.with_band(lower, upper);
                }
                vec![name.iter().fold(plot, LinePlot::with_legend).into()]
            }
            Self::Bars { groups, series, values } => {
                let mut plot = BarPlot::new();
                for (group, values) in groups.iter().zip(values) {
                    let bars = values.iter().zip(series);
                    let bars = bars.map(|(&value, (colour, _))| (value, colour.hex(look)));
                    plot = plot.with_group(group, bars.collect::<Vec<_>>());
                }
                vec![
                    plot.with_legend(series.iter().map(|(_, name)| name.as_str()).collect()).into(),
                ]
            }
            Self::Cells { values, rows, columns } => {
                let upwards: Vec<Vec<f64>> = values.iter().rev().cloned().collect();
                let names = rows.iter().rev().cloned().collect();
                let plot = Heatmap::new()
                    .with_data(upwards)
                    .with_labels(names, columns.clone())
                    // Numbers are black in either look, so cells are pale.
                    .with_color_map(ColorMap::Custom(Arc::new(colours::pale)))
                    .with_values();
                vec![plot.into()]
            }
            Self::Space { points, lines } => space(points, lines, look),
            Self::Graph { nodes, edges } => graph(nodes, edges, look),
            Self::Rule { .. } => vec![],
        }
    }
}

/// How far a kind of points stands aside.
fn aside(kind: usize, kinds: usize) -> f64 {
    let apart = APART.0.min(APART.1 / kinds as f64);
    apart * (kind as f64 - 0.5 * (kinds as f64 - 1.0))
}

/// Names on an axis, in place of 0, 1, 2.
fn in_place_of_numbers(names: Vec<String>) -> TickFormat {
    TickFormat::Custom(Arc::new(move |number: f64| {
        let is_place = number >= 0.0 && number.fract() == 0.0;
        let name = is_place.then(|| names.get(number as usize)).flatten();
        name.cloned().unwrap_or_default()
    }))
}

/// One kind of points beside names, the first on top.
fn row(
    names: usize,
    aside: f64,
    (colour, name, dots): &(Colour, String, Vec<Option<Beside>>),
    look: Look,
) -> Plot {
    let known = dots.iter().enumerate().filter_map(|(place, dot)| Some((place, (*dot)?)));
    let mut known: Vec<(usize, Beside)> = known.collect();
    // The first points get the intervals, as many as there are.
    known.sort_by_key(|(_, it)| it.interval.is_none());
    let height = |place: usize| (names - 1 - place) as f64 - aside;
    let points: Vec<(f64, f64)> =
        known.iter().map(|(place, it)| (it.value, height(*place))).collect();
    let off = known.iter().filter_map(|(_, it)| {
        let (low, high) = it.interval?;
        Some((it.value - low, high - it.value))
    });
    ScatterPlot::new()
        .with_data(points)
        .with_x_err_asymmetric(off)
        .with_color(colour.hex(look))
        .with_size(3.2)
        .with_legend(name)
        .into()
}

fn space(points: &[([f32; 3], Colour)], lines: &[Vec<[f32; 3]>], look: Look) -> Vec<Plot> {
    let mut plots = vec![];
    // Lines are many small points: there are no lines in space.
    let along: Vec<(f64, f64, f64)> =
        lines.iter().flat_map(|line| line.windows(2)).flat_map(between).collect();
    if !along.is_empty() {
        let plot = Scatter3DPlot::new()
            .with_data(along)
            .with_color(Colour::Path.hex(look))
            .with_size(0.35);
        plots.push(plot.into());
    }
    let places: Vec<(f64, f64, f64)> = points.iter().map(|(place, _)| to_double(*place)).collect();
    let colours = points.iter().map(|(_, colour)| colour.hex(look));
    let plot = Scatter3DPlot::new()
        .with_data(places)
        .with_colors(colours.collect::<Vec<_>>())
        .with_size(1.6)
        .with_x_label("component 1")
        .with_y_label("component 2")
        .with_z_label("component 3");
    plots.push(plot.into());
    plots
}

fn graph(
    nodes: &[(String, Colour)],
    edges: &[(usize, usize, Colour, f64)],
    look: Look,
) -> Vec<Plot> {
    let mut plot = NetworkPlot::new()
        .with_layout(NetworkLayout::Circle)
        .with_node_radius(17.0)
        .with_label_size(9)
        .with_labels_inside();
    for (place, (label, colour)) in nodes.iter().enumerate() {
        let angle = std::f64::consts::TAU * place as f64 / nodes.len() as f64;
        let (x, y) = (0.5 + 0.44 * angle.sin(), 0.5 - 0.44 * angle.cos());
        plot = plot.with_node_color(label, colour.hex(look)).with_node_position(label, x, y);
    }
    for &(from, to, colour, width) in edges {
        let (from, to) = (&nodes[from].0, &nodes[to].0);
        plot = plot.with_edge_color(from, to, width, colour.hex(look));
    }
    vec![plot.into()]
}

/// With as many digits as it takes, up to three behind the point.
fn percent(share: f64) -> String {
    let thousandths = (100_000.0 * share).round();
    format!("{} %", thousandths / 1000.0)
}

fn to_double([x, y, z]: [f32; 3]) -> (f64, f64, f64) {
    (x.into(), y.into(), z.into())
}

/// Points along the way from one place to another.
fn between(pair: &[[f32; 3]]) -> impl Iterator<Item = (f64, f64, f64)> {
    const PIECES: usize = 24;
    let [from, to] = [pair[0], pair[1]];
    (0..PIECES).map(move |piece| {
        let share = piece as f32 / PIECES as f32;
        to_double(std::array::from_fn(|axis| from[axis] + share * (to[axis] - from[axis])))
    })
}

fn theme(look: Look) -> Theme {
    match look {
        Look::Light => Theme::light(),
        Look::Dark => Theme::dark(),
    }
}
