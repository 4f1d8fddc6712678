//! Probabilities from scores, row by row.

use crate::simd::widest;
use crate::vector::{dot, exp, sum};

/// Rows of scores become rows of probabilities.
pub fn softmax(x: &mut [f32], width: usize) {
    widest(
        #[inline(always)]
        || {
            for row in x.chunks_exact_mut(width) {
                let largest = row.iter().copied().fold(f32::MIN, |a, b| if b > a { b } else { a });
                row.iter_mut().for_each(|x| *x = exp(*x - largest));
                let share = 1.0 / sum(row, |x| x);
                row.iter_mut().for_each(|x| *x *= share);
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

/// The logarithm of the sum of `e^x` over a row.
#[inline(always)]
pub(crate) fn log_sum(row: &[f32]) -> f32 {
    let largest = row.iter().copied().fold(f32::MIN, |a, b| if b > a { b } else { a });
    largest + sum(row, |x| exp(x - largest)).ln()
}

/// The loss of a choice, `-log p(chosen)`, and its gradient times `scale`, added to.
pub fn choice_loss(scores: &[f32], chosen: usize, scale: f32, gradient: &mut [f32]) -> f32 {
    widest(
        #[inline(always)]
        || {
            let log_sum = log_sum(scores);
            for (d, x) in gradient.iter_mut().zip(scores) {
                *d += scale * exp((x - log_sum).min(0.0));
            }
            gradient[chosen] -= scale;
            log_sum - scores[chosen]
        },
    )
}
