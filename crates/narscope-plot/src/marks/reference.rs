//! Lines across a panel to compare with.

use super::Draw;
use crate::frame::{Extent, Frame};
use crate::scene::{Anchor, Label, Pt, Scene, Shape, Stroke};
use crate::size::TICK;
use crate::{Colour, Entry};

/// The axis on which a reference value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// A value of the x axis: a vertical line.
    X,
    /// A value of the y axis: a horizontal line.
    Y,
    /// Where both axes have the same value.
    Diagonal,
}

/// A dashed line across the panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The axis of its value.
    pub along: Along,
    /// The value.
    pub value: f64,
    /// Text next to the line.
    pub label: String,
    /// Colour.
    pub colour: Colour,
}

impl Reference {
    /// A vertical line.
    pub fn x(value: f64, label: impl Into<String>) -> Self {
        Self { along: Along::X, value, label: label.into(), colour: Colour::Muted }
    }

    /// A horizontal line.
    pub fn y(value: f64, label: impl Into<String>) -> Self {
        Self { along: Along::Y, value, label: label.into(), colour: Colour::Muted }
    }

    /// The line where x and y are equal.
    pub fn diagonal(label: impl Into<String>) -> Self {
        Self { along: Along::Diagonal, value: 0.0, label: label.into(), colour: Colour::Muted }
    }

    /// The same line in another colour.
    #[must_use]
    pub fn colour(self, colour: Colour) -> Self {
        Self { colour, ..self }
    }
}

impl Draw for Reference {
    fn extent(&self) -> Extent {
        let only = Some((self.value, self.value));
        match self.along {
            Along::X => Extent { x: only, y: None },
            Along::Y => Extent { x: None, y: only },
            Along::Diagonal => Extent::default(),
        }
    }

    fn entries(&self) -> Vec<Entry> {
        vec![]
    }

    fn draw(&self, frame: &Frame, scene: &mut Scene) {
        if let Some((from, to)) = self.ends(frame) {
            scene.push(Shape::line(vec![from, to], Stroke::new(self.colour, 0.8).dashed(true)));
        }
    }
}

impl Reference {
    /// Both ends, if the line is inside of the plot area.
    fn ends(&self, frame: &Frame) -> Option<(Pt, Pt)> {
        let area = frame.area;
        let (from, to) = match self.along {
            Along::X => {
                let x = frame.x.at(self.value);
                ((x, area.bottom), (x, area.top))
            }
            Along::Y => {
                let y = frame.y.at(self.value);
                ((area.left, y), (area.right, y))
            }
            Along::Diagonal => {
                let low = frame.x.range.0.max(frame.y.range.0);
                let high = frame.x.range.1.min(frame.y.range.1);
                (frame.at((low, low)), frame.at((high, high)))
            }
        };
        let room = area.grown(0.5);
        (room.contains(from) && room.contains(to)).then_some((from, to))
    }

    /// Places for its label next to the line, the best first.
    pub(crate) fn labels(&self, frame: &Frame) -> Vec<Label> {
        let area = frame.area;
        let Some((from, to)) = self.ends(frame).filter(|_| !self.label.is_empty()) else {
            return vec![];
        };
        let at = |share: f64| (to.0 + share * (from.0 - to.0), to.1 + share * (from.1 - to.1));
        let label = |at, anchor| {
            let label = Label::new(at, &self.label, TICK).colour(Colour::Subtle).with_halo();
            label.anchor(anchor)
        };
        let shares = [0.0, 1.0, 0.25, 0.5, 0.75];
        let mut labels = vec![];
        match self.along {
            Along::X => {
                for (x, y) in shares.map(at) {
                    let y = y.clamp(area.top + TICK, area.bottom - 3.0);
                    labels.push(label((x + 2.5, y), Anchor::Start));
                    labels.push(label((x - 2.5, y), Anchor::End));
                }
            }
            Along::Y => {
                for (x, y) in shares.map(at) {
                    let half = 0.5 * label((0.0, 0.0), Anchor::Start).width();
                    let x = x.min(area.right - half).max(area.left + half + 2.0);
                    labels.push(label((x, y - 2.4), Anchor::Middle));
                    labels.push(label((x, y + TICK + 0.5), Anchor::Middle));
                }
            }
            Along::Diagonal => {
                for (x, y) in [0.06, 0.94, 0.3, 0.5, 0.7].map(at) {
                    labels.push(label((x - 4.0, y), Anchor::End));
                    labels.push(label((x + 4.0, y + 0.8 * TICK), Anchor::Start));
                }
            }
        }
        labels
    }
}
