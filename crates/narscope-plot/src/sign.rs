//! Small drawings that marks and legends share.

use crate::Colour;
use crate::scene::{Area, Fill, Pt, Scene, Shape, Stroke};

/// What a point looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marker {
    /// A filled circle.
    #[default]
    Dot,
    /// A circle.
    Ring,
    /// A filled diamond.
    Diamond,
}

impl Marker {
    pub(crate) fn shape(self, at: Pt, radius: f64, fill: Fill) -> Shape {
        match self {
            Self::Dot => Shape::disc(at, radius, fill),
            Self::Ring => {
                let stroke = Stroke { opacity: fill.opacity, ..Stroke::new(fill.colour, 0.9) };
                Shape::Circle { at, radius, fill: None, stroke: Some(stroke) }
            }
            Self::Diamond => {
                let (x, y, by) = (at.0, at.1, 1.3 * radius);
                let corners = vec![(x, y - by), (x + by, y), (x, y + by), (x - by, y)];
                Shape::polygon(corners, fill)
            }
        }
    }
}

/// Draws the circle of a node.
pub(crate) fn node(at: Pt, radius: f64, (colour, rim): (Colour, Colour), scene: &mut Scene) {
    scene.push(Shape::disc(at, radius, Colour::Background));
    let (fill, stroke) = (Fill { colour, opacity: 0.22 }, Stroke::new(rim, 1.0));
    scene.push(Shape::Circle { at, radius, fill: Some(fill), stroke: Some(stroke) });
}

/// Draws a line with a head at its end.
pub(crate) fn arrow(from: Pt, to: Pt, stroke: Stroke, scene: &mut Scene) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    if length < 1e-6 {
        return;
    }
    let (dx, dy) = (dx / length, dy / length);
    // The head of a short arrow leaves something of its line.
    let head = (2.6 + 1.3 * stroke.width).min(0.7 * length);
    let half = 0.45 * head;
    let neck = (to.0 - head * dx, to.1 - head * dy);
    scene.push(Shape::line(vec![from, neck], stroke));
    let [left, right] =
        [1.0, -1.0].map(|side| (neck.0 - side * half * dy, neck.1 + side * half * dx));
    scene.push(Shape::polygon(vec![to, left, right], stroke.colour));
}

/// Fills an area with all colours of a scale, along its longer side (from left to right or from the bottom up).
pub(crate) fn gradient(area: Area, colour: fn(f64) -> Colour, scene: &mut Scene) {
    const SLICES: usize = 48;
    for slice in 0..SLICES {
        let start = slice as f64 / SLICES as f64;
        // Every slice reaches to the end, so that no gap shines through between two.
        let rest = if area.width() > area.height() {
            Area { left: area.left + start * area.width(), ..area }
        } else {
            Area { bottom: area.bottom - start * area.height(), ..area }
        };
        let share = slice as f64 / (SLICES - 1) as f64;
        scene.push(Shape::filled(rest, colour(share)));
    }
}
