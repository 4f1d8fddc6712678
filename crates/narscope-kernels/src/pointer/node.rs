//! Pointers from nodes to nodes.

use pulp::Simd;

use crate::Buffer;
use crate::matrix::{Mat, MatMut};
use crate::pairs::{EndpointsBackward, PairMap, PairMapBackward, Sample};
use crate::simd::simd_fn;
use crate::vector::add;

/// Inputs of the scores of one sample.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    /// A row for each node as the source of a pointer.
    pub from: Mat<'a>,
    /// A row for each node as the target of a pointer.
    pub to: Mat<'a>,
    /// Mapped features of the pair, added to the row of the target.
    pub map: PairMap<'a>,
    /// Edge states of the processor, a row for each pair, added to the row of the target.
    pub edge_states: Option<Mat<'a>>,
    /// Weights of channels.
    pub weights: &'a [f32],
    /// A row of zeros, used where there are no edge states.
    pub zeros: &'a [f32],
}

/// Number of candidates scored together: they share loads, and their sums are independent.
const CANDIDATES: usize = 4;
/// Number of SIMD vectors of each candidate held in registers.
const VECTORS: usize = 2;

simd_fn! {
    /// Scores of one sample: `scores[i, j]` for node `i` pointing to `j`.
    ///
    /// `candidate_wins` receives, for each channel, whether the row of the target was larger than
    /// that of the source; the backward pass needs it. `rows` is scratch memory.
    pub fn node_scores<'a, 'b>(
        simd: S,
        x: &'a Candidates<'b>,
        sample: Sample,
        bias: f32,
        scores: &'a mut [f32],
        candidate_wins: Option<&'a mut [u8]>,
        rows: &'a mut Buffer,
    ) {
        let (Sample { start, n }, h) = (sample, x.weights.len());
        let PairMap { features, weights: feature_weights } = x.map;
        let at_once = VECTORS * S::F32_LANES;
        let whole = h / at_once * at_once;
        let zero = simd.splat_f32s(0.0);
        let rows = rows.sized(CANDIDATES * h);
        let mut wins = candidate_wins;
        for i in 0..n {
            let from = x.from.row(i);
            for first in (0..n).step_by(CANDIDATES) {
                // Past the last candidate, the last one is scored again.
                let nodes: [usize; CANDIDATES] = std::array::from_fn(|at| (first + at).min(n - 1));
                let to = nodes.map(|j| x.to.row(j));
                // Parity: the edge is read in the other direction than by messages.
                let features = nodes.map(|j| features.get(start + j, i));
                let states = nodes
                    .map(|j| x.edge_states.map_or(x.zeros, |states| states.row(j * n + i)));
                let mut sums = [[zero; VECTORS]; CANDIDATES];
                for c in (0..whole).step_by(at_once) {
                    let (own, weights) = (vectors::<S>(from, c), vectors::<S>(x.weights, c));
                    let mut row: [[S::f32s; VECTORS]; CANDIDATES] = std::array::from_fn(|at| {
                        let (to, state) = (vectors::<S>(to[at], c), vectors::<S>(states[at], c));
                        std::array::from_fn(|v| simd.add_f32s(to[v], state[v]))
                    });
                    for (k, weights) in feature_weights.chunks_exact(h).enumerate() {
                        let weights = vectors::<S>(weights, c);
                        for (row, features) in row.iter_mut().zip(features) {
                            let feature = simd.splat_f32s(features[k]);
                            for (row, weights) in row.iter_mut().zip(weights) {
                                *row = simd.mul_add_e_f32s(feature, weights, *row);
                            }
                        }
                    }
                    for (at, (row, sums)) in row.iter().zip(&mut sums).enumerate() {
                        for (v, sum) in sums.iter_mut().enumerate() {
                            // The order of the operands propagates NaN.
                            let larger = simd.max_f32s(row[v], own[v]);
                            *sum = simd.mul_add_e_f32s(weights[v], larger, *sum);
                        }
                        if wins.is_some() {
                            let here = &mut rows[at * h + c..][..at_once];
                            S::as_mut_simd_f32s(here).0.copy_from_slice(row);
                        }
                    }
                }
                for (at, j) in nodes.into_iter().enumerate().take(n - first) {
                    let mut score = bias;
                    for sum in sums[at] {
                        score += simd.reduce_sum_f32s(sum);
                    }
                    for c in whole..h {
                        let mapped = features[at].iter().zip(feature_weights.chunks_exact(h));
                        let unmapped = to[at][c] + states[at][c];
                        let row = mapped.fold(unmapped, |sum, (feature, w)| sum + feature * w[c]);
                        score += x.weights[c] * if row > from[c] { row } else { from[c] };
                        rows[at * h + c] = row;
                    }
                    scores[i * n + j] = score;
                    if let Some(wins) = &mut wins {
                        let wins = &mut wins[(i * n + j) * h..][..h];
                        let row = &rows[at * h..][..h];
                        for ((wins, to), from) in wins.iter_mut().zip(row).zip(from) {
                            *wins = u8::from(to > from);
                        }
                    }
                }
            }
        }
    }
}

