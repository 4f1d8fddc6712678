//! Features of pairs of nodes: linear maps of them, and sums with the rows of both endpoints.

use pulp::Simd;

use crate::matrix::{Mat, MatMut};
use crate::simd::simd_fn;
use crate::vector::add;

/// One sample of a block.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Index of its first node in the block.
    pub start: usize,
    /// Number of its nodes.
    pub n: usize,
}

/// A row of features for every pair of nodes of a block.
#[derive(Clone, Copy, Debug)]
pub struct PairFeatures<'a> {
    values: &'a [f32],
    nodes: usize,
    width: usize,
}

impl<'a> PairFeatures<'a> {
    /// `width` features for each pair of a node of the block and a node of the same sample.
    pub fn new(values: &'a [f32], nodes: usize, width: usize) -> Self {
        Self { values, nodes, width }
    }

    /// Offset of the features of a pair.
    #[inline(always)]
    fn offset(&self, first: usize, second: usize) -> usize {
        (first * self.nodes + second) * self.width
    }

    /// Features of the pair of node `first` of the block and node `second` of its sample.
    #[inline(always)]
    pub fn get(&self, first: usize, second: usize) -> &'a [f32] {
        &self.values[self.offset(first, second)..][..self.width]
    }
}

/// A linear map of pair features.
#[derive(Clone, Copy, Debug)]
pub struct PairMap<'a> {
    /// Inputs of the map.
    pub features: PairFeatures<'a>,
    /// Weights, one row of channels per feature.
    pub weights: &'a [f32],
}

/// Rows of both endpoints of a pair; for messages, sender and receiver.
#[derive(Clone, Copy, Debug)]
pub struct Endpoints<'a> {
    /// A row for each node as first endpoint.
    pub first: Mat<'a>,
    /// A row for each node as second endpoint.
    pub second: Mat<'a>,
}

/// Gradients with respect to [`Endpoints`], added to.
#[derive(Debug)]
pub struct EndpointsBackward<'a> {
    /// A row for each node, which holds the gradients of both roles.
    pub gradient: MatMut<'a>,
    /// First columns of the gradients as first and as second endpoint.
    pub columns: [usize; 2],
}

impl EndpointsBackward<'_> {
    /// Gradient of a node as first (0) or second (1) endpoint.
    #[inline(always)]
    pub(crate) fn row(&mut self, node: usize, role: usize, channels: usize) -> &mut [f32] {
        let start = self.columns[role];
        &mut self.gradient.row(node)[start..start + channels]
    }
}

/// A linear map of pair features and the gradients with respect to both.
#[derive(Debug)]
pub struct PairMapBackward<'a> {
    /// The map.
    pub map: PairMap<'a>,
    /// Gradient with respect to the weights, added to.
    pub weights_gradient: &'a mut [f32],
    /// Gradient with respect to the features, added to.
    pub features_gradient: &'a mut [f32],
    /// First feature that needs a gradient; those before it are inputs.
    pub trainable_from: usize,
}

/// Number of terms that are accumulated together: their sums stay in registers.
const TOGETHER: usize = 6;

impl PairMapBackward<'_> {
    /// Adds the gradients for one pair, given the gradient `d` of its mapped features.
    #[inline(always)]
    pub(crate) fn add<S: Simd>(&mut self, simd: S, first: usize, second: usize, d: &[f32]) {
        let PairMap { features, weights } = self.map;
        let (start, outputs) = (features.offset(first, second), d.len());
        let values = features.get(first, second);
        let mut k = 0;
        while k < values.len() {
            let trainable = k >= self.trainable_from;
            let weights = &weights[k * outputs..];
            let weights_gradient = &mut self.weights_gradient[k * outputs..];
            if !trainable {
                // Most of these are masks, 0 almost everywhere.
                if values[k] != 0.0 {
                    add_scaled(simd, &mut weights_gradient[..outputs], values[k], d);
                }
                k += 1;
                continue;
            }
            let count = (values.len() - k).min(TOGETHER);
            let mut sums = [0.0; TOGETHER];
            let rows = MapRows { values: &values[k..k + count], weights };
            rows.backward(simd, d, weights_gradient, &mut sums);
            let gradient = &mut self.features_gradient[start + k..start + k + count];
            gradient.iter_mut().zip(sums).for_each(|(gradient, sum)| *gradient += sum);
            k += count;
        }
    }
}

