//! Scores of pointers: the elementwise maximum of two rows, reduced to one score by a weighted sum
//! over channels. The rows of all candidates are never in memory together.

mod node;
mod pair;

pub use node::{Candidates, node_scores, node_scores_backward};
pub use pair::{pair_scores, pair_scores_backward};

use crate::matrix::{Mat, MatMut};
use crate::simd::widest;

/// Final part of the backward passes of scores, which leave out the weights of channels: multiplies
/// the gradients by the weights, and adds the gradient of the weights, the sum of values times
/// unweighted gradients.
pub fn channel_weights_backward(
    values: Mat<'_>,
    mut gradient: MatMut<'_>,
    rows: usize,
    weights: &[f32],
    weights_gradient: &mut [f32],
) {
    widest(
        #[inline(always)]
        || {
            for row in 0..rows {
                let row = values.row(row).iter().zip(gradient.row(row));
                for ((value, d), (weight, weight_gradient)) in
                    row.zip(weights.iter().zip(weights_gradient.iter_mut()))
                {
                    *weight_gradient += value * *d;
                    *d *= weight;
                }
            }
        },
    );
}
