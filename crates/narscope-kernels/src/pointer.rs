//! Pointers of nodes and of pairs of nodes: the larger of two vectors, channel by channel, is
//! weighed and summed up to one score. The vectors of all candidates are never in memory together.

use crate::heard::{Pairs, PairsBack, add_mapped};
use crate::matrix::{Mat, MatMut};
use crate::simd::widest;
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
}

/// The scores of one sample, whose first node is number `start` of the block: `scores[i, j]` for
/// node `i` pointing to `j`. `taken` says where the candidate was the larger of the two, for the
/// way back.
pub fn node_scores(
    x: &Candidates<'_>,
    (start, n): (usize, usize),
    bias: f32,
    scores: &mut [f32],
    mut taken: Option<&mut [u8]>,
    row: &mut [f32],
) {
    widest(
        #[inline(always)]
        || {
            let h = x.weights.len();
            for i in 0..n {
                let from = x.from.row(i);
                for j in 0..n {
                    row.copy_from_slice(x.to.row(j));
                    // Parity: the edge is read in the other direction than by messages.
                    add_mapped(row, x.pairs.of(start + j, i), x.map);
                    if let Some(processed) = x.processed {
                        add(row, processed.row(j * n + i));
                    }
                    if let Some(taken) = &mut taken {
                        let taken = &mut taken[(i * n + j) * h..][..h];
                        for ((taken, to), from) in taken.iter_mut().zip(&*row).zip(from) {
                            *taken = u8::from(to > from);
                        }
                    }
                    scores[i * n + j] = bias + weighted_larger(row, from, x.weights);
                }
            }
        },
    );
}

/// The way back of [`node_scores`]: adds to the gradients of what nodes say, which have a row `y` for
/// each node, with what it says when it points and when it is pointed to from two columns `at` on.
///
/// Gradients of rows and maps are kept without the weights of channels: they all share them, and
/// what the weights learn follows from the same sums. [`weigh`] puts them in at the end.
pub fn node_scores_back(
    (scores_gradient, taken): (&[f32], &[u8]),
    (start, n): (usize, usize),
    (mut y, at): (MatMut<'_>, [usize; 2]),
    pairs: &mut PairsBack<'_>,
    mut processed: Option<MatMut<'_>>,
    row: &mut [f32],
) {
    widest(
        #[inline(always)]
        || {
            let h = row.len();
            for i in 0..n {
                for j in 0..n {
                    let d = scores_gradient[i * n + j];
                    if d == 0.0 {
                        continue;
                    }
                    let taken = &taken[(i * n + j) * h..][..h];
                    let from = &mut y.row(i)[at[0]..at[0] + h];
                    for ((row, from), taken) in row.iter_mut().zip(from).zip(taken) {
                        let to = d * f32::from(*taken);
                        *row = to;
                        *from += d - to;
                    }
                    add(&mut y.row(j)[at[1]..at[1] + h], row);
                    if let Some(processed) = &mut processed {
                        add(processed.row(j * n + i), row);
                    }
                    pairs.add(start + j, i, row);
                }
            }
        },
    );
}

/// The scores of one sample's pairs: `scores[i, j, k]` for pair `(i, j)` pointing to `k`; `pair`
/// has a row for each pair.
pub fn pair_scores(
    pair: &[f32],
    to: Mat<'_>,
    weights: &[f32],
    bias: f32,
    n: usize,
    scores: &mut [f32],
) {
    widest(
        #[inline(always)]
        || {
            let h = weights.len();
            for (pair, scores) in pair.chunks_exact(h).zip(scores.chunks_exact_mut(n)) {
                for (k, score) in scores.iter_mut().enumerate() {
                    *score = bias + weighted_larger(to.row(k), pair, weights);
                }
            }
        },
    );
}

/// The way back of [`pair_scores`], without the weights of channels, as in [`node_scores_back`]:
/// adds to the gradients of pairs and of what is pointed to.
pub fn pair_scores_back(
    scores_gradient: &[f32],
    (pair, to): (&[f32], Mat<'_>),
    n: usize,
    pair_gradient: &mut [f32],
    mut to_gradient: MatMut<'_>,
) {
    widest(
        #[inline(always)]
        || {
            let h = to.row(0).len();
            let rows = pair.chunks_exact(h).zip(pair_gradient.chunks_exact_mut(h));
            for ((pair, pair_gradient), scores) in rows.zip(scores_gradient.chunks_exact(n)) {
                for (k, &d) in scores.iter().enumerate() {
                    if d == 0.0 {
                        continue;
                    }
                    let both = to.row(k).iter().zip(to_gradient.row(k));
                    for ((pair, pair_gradient), (to, to_gradient)) in
                        pair.iter().zip(pair_gradient.iter_mut()).zip(both)
                    {
                        let taken = if to > pair { d } else { 0.0 };
                        *to_gradient += taken;
                        *pair_gradient += d - taken;
                    }
                }
            }
        },
    );
}

/// The rows of pairs: what both nodes and the edge say.
pub fn pair_rows(
    out: &mut [f32],
    (first, second): (Mat<'_>, Mat<'_>),
    (pairs, map): (Pairs<'_>, &[f32]),
    processed: Option<Mat<'_>>,
    (start, n): (usize, usize),
) {
    widest(
        #[inline(always)]
        || {
            let h = first.row(0).len();
            for (at, row) in out.chunks_exact_mut(h).enumerate() {
                let (i, j) = (at / n, at % n);
                for ((row, first), second) in row.iter_mut().zip(first.row(i)).zip(second.row(j)) {
                    *row = first + second;
                }
                add_mapped(row, pairs.of(start + i, j), map);
                if let Some(processed) = processed {
                    add(row, processed.row(at));
                }
            }
        },
    );
}

/// The way back of [`pair_rows`]: what the two nodes say lies in rows `y` from two columns `at` on.
pub fn pair_rows_back(
    gradient: &[f32],
    (mut y, at): (MatMut<'_>, [usize; 2]),
    pairs: &mut PairsBack<'_>,
    mut processed: Option<MatMut<'_>>,
    (start, n): (usize, usize),
) {
    widest(
        #[inline(always)]
        || {
            let h = gradient.len() / (n * n);
            for (place, row) in gradient.chunks_exact(h).enumerate() {
                let (i, j) = (place / n, place % n);
                add(&mut y.row(i)[at[0]..at[0] + h], row);
                add(&mut y.row(j)[at[1]..at[1] + h], row);
                pairs.add(start + i, j, row);
                if let Some(processed) = &mut processed {
                    add(processed.row(place), row);
                }
            }
        },
    );
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
