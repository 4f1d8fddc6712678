//! Lines with bands.

use super::{Draw, named};
use crate::frame::{Extent, Frame};
use crate::scene::{Fill, Pt, Scene, Shape, Stroke};
use crate::{Colour, Entry, Key, clip};

/// A line through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Points of the line.
    pub points: Vec<(f64, f64)>,
    /// Lower and upper end of a band at each point; empty for no band.
    pub band: Vec<(f64, f64)>,
    /// Colour.
    pub colour: Colour,
    /// Width in points of print.
    pub width: f64,
    /// From 0 (invisible) to 1.
    pub opacity: f64,
    /// Whether it is dashed.
    pub dashed: bool,
    /// Whether its points are marked.
    pub marked: bool,
    /// Whether it goes level from point to point, and up or down at each.
    pub steps: bool,
    /// Name at its end or in the legend.
    pub name: Option<String>,
}

impl Line {
    /// A line.
    pub fn new(points: Vec<(f64, f64)>, colour: Colour) -> Self {
        Self {
            points,
            band: vec![],
            colour,
            width: 1.2,
            opacity: 1.0,
            dashed: false,
            marked: false,
            steps: false,
            name: None,
        }
    }

    /// The same line with a name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// The same line with a band: the lower and upper end at each point.
    #[must_use]
    pub fn band(self, band: Vec<(f64, f64)>) -> Self {
        Self { band, ..self }
    }

    /// The same line with a width in points of print.
    #[must_use]
    pub fn width(self, width: f64) -> Self {
        Self { width, ..self }
    }

    /// The same line with an opacity from 0 to 1.
    #[must_use]
    pub fn opacity(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }

    /// The same line as one of many behind others: a single seed, a single trajectory.
    #[must_use]
    pub fn thin(self) -> Self {
        Self { width: 0.5, opacity: 0.6, ..self }
    }

    /// The same line, dashed.
    #[must_use]
    pub fn dashed(self) -> Self {
        Self { dashed: true, ..self }
    }

    /// The same line with its points marked.
    #[must_use]
    pub fn marked(self) -> Self {
        Self { marked: true, ..self }
    }

    /// The same line as a staircase.
    #[must_use]
    pub fn steps(self) -> Self {
        Self { steps: true, ..self }
    }

    fn corners(&self) -> Vec<Pt> {
        if !self.steps {
            return self.points.clone();
        }
        let first = self.points.first().copied();
        let others = self.points.windows(2).flat_map(|pair| [(pair[1].0, pair[0].1), pair[1]]);
        first.into_iter().chain(others).collect()
    }
}

impl Draw for Line {
    fn extent(&self) -> Extent {
        let band = self.points.iter().zip(&self.band);
        let band = band.flat_map(|(&(x, _), &(low, high))| [(x, low), (x, high)]);
        Extent::of(self.points.iter().copied().chain(band))
    }

    fn entries(&self) -> Vec<Entry> {
        let key = match (self.dashed, self.marked) {
            (true, _) => Key::Dashes,
            (false, true) => Key::DotOnLine,
            (false, false) => Key::Line,
        };
        named(self.name.as_ref(), self.colour, key)
    }

    fn draw(&self, frame: &Frame, scene: &mut Scene) {
        let pairs = || self.points.iter().zip(&self.band);
        let upper = pairs().map(|(&(x, _), &(_, high))| frame.at((x, high)));
        let lower = pairs().rev().map(|(&(x, _), &(low, _))| frame.at((x, low)));
        let band = clip::polygon(&upper.chain(lower).collect::<Vec<Pt>>(), &frame.area);
        if band.len() > 2 {
            scene.push(Shape::polygon(band, Fill { colour: self.colour, opacity: 0.18 }));
        }
        let corners: Vec<Pt> = self.corners().into_iter().map(|it| frame.at(it)).collect();
        // Half a line width of room: a line along the edge is not halved.
        let area = frame.area.grown(0.5 * self.width);
        let stroke = Stroke::new(self.colour, self.width).dashed(self.dashed);
        let stroke = Stroke { opacity: self.opacity, ..stroke };
        let parts = clip::line(&corners, &area).into_iter();
        scene.push(Shape::Layer(parts.map(|part| Shape::line(part, stroke)).collect()));
        if self.marked {
            let room = frame.area.grown(0.5);
            let markers =
                self.points.iter().map(|it| frame.at(*it)).filter(|it| room.contains(*it));
            for at in markers {
                scene.push(Shape::disc(at, 0.6 + 1.1 * self.width, self.colour));
            }
        }
    }
}
