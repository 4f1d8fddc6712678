//! Legends: who is who, in a line above the panels.

use crate::Colour;
use crate::axis::Format;
use crate::scene::{Anchor, Area, Label, Pt, Scene, Shape, Stroke};
use crate::sign::{Marker, gradient, node};
use crate::size::{LEGEND_LEADING, TEXT, TICK};
use crate::text::{Weight, clean, width};
use crate::ticks::one;

/// The sign of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A point.
    Dot,
    /// A ring.
    Ring,
    /// A diamond.
    Diamond,
    /// A line.
    Line,
    /// A dashed line.
    Dashes,
    /// A line with points.
    DotOnLine,
    /// A rectangle: bars, histograms, areas.
    Square,
    /// A circle with a rim, as nodes of graphs have.
    Node,
}

impl From<Marker> for Key {
    fn from(marker: Marker) -> Self {
        match marker {
            Marker::Dot => Self::Dot,
            Marker::Ring => Self::Ring,
            Marker::Diamond => Self::Diamond,
        }
    }
}

/// An entry of a legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What the colour stands for.
    pub name: String,
    /// The colour.
    pub colour: Colour,
    /// The sign.
    pub key: Key,
}

impl Entry {
    /// An entry.
    pub fn new(name: impl Into<String>, colour: Colour, key: Key) -> Self {
        Self { name: name.into(), colour, key }
    }
}

/// The meaning of [`Colour::Scale`].
#[derive(Clone, Debug)]
pub struct ColourBar {
    /// What the colour stands for.
    pub label: String,
    /// The values of `Scale(0.0)` and `Scale(1.0)`.
    pub range: (f64, f64),
    /// How they are written.
    pub format: Format,
}

impl ColourBar {
    /// A bar for steps, from the first to the last.
    pub fn steps(last: usize) -> Self {
        Self { label: "step".to_owned(), range: (1.0, last as f64), format: Format::Integer }
    }

    fn ends(&self) -> (String, String) {
        (one(self.range.0, self.format), one(self.range.1, self.format))
    }
}

impl PartialEq for ColourBar {
    fn eq(&self, other: &Self) -> bool {
        (&self.label, self.ends()) == (&other.label, other.ends())
    }
}

/// Something in the line of a legend.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    Entry(Entry),
    Bar(ColourBar),
}

/// Width of a sign.
const KEY: f64 = 11.0;
/// Between a sign and its name.
const KEY_GAP: f64 = 3.0;
/// Between entries.
const ENTRY_GAP: f64 = 11.0;
/// Length of a colour bar.
const BAR: f64 = 56.0;

impl Item {
    fn width(&self) -> f64 {
        match self {
            Self::Entry(entry) => KEY + KEY_GAP + width(&clean(&entry.name), TEXT, Weight::Regular),
            Self::Bar(bar) => {
                let (low, high) = bar.ends();
                let text = |text: &str, size| width(&clean(text), size, Weight::Regular);
                text(&bar.label, TEXT) + text(&low, TICK) + text(&high, TICK) + BAR + 3.0 * KEY_GAP
            }
        }
    }
}

/// Items in lines of at most `most` points: line, distance from the left, item.
fn flow(items: &[Item], most: f64) -> Vec<(usize, f64, &Item)> {
    let (mut line, mut x) = (0, 0.0);
    let place = |item| {
        let width = Item::width(item);
        if x > 0.0 && x + width > most {
            (line, x) = (line + 1, 0.0);
        }
        let placed = (line, x, item);
        x += width + ENTRY_GAP;
        placed
    };
    items.iter().map(place).collect()
}

/// Height of a legend.
pub(crate) fn height(items: &[Item], most: f64) -> f64 {
    flow(items, most).last().map_or(0.0, |(line, ..)| (1 + line) as f64 * LEGEND_LEADING)
}

/// Draws a legend; `(left, top)` is its corner.
pub(crate) fn draw(items: &[Item], (left, top): Pt, most: f64, scene: &mut Scene) {
    for (line, x, item) in flow(items, most) {
        let at = (left + x, top + (line as f64 + 0.5) * LEGEND_LEADING);
        match item {
            Item::Entry(entry) => {
                key(entry, at, scene);
                let text = (at.0 + KEY + KEY_GAP, at.1);
                scene.text(Label::new(text, &entry.name, TEXT).centred());
            }
            Item::Bar(bar) => colour_bar(bar, at, scene),
        }
    }
}

fn key(entry: &Entry, (x, y): Pt, scene: &mut Scene) {
    let (middle, end) = (x + 0.5 * KEY, x + KEY);
    let line =
        |dashed| Shape::line(vec![(x, y), (end, y)], Stroke::new(entry.colour, 1.4).dashed(dashed));
    match entry.key {
        Key::Dot => scene.push(Shape::disc((middle, y), 2.2, entry.colour)),
        Key::Ring => {
            scene.push(Marker::Ring.shape((middle, y), 2.2, entry.colour.into()));
        }
        Key::Diamond => {
            scene.push(Marker::Diamond.shape((middle, y), 2.2, entry.colour.into()));
        }
        Key::Line => scene.push(line(false)),
        Key::Dashes => scene.push(line(true)),
        Key::DotOnLine => {
            scene.push(line(false));
            scene.push(Shape::disc((middle, y), 2.2, entry.colour));
        }
        Key::Square => {
            let area = Area { left: x + 1.5, top: y - 3.0, right: end - 1.5, bottom: y + 3.0 };
            scene.push(Shape::filled(area, entry.colour));
        }
        Key::Node => node((middle, y), 3.4, (entry.colour, entry.colour), scene),
    }
}

fn colour_bar(bar: &ColourBar, (x, y): Pt, scene: &mut Scene) {
    let (low, high) = bar.ends();
    let label = Label::new((x, y), &bar.label, TEXT).centred();
    let low_at = x + label.width() + KEY_GAP;
    scene.text(label);
    let low = Label::new((low_at, y), &low, TICK).colour(Colour::Subtle).centred();
    let left = low_at + low.width() + KEY_GAP;
    scene.text(low);
    let area = Area { left, top: y - 2.6, right: left + BAR, bottom: y + 2.6 };
    gradient(area, Colour::Scale, scene);
    scene.text(
        Label::new((area.right + KEY_GAP, y), &high, TICK)
            .colour(Colour::Subtle)
            .anchor(Anchor::Start)
            .centred(),
    );
}
