//! Heat maps.

use super::Draw;
use crate::axis::Format;
use crate::frame::{Extent, Frame};
use crate::scene::{Anchor, Area, Label, Scene, Shape};
use crate::sign::gradient;
use crate::size::{GAP, TEXT, TICK};
use crate::text::{Weight, width};
use crate::ticks::{decimal, one};
use crate::{Colour, Entry};

/// A matrix of values, the first row on top.
#[derive(Clone, Debug)]
pub struct Heatmap {
    /// Values, by row and column; a value that is not a number leaves its cell empty.
    pub values: Vec<Vec<f64>>,
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// What the values are, along the colour bar.
    pub label: String,
    /// How they are written.
    pub format: Format,
    /// Values of the palest and the strongest colour; `None` for the smallest and the largest value.
    pub range: Option<(f64, f64)>,
}

/// Distance and width of the colour bar, in points of print.
const BAR_DISTANCE: f64 = 8.0;
const BAR_WIDTH: f64 = 6.0;

impl Heatmap {
    /// A heat map.
    pub fn new(values: Vec<Vec<f64>>, rows: Vec<String>, columns: Vec<String>) -> Self {
        let (label, format) = (String::new(), Format::Number);
        Self { values, rows, columns, label, format, range: None }
    }

    /// The same heat map with what its values are.
    #[must_use]
    pub fn label(self, label: impl Into<String>, format: Format) -> Self {
        Self { label: label.into(), format, ..self }
    }

    /// The same heat map with the values of the palest and the strongest colour.
    #[must_use]
    pub fn range(self, low: f64, high: f64) -> Self {
        Self { range: Some((low, high)), ..self }
    }

    fn ends(&self) -> (f64, f64) {
        let finite = || self.values.iter().flatten().copied().filter(|it| it.is_finite());
        let (low, high) = self.range.unwrap_or_else(|| {
            (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max))
        });
        if low < high { (low, high) } else { (low.min(0.0), low.max(0.0) + 1.0) }
    }

    /// Width of the colour bar with its labels.
    pub(crate) fn bar_width(&self) -> f64 {
        let (low, high) = self.ends();
        let label = |value| width(&one(value, self.format), TICK, Weight::Regular);
        let name = if self.label.is_empty() { 0.0 } else { TEXT + GAP };
        BAR_DISTANCE + BAR_WIDTH + GAP + label(low).max(label(high)) + name
    }

    /// Writes values with the same decimals, as many as fit into the cells; percent signs are at the colour bar.
    fn writer(&self, most: f64) -> Option<impl Fn(f64) -> String + use<>> {
        let (format, (low, high)) = (self.format, self.ends());
        let write = move |value: f64, decimals: usize| match format {
            Format::Custom(write) => write(value),
            Format::Percent => decimal(100.0 * value, decimals),
            Format::Integer => decimal(value, 0),
            Format::Number => decimal(value, decimals),
        };
        let scale = if matches!(format, Format::Percent) { 100.0 } else { 1.0 };
        // Two digits more than the range of all values has.
        let useful = (2.0 - (scale * (high - low)).log10().ceil()).clamp(0.0, 4.0) as usize;
        let fits = |decimals: &usize| {
            let values = self.values.iter().flatten().filter(|value| value.is_finite());
            values
                .clone()
                .all(|value| width(&write(*value, *decimals), TICK, Weight::Regular) <= most)
        };
        let decimals = (0..=useful.max(1)).rev().find(fits)?;
        Some(move |value| write(value, decimals))
    }

    fn colour_bar(&self, frame: &Frame, scene: &mut Scene) {
        let left = frame.area.right + BAR_DISTANCE;
        let area = Area { left, right: left + BAR_WIDTH, ..frame.area };
        gradient(area, Colour::Heat, scene);
        let (low, high) = self.ends();
        let right = left + BAR_WIDTH + GAP;
        let mut widest = 0.0f64;
        let places = [(low, area.bottom - 0.5 * TICK), (high, area.top + 0.5 * TICK)];
        for (value, y) in places {
            let label = Label::new((right, y), &one(value, self.format), TICK);
            widest = widest.max(label.width());
            scene.text(label.colour(Colour::Subtle).centred());
        }
        let at = (right + widest + GAP + 0.5 * TEXT, area.centre().1);
        let name = Label::new(at, &self.label, TEXT).anchor(Anchor::Middle).angle(-90.0);
        scene.text(name.centred());
    }
}

impl Draw for Heatmap {
    fn extent(&self) -> Extent {
        Extent::default()
    }

    fn entries(&self) -> Vec<Entry> {
        vec![]
    }

    fn draw(&self, frame: &Frame, scene: &mut Scene) {
        let (low, high) = self.ends();
        let cells = self.values.iter().enumerate().flat_map(|(row, values)| {
            values.iter().enumerate().map(move |(column, value)| (row, column, *value))
        });
        let cell = Area {
            left: frame.x.at(-0.5) + 0.4,
            right: frame.x.at(0.5) - 0.4,
            top: frame.y.at(-0.5) + 0.4,
            bottom: frame.y.at(0.5) - 0.4,
        };
        let write = self.writer(cell.width() - 2.0).filter(|_| cell.height() >= TICK);
        for (row, column, value) in cells {
            let (x, y) = (frame.x.at(column as f64), frame.y.at(row as f64));
            let area = Area {
                left: x - 0.5 * cell.width(),
                right: x + 0.5 * cell.width(),
                top: y - 0.5 * cell.height(),
                bottom: y + 0.5 * cell.height(),
            };
            if !value.is_finite() {
                scene.push(Shape::filled(area, Colour::Grid));
                continue;
            }
            let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
            scene.push(Shape::filled(area, Colour::Heat(share)));
            if let Some(write) = &write {
                let label = Label::new((x, y), &write(value), TICK).anchor(Anchor::Middle);
                scene.text(label.colour(Colour::OnHeat(share)).centred());
            }
        }
        self.colour_bar(frame, scene);
    }
}
