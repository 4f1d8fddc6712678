//! Similarity of two representations of the same things: linear centred kernel alignment (CKA).
//!
//! S. Kornblith, M. Norouzi, H. Lee, G. Hinton, "Similarity of Neural Network Representations Revisited" (ICML 2019).

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use super::{Points, centred};
use crate::Result;

/// Number of points per matrix product.
const BLOCK: usize = 4096;

/// Linear CKA of two sets of points, where point `i` of both represents the same thing: from 0 (unrelated) to 1 (equal
/// up to translation, rotation, reflection and one factor). The numbers of dimensions may differ. `None` if all points
/// of a set are equal, which leaves nothing to compare.
///
/// ```
/// use narscope_analysis::linalg::{Points, linear_cka};
///
/// let square = Points { dimensions: 2, data: vec![0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0] };
/// // Turned by 90 degrees, three times as large and in a space with one more dimension.
/// let turned = Points {
///     dimensions: 3,
///     data: vec![0.0, 0.0, 7.0, 0.0, 3.0, 7.0, -3.0, 3.0, 7.0, -3.0, 0.0, 7.0],
/// };
/// assert!((linear_cka(&square, &turned)?.unwrap() - 1.0).abs() < 1e-12);
/// # Ok::<(), narscope_analysis::Error>(())
/// ```
///
/// # Errors
/// If there are fewer than two points, or a coordinate is not finite.
///
/// # Panics
/// If the sets have different numbers of points.
#[track_caller]
pub fn linear_cka(a: &Points, b: &Points) -> Result<Option<f64>> {
    assert_eq!(a.len(), b.len(), "points of both represent the same things");
    for points in [a, b] {
        points.check()?;
    }
    let (mean_a, mean_b) = (a.mean(), b.mean());
    let norm = |x: &Points, mean_x: &[f64], y: &Points, mean_y: &[f64]| {
        covariance(x, mean_x, y, mean_y).squared_norm_l2()
    };
    let both = norm(a, &mean_a, b, &mean_b);
    let alone = (norm(a, &mean_a, a, &mean_a) * norm(b, &mean_b, b, &mean_b)).sqrt();
    Ok((alone > 0.0).then(|| (both / alone).min(1.0)))
}

/// The sum over points of the outer products of centred coordinates.
fn covariance(a: &Points, mean_a: &[f64], b: &Points, mean_b: &[f64]) -> Mat<f64> {
    let mut sum = Mat::<f64>::zeros(a.dimensions, b.dimensions);
    let blocks = a.data.chunks(BLOCK * a.dimensions).zip(b.data.chunks(BLOCK * b.dimensions));
    for (of_a, of_b) in blocks {
        let (of_a, of_b) = (centred(of_a, mean_a), centred(of_b, mean_b));
        let rows = of_a.len() / a.dimensions;
        let of_a = MatRef::from_row_major_slice(&of_a, rows, a.dimensions);
        let of_b = MatRef::from_row_major_slice(&of_b, rows, b.dimensions);
        matmul(sum.as_mut(), Accum::Add, of_a.transpose(), of_b, 1.0, Par::Seq);
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, prop_assert, proptest};

    use super::*;

    fn of(a: &Points, b: &Points) -> f64 {
        linear_cka(a, b).unwrap().expect("points that differ")
    }

    #[test]
    fn known_points_have_the_value_that_numpy_computes() {
        // >>> i = np.arange(12).reshape(6, 2); x = np.sin(i + 1.0); j = np.arange(18).reshape(6, 3)
        // >>> y = np.cos(0.5 * j) + 0.1 * j; x = x - x.mean(0); y = y - y.mean(0)
        // >>> norm(y.T @ x) ** 2 / (norm(x.T @ x) * norm(y.T @ y))
        let x = (0..12_u8).map(|i| (f32::from(i) + 1.0).sin()).collect();
        let y = (0..18_u8).map(|j| (0.5 * f32::from(j)).cos() + 0.1 * f32::from(j)).collect();
        let (x, y) = (Points { dimensions: 2, data: x }, Points { dimensions: 3, data: y });
        assert!((of(&x, &y) - 0.088_088_744).abs() < 1e-6, "{}", of(&x, &y));
    }

    #[test]
    fn equal_points_have_no_similarity_and_damaged_ones_are_refused() {
        let same = Points { dimensions: 1, data: vec![3.0, 3.0, 3.0] };
        let other = Points { dimensions: 1, data: vec![1.0, 2.0, 4.0] };
        assert_eq!(linear_cka(&same, &other).unwrap(), None);
        let damaged = Points { dimensions: 1, data: vec![1.0, f32::NAN, 4.0] };
        assert!(linear_cka(&other, &damaged).unwrap_err().to_string().contains("point 1"));
        let one = Points { dimensions: 1, data: vec![1.0] };
        assert!(linear_cka(&one, &one).unwrap_err().to_string().contains("at least 2 points"));
    }

    /// Two clouds with the same number of points in three dimensions.
    fn clouds() -> impl Strategy<Value = (Points, Points)> {
        let cloud = |n: usize| {
            proptest::collection::vec(-10.0..10.0_f32, n * 3)
                .prop_map(|data| Points { dimensions: 3, data })
        };
        (4_usize..20).prop_flat_map(move |n| (cloud(n), cloud(n)))
    }

    proptest! {
        #[test]
        fn a_representation_is_equal_to_itself_and_similarity_is_symmetric((a, b) in clouds()) {
            prop_assert!((of(&a, &a) - 1.0).abs() < 1e-12);
            let (one, other) = (of(&a, &b), of(&b, &a));
            prop_assert!((one - other).abs() < 1e-12 && (0.0..=1.0).contains(&one));
        }

        #[test]
        fn rotation_scaling_and_translation_change_nothing(
            (a, b) in clouds(),
            angle in 0.0..6.2_f32,
            factor in 0.1..10.0_f32,
            by in -5.0..5.0_f32,
        ) {
            let (sin, cos) = angle.sin_cos();
            let moved = a.iter().flat_map(|p| {
                [cos * p[0] - sin * p[1], sin * p[0] + cos * p[1], p[2]].map(|x| factor * x + by)
            });
            let moved = Points { dimensions: 3, data: moved.collect() };
            prop_assert!((of(&moved, &b) - of(&a, &b)).abs() < 1e-4);
            prop_assert!((of(&moved, &a) - 1.0).abs() < 1e-4);
        }
    }
}