/// `y += a x`.
#[inline(always)]
fn add_scaled<S: Simd>(simd: S, y: &mut [f32], a: f32, x: &[f32]) {
    let ((y, y_rest), (x, x_rest)) = (S::as_mut_simd_f32s(y), S::as_simd_f32s(x));
    let all = simd.splat_f32s(a);
    for (y, x) in y.iter_mut().zip(x) {
        *y = simd.mul_add_e_f32s(all, *x, *y);
    }
    for (y, x) in y_rest.iter_mut().zip(x_rest) {
        *y += a * x;
    }
}

/// Some features of a pair, and the rows of the map from the first of them on.
struct MapRows<'a> {
    values: &'a [f32],
    weights: &'a [f32],
}

impl MapRows<'_> {
    /// For each feature `k`: adds `values[k] d` to the gradient of its weights, and writes the dot
    /// product of `d` and its weights to `sums[k]`.
    #[inline(always)]
    fn backward<S: Simd>(
        self,
        simd: S,
        d: &[f32],
        weights_gradient: &mut [f32],
        sums: &mut [f32; TOGETHER],
    ) {
        let outputs = d.len();
        let (vectors, rest) = S::as_simd_f32s(d);
        let whole = outputs - rest.len();
        let mut gradients = weights_gradient.chunks_exact_mut(outputs);
        for (row, (value, sum)) in self.values.iter().zip(sums).enumerate() {
            let gradient = gradients.next().expect("a row of weights for every feature");
            let weights = &self.weights[row * outputs..][..outputs];
            let all = simd.splat_f32s(*value);
            let (gradients, _) = S::as_mut_simd_f32s(gradient);
            let mut products = simd.splat_f32s(0.0);
            for ((gradient, d), weights) in
                gradients.iter_mut().zip(vectors).zip(S::as_simd_f32s(weights).0)
            {
                *gradient = simd.mul_add_e_f32s(all, *d, *gradient);
                products = simd.mul_add_e_f32s(*d, *weights, products);
            }
            *sum = simd.reduce_sum_f32s(products);
            let weights = &weights[whole..];
            for ((gradient, d), weight) in gradient[whole..].iter_mut().zip(rest).zip(weights) {
                *gradient += value * d;
                *sum += d * weight;
            }
        }
    }
}

/// `out = ends[0] + ends[1] + features weights`, followed by a rectifier if `relu`.
#[inline(always)]
pub(crate) fn sum_row<S: Simd>(
    simd: S,
    out: &mut [f32],
    ends: [&[f32]; 2],
    features: &[f32],
    weights: &[f32],
    relu: bool,
) {
    let outputs = out.len();
    // Nonzero features with their rows of weights. Both endpoints are such rows too.
    let mut rows: [(f32, &[f32]); TOGETHER] = [(1.0, ends[0]); TOGETHER];
    rows[1] = (1.0, ends[1]);
    let (mut count, mut begun) = (2, false);
    for (k, &feature) in features.iter().enumerate() {
        if feature == 0.0 {
            continue;
        }
        if count == TOGETHER {
            sum_of_rows::<S, TOGETHER>(simd, out, rows, begun, false);
            (count, begun) = (0, true);
        }
        rows[count] = (feature, &weights[k * outputs..][..outputs]);
        count += 1;
    }
    match count {
        1 => sum_of_rows::<S, 1>(simd, out, [rows[0]], begun, relu),
        2 => sum_of_rows::<S, 2>(simd, out, [rows[0], rows[1]], begun, relu),
        3 => sum_of_rows::<S, 3>(simd, out, [rows[0], rows[1], rows[2]], begun, relu),
        4 => {
            let rows = [rows[0], rows[1], rows[2], rows[3]];
            sum_of_rows::<S, 4>(simd, out, rows, begun, relu);
        }
        5 => {
            let rows = [rows[0], rows[1], rows[2], rows[3], rows[4]];
            sum_of_rows::<S, 5>(simd, out, rows, begun, relu);
        }
        _ => sum_of_rows::<S, TOGETHER>(simd, out, rows, begun, relu),
    }
}

