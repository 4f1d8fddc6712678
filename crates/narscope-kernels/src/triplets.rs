//! Triplets: what pairs of nodes hear from all third nodes. Nothing as large as the triplets is
//! made: of the terms of a triplet only three depend on the node that the maximum is taken over.

use crate::simd::widest;

/// The largest of `first[i, j] + second[i, k]` over `i`, for every pair `(j, k)`, in `f` channels;
/// `chosen` says which `i` it was. All are squares of `n` by `n` rows of `f` numbers.
pub fn largest(
    (first, second): (&[f32], &[f32]),
    (n, f): (usize, usize),
    out: &mut [f32],
    chosen: &mut [u32],
    row: &mut Vec<f32>,
) {
    let width = n * f;
    row.clear();
    row.resize(width, 0.0);
    widest(
        #[inline(always)]
        || {
            for j in 0..n {
                let out = &mut out[j * width..][..width];
                let chosen = &mut chosen[j * width..][..width];
                out.fill(f32::NEG_INFINITY);
                chosen.fill(0);
                for i in 0..n {
                    // The same few numbers for every k, laid out so that all k go at once.
                    let to_all = &first[i * width + j * f..][..f];
                    row.chunks_exact_mut(f).for_each(|row| row.copy_from_slice(to_all));
                    let second = &second[i * width..][..width];
                    for at in 0..width {
                        let sum = row[at] + second[at];
                        let wins = sum > out[at];
                        out[at] = if wins { sum } else { out[at] };
                        chosen[at] = if wins { i as u32 } else { chosen[at] };
                    }
                }
            }
        },
    );
}

/// The way back of [`largest`]: adds the gradient of each pair to the two sums that won.
pub fn largest_back(
    gradient: &[f32],
    chosen: &[u32],
    (n, f): (usize, usize),
    (first, second): (&mut [f32], &mut [f32]),
) {
    for j in 0..n {
        for k in 0..n {
            for c in 0..f {
                let at = (j * n + k) * f + c;
                let i = chosen[at] as usize;
                first[(i * n + j) * f + c] += gradient[at];
                second[(i * n + k) * f + c] += gradient[at];
            }
        }
    }
}
