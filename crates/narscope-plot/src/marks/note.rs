//! Text at a position.

use super::Draw;
use crate::frame::{Extent, Frame};
use crate::scene::{Anchor, Label, Scene};
use crate::size::TICK;
use crate::{Colour, Entry};

/// Text at a position of the axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Position.
    pub at: (f64, f64),
    /// The text.
    pub text: String,
    /// Colour.
    pub colour: Colour,
    /// Which point of the text is at the position.
    pub anchor: Anchor,
}

impl Note {
    /// A text that starts at a position.
    pub fn new(at: (f64, f64), text: impl Into<String>) -> Self {
        Self { at, text: text.into(), colour: Colour::Text, anchor: Anchor::Start }
    }

    /// The same text in another colour.
    #[must_use]
    pub fn colour(self, colour: Colour) -> Self {
        Self { colour, ..self }
    }

    /// The same text with another point at its position.
    #[must_use]
    pub fn anchor(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }
}

impl Draw for Note {
    fn extent(&self) -> Extent {
        Extent::of([self.at])
    }

    fn entries(&self) -> Vec<Entry> {
        vec![]
    }

    fn draw(&self, frame: &Frame, scene: &mut Scene) {
        let label = Label::new(frame.at(self.at), &self.text, TICK)
            .anchor(self.anchor)
            .colour(self.colour)
            .with_halo()
            .centred();
        // A text that would leave the panel is moved back into it.
        let (area, room) = (label.area(), frame.area);
        let by = (room.left - area.left).max(0.0) - (area.right - room.right).max(0.0);
        scene.text(Label { at: (label.at.0 + by, label.at.1), ..label });
    }
}
