//! Linear algebra on points: independent of networks and traces.

pub mod cka;
pub mod clusters;
pub mod intrinsic;
pub mod pca;
pub mod procrustes;
pub mod rsa;
pub mod separation;

pub use cka::{debiased_linear_cka, linear_cka};
pub use pca::Pca;
pub use rsa::representational_similarity;

use crate::{Error, Result};

/// Points of the same dimension.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    /// Number of coordinates of a point.
    pub dimensions: usize,
    /// Coordinates, point after point.
    pub data: Vec<f32>,
}

impl Points {
    /// An empty set of points.
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions, data: vec![] }
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.data.len() / self.dimensions.max(1)
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Appends a point.
    #[track_caller]
    pub fn push(&mut self, point: &[f32]) {
        assert_eq!(point.len(), self.dimensions, "number of coordinates");
        self.data.extend_from_slice(point);
    }

    /// Iterates over the points.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f32]> + Clone {
        self.data.chunks_exact(self.dimensions.max(1))
    }

    /// Returns a point.
    pub fn get(&self, point: usize) -> &[f32] {
        &self.data[point * self.dimensions..][..self.dimensions]
    }

    /// Returns some of the points.
    #[must_use]
    pub fn select(&self, points: impl IntoIterator<Item = usize>) -> Self {
        let mut selection = Self::new(self.dimensions);
        points.into_iter().for_each(|point| selection.push(self.get(point)));
        selection
    }

    /// Returns up to `most` of the points, evenly spaced.
    #[must_use]
    pub fn spaced(&self, most: usize) -> Self {
        let count = self.len().min(most);
        self.select((0..count).map(|index| index * self.len() / count))
    }

    /// Checks that there are two points at least, and that all coordinates are finite.
    pub(crate) fn check(&self) -> Result<()> {
        if self.len() < 2 {
            return Err(Error::TooFewPoints { least: 2, found: self.len() });
        }
        match self.data.iter().position(|x| !x.is_finite()) {
            Some(place) => {
                let (point, value) = (place / self.dimensions, self.data[place]);
                Err(Error::NotFinite { point, value })
            }
            None => Ok(()),
        }
    }

    /// Returns the mean of the points.
    pub fn mean(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.dimensions];
        for point in self.iter() {
            sums.iter_mut().zip(point).for_each(|(sum, &x)| *sum += f64::from(x));
        }
        for sum in &mut sums {
            *sum /= self.len() as f64;
        }
        sums
    }
}

/// Coordinates of points minus their mean, point after point.
fn centred(points: &[f32], mean: &[f64]) -> Vec<f64> {
    let points = points.chunks_exact(mean.len());
    points.flat_map(|point| point.iter().zip(mean).map(|(&x, mean)| f64::from(x) - mean)).collect()
}

/// Squared Euclidean distance.
pub fn squared_distance(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum()
}

/// Euclidean distance.
pub fn distance(a: &[f32], b: &[f32]) -> f64 {
    squared_distance(a, b).sqrt()
}
