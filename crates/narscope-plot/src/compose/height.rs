//! Height of plot areas.

use crate::frame::Extent;
use crate::svg::POINTS_PER_MM;
use crate::{Mark, Panel};

/// Height of a plot area in a cell of a width.
pub(super) fn height(panel: &Panel, width: f64) -> f64 {
    if let Some(mm) = panel.height_mm {
        return (mm * POINTS_PER_MM).clamp(20.0, 5000.0);
    }
    let of_marks = panel.marks.iter().filter_map(|mark| of_mark(mark, width)).reduce(f64::max);
    let usual = (0.58 * width).clamp(92.0, 165.0);
    match of_marks {
        Some(height) => height,
        None if panel.is_empty() => 0.0,
        None if panel.equal => of_equal_axes(panel, width).unwrap_or(usual),
        None => usual,
    }
}

/// The height that a mark wants.
fn of_mark(mark: &Mark, width: f64) -> Option<f64> {
    match mark {
        Mark::Dots(dots) => Some(dots.height()),
        Mark::Heatmap(heatmap) => {
            let cell = 0.55 * width / heatmap.columns.len().max(1) as f64;
            Some(heatmap.rows.len() as f64 * cell.clamp(13.0, 24.0))
        }
        Mark::Space(_) => Some((0.95 * width).clamp(130.0, 250.0)),
        Mark::Graph(graph) => Some(graph.height(width)),
        _ => None,
    }
}

/// The height that axes of the same scale need.
fn of_equal_axes(panel: &Panel, width: f64) -> Option<f64> {
    let extent = panel.marks.iter().fold(Extent::default(), |all, mark| all.and(mark.extent()));
    let (x, y) = (panel.x.covers(extent.x, false), panel.y.covers(extent.y, false));
    let share = (y.1 - y.0) / (x.1 - x.0);
    // About a sixth of the width is for labels.
    share.is_finite().then(|| (0.84 * share * width).clamp(0.4 * width, 0.9 * width))
}
