//! Probabilities from scores, row by row.

use crate::simd::widest;
use crate::vector::{dot, exp, sum};

/// Rows of scores become rows of probabilities.
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
}

/// The way back of [`softmax`], in place: from the gradient of probabilities to that of scores.
pub fn softmax_back(gradient: &mut [f32], probabilities: &[f32], width: usize) {
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
}

/// What is largest, not counting what is no number.
#[inline(always)]
fn largest(row: &[f32]) -> f32 {
    row.iter().copied().fold(f32::MIN, |a, b| if b > a { b } else { a })
}

/// The logarithm of the sum of `e^x` over a row.
#[inline(always)]
pub(crate) fn log_sum(row: &[f32]) -> f32 {
    let largest = largest(row);
    largest + sum(row, |x| exp(x - largest)).ln()
}

/// The loss of a choice, `-log p(chosen)`, and its gradient times `scale`, added to.
pub fn choice_loss(scores: &[f32], chosen: usize, scale: f32, gradient: &mut [f32]) -> f32 {
    widest(
        #[inline(always)]
        || {
            // Scores may be large beside their differences: the logarithm of their sum would be
            // rounded to their size, and gradients with it, always to the same side.
            let largest = largest(scores);
            let total = sum(scores, |x| exp(x - largest));
            let share = scale / total;
            for (d, x) in gradient.iter_mut().zip(scores) {
                *d += share * exp(x - largest);
            }
            gradient[chosen] -= scale;
            total.ln() - (scores[chosen] - largest)
        },
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::oracle::{Random, Real, added, answer, assert_close, cases, widths};

    /// Probabilities, written down plainly. What all scores have in common does not matter.
    fn probabilities(row: &[Real]) -> Vec<Real> {
        let most = row.iter().fold(f64::MIN, |most, x| most.max(x.value));
        let total: Real = row.iter().map(|x| (*x - most).exp()).sum();
        row.iter().map(|x| (*x - most).exp() / total).collect()
    }

    #[test]
    fn what_is_no_number_does_not_go_unseen() {
        let scores = [0.0, f32::NAN, 1.0];
        let mut probabilities = scores;
        softmax(&mut probabilities, 3);
        assert!(probabilities.iter().all(|p| p.is_nan()), "{probabilities:?}");
        assert!(choice_loss(&scores, 0, 1.0, &mut [0.0; 3]).is_nan());
    }

    proptest! {
        #![proptest_config(cases(200))]

        #[test]
        fn probabilities_and_what_is_learnt_from_them_agree_with_the_formula(
            (rows, width, size, seed) in (0..4_usize, widths(), 0.1..50_f32, any::<u64>())
        ) {
            let random = &mut Random(seed);
            let scores: Vec<_> = random.numbers(rows * width).iter().map(|x| x * size).collect();
            let d = random.numbers(rows * width);
            let (values, [d_scores]) = answer([&scores], &d, |[scores]| {
                scores.chunks(width).flat_map(probabilities).collect()
            });

            let (mut x, mut gradient) = (scores, d);
            softmax(&mut x, width);
            assert_close("probabilities", &x, &values, 1e-5);
            softmax_back(&mut gradient, &x, width);
            assert_close("scores learn", &gradient, &d_scores, 1e-5);
        }

        #[test]
        fn what_all_scores_have_in_common_changes_neither_loss_nor_gradient(
            (width, seed, places) in (widths(), any::<u64>(), 8..20_u32)
        ) {
            let random = &mut Random(seed);
            // Sixteenths, which a large number can be added to without rounding.
            let sixteenth = |x: f32| (160.0 * x).round() / 16.0;
            let scores: Vec<_> = random.numbers(width).iter().map(|&x| sixteenth(x)).collect();
            let common = (1_u32 << places) as f32;
            let chosen = random.below(width);
            let moved: Vec<_> = scores.iter().map(|x| x + common).collect();
            let [mut here, mut there] = [vec![0.0; width], vec![0.0; width]];
            let loss = choice_loss(&scores, chosen, 1.0, &mut here);
            let moved_loss = choice_loss(&moved, chosen, 1.0, &mut there);
            prop_assert_eq!(loss, moved_loss);
            prop_assert_eq!(&here, &there);
            // Who gains probability takes it from the others.
            let sum: f32 = here.iter().sum();
            prop_assert!(sum.abs() < 1e-6, "{} at {}", sum, common);
        }

        #[test]
        fn losses_of_choices_agree_with_the_formula(
            (width, size, scale, seed) in (widths(), 0.1..50_f32, -2.0..2.0_f32, any::<u64>())
        ) {
            let random = &mut Random(seed);
            let scores: Vec<_> = random.numbers(width).iter().map(|x| x * size).collect();
            let chosen = random.below(width);
            let (values, [d_scores]) = answer([&scores], &[scale], |[scores]| {
                let most = scores.iter().fold(f64::MIN, |most, x| most.max(x.value));
                let total: Real = scores.iter().map(|x| (*x - most).exp()).sum();
                vec![total.ln() + most - scores[chosen]]
            });

            let before = random.numbers(width);
            let mut gradient = before.clone();
            let loss = choice_loss(&scores, chosen, scale, &mut gradient);
            assert_close("the loss", &[loss], &values, 1e-5);
            assert_close("scores learn", &gradient, &added(&before, &d_scores), 1e-5);
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
            let loss = choice_loss(&scores, 1, 1.0, &mut gradient);
            assert!(loss.is_finite() && gradient.iter().all(|d| d.is_finite()), "{loss}");
        }
    }
}
