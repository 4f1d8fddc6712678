//! Points of one colour.

use super::{Draw, named};
use crate::frame::{Extent, Frame};
use crate::scene::{Fill, Scene, Shape};
use crate::sign::Marker;
use crate::{Colour, Entry};

/// Points of one colour, or of one colour each.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// Positions.
    pub points: Vec<(f64, f64)>,
    /// Colour of all, and in the legend.
    pub colour: Colour,
    /// Colour of each; empty if all have the same.
    pub colours: Vec<Colour>,
    /// Radius in points of print; `None` chooses one by their number.
    pub radius: Option<f64>,
    /// What they look like.
    pub marker: Marker,
    /// From 0 (invisible) to 1.
    pub opacity: f64,
    /// Name in the legend.
    pub name: Option<String>,
}

impl Points {
    /// Points.
    pub fn new(points: Vec<(f64, f64)>, colour: Colour) -> Self {
        let (colours, radius, marker) = (vec![], None, Marker::Dot);
        Self { points, colour, colours, radius, marker, opacity: 1.0, name: None }
    }

    /// Points with a colour each, drawn in this order.
    pub fn coloured(points: impl IntoIterator<Item = ((f64, f64), Colour)>) -> Self {
        let (points, colours) = points.into_iter().unzip();
        Self { colours, ..Self::new(points, Colour::Muted) }
    }

    /// The same points with a name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// The same points with a radius in points of print.
    #[must_use]
    pub fn radius(self, radius: f64) -> Self {
        Self { radius: Some(radius), ..self }
    }

    /// The same points with another look.
    #[must_use]
    pub fn marker(self, marker: Marker) -> Self {
        Self { marker, ..self }
    }

    /// The same points with an opacity from 0 to 1.
    #[must_use]
    pub fn opacity(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }
}

impl Draw for Points {
    fn extent(&self) -> Extent {
        Extent::of(self.points.iter().copied())
    }

    fn entries(&self) -> Vec<Entry> {
        named(self.name.as_ref(), self.colour, self.marker.into())
    }

    fn draw(&self, frame: &Frame, scene: &mut Scene) {
        draw_together(&[self], frame, scene);
    }
}

/// Radius of as many points.
pub(crate) fn radius_of(count: usize) -> f64 {
    match count {
        0..=40 => 2.2,
        41..=300 => 1.5,
        301..=2000 => 1.1,
        _ => 0.8,
    }
}

/// Draws points of several colours in an order that mixes them, so that none covers all others.
pub(crate) fn draw_together(all: &[&Points], frame: &Frame, scene: &mut Scene) {
    let count = all.iter().map(|it| it.points.len()).sum();
    let mut mixed: Vec<(f64, Shape)> = vec![];
    for (colour, points) in all.iter().enumerate() {
        let radius = points.radius.unwrap_or_else(|| radius_of(count));
        let room = frame.area.grown(0.5);
        for (index, point) in points.points.iter().enumerate() {
            let at = frame.at(*point);
            if room.contains(at) {
                // The points of each colour are spread evenly over the whole order.
                let place = (index as f64 + 0.5) / points.points.len() as f64;
                let own = points.colours.get(index).copied().unwrap_or(points.colour);
                let fill = Fill { colour: own, opacity: points.opacity };
                let shape = points.marker.shape(at, radius, fill);
                mixed.push((place + 1e-9 * colour as f64, shape));
            }
        }
    }
    mixed.sort_by(|a, b| a.0.total_cmp(&b.0));
    scene.push(Shape::Layer(mixed.into_iter().map(|(_, shape)| shape).collect()));
}
