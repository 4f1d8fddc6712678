//! Pointers from pairs of nodes to nodes.

use crate::Buffer;
use crate::matrix::{Mat, MatMut};
use crate::simd::simd_fn;

/// Number of pairs scored together: their sums are independent.
const PAIRS: usize = 4;

simd_fn! {
    /// Scores of one sample: `scores[i, j, k]` for pair `(i, j)` pointing to node `k`. `pair` has a
    /// row for each pair, `to` one for each of the `n` nodes.
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
        // Transposed, so that a SIMD vector holds one channel of several nodes: all of them are
        // scored at once, and no sum runs across a vector.
        let width = n.next_multiple_of(S::F32_LANES);
        let columns = scratch.zeroed(h * width);
        for k in 0..n {
            for (c, x) in to.row(k).iter().enumerate() {
                columns[c * width + k] = *x;
            }
        }
        let all = pair.len() / h;
        for first in (0..all).step_by(PAIRS) {
            // Past the last pair, the last one is scored again.
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

/// Number of SIMD vectors of a pair and of its gradient held in registers.
const IN_REGISTERS: usize = 4;

simd_fn! {
    /// Backward pass of [`pair_scores`]: adds to the gradients of pairs and targets, without the
    /// weights of channels as in [`node_scores_backward`](super::node_scores_backward).
    pub fn pair_scores_backward<'a>(
        simd: S,
        scores_gradient: &'a [f32],
        pair: &'a [f32],
        to: Mat<'a>,
        n: usize,
        pair_gradient: &'a mut [f32],
        to_gradient: MatMut<'a>,
    ) {
        let (h, mut to_gradient) = (to.width(), to_gradient);
        let at_once = IN_REGISTERS * S::F32_LANES;
        let whole = h / at_once * at_once;
        let zero = simd.splat_f32s(0.0);
        let rows = pair.chunks_exact(h).zip(pair_gradient.chunks_exact_mut(h));
        for ((pair, pair_gradient), scores) in rows.zip(scores_gradient.chunks_exact(n)) {
            for from in (0..whole).step_by(at_once) {
                let here = from..from + at_once;
                let own = S::as_simd_f32s(&pair[here.clone()]).0;
                let own: [S::f32s; IN_REGISTERS] = std::array::from_fn(|i| own[i]);
                let mut sums = [zero; IN_REGISTERS];
                for (k, &d) in scores.iter().enumerate() {
                    let to = S::as_simd_f32s(&to.row(k)[here.clone()]).0;
                    let to_gradient = S::as_mut_simd_f32s(&mut to_gradient.row(k)[here.clone()]).0;
                    let d = simd.splat_f32s(d);
                    for i in 0..IN_REGISTERS {
                        let wins = simd.greater_than_f32s(to[i], own[i]);
                        let of_to = simd.select_f32s(wins, d, zero);
                        to_gradient[i] = simd.add_f32s(to_gradient[i], of_to);
                        sums[i] = simd.add_f32s(sums[i], simd.sub_f32s(d, of_to));
                    }
                }
                let gradient = S::as_mut_simd_f32s(&mut pair_gradient[here]).0;
                for i in 0..IN_REGISTERS {
                    gradient[i] = simd.add_f32s(gradient[i], sums[i]);
                }
            }
            for (k, &d) in scores.iter().enumerate() {
                let to = to.row(k)[whole..].iter().zip(&mut to_gradient.row(k)[whole..]);
                let pair = pair[whole..].iter().zip(&mut pair_gradient[whole..]);
                for ((to, to_gradient), (pair, pair_gradient)) in to.zip(pair) {
                    let of_to = if to > pair { d } else { 0.0 };
                    *to_gradient += of_to;
                    *pair_gradient += d - of_to;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::oracle::{
        Draw, Random, Real, SharedRows, added, assert_close, cases, reference, scaled, used, widths,
    };
    use crate::pointer::channel_weights_backward;

    fn check(seed: u64, draw: Draw, n: usize, h: usize) {
        let random = &mut Random(seed);
        let (pair, to) = (draw(random, n * n * h), draw(random, n * h));
        let (weights, bias) = (draw(random, h), draw(random, 1));
        let d = random.sparse(draw, n * n * n);
        let (values, [d_pair, d_to, d_weights, _]) =
            reference([&pair, &to, &weights, &bias], &d, |[pair, to, weights, bias]| {
                let score = |at: usize| {
                    let (pair, to) = (&pair[at / n * h..][..h], &to[at % n * h..][..h]);
                    let terms = (0..h).map(|c| weights[c] * pair[c].max(to[c]));
                    bias[0] + terms.sum::<Real>()
                };
                (0..n * n * n).map(score).collect()
            });

        let rows = SharedRows::new(random, h, [&to, &to]);
        let mut scratch = used(200 * h).into_iter().collect();
        let (mut scores, view) = (used(n * n * n), rows.endpoints(h).second);
        pair_scores(&pair, view, &weights, bias[0], n, &mut scores, &mut scratch);
        assert_close("scores", &scores, &values, 1e-5);

        let (mut pair_gradient, mut to_gradient) = (vec![0.0; pair.len()], vec![0.0; to.len()]);
        let of_to = MatMut::new(&mut to_gradient, n, h);
        pair_scores_backward(&d, &pair, view, n, &mut pair_gradient, of_to);
        let before = random.few_digits(h);
        let mut weights_gradient = before.clone();
        for (values, gradient, rows) in
            [(&pair, &mut pair_gradient, n * n), (&to, &mut to_gradient, n)]
        {
            let (values, gradient) = (Mat::new(values, rows, h), MatMut::new(gradient, rows, h));
            channel_weights_backward(values, gradient, rows, &weights, &mut weights_gradient);
        }
        assert_close("gradient of pairs", &pair_gradient, &d_pair, 1e-5);
        assert_close("gradient of targets", &to_gradient, &d_to, 1e-5);
        let expected = added(&before, &d_weights);
        assert_close("gradient of weights", &weights_gradient, &expected, 1e-5);
    }

    proptest! {
        #![proptest_config(cases(100))]

        #[test]
        fn pair_scores_agree_with_the_formula(
            (n, h, seed) in (1..=8_usize, widths(), any::<u64>())
        ) {
            check(seed, Random::few_digits, n, h);
        }

        #[test]
        fn pair_scores_of_few_nodes_agree_with_the_formula_and_its_finite_differences(
            (n, h, seed) in (1..4_usize, 1..4_usize, any::<u64>())
        ) {
            check(seed, Random::uniform, n, h);
        }
    }

    proptest! {
        #![proptest_config(cases(60))]

        #[test]
        fn pair_scores_scale_with_candidates(
            (n, h, power, seed) in (1..6_usize, widths(), -90..=90_i32, any::<u64>())
        ) {
            let random = &mut Random(seed);
            let (to, pair) = (random.uniform(n * h), random.uniform(n * n * h));
            let weights = random.uniform(h);
            let [unscaled, other] = [0, power].map(|power| {
                let [to, pair] = [&to, &pair].map(|x| scaled(x, power));
                let (to, mut scores) = (Mat::new(&to, n, h), used(n * n * n));
                pair_scores(&pair, to, &weights, 0.0, n, &mut scores, &mut Buffer::default());
                scores
            });
            prop_assert_eq!(other, scaled(&unscaled, power));
        }
    }

    #[test]
    fn pair_scores_agree_with_the_formula_for_any_number_of_nodes() {
        for n in (1..=70).step_by(3) {
            check(n as u64, Random::few_digits, n, 1);
        }
    }
}