/// Consecutive SIMD vectors of a row, from channel `from` on.
#[inline(always)]
fn vectors<S: Simd>(row: &[f32], from: usize) -> [S::f32s; VECTORS] {
    let (vectors, _) = S::as_simd_f32s(&row[from..][..VECTORS * S::F32_LANES]);
    std::array::from_fn(|v| vectors[v])
}

simd_fn! {
    /// Backward pass of [`node_scores`], given the gradient of the scores: adds to the gradients of
    /// nodes (source and target of a pointer are first and second endpoint), pairs and edge states.
    /// `row` is scratch memory of one row.
    ///
    /// Gradients of rows and maps leave out the weights of channels: these are common factors, and
    /// their own gradient follows from the same sums.
    /// [`channel_weights_backward`](super::channel_weights_backward) applies them at the end.
    pub fn node_scores_backward<'a, 'b>(
        simd: S,
        gradient: &'a [f32],
        candidate_wins: &'a [u8],
        sample: Sample,
        ends: EndpointsBackward<'a>,
        map: &'a mut PairMapBackward<'b>,
        edge_states: Option<MatMut<'a>>,
        row: &'a mut [f32],
    ) {
        let (Sample { start, n }, h) = (sample, row.len());
        let (mut ends, mut edge_states) = (ends, edge_states);
        for i in 0..n {
            for j in 0..n {
                let d = gradient[i * n + j];
                if d == 0.0 {
                    continue;
                }
                let wins = &candidate_wins[(i * n + j) * h..][..h];
                let from = ends.row(i, 0, h);
                for ((row, from), wins) in row.iter_mut().zip(from).zip(wins) {
                    let to = if *wins != 0 { d } else { 0.0 };
                    *row = to;
                    *from += d - to;
                }
                add(ends.row(j, 1, h), row);
                if let Some(edge_states) = &mut edge_states {
                    add(edge_states.row(j * n + i), row);
                }
                map.add(simd, start + j, i, row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::oracle::{
        Draw, PairSize, Random, SharedRows, added, assert_close, cases, mapped, reference, scaled,
        trainable, used, widths,
    };
    use crate::pairs::{Endpoints, PairFeatures};
    use crate::pointer::channel_weights_backward;

    fn check(seed: u64, draw: Draw, size: PairSize) {
        let (random, PairSize { n, h, k, sample }) = (&mut Random(seed), size);
        let [from, to] = [(); 2].map(|()| draw(random, n * h));
        let (map, weights, bias) = (draw(random, k * h), draw(random, h), draw(random, 1));
        let features = random.sparse(draw, (sample + 1) * n * n * k);
        let has_states = random.below(2) == 0;
        let states = draw(random, if has_states { n * n * h } else { 0 });
        let d = random.sparse(draw, n * n);
        let start = sample * n;
        let inputs = [&from[..], &to, &features, &map, &states, &weights, &bias];
        let (values, [d_from, d_to, d_features, d_map, d_states, d_weights, _]) =
            reference(inputs, &d, |[from, to, features, map, states, weights, bias]| {
                let mut scores = Vec::new();
                for i in 0..n {
                    for j in 0..n {
                        let mut score = bias[0];
                        for c in 0..h {
                            let pair = (start + j) * n + i;
                            let mut candidate =
                                to[j * h + c] + mapped(features, map, pair, c, size);
                            if has_states {
                                candidate = candidate + states[(j * n + i) * h + c];
                            }
                            score = score + weights[c] * from[i * h + c].max(candidate);
                        }
                        scores.push(score);
                    }
                }
                scores
            });

        let rows = SharedRows::new(random, h, [&from, &to]);
        let Endpoints { first, second } = rows.endpoints(h);
        let features_of_pairs = PairFeatures::new(&features, n, k);
        let x = Candidates {
            from: first,
            to: second,
            map: PairMap { features: features_of_pairs, weights: &map },
            edge_states: has_states.then(|| Mat::new(&states, n * n, h)),
            weights: &weights,
            zeros: &vec![0.0; h],
        };
        let (mut scores, mut again, mut wins) = (used(n * n), used(n * n), used(n * n * h));
        let (scratch, sample) = (&mut Buffer::default(), Sample { start, n });
        node_scores(&x, sample, bias[0], &mut scores, Some(&mut wins), scratch);
        node_scores(&x, sample, bias[0], &mut again, None, scratch);
        assert_eq!(scores, again, "with and without what the backward pass needs");
        assert_close("scores", &scores, &values, 1e-5);

        let mut d_rows = rows.zeros();
        let trainable_from = random.below(k + 2);
        let weighted: Vec<_> = map.iter().enumerate().map(|(at, x)| x * weights[at % h]).collect();
        let before = random.few_digits(features.len());
        let (mut map_gradient, mut features_gradient) = (vec![0.0; map.len()], before.clone());
        let mut map_backward = PairMapBackward {
            map: PairMap { features: features_of_pairs, weights: &weighted },
            weights_gradient: &mut map_gradient,
            features_gradient: &mut features_gradient,
            trainable_from,
        };
        let mut states_gradient = vec![0.0; states.len()];
        node_scores_backward(
            &d,
            &wins,
            sample,
            d_rows.gradients(),
            &mut map_backward,
            has_states.then(|| MatMut::new(&mut states_gradient, n * n, h)),
            &mut used(h),
        );
        let weights_before = random.few_digits(h);
        let mut weights_gradient = weights_before.clone();
        for (column, values) in d_rows.columns.into_iter().zip([first, second]) {
            let gradient = d_rows.gradients().gradient.columns(column..column + h);
            channel_weights_backward(values, gradient, n, &weights, &mut weights_gradient);
        }
        let pairs = states.len() / h;
        for (values, gradient, rows) in
            [(&map, &mut map_gradient, k), (&states, &mut states_gradient, pairs)]
        {
            let (values, gradient) = (Mat::new(values, rows, h), MatMut::new(gradient, rows, h));
            channel_weights_backward(values, gradient, rows, &weights, &mut weights_gradient);
        }
        assert_close("gradient of sources", &d_rows.matrix(0, h), &d_from, 1e-5);
        assert_close("gradient of targets", &d_rows.matrix(1, h), &d_to, 1e-5);
        assert!(d_rows.rest(h).iter().all(|x| *x == 0.0), "other columns stay unchanged");
        assert_close("gradient of the map", &map_gradient, &d_map, 1e-5);
        assert_close("gradient of edge states", &states_gradient, &d_states, 1e-5);
        let expected = added(&before, &trainable(&d_features, k, trainable_from));
        assert_close("gradient of features", &features_gradient, &expected, 1e-5);
        let expected = added(&weights_before, &d_weights);
        assert_close("gradient of weights", &weights_gradient, &expected, 1e-5);
    }

    proptest! {
        #![proptest_config(cases(100))]

        #[test]
        fn node_scores_agree_with_the_formula((size, seed) in (PairSize::any(), any::<u64>())) {
            check(seed, Random::few_digits, size);
        }

        #[test]
        fn node_scores_of_few_nodes_agree_with_the_formula_and_its_finite_differences(
            (size, seed) in (PairSize::small(), any::<u64>())
        ) {
            check(seed, Random::uniform, size);
        }
    }

    proptest! {
        #![proptest_config(cases(60))]

        #[test]
        fn node_scores_scale_with_candidates(
            (n, h, power, seed) in (1..6_usize, widths(), -90..=90_i32, any::<u64>())
        ) {
            let random = &mut Random(seed);
            let [from, to] = [(); 2].map(|()| random.uniform(n * h));
            let (states, map) = (random.uniform(n * n * h), random.uniform(2 * h));
            let (weights, features) = (random.uniform(h), random.uniform(2 * n * n));
            let [unscaled, other] = [0, power].map(|power| {
                let [from, to, states, map] = [&from, &to, &states, &map].map(|x| scaled(x, power));
                let x = Candidates {
                    from: Mat::new(&from, n, h),
                    to: Mat::new(&to, n, h),
                    map: PairMap { features: PairFeatures::new(&features, n, 2), weights: &map },
                    edge_states: Some(Mat::new(&states, n * n, h)),
                    weights: &weights,
                    zeros: &vec![0.0; h],
                };
                let (mut scores, sample) = (used(n * n), Sample { start: 0, n });
                node_scores(&x, sample, 0.0, &mut scores, None, &mut Buffer::default());
                scores
            });
            prop_assert_eq!(other, scaled(&unscaled, power));
        }
    }
}
