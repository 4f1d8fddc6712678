//! Pointers of nodes and of pairs of nodes: the larger of two vectors, channel by channel, is
//! weighed and summed up to one score. The vectors of all candidates are never in memory together.

use crate::Buffer;
use crate::heard::{Pairs, PairsBack, sum_row};
use crate::matrix::{Mat, MatMut};
use crate::simd::{simd_fn, widest};
use crate::vector::{add, sum_of};

/// What scores are made of.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    /// What the node that points says, a row for each node of the sample.
    pub from: Mat<'a>,
    /// What the node that is pointed to says.
    pub to: Mat<'a>,
    /// What the pair says, added to the latter.
    pub pairs: Pairs<'a>,
    /// The map of the pair's numbers.
    pub map: &'a [f32],
    /// What the processor said of pairs, a row for each.
    pub processed: Option<Mat<'a>>,
    /// How channels are weighed.
    pub weights: &'a [f32],
    /// A row of zeros, for what is not there.
    pub nothing: &'a [f32],
}

simd_fn! {
    /// The scores of one sample, whose first node is number `start` of the block of `n` nodes each:
    /// `scores[i, j]` for node `i` pointing to `j`. `taken` says where the candidate was the larger
    /// of the two, for the way back.
    pub fn node_scores<'a, 'b>(
        simd: S,
        x: &'a Candidates<'b>,
        sample: (usize, usize),
        bias: f32,
        scores: &'a mut [f32],
        taken: Option<&'a mut [u8]>,
        row: &'a mut [f32],
    ) {
        let ((start, n), h) = (sample, x.weights.len());
        let mut taken = taken;
        for i in 0..n {
            let from = x.from.row(i);
            for j in 0..n {
                // Parity: the edge is read in the other direction than by messages.
                let edge = (x.pairs.of(start + j, i), x.map);
                let said = x.processed.map_or(x.nothing, |processed| processed.row(j * n + i));
                sum_row(simd, row, (x.to.row(j), said), edge, false);
                if let Some(taken) = &mut taken {
                    let taken = &mut taken[(i * n + j) * h..][..h];
                    for ((taken, to), from) in taken.iter_mut().zip(&*row).zip(from) {
                        *taken = u8::from(to > from);
                    }
                }
                scores[i * n + j] = bias + weighted_larger(row, from, x.weights);
            }
        }
    }
}

simd_fn! {
    /// The way back of [`node_scores`]: adds to the gradients of what nodes say, which have a row
    /// for each node, with what it says when it points and when it is pointed to from two columns
    /// on.
    ///
    /// Gradients of rows and maps are kept without the weights of channels: they all share them,
    /// and what the weights learn follows from the same sums. [`weigh`] puts them in at the end.
    pub fn node_scores_back<'a, 'b>(
        simd: S,
        scores: (&'a [f32], &'a [u8]),
        sample: (usize, usize),
        said: (MatMut<'a>, [usize; 2]),
        pairs: &'a mut PairsBack<'b>,
        processed: Option<MatMut<'a>>,
        row: &'a mut [f32],
    ) {
        let ((gradient, taken), (start, n), (mut y, at)) = (scores, sample, said);
        let (mut processed, h) = (processed, row.len());
        for i in 0..n {
            for j in 0..n {
                let d = gradient[i * n + j];
                if d == 0.0 {
                    continue;
                }
                let taken = &taken[(i * n + j) * h..][..h];
                let from = &mut y.row(i)[at[0]..at[0] + h];
                for ((row, from), taken) in row.iter_mut().zip(from).zip(taken) {
                    let to = if *taken != 0 { d } else { 0.0 };
                    *row = to;
                    *from += d - to;
                }
                add(&mut y.row(j)[at[1]..at[1] + h], row);
                if let Some(processed) = &mut processed {
                    add(processed.row(j * n + i), row);
                }
                pairs.add(simd, start + j, i, row);
            }
        }
    }
}

/// How many pairs are scored at once: their sums do not wait for each other.
const PAIRS: usize = 4;

simd_fn! {
    /// The scores of one sample's pairs: `scores[i, j, k]` for pair `(i, j)` pointing to `k`; `pair`
    /// has a row for each pair, `to` one for each of the `n` nodes.
    pub fn pair_scores<'a>(
        simd: S,
        pair: &'a [f32],
        to: Mat<'a>,
        weights: &'a [f32],
        bias: f32,
        n: usize,
        scores: &'a mut [f32],
        scratch: &'a mut Buffer,
    ) {
        let h = weights.len();
        // Channels below each other, nodes side by side: all nodes of a vector are scored at once,
        // and no sum runs across a vector.
        let width = n.next_multiple_of(S::F32_LANES);
        let columns = scratch.zeroed(h * width);
        for k in 0..n {
            for (c, x) in to.row(k).iter().enumerate() {
                columns[c * width + k] = *x;
            }
        }
        let all = pair.len() / h;
        for first in (0..all).step_by(PAIRS) {
            // Past the last, the last one is scored again.
            let rows: [&[f32]; PAIRS] =
                std::array::from_fn(|at| &pair[(first + at).min(all - 1) * h..][..h]);
            for start in (0..n).step_by(S::F32_LANES) {
                let mut sums = [simd.splat_f32s(bias); PAIRS];
                for c in 0..h {
                    let to = S::as_simd_f32s(&columns[c * width + start..][..S::F32_LANES]).0[0];
                    let weight = simd.splat_f32s(weights[c]);
                    for at in 0..PAIRS {
                        let larger = simd.max_f32s(to, simd.splat_f32s(rows[at][c]));
                        sums[at] = simd.mul_add_e_f32s(weight, larger, sums[at]);
                    }
                }
                let here = start..n.min(start + S::F32_LANES);
                for (at, sum) in sums.into_iter().enumerate().take(all - first) {
                    let scores = &mut scores[(first + at) * n..][..n];
                    simd.partial_store_f32s(&mut scores[here.clone()], sum);
                }
            }
        }
    }
}

