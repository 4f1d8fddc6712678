//! Dot plots: named rows, one dot per series.

use super::error_bars::draw_estimate;
use super::{Draw, Series};
use crate::Entry;
use crate::frame::{Extent, Frame};
use crate::scene::Scene;

/// A dot plot. Values are along the x axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Dots {
    /// Names of the rows, from top to bottom.
    pub rows: Vec<String>,
    /// The series.
    pub series: Vec<Series>,
}

/// Distance between two series of a row, in points of print.
const SERIES_DISTANCE: f64 = 5.2;
/// Free height between rows.
const ROW_GAP: f64 = 6.5;

impl Dots {
    /// A dot plot.
    pub fn new(rows: Vec<String>, series: Vec<Series>) -> Self {
        Self { rows, series }
    }

    /// Whether the values of seeds are drawn, below those of their series.
    fn has_seeds(&self) -> bool {
        let values = self.series.iter().flat_map(|series| series.values.iter().flatten());
        values.clone().any(|value| value.seeds.len() > 1)
    }

    fn distance(&self) -> f64 {
        if self.has_seeds() { SERIES_DISTANCE + 3.2 } else { SERIES_DISTANCE }
    }

    /// Height of all rows, in points of print.
    pub(crate) fn height(&self) -> f64 {
        let row = self.series.len().max(1) as f64 * self.distance() + ROW_GAP;
        row.max(11.0) * self.rows.len() as f64
    }
}

impl Draw for Dots {
    fn extent(&self) -> Extent {
        let values = self.series.iter().flat_map(|series| series.values.iter().flatten());
        Extent::of(values.flat_map(|it| it.numbers().map(|number| (number, 0.0))))
    }

    fn entries(&self) -> Vec<Entry> {
        let entry = |it: &Series| Entry::new(&it.name, it.colour, it.marker.into());
        self.series.iter().map(entry).collect()
    }

    fn draw(&self, frame: &Frame, scene: &mut Scene) {
        let middle = 0.5 * (self.series.len() as f64 - 1.0);
        let lift = if self.has_seeds() { -1.5 } else { 0.0 };
        for (index, series) in self.series.iter().enumerate() {
            let offset = self.distance() * (index as f64 - middle) + lift;
            for (row, value) in series.values.iter().enumerate().take(self.rows.len()) {
                let Some(estimate) = value else { continue };
                let y = frame.y.at(row as f64) + offset;
                let place = |value: f64| (frame.x.at(value), y);
                let look = (series.colour, series.marker);
                draw_estimate(estimate, look, place, (0.0, 1.0), scene);
            }
        }
    }
}
