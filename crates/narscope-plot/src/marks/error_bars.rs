//! Points with their intervals and the values of single seeds.

use super::estimate::spread;
use super::{Draw, Estimate, Marker, named};
use crate::frame::{Extent, Frame};
use crate::scene::{Fill, Pt, Scene, Shape, Stroke};
use crate::{Colour, Entry};

/// Points with vertical intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorBars {
    /// Positions on the x axis and values on the y axis.
    pub points: Vec<(f64, Estimate)>,
    /// Colour.
    pub colour: Colour,
    /// What the values look like.
    pub marker: Marker,
    /// Name in the legend.
    pub name: Option<String>,
}

impl ErrorBars {
    /// Points with intervals.
    pub fn new(points: Vec<(f64, Estimate)>, colour: Colour) -> Self {
        Self { points, colour, marker: Marker::Dot, name: None }
    }

    /// The same points with a name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// The same points with another look.
    #[must_use]
    pub fn marker(self, marker: Marker) -> Self {
        Self { marker, ..self }
    }
}

impl Draw for ErrorBars {
    fn extent(&self) -> Extent {
        Extent::of(self.points.iter().flat_map(|(x, it)| it.numbers().map(|number| (*x, number))))
    }

    fn entries(&self) -> Vec<Entry> {
        named(self.name.as_ref(), self.colour, self.marker.into())
    }

    fn draw(&self, frame: &Frame, scene: &mut Scene) {
        self.draw_beside(0.0, frame, scene);
    }
}

impl ErrorBars {
    /// Draws it to the right of its values.
    pub(crate) fn draw_beside(&self, by: f64, frame: &Frame, scene: &mut Scene) {
        for (x, estimate) in &self.points {
            let place = |value: f64| (frame.x.at(*x) + by, frame.y.at(value));
            draw_estimate(estimate, (self.colour, self.marker), place, (1.0, 0.0), scene);
        }
    }
}

/// How far seeds and several series reach to the left and right.
pub(super) const HALF_WIDTH: f64 = 11.0;
/// Distance of several series with the same positions.
const SERIES_DISTANCE: f64 = 9.0;

/// Draws several series; those with a position in common stand side by side.
pub(crate) fn draw_together(all: &[&ErrorBars], frame: &Frame, scene: &mut Scene) {
    let positions = |series: &ErrorBars| series.points.iter().map(|it| it.0).collect::<Vec<f64>>();
    let mut xs: Vec<f64> = all.iter().flat_map(|series| positions(series)).collect();
    xs.sort_by(f64::total_cmp);
    let is_alone = xs.windows(2).all(|pair| pair[0] != pair[1]);
    xs.dedup();
    let distances = xs.windows(2).map(|pair| (frame.x.at(pair[1]) - frame.x.at(pair[0])).abs());
    let room = 0.8 * distances.fold(2.0 * HALF_WIDTH, f64::min);
    let distance = if is_alone { 0.0 } else { (room / all.len() as f64).min(SERIES_DISTANCE) };
    let middle = 0.5 * (all.len() as f64 - 1.0);
    for (index, series) in all.iter().enumerate() {
        series.draw_beside(distance * (index as f64 - middle), frame, scene);
    }
}

/// Radius of a mean.
const RADIUS: f64 = 2.2;
/// Radius of the value of one seed.
const SEED_RADIUS: f64 = 0.9;

/// Draws a value with its interval and seeds. `across` is the direction along which seeds are spread.
pub(super) fn draw_estimate(
    estimate: &Estimate,
    (colour, marker): (Colour, Marker),
    place: impl Fn(f64) -> Pt,
    across: Pt,
    scene: &mut Scene,
) {
    let beside = |(x, y): Pt, by: f64| (x + by * across.0, y + by * across.1);
    if let Some((low, high)) = estimate.interval {
        let (low, high) = (place(low), place(high));
        scene.push(Shape::line(vec![low, high], Stroke::new(colour, 1.0)));
        for end in [low, high] {
            let cap = vec![beside(end, -1.6), beside(end, 1.6)];
            scene.push(Shape::line(cap, Stroke::new(colour, 0.8)));
        }
    }
    scene.push(marker.shape(place(estimate.value), RADIUS, colour.into()));
    if estimate.seeds.len() > 1 {
        for (value, offset) in estimate.seeds.iter().zip(spread(estimate.seeds.len())) {
            let at = beside(place(*value), 4.1 + 0.7 * offset);
            scene.push(Shape::disc(at, SEED_RADIUS, Fill { colour, opacity: 0.7 }));
        }
    }
}
