//! Linear algebra on plain points: no networks, no traces.

pub mod clusters;
pub mod intrinsic;
pub mod pca;

pub use pca::Pca;

/// Points in a space, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    /// How many coordinates a point has.
    pub dimensions: usize,
    /// The coordinates of all points.
    pub data: Vec<f32>,
}

impl Points {
    /// No points yet.
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions, data: vec![] }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.data.len() / self.dimensions.max(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Appends a point.
    #[track_caller]
    pub fn push(&mut self, point: &[f32]) {
        assert_eq!(point.len(), self.dimensions, "coordinates of a point");
        self.data.extend_from_slice(point);
    }

    /// One after the other.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f32]> + Clone {
        self.data.chunks_exact(self.dimensions.max(1))
    }

    /// One of them.
    pub fn get(&self, point: usize) -> &[f32] {
        &self.data[point * self.dimensions..][..self.dimensions]
    }

    /// Some of them.
    #[must_use]
    pub fn select(&self, points: impl IntoIterator<Item = usize>) -> Self {
        let mut selection = Self::new(self.dimensions);
        points.into_iter().for_each(|point| selection.push(self.get(point)));
        selection
    }

    /// Their mean.
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

/// The square of the distance of two points.
pub fn squared_distance(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum()
}

/// The length of the way from one point to another.
pub fn distance(a: &[f32], b: &[f32]) -> f64 {
    squared_distance(a, b).sqrt()
}
