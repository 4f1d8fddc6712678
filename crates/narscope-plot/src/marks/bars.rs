//! Groups of bars.

use super::estimate::spread;
use super::{Draw, Series};
use crate::axis::Format;
use crate::frame::{Extent, Frame};
use crate::scene::{Anchor, Area, Fill, Label, Scene, Shape, Stroke};
use crate::size::TICK;
use crate::ticks::one;
use crate::{Colour, Entry, Key};

/// Groups of bars, which stand on zero.
#[derive(Clone, Debug)]
pub struct Bars {
    /// Names of the groups, along the x axis.
    pub groups: Vec<String>,
    /// The bars of each group.
    pub series: Vec<Series>,
    /// How values above the bars are written; `None` for none.
    pub values: Option<Format>,
}

impl Bars {
    /// Bars.
    pub fn new(groups: Vec<String>, series: Vec<Series>) -> Self {
        Self { groups, series, values: None }
    }

    /// The same bars with their values above them.
    #[must_use]
    pub fn with_values(self, format: Format) -> Self {
        Self { values: Some(format), ..self }
    }
}

/// Share of a group's width that its bars have.
const GROUP_SHARE: f64 = 0.78;
/// Most width of a bar, in points of print.
const MOST_WIDTH: f64 = 26.0;

impl Draw for Bars {
    fn extent(&self) -> Extent {
        let values = self.series.iter().flat_map(|series| series.values.iter().flatten());
        let numbers = values.flat_map(|it| it.numbers().map(|number| (0.0, number)));
        Extent::of(numbers.chain([(0.0, 0.0)]))
    }

    fn entries(&self) -> Vec<Entry> {
        let entry = |it: &Series| Entry::new(&it.name, it.colour, Key::Square);
        self.series.iter().map(entry).collect()
    }

    fn draw(&self, frame: &Frame, scene: &mut Scene) {
        let count = self.series.len().max(1) as f64;
        let slot = (frame.x.at(1.0) - frame.x.at(0.0)).abs();
        let width = (GROUP_SHARE * slot / count).min(MOST_WIDTH);
        let gap = (0.08 * width).min(1.2);
        for (index, series) in self.series.iter().enumerate() {
            for (group, value) in series.values.iter().enumerate().take(self.groups.len()) {
                let Some(estimate) = value else { continue };
                let middle =
                    frame.x.at(group as f64) + (index as f64 - 0.5 * (count - 1.0)) * width;
                let (zero, end) = (frame.y.at(0.0), frame.y.at(estimate.value));
                let area = Area {
                    left: middle - 0.5 * width + gap,
                    right: middle + 0.5 * width - gap,
                    top: zero.min(end),
                    bottom: zero.max(end),
                };
                scene.push(Shape::filled(area, Fill { colour: series.colour, opacity: 0.85 }));
                let mut highest = area.top;
                if let Some((low, high)) = estimate.interval {
                    let ends = vec![(middle, frame.y.at(low)), (middle, frame.y.at(high))];
                    scene.push(Shape::line(ends, Stroke::new(Colour::Text, 0.8)));
                    highest = highest.min(frame.y.at(high));
                }
                for (seed, offset) in estimate.seeds.iter().zip(spread(estimate.seeds.len())) {
                    let at = (middle + 0.28 * width * offset, frame.y.at(*seed));
                    let (fill, stroke) = (Colour::Background, Stroke::new(Colour::Text, 0.5));
                    scene.push(Shape::Circle {
                        at,
                        radius: 1.1,
                        fill: Some(fill.into()),
                        stroke: Some(stroke),
                    });
                    highest = highest.min(at.1 - 1.1);
                }
                if let Some(format) = self.values {
                    let text = one(estimate.value, format);
                    let label = Label::new((middle, highest - 2.0), &text, TICK);
                    scene.text(label.anchor(Anchor::Middle).colour(Colour::Subtle));
                }
            }
        }
    }
}
