//! Softmax and cross-entropy, row by row.

use crate::denormals::count;
use crate::simd::widest;
use crate::vector::{dot, exp, sum};

/// Softmax of each row of `width` scores, in place.
pub fn softmax(x: &mut [f32], width: usize) {
    widest(
        #[inline(always)]
        || {
            for row in x.chunks_exact_mut(width) {
                let largest = largest(row);
                for x in row.iter_mut() {
                    *x = exp(*x - largest);
                }
                let share = 1.0 / sum(row, |x| x);
                for x in row {
                    *x *= share;
                }
            }
        },
    );
    count("softmax of scores", x);
}

/// Backward pass of [`softmax`], in place: turns the gradient of probabilities into that of scores.
pub fn softmax_backward(gradient: &mut [f32], probabilities: &[f32], width: usize) {
    widest(
        #[inline(always)]
        || {
            let rows = gradient.chunks_exact_mut(width).zip(probabilities.chunks_exact(width));
            for (d, p) in rows {
                let mean = dot(d, p);
                for (d, p) in d.iter_mut().zip(p) {
                    *d = p * (*d - mean);
                }
            }
        },
    );
    count("softmax of scores, backward", gradient);
}

/// Largest element, ignoring NaN.
#[inline(always)]
fn largest(row: &[f32]) -> f32 {
    row.iter().copied().fold(f32::MIN, |a, b| if b > a { b } else { a })
}

/// Logarithm of the sum of `e^x` over a row.
#[inline(always)]
pub(crate) fn log_sum(row: &[f32]) -> f32 {
    let largest = largest(row);
    largest + sum(row, |x| exp(x - largest)).ln()
}

/// Returns the cross-entropy `-log softmax(scores)[target]`, and adds its gradient times `scale`.
pub fn cross_entropy(scores: &[f32], target: usize, scale: f32, gradient: &mut [f32]) -> f32 {
    widest(
        #[inline(always)]
        || {
            // Scores may be large compared with their differences. The logarithm of the sum of
            // their exponentials would then be rounded, and would bias all gradients one way.
            let largest = largest(scores);
            let total = sum(scores, |x| exp(x - largest));
            let share = scale / total;
            for (d, x) in gradient.iter_mut().zip(scores) {
                *d += share * exp(x - largest);
            }
            gradient[target] -= scale;
            count("cross-entropy, backward", gradient);
            total.ln() - (scores[target] - largest)
        },
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::oracle::{Random, Real, added, assert_close, cases, reference, widths};

    /// The formula of a softmax; an offset common to all scores cancels.
    fn probabilities(row: &[Real]) -> Vec<Real> {
        let most = row.iter().fold(f64::MIN, |most, x| most.max(x.value));
        let total: Real = row.iter().map(|x| (*x - most).exp()).sum();
        row.iter().map(|x| (*x - most).exp() / total).collect()
    }

    #[test]
    fn nan_propagates() {
        let scores = [0.0, f32::NAN, 1.0];
        let mut probabilities = scores;
        softmax(&mut probabilities, 3);
        assert!(probabilities.iter().all(|p| p.is_nan()), "{probabilities:?}");
        assert!(cross_entropy(&scores, 0, 1.0, &mut [0.0; 3]).is_nan());
    }

    proptest! {
        #![proptest_config(cases(200))]

        #[test]
        fn probabilities_and_their_gradients_agree_with_the_formula(
            (rows, width, size, seed) in (0..4_usize, widths(), 0.1..50_f32, any::<u64>())
        ) {
            let random = &mut Random(seed);
            let scores: Vec<_> = random.uniform(rows * width).iter().map(|x| x * size).collect();
            let d = random.uniform(rows * width);
            let (values, [d_scores]) = reference([&scores], &d, |[scores]| {
                scores.chunks(width).flat_map(probabilities).collect()
            });

            let (mut x, mut gradient) = (scores, d);
            softmax(&mut x, width);
            assert_close("probabilities", &x, &values, 1e-5);
            softmax_backward(&mut gradient, &x, width);
            assert_close("gradient of scores", &gradient, &d_scores, 1e-5);
        }

        #[test]
        fn a_common_offset_changes_neither_loss_nor_gradient(
            (width, seed, exponent) in (widths(), any::<u64>(), 8..20_u32)
        ) {
            let random = &mut Random(seed);
            // Sixteenths: adding a large integer to them is exact.
            let sixteenth = |x: f32| (160.0 * x).round() / 16.0;
            let scores: Vec<_> = random.uniform(width).iter().map(|&x| sixteenth(x)).collect();
            let offset = (1_u32 << exponent) as f32;
            let target = random.below(width);
            let moved: Vec<_> = scores.iter().map(|x| x + offset).collect();
            let [mut here, mut there] = [vec![0.0; width], vec![0.0; width]];
            let loss = cross_entropy(&scores, target, 1.0, &mut here);
            let moved_loss = cross_entropy(&moved, target, 1.0, &mut there);
            prop_assert_eq!(loss, moved_loss);
            prop_assert_eq!(&here, &there);
            // Probabilities sum to 1, so their gradients sum to 0.
            let sum: f32 = here.iter().sum();
            prop_assert!(sum.abs() < 1e-6, "{} at {}", sum, offset);
        }

        #[test]
        fn cross_entropies_agree_with_the_formula(
            (width, size, scale, seed) in (widths(), 0.1..50_f32, -2.0..2.0_f32, any::<u64>())
        ) {
            let random = &mut Random(seed);
            let scores: Vec<_> = random.uniform(width).iter().map(|x| x * size).collect();
            let target = random.below(width);
            let (values, [d_scores]) = reference([&scores], &[scale], |[scores]| {
                let most = scores.iter().fold(f64::MIN, |most, x| most.max(x.value));
                let total: Real = scores.iter().map(|x| (*x - most).exp()).sum();
                vec![total.ln() + most - scores[target]]
            });

            let before = random.uniform(width);
            let mut gradient = before.clone();
            let loss = cross_entropy(&scores, target, scale, &mut gradient);
            assert_close("the loss", &[loss], &values, 1e-5);
            assert_close("gradient of scores", &gradient, &added(&before, &d_scores), 1e-5);
        }
    }

    #[test]
    fn probabilities_of_huge_and_tiny_scores_are_finite() {
        for scale in [1e30, 1e-30] {
            let mut x = [scale, -scale, scale, 0.0];
            softmax(&mut x, 4);
            let expected = if scale > 1.0 { [0.5, 0.0, 0.5, 0.0] } else { [0.25; 4] };
            assert_eq!(x, expected);
            let (scores, mut gradient) = ([scale, -scale], [0.0; 2]);
            let loss = cross_entropy(&scores, 1, 1.0, &mut gradient);
            assert!(loss.is_finite() && gradient.iter().all(|d| d.is_finite()), "{loss}");
        }
    }
}