/// How many vectors of a pair and of its gradient are in registers at once.
const IN_REGISTERS: usize = 4;

simd_fn! {
    /// The way back of [`pair_scores`], without the weights of channels, as in
    /// [`node_scores_back`]: adds to the gradients of pairs and of what is pointed to.
    pub fn pair_scores_back<'a>(
        simd: S,
        scores_gradient: &'a [f32],
        values: (&'a [f32], Mat<'a>),
        n: usize,
        pair_gradient: &'a mut [f32],
        to_gradient: MatMut<'a>,
    ) {
        let ((pair, to), mut to_gradient) = (values, to_gradient);
        let h = to.width();
        let at_once = IN_REGISTERS * S::F32_LANES;
        let whole = h / at_once * at_once;
        let nothing = simd.splat_f32s(0.0);
        let rows = pair.chunks_exact(h).zip(pair_gradient.chunks_exact_mut(h));
        for ((pair, pair_gradient), scores) in rows.zip(scores_gradient.chunks_exact(n)) {
            for from in (0..whole).step_by(at_once) {
                let here = from..from + at_once;
                let own = S::as_simd_f32s(&pair[here.clone()]).0;
                let own: [S::f32s; IN_REGISTERS] = std::array::from_fn(|i| own[i]);
                let mut learnt = [nothing; IN_REGISTERS];
                for (k, &d) in scores.iter().enumerate() {
                    let to = S::as_simd_f32s(&to.row(k)[here.clone()]).0;
                    let to_gradient = S::as_mut_simd_f32s(&mut to_gradient.row(k)[here.clone()]).0;
                    let d = simd.splat_f32s(d);
                    for i in 0..IN_REGISTERS {
                        let taken = simd.greater_than_f32s(to[i], own[i]);
                        let taken = simd.select_f32s(taken, d, nothing);
                        to_gradient[i] = simd.add_f32s(to_gradient[i], taken);
                        learnt[i] = simd.add_f32s(learnt[i], simd.sub_f32s(d, taken));
                    }
                }
                let gradient = S::as_mut_simd_f32s(&mut pair_gradient[here]).0;
                for i in 0..IN_REGISTERS {
                    gradient[i] = simd.add_f32s(gradient[i], learnt[i]);
                }
            }
            for (k, &d) in scores.iter().enumerate() {
                let to = to.row(k)[whole..].iter().zip(&mut to_gradient.row(k)[whole..]);
                let pair = pair[whole..].iter().zip(&mut pair_gradient[whole..]);
                for ((to, to_gradient), (pair, pair_gradient)) in to.zip(pair) {
                    let taken = if to > pair { d } else { 0.0 };
                    *to_gradient += taken;
                    *pair_gradient += d - taken;
                }
            }
        }
    }
}

simd_fn! {
    /// The rows of one sample's pairs: what both nodes and the edge say.
    pub fn pair_rows<'a>(
        simd: S,
        out: &'a mut [f32],
        ends: (Mat<'a>, Mat<'a>),
        edges: (Pairs<'a>, &'a [f32]),
        processed: Option<Mat<'a>>,
        sample: (usize, usize),
    ) {
        let ((first, second), (pairs, map), (start, n)) = (ends, edges, sample);
        for (at, row) in out.chunks_exact_mut(first.width()).enumerate() {
            let (i, j) = (at / n, at % n);
            sum_row(simd, row, (first.row(i), second.row(j)), (pairs.of(start + i, j), map), false);
            if let Some(processed) = processed {
                add(row, processed.row(at));
            }
        }
    }
}

simd_fn! {
    /// The way back of [`pair_rows`]: what the two nodes say lies in rows from two columns on.
    pub fn pair_rows_back<'a, 'b>(
        simd: S,
        gradient: &'a [f32],
        said: (MatMut<'a>, [usize; 2]),
        pairs: &'a mut PairsBack<'b>,
        processed: Option<MatMut<'a>>,
        sample: (usize, usize),
    ) {
        let ((mut y, at), (start, n), mut processed) = (said, sample, processed);
        let h = gradient.len() / (n * n);
        for (place, row) in gradient.chunks_exact(h).enumerate() {
            let (i, j) = (place / n, place % n);
            add(&mut y.row(i)[at[0]..at[0] + h], row);
            add(&mut y.row(j)[at[1]..at[1] + h], row);
            pairs.add(simd, start + i, j, row);
            if let Some(processed) = &mut processed {
                add(processed.row(place), row);
            }
        }
    }
}

/// Puts the weights of channels into gradients that were summed up without them, and adds what the
/// weights learn: the sum of values times these gradients.
pub fn weigh(
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
                let both = values.row(row).iter().zip(gradient.row(row));
                for ((value, d), (weight, learnt)) in
                    both.zip(weights.iter().zip(weights_gradient.iter_mut()))
                {
                    *learnt += value * *d;
                    *d *= weight;
                }
            }
        },
    );
}

/// The larger of two rows, channel by channel, weighed and summed up.
#[inline(always)]
fn weighted_larger(a: &[f32], b: &[f32], weights: &[f32]) -> f32 {
    sum_of(a, b, weights, |a, b, weight| weight * if a > b { a } else { b })
}