/// Sum of scaled rows, added to `out` if `begun`.
#[inline(always)]
fn sum_of_rows<S: Simd, const C: usize>(
    simd: S,
    out: &mut [f32],
    rows: [(f32, &[f32]); C],
    begun: bool,
    relu: bool,
) {
    let factors = rows.map(|(factor, _)| simd.splat_f32s(factor));
    let (vectors, rest) = S::as_mut_simd_f32s(out);
    let count = vectors.len();
    let heads = rows.map(|(_, row)| &S::as_simd_f32s(row).0[..count]);
    let zero = simd.splat_f32s(0.0);
    let least = simd.splat_f32s(if relu { 0.0 } else { f32::NEG_INFINITY });
    for (at, out) in vectors.iter_mut().enumerate() {
        let mut sum = if begun { *out } else { zero };
        for row in 0..C {
            sum = simd.mul_add_e_f32s(factors[row], heads[row][at], sum);
        }
        // The order of the operands propagates NaN.
        *out = simd.max_f32s(least, sum);
    }
    let whole = count * S::F32_LANES;
    for (at, out) in rest.iter_mut().enumerate() {
        let sum = if begun { *out } else { 0.0 };
        let sum = rows.iter().fold(sum, |sum, (factor, row)| sum + factor * row[whole + at]);
        *out = if relu && sum < 0.0 { 0.0 } else { sum };
    }
}

simd_fn! {
    /// A row for each pair of nodes of one sample: both endpoints, the mapped features of the pair
    /// and its edge state, if given, added up.
    ///
    /// `ends` and `edge_states` have rows for this sample only.
    pub fn pair_sums<'a>(
        simd: S,
        out: &'a mut [f32],
        ends: Endpoints<'a>,
        map: PairMap<'a>,
        edge_states: Option<Mat<'a>>,
        sample: Sample,
    ) {
        let (Endpoints { first, second }, PairMap { features, weights }) = (ends, map);
        let Sample { start, n } = sample;
        for (pair, row) in out.chunks_exact_mut(first.width()).enumerate() {
            let (i, j) = (pair / n, pair % n);
            let ends = [first.row(i), second.row(j)];
            sum_row(simd, row, ends, features.get(start + i, j), weights, false);
            if let Some(edge_states) = edge_states {
                add(row, edge_states.row(pair));
            }
        }
    }
}

