//! Finds free places for labels.

use crate::scene::{Area, Pt, Shape};

/// What labels should not cover.
#[derive(Clone, Debug)]
pub(crate) struct Obstacles {
    /// Labels must not leave it.
    room: Area,
    /// Labels must not cover these.
    taken: Vec<Area>,
    /// Labels should not cover these.
    lines: Vec<(Pt, Pt)>,
}

/// The cost of covering another label or of leaving the room, by area.
const FORBIDDEN: f64 = 1e6;
/// The cost of covering a line, by length.
const LINE: f64 = 10.0;

impl Obstacles {
    /// An empty room.
    pub(crate) fn new(room: Area) -> Self {
        Self { room, taken: vec![], lines: vec![] }
    }

    /// Forbids an area.
    pub(crate) fn take(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// Adds a line that labels should not cover.
    pub(crate) fn line(&mut self, from: Pt, to: Pt) {
        self.lines.push((from, to));
    }

    /// Adds what labels should not cover of a shape: its lines, points and bars; and its text, which they must not.
    pub(crate) fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Path { points, stroke: Some(_), .. } => {
                points.windows(2).for_each(|pair| self.line(pair[0], pair[1]));
            }
            Shape::Circle { at, radius, .. } => {
                self.line((at.0 - radius, at.1), (at.0 + radius, at.1));
            }
            Shape::Rect { area, .. } => {
                self.line((area.left, area.top), (area.right, area.bottom));
                self.line((area.left, area.bottom), (area.right, area.top));
            }
            Shape::Text(label) => self.take(label.area()),
            Shape::Layer(shapes) => shapes.iter().for_each(|shape| self.shape(shape)),
            Shape::Path { .. } | Shape::Image { .. } => {}
        }
    }

    /// How bad a place is; zero if it is free.
    fn cost(&self, area: &Area) -> f64 {
        let taken: f64 = self.taken.iter().map(|it| common(it, area)).sum();
        let outside = area.width() * area.height() - common(&self.room, area);
        let lines: f64 = self.lines.iter().map(|line| covered(*line, area)).sum();
        FORBIDDEN * (taken + outside) + LINE * lines
    }

    /// Takes the best of several places, which come in the order of preference, and returns its index. `None` if
    /// each covers something that must not be covered, unless a place `must` be found.
    pub(crate) fn best(&mut self, places: &[Area], must: bool) -> Option<usize> {
        // A later place must be clearly better.
        let cost = |index: usize| self.cost(&places[index]) + index as f64;
        let best = (0..places.len()).min_by(|&a, &b| cost(a).total_cmp(&cost(b)))?;
        if !must && cost(best) >= 0.01 * FORBIDDEN {
            return None;
        }
        self.taken.push(places[best]);
        Some(best)
    }
}

/// The area that two rectangles have in common.
fn common(a: &Area, b: &Area) -> f64 {
    let width = a.right.min(b.right) - a.left.max(b.left);
    let height = a.bottom.min(b.bottom) - a.top.max(b.top);
    width.max(0.0) * height.max(0.0)
}

/// The length of a line inside of an area.
fn covered((from, to): (Pt, Pt), area: &Area) -> f64 {
    let parts = crate::clip::line(&[from, to], area);
    let length = |part: &Vec<Pt>| (part[1].0 - part[0].0).hypot(part[1].1 - part[0].1);
    parts.iter().map(length).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(left: f64, top: f64) -> Area {
        Area { left, top, right: left + 10.0, bottom: top + 10.0 }
    }

    #[test]
    fn a_free_place_is_preferred() {
        let mut obstacles =
            Obstacles::new(Area { left: 0.0, top: 0.0, right: 100.0, bottom: 100.0 });
        obstacles.take(square(0.0, 0.0));
        obstacles.line((0.0, 25.0), (100.0, 25.0));
        let places = [square(5.0, 5.0), square(-5.0, 50.0), square(20.0, 20.0), square(40.0, 40.0)];
        assert_eq!(obstacles.best(&places, false), Some(3));
        assert_eq!(obstacles.best(&places, false), Some(2), "a line is better than a label");
        assert_eq!(obstacles.best(&places[..2], false), None);
        assert_eq!(obstacles.best(&places[..2], true), Some(0));
    }
}
