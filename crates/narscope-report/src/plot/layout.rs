//! Sizes, axes and legends.

use std::collections::BTreeSet;
use std::sync::Arc;

use kuva::TickFormat;
use kuva::render::annotations::ReferenceLine;
use kuva::render::figure::Figure;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use kuva::render::theme::Theme;

use super::{Colour, ColourScheme, Mark, Panel, Picture};

/// From this number of panels on, one legend serves all if it can.
const MIN_PANELS_FOR_SHARED_LEGEND: usize = 3;
/// Width and height of a panel, in pixels.
const PANEL_WIDTH: f64 = 430.0;
const PANEL_HEIGHT: f64 = 370.0;
/// Extra width for long names in a legend.
const LEGEND_WIDTH: f64 = 120.0;
/// Extra width for names of rows.
const ROW_NAMES_WIDTH: f64 = 200.0;
/// Longer names in a legend need [`LEGEND_WIDTH`] and are wrapped.
const MAX_SHORT_NAME: usize = 12;
/// Characters per line of a wrapped name.
const LEGEND_WRAP: usize = 20;
/// More characters of category names below a panel are rotated.
const MAX_LEVEL_CATEGORIES: usize = 28;
/// Minimum height of a row of a dot plot.
const MIN_ROW_HEIGHT: f64 = 26.0;
/// Height of a row per series.
const SERIES_HEIGHT: f64 = 9.0;
/// Height above and below all rows.
const ROWS_MARGIN: f64 = 110.0;
/// Width of a character in the name of a row.
const ROW_NAME_CHARACTER: f64 = 7.5;
/// Width next to the names of rows.
const ROW_NAME_MARGIN: f64 = 30.0;

impl Picture {
    pub(super) fn figure(&self, scheme: ColourScheme) -> Figure {
        let rows = self.panels.len().div_ceil(self.columns.max(1));
        let (mut plots, mut layouts) = (vec![], vec![]);
        for panel in &self.panels {
            let (panel_plots, layout) = panel.plots_and_layout(scheme);
            plots.push(panel_plots);
            layouts.push(layout);
        }
        let any = |condition: fn(&Panel) -> bool| self.panels.iter().any(condition);
        let shares_legend = self.shares_legend();
        let extra_widths = [
            (any(Panel::has_long_names) && !shares_legend, LEGEND_WIDTH),
            (any(Panel::has_rows), ROW_NAMES_WIDTH),
        ];
        let width = PANEL_WIDTH + extra_widths.iter().filter(|it| it.0).map(|it| it.1).sum::<f64>();
        let height = self.panels.iter().map(Panel::height).fold(PANEL_HEIGHT, f64::max);
        let figure = Figure::new(rows, self.columns)
            .with_title(&self.title)
            .with_title_size(18)
            .with_plots(plots)
            .with_layouts(layouts)
            .with_cell_size(width, height);
        if shares_legend { figure.with_shared_legend_right_top() } else { figure }
    }

    /// Whether one legend serves all panels: there are many, and each would repeat it or a part of it.
    fn shares_legend(&self) -> bool {
        let names = |panel: &Panel| -> BTreeSet<String> {
            panel.marks.iter().flat_map(Mark::legend_names).map(str::to_owned).collect()
        };
        let names: Vec<BTreeSet<String>> = self.panels.iter().map(names).collect();
        let largest = names.iter().max_by_key(|names| names.len());
        names.len() >= MIN_PANELS_FOR_SHARED_LEGEND
            && largest.is_some_and(|all| {
                names.iter().all(|names| !names.is_empty() && names.is_subset(all))
            })
    }
}

impl Panel {
    /// Whether its legend needs extra width.
    fn has_long_names(&self) -> bool {
        self.marks.iter().flat_map(Mark::legend_names).any(|name| name.len() > MAX_SHORT_NAME)
    }

    /// Whether it has named rows.
    fn has_rows(&self) -> bool {
        self.marks.iter().any(|mark| matches!(mark, Mark::Dots { .. }))
    }

    /// Height that its rows need, in pixels.
    fn height(&self) -> f64 {
        let height = |mark: &Mark| match mark {
            Mark::Dots { rows, series } => {
                MIN_ROW_HEIGHT.max(SERIES_HEIGHT * series.len() as f64) * rows.len() as f64
            }
            _ => 0.0,
        };
        ROWS_MARGIN + self.marks.iter().map(height).fold(0.0, f64::max)
    }

    fn plots_and_layout(&self, scheme: ColourScheme) -> (Vec<Plot>, Layout) {
        let plots: Vec<Plot> = self.marks.iter().flat_map(|mark| mark.plots(scheme)).collect();
        let mut layout = Layout::auto_from_plots(&plots)
            .with_title(&self.title)
            .with_title_size(15)
            .with_x_label(&self.x_label)
            .with_y_label(&self.y_label)
            .with_theme(theme(scheme));
        for mark in &self.marks {
            layout = with_mark(layout, mark, scheme);
        }
        (plots, self.with_axes(layout))
    }

    fn with_axes(&self, mut layout: Layout) -> Layout {
        if self.has_long_names() {
            layout = layout.with_legend_wrap(LEGEND_WRAP);
        }
        let below: usize = self.marks.iter().flat_map(Mark::categories).map(String::len).sum();
        if below > MAX_LEVEL_CATEGORIES {
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
        if self.x_integers {
            layout = layout.with_x_tick_step(1.0);
        }
        layout
    }
}

/// Adds the tick labels and reference lines of a mark.
fn with_mark(mut layout: Layout, mark: &Mark, scheme: ColourScheme) -> Layout {
    match mark {
        Mark::Heatmap { rows, columns, .. } => {
            let upwards = rows.iter().rev().cloned().collect();
            layout.with_y_categories(upwards).with_x_categories(columns.clone())
        }
        Mark::Dots { rows, .. } => {
            let upwards = rows.iter().rev().cloned().collect();
            layout = layout
                .with_y_tick_step(1.0)
                .with_y_tick_format(names_as_ticks(upwards))
                .with_y_axis_min(-0.5)
                .with_y_axis_max(rows.len() as f64 - 0.5);
            // The automatic margin would ignore the names of rows without points.
            let longest = rows.iter().map(|name| name.chars().count()).max();
            let characters = longest.unwrap_or(0) as f64;
            layout.force_margin_left = Some(ROW_NAME_CHARACTER * characters + ROW_NAME_MARGIN);
            layout
        }
        Mark::VerticalLine { x, label } => {
            let line = ReferenceLine::vertical(*x).with_color(Colour::Muted.hex(scheme));
            layout.with_reference_line(line.with_label(label).with_dasharray("4 3"))
        }
        Mark::Points { .. }
        | Mark::ErrorBars { .. }
        | Mark::Line { .. }
        | Mark::Bars { .. }
        | Mark::Space { .. }
        | Mark::Graph { .. } => layout,
    }
}

/// Shows names at 0, 1, 2, … of an axis.
fn names_as_ticks(names: Vec<String>) -> TickFormat {
    TickFormat::Custom(Arc::new(move |value: f64| {
        let is_index = value >= 0.0 && value.fract() == 0.0;
        let name = is_index.then(|| names.get(value as usize)).flatten();
        name.cloned().unwrap_or_default()
    }))
}

/// A share in percent, with up to three decimals.
fn percent(share: f64) -> String {
    let thousandths = (100_000.0 * share).round();
    format!("{} %", thousandths / 1000.0)
}

fn theme(scheme: ColourScheme) -> Theme {
    match scheme {
        ColourScheme::Light => Theme::light(),
        ColourScheme::Dark => Theme::dark(),
    }
}
