//! Layer norm: a row is centred and scaled, then scaled and shifted by what is learnt.

use crate::simd::widest;
use crate::vector::{dot, sum};

/// Kept away from dividing by 0.
const EPSILON: f32 = 1e-5;

/// Normalises rows: `out` is what decoders see, `normal` the same before scale and offset, and
/// `spread` has one over the deviation of each row; the way back needs both.
pub fn normalise(
    x: &[f32],
    (scale, offset): (&[f32], &[f32]),
    out: &mut [f32],
    normal: &mut [f32],
    spread: &mut [f32],
) {
    widest(
        #[inline(always)]
        || {
            let h = scale.len();
            let rows = x.chunks_exact(h).zip(out.chunks_exact_mut(h));
            for ((x, out), (normal, spread)) in
                rows.zip(normal.chunks_exact_mut(h).zip(spread.iter_mut()))
            {
                let mean = sum(x, |x| x) / h as f32;
                let variance = sum(x, |x| (x - mean) * (x - mean)) / h as f32;
                *spread = 1.0 / (variance + EPSILON).sqrt();
                for c in 0..h {
                    normal[c] = (x[c] - mean) * *spread;
                    out[c] = normal[c] * scale[c] + offset[c];
                }
            }
        },
    );
}

/// The way back of [`normalise`], in place; adds to the gradients of scale and offset.
pub fn normalise_back(
    gradient: &mut [f32],
    (normal, spread): (&[f32], &[f32]),
    scale: &[f32],
    scale_gradient: &mut [f32],
    offset_gradient: &mut [f32],
) {
    widest(
        #[inline(always)]
        || {
            let h = scale.len();
            for ((d, normal), spread) in
                gradient.chunks_exact_mut(h).zip(normal.chunks_exact(h)).zip(spread)
            {
                for c in 0..h {
                    scale_gradient[c] += d[c] * normal[c];
                    offset_gradient[c] += d[c];
                    d[c] *= scale[c];
                }
                let mean = sum(d, |d| d) / h as f32;
                let along = dot(d, normal) / h as f32;
                for c in 0..h {
                    d[c] = (d[c] - mean - normal[c] * along) * spread;
                }
            }
        },
    );
}
