//! Arrows: changes from one position to another.

use super::{Draw, named};
use crate::frame::{Extent, Frame};
use crate::scene::{Scene, Stroke};
use crate::sign::arrow;
use crate::{Colour, Entry, Key};

/// Start, tip and colour of an arrow.
pub type Arrow = ((f64, f64), (f64, f64), Colour);

/// Arrows, each with its colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrows {
    /// The arrows.
    pub arrows: Vec<Arrow>,
    /// Width in points of print.
    pub width: f64,
    /// Name in the legend, with the colour of the first.
    pub name: Option<String>,
}

impl Arrows {
    /// Arrows.
    pub fn new(arrows: Vec<Arrow>) -> Self {
        Self { arrows, width: 0.9, name: None }
    }

    /// The same arrows with a name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// The same arrows with a width in points of print.
    #[must_use]
    pub fn width(self, width: f64) -> Self {
        Self { width, ..self }
    }
}

impl Draw for Arrows {
    fn extent(&self) -> Extent {
        Extent::of(self.arrows.iter().flat_map(|(from, to, _)| [*from, *to]))
    }

    fn entries(&self) -> Vec<Entry> {
        let colour = self.arrows.first().map_or(Colour::Muted, |it| it.2);
        named(self.name.as_ref(), colour, Key::Line)
    }

    fn draw(&self, frame: &Frame, scene: &mut Scene) {
        let room = frame.area.grown(1.0);
        for (from, to, colour) in &self.arrows {
            let (from, to) = (frame.at(*from), frame.at(*to));
            if room.contains(from) && room.contains(to) {
                arrow(from, to, Stroke::new(*colour, self.width), scene);
            }
        }
    }
}