simd_fn! {
    /// Backward pass of [`pair_sums`]: adds to the gradients of all its terms.
    pub fn pair_sums_backward<'a, 'b>(
        simd: S,
        gradient: &'a [f32],
        ends: EndpointsBackward<'a>,
        map: &'a mut PairMapBackward<'b>,
        edge_states: Option<MatMut<'a>>,
        sample: Sample,
    ) {
        let (mut ends, mut edge_states, Sample { start, n }) = (ends, edge_states, sample);
        let h = gradient.len() / (n * n);
        for (pair, row) in gradient.chunks_exact(h).enumerate() {
            let (i, j) = (pair / n, pair % n);
            add(ends.row(i, 0, h), row);
            add(ends.row(j, 1, h), row);
            map.add(simd, start + i, j, row);
            if let Some(edge_states) = &mut edge_states {
                add(edge_states.row(pair), row);
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

    fn check_pair_sums(seed: u64, draw: Draw, size: PairSize) {
        let (random, PairSize { n, h, k, sample }) = (&mut Random(seed), size);
        let [first, second] = [(); 2].map(|()| draw(random, n * h));
        let weights = draw(random, k * h);
        let features = random.sparse(draw, (sample + 1) * n * n * k);
        let has_states = random.below(2) == 0;
        let states = draw(random, if has_states { n * n * h } else { 0 });
        let d = random.sparse(draw, n * n * h);
        let start = sample * n;
        let inputs = [&first[..], &second, &features, &weights, &states];
        let (values, [d_first, d_second, d_features, d_weights, d_states]) =
            reference(inputs, &d, |[first, second, features, weights, states]| {
                let mut rows = Vec::new();
                for i in 0..n {
                    for j in 0..n {
                        for c in 0..h {
                            let pair = (start + i) * n + j;
                            let mut sum = first[i * h + c] + second[j * h + c];
                            sum = sum + mapped(features, weights, pair, c, size);
                            if has_states {
                                sum = sum + states[(i * n + j) * h + c];
                            }
                            rows.push(sum);
                        }
                    }
                }
                rows
            });

        let ends = SharedRows::new(random, h, [&first, &second]);
        let map = PairMap { features: PairFeatures::new(&features, n, k), weights: &weights };
        let mut out = used(n * n * h);
        let edge_states = has_states.then(|| Mat::new(&states, n * n, h));
        pair_sums(&mut out, ends.endpoints(h), map, edge_states, Sample { start, n });
        assert_close("sums", &out, &values, 1e-5);

        let [first_before, second_before] = [(); 2].map(|()| random.few_digits(n * h));
        let [weights_before, features_before, states_before] =
            [weights.len(), features.len(), states.len()].map(|count| random.few_digits(count));
        let mut ends = SharedRows::new(random, h, [&first_before, &second_before]);
        let (mut weights_gradient, mut features_gradient, mut states_gradient) =
            (weights_before.clone(), features_before.clone(), states_before.clone());
        let trainable_from = random.below(k + 2);
        let mut map = PairMapBackward {
            map,
            weights_gradient: &mut weights_gradient,
            features_gradient: &mut features_gradient,
            trainable_from,
        };
        let edge_states = has_states.then(|| MatMut::new(&mut states_gradient, n * n, h));
        pair_sums_backward(&d, ends.gradients(), &mut map, edge_states, Sample { start, n });
        let expected = added(&first_before, &d_first);
        assert_close("gradient of first nodes", &ends.matrix(0, h), &expected, 1e-5);
        let expected = added(&second_before, &d_second);
        assert_close("gradient of second nodes", &ends.matrix(1, h), &expected, 1e-5);
        assert!(ends.rest(h).iter().all(|x| *x == 77.0), "other columns stay unchanged");
        let expected = added(&weights_before, &d_weights);
        assert_close("gradient of weights", &weights_gradient, &expected, 1e-5);
        let expected = added(&states_before, &d_states);
        assert_close("gradient of edge states", &states_gradient, &expected, 1e-5);
        let expected = added(&features_before, &trainable(&d_features, k, trainable_from));
        assert_close("gradient of features", &features_gradient, &expected, 1e-5);
    }

    proptest! {
        #![proptest_config(cases(100))]

        #[test]
        fn pair_sums_agree_with_the_formula((size, seed) in (PairSize::any(), any::<u64>())) {
            check_pair_sums(seed, Random::few_digits, size);
        }

        #[test]
        fn pair_sums_of_few_nodes_agree_with_the_formula_and_its_finite_differences(
            (size, seed) in (PairSize::small(), any::<u64>())
        ) {
            check_pair_sums(seed, Random::uniform, size);
        }
    }

    proptest! {
        #![proptest_config(cases(60))]

        #[test]
        fn pair_sums_scale_with_their_terms(
            (n, h, power, seed) in (1..6_usize, widths(), -90..=90_i32, any::<u64>())
        ) {
            let random = &mut Random(seed);
            let [first, second] = [(); 2].map(|()| random.uniform(n * h));
            let (states, weights) = (random.uniform(n * n * h), random.uniform(2 * h));
            let features = random.uniform(2 * n * n);
            let [unscaled, other] = [0, power].map(|power| {
                let [first, second, states, weights] =
                    [&first, &second, &states, &weights].map(|x| scaled(x, power));
                let ends =
                    Endpoints { first: Mat::new(&first, n, h), second: Mat::new(&second, n, h) };
                let map =
                    PairMap { features: PairFeatures::new(&features, n, 2), weights: &weights };
                let mut out = used(n * n * h);
                let edge_states = Some(Mat::new(&states, n * n, h));
                pair_sums(&mut out, ends, map, edge_states, Sample { start: 0, n });
                out
            });
            prop_assert_eq!(other, scaled(&unscaled, power));
        }
    }
}
