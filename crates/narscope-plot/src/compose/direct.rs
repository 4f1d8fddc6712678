//! Names at the ends of lines, where they do not collide.

use super::legends::entries;
use crate::frame::Frame;
use crate::scene::{Label, Pt, Scene, Shape, Stroke};
use crate::size::TEXT;
use crate::{Colour, Mark, Panel};

/// A name next to the end of a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Direct {
    name: String,
    colour: Colour,
    /// Where the line ends.
    end: f64,
    /// Where the name is.
    y: f64,
}

/// Most lines that are named at their ends.
const MOST_LINES: usize = 6;
/// Most distance of a name from the end of its line.
const MOST_SHIFT: f64 = 9.0;
/// Between the plot area and a name.
const DISTANCE: f64 = 4.0;

impl Direct {
    fn label(&self, right: f64) -> Label {
        Label::new((right + DISTANCE, self.y), &self.name, TEXT).colour(self.colour).centred()
    }

    /// Width of the name and its distance.
    pub(super) fn width(&self) -> f64 {
        DISTANCE + self.label(0.0).width()
    }

    /// Draws it beside a plot area whose right upper corner is given.
    pub(super) fn draw(&self, (right, top): Pt, scene: &mut Scene) {
        if (self.y - self.end).abs() > 2.0 {
            let leader =
                vec![(right - 1.0, top + self.end), (right + DISTANCE - 1.0, top + self.y)];
            scene.push(Shape::line(leader, Stroke::new(self.colour, 0.5)));
        }
        let label = self.label(right);
        scene.text(Label { at: (label.at.0, label.at.1 + top), ..label });
    }
}

/// Names of all lines, if all entries of the panel are lines that end at the right and have room for their names.
/// Otherwise none: a legend is better than half of one.
pub(super) fn labels(panel: &Panel, frame: &Frame, most_width: f64) -> Vec<Direct> {
    let entries = entries(panel);
    let ends: Option<Vec<Direct>> =
        entries.iter().map(|entry| end_of(&entry.name, panel, frame)).collect();
    let Some(mut labels) = ends else { return vec![] };
    if !(2..=MOST_LINES).contains(&labels.len())
        || labels.iter().any(|label| label.width() > most_width)
    {
        return vec![];
    }
    labels.sort_by(|a, b| a.end.total_cmp(&b.end));
    let mut places: Vec<f64> = labels.iter().map(|label| label.end).collect();
    spread(&mut places, 1.15 * TEXT);
    let area = frame.area;
    let fits = |(label, y): (&Direct, &f64)| {
        (label.end - y).abs() <= MOST_SHIFT && (area.top - 4.0..=area.bottom + 4.0).contains(y)
    };
    if !labels.iter().zip(&places).all(fits) {
        return vec![];
    }
    labels.iter_mut().zip(places).for_each(|(label, y)| label.y = y);
    labels
}

/// The end of the line with a name.
fn end_of(name: &str, panel: &Panel, frame: &Frame) -> Option<Direct> {
    let lines = panel.marks.iter().filter_map(|mark| match mark {
        Mark::Line(line) if line.name.as_deref() == Some(name) => Some(line),
        _ => None,
    });
    let line = lines.max_by(|a, b| a.points.len().cmp(&b.points.len()))?;
    let last = line.points.iter().rev().find(|point| point.0.is_finite() && point.1.is_finite())?;
    let (x, y) = frame.at(*last);
    let is_at_the_right = x >= frame.area.right - 0.12 * frame.area.width();
    let is_inside = frame.area.grown(0.5).contains((x, y));
    let direct = Direct { name: name.to_owned(), colour: line.colour, end: y, y };
    (is_at_the_right && is_inside && !line.dashed).then_some(direct)
}

/// Moves increasing positions apart, as little as possible.
fn spread(places: &mut [f64], least: f64) {
    for _ in 0..100 {
        let mut is_done = true;
        for index in 1..places.len() {
            let missing = least - (places[index] - places[index - 1]);
            if missing > 1e-6 {
                is_done = false;
                places[index - 1] -= 0.5 * missing;
                places[index] += 0.5 * missing;
            }
        }
        if is_done {
            break;
        }
    }
    // What is left after so many rounds is less than a pixel.
    for index in 1..places.len() {
        places[index] = places[index].max(places[index - 1] + least);
    }
}
