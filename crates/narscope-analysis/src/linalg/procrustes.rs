//! Procrustes alignment: the rotation, reflection, factor and shift that bring points closest to others.

use faer::{Mat, MatRef};

use super::{Points, centred};
use crate::{Error, Result};

/// Points moved as close to other points as a similarity transformation can.
#[derive(Clone, Debug, PartialEq)]
pub struct Aligned {
    /// The moved points.
    pub points: Points,
    /// What is left: the sum of squared distances to the other points, as a share of their own about their
    /// mean. From 0 (the same shape) to 1 (nothing in common).
    pub disparity: f64,
}

/// Aligns points with others of the same number and dimension, where point `i` of both represents the same
/// thing. Equal points are moved to the mean of the others.
///
/// # Errors
/// If there are fewer than two points, or a coordinate is not finite.
///
/// # Panics
/// If the numbers of points or of dimensions differ.
#[track_caller]
pub fn align(points: &Points, with: &Points) -> Result<Aligned> {
    assert_eq!(
        (points.len(), points.dimensions),
        (with.len(), with.dimensions),
        "points of both represent the same things"
    );
    for points in [points, with] {
        points.check()?;
    }
    let d = points.dimensions;
    let (mean, mean_with) = (points.mean(), with.mean());
    let (from, to) = (centred(&points.data, &mean), centred(&with.data, &mean_with));
    let from = MatRef::from_row_major_slice(&from, points.len(), d);
    let to = MatRef::from_row_major_slice(&to, points.len(), d);
    let both: Mat<f64> = from.transpose() * to;
    let svd = both.thin_svd().map_err(|error| Error::Diverged { what: format!("{error:?}") })?;
    let rotation = svd.U() * svd.V().transpose();
    let trace: f64 = svd.S().column_vector().iter().sum();
    let (size, size_to) = (from.squared_norm_l2(), to.squared_norm_l2());
    let factor = if size > 0.0 { trace / size } else { 0.0 };
    let moved = from * rotation;
    let coordinate = |i: usize, j: usize| (factor * moved[(i, j)] + mean_with[j]) as f32;
    let data = (0..points.len()).flat_map(|i| (0..d).map(move |j| coordinate(i, j)));
    let shared = if size > 0.0 && size_to > 0.0 { trace * trace / (size * size_to) } else { 0.0 };
    Ok(Aligned {
        points: Points { dimensions: d, data: data.collect() },
        disparity: (1.0 - shared).clamp(0.0, 1.0),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::super::squared_distance;
    use super::*;

    proptest! {
        #[test]
        fn a_turned_mirrored_scaled_and_moved_copy_is_aligned_exactly(
            data in proptest::collection::vec(-10.0..10.0_f32, 24),
            angle in 0.0..6.2_f32,
            factor in 0.1..5.0_f32,
        ) {
            let points = Points { dimensions: 3, data };
            let (sin, cos) = angle.sin_cos();
            let copy = points.iter().flat_map(|p| {
                [cos * p[0] - sin * p[1], sin * p[0] + cos * p[1], -p[2]].map(|x| factor * x - 3.0)
            });
            let copy = Points { dimensions: 3, data: copy.collect() };
            let Aligned { points: moved, disparity } = align(&copy, &points).unwrap();
            prop_assert!(disparity < 1e-4, "{disparity}");
            for (a, b) in moved.data.iter().zip(&points.data) {
                prop_assert!((a - b).abs() < 1e-2, "{a} and {b}");
            }
        }

        #[test]
        fn alignment_never_increases_the_distance(
            a in proptest::collection::vec(-10.0..10.0_f32, 16),
            b in proptest::collection::vec(-10.0..10.0_f32, 16),
        ) {
            let (a, b) = (Points { dimensions: 2, data: a }, Points { dimensions: 2, data: b });
            let apart = |x: &Points, y: &Points| squared_distance(&x.data, &y.data);
            let aligned = align(&a, &b).unwrap();
            prop_assert!(apart(&aligned.points, &b) <= apart(&a, &b) + 1e-3);
        }
    }

    #[test]
    fn the_disparity_is_the_share_of_squared_distances_that_is_left() {
        let to = Points { dimensions: 2, data: vec![0.0, 0.0, 4.0, 0.0, 4.0, 2.0, 1.0, 3.0] };
        let from = Points { dimensions: 2, data: vec![1.0, 5.0, -2.0, 0.0, 3.0, 3.0, 0.0, 1.0] };
        let Aligned { points, disparity } = align(&from, &to).unwrap();
        let left = squared_distance(&points.data, &to.data);
        let mean: Vec<f32> = to.mean().iter().map(|&x| x as f32).collect();
        let all: f64 = to.iter().map(|p| squared_distance(p, &mean)).sum();
        assert!((left / all - disparity).abs() < 1e-5, "{} and {disparity}", left / all);
    }
}
