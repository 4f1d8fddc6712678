//! Gates: how much of the old state stays.

use crate::simd::widest;
use crate::vector::exp;

/// `1 / (1 + e^-x)` without overflow.
#[inline(always)]
pub(crate) fn sigmoid(x: f32) -> f32 {
    let small = exp(-x.abs());
    let above = 1.0 / (1.0 + small);
    if x >= 0.0 { above } else { small * above }
}

/// `open` holds scores, and becomes how far each gate is open; `state` holds the new state, and
/// becomes the mixture of new and old.
pub fn mix(open: &mut [f32], bias: &[f32], old: &[f32], new: &[f32], state: &mut [f32]) {
    widest(
        #[inline(always)]
        || {
            let h = bias.len();
            let rows = open.chunks_exact_mut(h).zip(state.chunks_exact_mut(h));
            for ((open, state), (old, new)) in
                rows.zip(old.chunks_exact(h).zip(new.chunks_exact(h)))
            {
                for c in 0..h {
                    open[c] = sigmoid(open[c] + bias[c]);
                    state[c] = open[c] * new[c] + (1.0 - open[c]) * old[c];
                }
            }
        },
    );
}

/// The way back of [`mix`]: the gradient of the state becomes that of the new one; that of the old
/// one is added to, that of the scores written.
pub fn mix_back(
    gradient: &mut [f32],
    (open, old, new): (&[f32], &[f32], &[f32]),
    old_gradient: &mut [f32],
    score_gradient: &mut [f32],
) {
    widest(
        #[inline(always)]
        || {
            let n = gradient.len();
            let (open, old, new) = (&open[..n], &old[..n], &new[..n]);
            let (old_gradient, score_gradient) = (&mut old_gradient[..n], &mut score_gradient[..n]);
            for i in 0..n {
                let d = gradient[i];
                score_gradient[i] = d * (new[i] - old[i]) * open[i] * (1.0 - open[i]);
                old_gradient[i] += d * (1.0 - open[i]);
                gradient[i] = d * open[i];
            }
        },
    );
}

/// Scores become probabilities.
pub fn sigmoids(x: &mut [f32]) {
    widest(
        #[inline(always)]
        || x.iter_mut().for_each(|x| *x = sigmoid(*x)),
    );
}
