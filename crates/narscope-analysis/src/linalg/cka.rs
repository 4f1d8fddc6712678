//! Similarity of two representations of the same things: linear centred kernel alignment (CKA).
//!
//! S. Kornblith, M. Norouzi, H. Lee, G. Hinton, "Similarity of Neural Network Representations Revisited" (ICML 2019).
//! The debiased form uses the unbiased estimator of L. Song, A. Smola, A. Gretton, J. Bedo, K. Borgwardt, "Feature
//! Selection via Dependence Maximization" (JMLR 2012), as T. Nguyen, M. Raghu, S. Kornblith do in "Do Wide and Deep
//! Networks Learn the Same Things?" (ICLR 2021).

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use super::{Points, centred};
use crate::{Error, Result};

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

/// Debiased linear CKA: like [`linear_cka`], but unrelated points have 0 in expectation, however few they are for their
/// dimensions. A single estimate may be negative. `None` if the points of a set have no structure: if its own estimate
/// is not positive.
///
/// # Errors
/// If there are fewer than four points, or a coordinate is not finite.
///
/// # Panics
/// If the sets have different numbers of points.
#[track_caller]
pub fn debiased_linear_cka(a: &Points, b: &Points) -> Result<Option<f64>> {
    assert_eq!(a.len(), b.len(), "points of both represent the same things");
    for points in [a, b] {
        points.check()?;
    }
    if a.len() < LEAST_DEBIASED {
        return Err(Error::TooFewPoints { least: LEAST_DEBIASED, found: a.len() });
    }
    let [a, b] = [a, b].map(Centred::of);
    let (of_a, of_b) = (a.unbiased_hsic(&a), b.unbiased_hsic(&b));
    let both = a.unbiased_hsic(&b);
    let exist = of_a > 0.0 && of_b > 0.0;
    Ok(exist.then(|| (both / (of_a * of_b).sqrt()).clamp(-1.0, 1.0)))
}

/// Smallest number of points of the unbiased estimator.
const LEAST_DEBIASED: usize = 4;

/// Points with their mean, and their squared distances from it: the diagonal of the centred linear kernel.
struct Centred<'a> {
    points: &'a Points,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

impl<'a> Centred<'a> {
    fn of(points: &'a Points) -> Self {
        let mean = points.mean();
        let square = |point: &[f32]| -> f64 {
            point.iter().zip(&mean).map(|(&x, mean)| (f64::from(x) - mean).powi(2)).sum()
        };
        let squares = points.iter().map(square).collect();
        Self { points, mean, squares }
    }

    /// The unbiased estimator of the Hilbert-Schmidt independence criterion with linear kernels, times `n (n - 3)`.
    ///
    /// It is the sum of three terms of kernels `K` and `L` with zero diagonals: `tr(K L)`, `1'K1 1'L1 / (n - 1) /
    /// (n - 2)` and `-2 / (n - 2) 1'K L 1`. The coordinates of centred points sum to zero, so that the sums of the
    /// rows of `K` are the negated diagonal of the kernel.
    fn unbiased_hsic(&self, other: &Self) -> f64 {
        let n = self.squares.len() as f64;
        let cross =
            covariance(self.points, &self.mean, other.points, &other.mean).squared_norm_l2();
        let products: f64 = self.squares.iter().zip(&other.squares).map(|(k, l)| k * l).sum();
        let sums = self.squares.iter().sum::<f64>() * other.squares.iter().sum::<f64>();
        cross - products + sums / (n - 1.0) / (n - 2.0) - 2.0 / (n - 2.0) * products
    }
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

    fn debiased(a: &Points, b: &Points) -> f64 {
        debiased_linear_cka(a, b).unwrap().expect("points with structure")
    }

    /// Points of a normal distribution.
    fn normal(points: usize, dimensions: usize, seed: u32) -> Points {
        let mut stream = narscope_model::random::Stream::named(seed, "points");
        Points { dimensions, data: (0..points * dimensions).map(|_| stream.normal()).collect() }
    }

    /// The definition: kernels as matrices, with zero diagonals.
    fn hsic_by_definition(a: &Points, b: &Points) -> f64 {
        let n = a.len();
        let kernel = |points: &Points, i: usize, j: usize| -> f64 {
            let products = points.get(i).iter().zip(points.get(j));
            let product: f64 = products.map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
            if i == j { 0.0 } else { product }
        };
        let [mut trace, mut sum_a, mut sum_b, mut both] = [0.0; 4];
        for i in 0..n {
            let row = |points: &Points| (0..n).map(|j| kernel(points, i, j)).sum::<f64>();
            trace += (0..n).map(|j| kernel(a, i, j) * kernel(b, j, i)).sum::<f64>();
            sum_a += row(a);
            sum_b += row(b);
            both += row(a) * row(b);
        }
        let n = n as f64;
        trace + sum_a * sum_b / (n - 1.0) / (n - 2.0) - 2.0 / (n - 2.0) * both
    }

    #[test]
    fn the_unbiased_estimate_is_that_of_its_definition() {
        let (a, b) = (normal(9, 3, 1), normal(9, 5, 2));
        let found = Centred::of(&a).unbiased_hsic(&Centred::of(&b));
        let expected = hsic_by_definition(&a, &b);
        assert!((found - expected).abs() < 1e-5 * expected.abs().max(1.0), "{found} {expected}");
    }

    #[test]
    fn independent_points_have_a_debiased_similarity_near_zero_and_a_biased_one_far_from_it() {
        let pairs = (0..60).map(|seed| (normal(30, 20, 2 * seed), normal(30, 20, 2 * seed + 1)));
        let found: Vec<(f64, f64)> = pairs.map(|(a, b)| (of(&a, &b), debiased(&a, &b))).collect();
        let mean = |part: fn(&(f64, f64)) -> f64| found.iter().map(part).sum::<f64>() / 60.0;
        let (biased, debiased) = (mean(|it| it.0), mean(|it| it.1));
        assert!(biased > 0.3, "{biased}");
        assert!(debiased.abs() < 0.03, "{debiased}");
    }

    #[test]
    fn a_debiased_similarity_needs_four_points_and_structure() {
        let three = Points { dimensions: 1, data: vec![1.0, 2.0, 4.0] };
        let error = debiased_linear_cka(&three, &three).unwrap_err().to_string();
        assert!(error.contains("at least 4 points"), "{error}");
        let same = Points { dimensions: 1, data: vec![3.0; 5] };
        assert_eq!(debiased_linear_cka(&same, &same).unwrap(), None);
        let damaged = Points { dimensions: 1, data: vec![1.0, f32::NAN, 4.0, 5.0] };
        assert!(debiased_linear_cka(&damaged, &damaged).is_err());
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
            let estimates = [(&moved, &b), (&a, &b), (&moved, &a)]
                .map(|(one, other)| debiased_linear_cka(one, other).unwrap());
            if let [Some(turned), Some(plain), Some(equal)] = estimates {
                prop_assert!((turned - plain).abs() < 1e-3, "{turned} and {plain}");
                prop_assert!((equal - 1.0).abs() < 1e-3, "{equal}");
            }
        }
    }
}
