//! Histograms: counts between edges.

use super::{Draw, named};
use crate::frame::{Extent, Frame};
use crate::scene::{Fill, Pt, Scene, Shape, Stroke};
use crate::{Colour, Entry, Key, clip};

/// Counts, or shares, in bins.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Edges of the bins, one more than counts, increasing.
    pub edges: Vec<f64>,
    /// Height of each bin.
    pub counts: Vec<f64>,
    /// Height at which each bin starts; empty for zero.
    pub base: Vec<f64>,
    /// Colour.
    pub colour: Colour,
    /// Whether the area is filled; others show through.
    pub filled: bool,
    /// Name in the legend.
    pub name: Option<String>,
}

impl Histogram {
    /// A filled histogram.
    pub fn new(edges: Vec<f64>, counts: Vec<f64>, colour: Colour) -> Self {
        Self { edges, counts, base: vec![], colour, filled: true, name: None }
    }

    /// Counts how many values fall into each of `bins` bins of equal width between the smallest and the largest.
    pub fn of(values: &[f64], bins: usize, colour: Colour) -> Self {
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let low = finite().fold(f64::INFINITY, f64::min);
        let high = finite().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = match () {
            () if low > high => (0.0, 1.0),
            () if low == high => (low - 0.5, high + 0.5),
            () => (low, high),
        };
        let width = (high - low) / bins.max(1) as f64;
        let edges: Vec<f64> = (0..=bins.max(1)).map(|bin| low + bin as f64 * width).collect();
        Self::between(values, edges, colour)
    }

    /// Counts how many values fall between the given edges. The last bin holds its upper edge.
    pub fn between(values: &[f64], edges: Vec<f64>, colour: Colour) -> Self {
        let mut counts = vec![0.0; edges.len().saturating_sub(1)];
        for value in values {
            let above = edges.partition_point(|edge| edge <= value);
            let is_last_edge = edges.last() == Some(value);
            let bin = if is_last_edge { above.saturating_sub(2) } else { above.wrapping_sub(1) };
            if let Some(count) = counts.get_mut(bin) {
                *count += 1.0;
            }
        }
        Self::new(edges, counts, colour)
    }

    /// The same histogram with a name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// The same histogram as an outline.
    #[must_use]
    pub fn outline(self) -> Self {
        Self { filled: false, ..self }
    }

    /// The same histogram on top of another one with the same edges.
    #[must_use]
    pub fn stacked_on(self, below: &Self) -> Self {
        let base = (0..below.counts.len()).map(|bin| below.base(bin) + below.counts[bin]);
        Self { base: base.collect(), ..self }
    }

    fn base(&self, bin: usize) -> f64 {
        self.base.get(bin).copied().unwrap_or(0.0)
    }

    /// Along the tops of the bins, and back along their bottoms.
    fn corners(&self) -> Vec<Pt> {
        let bins = || self.edges.windows(2).zip(&self.counts).enumerate();
        let tops = bins().flat_map(|(bin, (edges, count))| {
            let height = self.base(bin) + count;
            [(edges[0], height), (edges[1], height)]
        });
        let bottoms = bins()
            .rev()
            .flat_map(|(bin, (edges, _))| [(edges[1], self.base(bin)), (edges[0], self.base(bin))]);
        tops.chain(bottoms).collect()
    }
}

impl Draw for Histogram {
    fn extent(&self) -> Extent {
        Extent::of(self.corners())
    }

    fn entries(&self) -> Vec<Entry> {
        let key = if self.filled { Key::Square } else { Key::Line };
        named(self.name.as_ref(), self.colour, key)
    }

    fn draw(&self, frame: &Frame, scene: &mut Scene) {
        let mut corners: Vec<Pt> = self.corners().into_iter().map(|it| frame.at(it)).collect();
        if self.filled {
            let inside = clip::polygon(&corners, &frame.area);
            scene.push(Shape::polygon(inside, Fill { colour: self.colour, opacity: 0.38 }));
        }
        // The outline is closed on the left.
        corners.rotate_right(1);
        let half = corners.len() / 2;
        corners.truncate(half + 2);
        for part in clip::line(&corners, &frame.area.grown(0.5)) {
            scene.push(Shape::line(part, Stroke::new(self.colour, 0.9)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_one_bin() {
        let histogram = Histogram::of(&[0.0, 0.1, 0.5, 0.9, 1.0], 2, Colour::Text);
        assert_eq!(histogram.edges, [0.0, 0.5, 1.0]);
        assert_eq!(histogram.counts, [2.0, 3.0]);
    }

    #[test]
    fn values_outside_of_the_edges_are_not_counted() {
        let edges = vec![0.0, 1.0, 2.0];
        let histogram = Histogram::between(&[-1.0, 0.0, 2.0, 3.0, f64::NAN], edges, Colour::Text);
        assert_eq!(histogram.counts, [1.0, 1.0]);
    }
}
