//! Representational similarity analysis: do two representations find the same things alike?
//!
//! N. Kriegeskorte, M. Mur, P. Bandettini, "Representational similarity analysis" (Frontiers in Systems Neuroscience,
//! 2008), with Euclidean distances and Spearman's rank correlation.

use super::{Points, distance};
use crate::{Error, Result};

/// Smallest number of points: fewer have one distance, which correlates with nothing.
const LEAST: usize = 3;

/// Spearman correlation of the distances between all pairs of points of one set with those of the other, where point
/// `i` of both represents the same thing: from -1 to 1 (the same order of distances). Time and memory grow with the
/// square of the number of points. `None` if all distances of a set are equal.
///
/// # Errors
/// If there are fewer than three points, or a coordinate is not finite.
///
/// # Panics
/// If the sets have different numbers of points.
#[track_caller]
pub fn representational_similarity(a: &Points, b: &Points) -> Result<Option<f64>> {
    assert_eq!(a.len(), b.len(), "points of both represent the same things");
    for points in [a, b] {
        points.check()?;
    }
    if a.len() < LEAST {
        return Err(Error::TooFewPoints { least: LEAST, found: a.len() });
    }
    let [a, b] = [a, b].map(|points| ranks(&distances(points)));
    Ok(correlation(&a, &b))
}

/// Distances between all pairs of points.
fn distances(points: &Points) -> Vec<f64> {
    let of = |one: usize| (0..one).map(move |other| distance(points.get(one), points.get(other)));
    (0..points.len()).flat_map(of).collect()
}

/// Ranks from 0; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = first as f64 + (equal.len() - 1) as f64 / 2.0;
        for &place in equal {
            ranks[place] = rank;
        }
        first += equal.len();
    }
    ranks
}

/// Pearson correlation; `None` if all values of a list are equal.
fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let (mut both, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (a - mean_a, b - mean_b);
        both += a * b;
        of_a += a * a;
        of_b += b * b;
    }
    (of_a > 0.0 && of_b > 0.0).then(|| (both / (of_a * of_b).sqrt()).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    fn of(a: &Points, b: &Points) -> f64 {
        representational_similarity(a, b).unwrap().expect("distances that differ")
    }

    #[test]
    fn the_similarity_is_the_correlation_of_the_ranks_of_distances() {
        let x = Points { dimensions: 2, data: vec![0.0, 0.0, 1.0, 0.0, 0.0, 3.0, 5.0, 1.0] };
        let y = Points { dimensions: 1, data: vec![2.0, 0.0, 1.0, 4.0] };
        // Distances of x: 1, 3, √10, √26, √17, √29; of y: 2, 1, 1, 2, 4, 3.
        assert_eq!(ranks(&distances(&x)), [0.0, 1.0, 2.0, 4.0, 3.0, 5.0]);
        assert_eq!(ranks(&distances(&y)), [2.5, 0.5, 0.5, 2.5, 5.0, 4.0]);
        // The sum of products of centred ranks is 9; those of squares are 17.5 and 16.5.
        assert!((of(&x, &y) - 9.0 / (17.5_f64 * 16.5).sqrt()).abs() < 1e-12, "{}", of(&x, &y));
    }

    #[test]
    fn equal_distances_have_no_correlation_and_damaged_points_are_refused() {
        let same = Points { dimensions: 1, data: vec![3.0; 4] };
        let other = Points { dimensions: 1, data: vec![1.0, 2.0, 4.0, 8.0] };
        assert_eq!(representational_similarity(&same, &other).unwrap(), None);
        let damaged = Points { dimensions: 1, data: vec![1.0, f32::NAN, 4.0, 8.0] };
        assert!(representational_similarity(&other, &damaged).is_err());
        let two = Points { dimensions: 1, data: vec![1.0, 2.0] };
        let error = representational_similarity(&two, &two).unwrap_err().to_string();
        assert!(error.contains("at least 3 points"), "{error}");
    }

    proptest! {
        #[test]
        fn rotation_scaling_and_translation_change_nothing(
            data in proptest::collection::vec(-10.0..10.0_f32, 24),
            angle in 0.0..6.2_f32,
            by in -5.0..5.0_f32,
        ) {
            let a = Points { dimensions: 2, data };
            let (sin, cos) = angle.sin_cos();
            let moved = a.iter().flat_map(|p| {
                [cos * p[0] - sin * p[1], sin * p[0] + cos * p[1]].map(|x| 2.0 * x + by)
            });
            let moved = Points { dimensions: 2, data: moved.collect() };
            prop_assert!(of(&a, &moved) > 0.999, "{}", of(&a, &moved));
            prop_assert!((of(&a, &a) - 1.0).abs() < 1e-12);
        }
    }
}
