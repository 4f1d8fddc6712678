//! Messages along edges, and the elementwise steps of the layers that make them.

use crate::incoming::Tile;
use crate::matrix::MatMut;
use crate::pairs::{Endpoints, EndpointsBackward, PairMap, PairMapBackward, sum_row};
use crate::simd::{simd_fn, widest};
use crate::vector::add;

simd_fn! {
    /// A row for each edge of a tile: the rows of its sender and its receiver and its mapped
    /// features added up, followed by a rectifier if `relu`.
    pub fn gather_sum<'a>(
        simd: S,
        out: &'a mut [f32],
        tile: &'a Tile<'a>,
        ends: Endpoints<'a>,
        map: PairMap<'a>,
        relu: bool,
    ) {
        let (incoming, PairMap { features, weights }) = (tile.incoming, map);
        let mut rows = out.chunks_exact_mut(ends.first.width());
        for receiver in tile.receivers.clone() {
            let (to, second) = (ends.second.row(receiver), receiver % incoming.nodes());
            for &sender in incoming.senders(receiver) {
                let row = rows.next().expect("a row for every message");
                let first = sender as usize;
                let ends = [ends.first.row(first), to];
                sum_row(simd, row, ends, features.get(first, second), weights, relu);
            }
        }
    }
}

simd_fn! {
    /// Backward pass of [`gather_sum`] without its rectifier: adds to the gradients of senders,
    /// receivers and edges. Rows have `channels` channels.
    pub fn gather_sum_backward<'a, 'b>(
        simd: S,
        gradient: &'a [f32],
        tile: &'a Tile<'a>,
        ends: EndpointsBackward<'a>,
        channels: usize,
        map: &'a mut PairMapBackward<'b>,
    ) {
        let (incoming, mut ends) = (tile.incoming, ends);
        let mut rows = gradient.chunks_exact(channels);
        for receiver in tile.receivers.clone() {
            let second = receiver % incoming.nodes();
            for &sender in incoming.senders(receiver) {
                let row = rows.next().expect("a row for every message");
                add(ends.row(sender as usize, 0, channels), row);
                add(ends.row(receiver, 1, channels), row);
                map.add(simd, sender as usize, second, row);
            }
        }
    }
}

/// `x = relu(x + bias)`, row by row.
pub fn add_bias_relu(x: &mut [f32], bias: &[f32]) {
    widest(
        #[inline(always)]
        || {
            for row in x.chunks_exact_mut(bias.len()) {
                for (x, bias) in row.iter_mut().zip(bias) {
                    let sum = *x + bias;
                    // NaN propagates.
                    *x = if sum < 0.0 { 0.0 } else { sum };
                }
            }
        },
    );
}

/// Backward pass of a rectifier whose output was `x`, in place.
pub fn relu_backward(gradient: &mut [f32], x: &[f32]) {
    widest(
        #[inline(always)]
        || {
            for (d, x) in gradient.iter_mut().zip(x) {
                *d = if *x > 0.0 { *d } else { 0.0 };
            }
        },
    );
}

/// Adds one row to each of the first `count` rows.
pub fn add_bias(rows: MatMut<'_>, count: usize, bias: &[f32]) {
    let mut rows = rows;
    widest(
        #[inline(always)]
        || (0..count).for_each(|i| add(rows.row(i), bias)),
    );
}

/// Adds the sum of all rows to `sum`: the backward pass of [`add_bias`].
pub fn add_row_sum(sum: &mut [f32], rows: &[f32]) {
    if sum.is_empty() {
        return;
    }
    widest(
        #[inline(always)]
        || rows.chunks_exact(sum.len()).for_each(|row| add(sum, row)),
    );
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::oracle::{
        Draw, EdgeMask, Random, Real, SharedRows, added, assert_close, cases, reference, trainable,
        used, widths,
    };
    use crate::pairs::PairFeatures;

    /// Compares messages and the gradients of their three terms with the formula, on a random tile.
    fn check(seed: u64, draw: Draw, edges: &EdgeMask, h: usize, k: usize, scale: f32) {
        let (random, n) = (&mut Random(seed), edges.nodes);
        let (incoming, nodes) = (edges.incoming(), edges.samples * n);
        let mut scaled =
            |count| -> Vec<f32> { draw(random, count).iter().map(|x| x * scale).collect() };
        let (from, to, weights) = (scaled(nodes * h), scaled(nodes * h), scaled(k * h));
        let features = random.sparse(draw, nodes * n * k);
        let ends = SharedRows::new(random, h, [&from, &to]);
        let (start, relu) = (random.below(nodes), random.below(2) == 0);
        let tile = incoming.tile(start..start + 1 + random.below(nodes - start));
        let count = tile.rows().len();
        let mut d = random.sparse(Random::few_digits, count * h);
        let formula = |[from, to, weights, features]: [&[Real]; 4]| {
            let mut out = Vec::new();
            for receiver in tile.receivers.clone() {
                for sender in edges.senders(receiver) {
                    for c in 0..h {
                        let mut sum = from[sender * h + c] + to[receiver * h + c];
                        for feature in 0..k {
                            let of_pair = (sender * n + receiver % n) * k + feature;
                            sum = sum + features[of_pair] * weights[feature * h + c];
                        }
                        out.push(if relu { Real::from(0.0).max(sum) } else { sum });
                    }
                }
            }
            out
        };
        let (values, [d_from, d_to, d_weights, d_features]) =
            reference([&from, &to, &weights, &features], &d, formula);

        let mut messages = used(count * h);
        let map = PairMap { features: PairFeatures::new(&features, n, k), weights: &weights };
        gather_sum(&mut messages, &tile, ends.endpoints(h), map, relu);
        let unscaled = |x: &[f32]| -> Vec<f32> { x.iter().map(|x| x / scale).collect() };
        let unscaled_reference =
            |x: &[f64]| -> Vec<f64> { x.iter().map(|x| x / f64::from(scale)).collect() };
        assert_close("messages", &unscaled(&messages), &unscaled_reference(&values), 1e-5);

        if relu {
            relu_backward(&mut d, &messages);
        }
        let trainable_from = random.below(k + 2);
        let [from_before, to_before] = [(); 2].map(|()| random.few_digits(nodes * h));
        let [weights_before, features_before] =
            [weights.len(), features.len()].map(|count| random.few_digits(count));
        // Scaled as well: gradients must not vanish beside the previous contents.
        let features_before: Vec<f32> = features_before.iter().map(|x| x * scale).collect();
        let mut ends = SharedRows::new(random, h, [&from_before, &to_before]);
        let (mut weights_gradient, mut features_gradient) =
            (weights_before.clone(), features_before.clone());
        let mut map = PairMapBackward {
            map,
            weights_gradient: &mut weights_gradient,
            features_gradient: &mut features_gradient,
            trainable_from,
        };
        gather_sum_backward(&d, &tile, ends.gradients(), h, &mut map);
        let expected = added(&from_before, &d_from);
        assert_close("gradient of senders", &ends.matrix(0, h), &expected, 1e-5);
        let expected = added(&to_before, &d_to);
        assert_close("gradient of receivers", &ends.matrix(1, h), &expected, 1e-5);
        assert!(ends.rest(h).iter().all(|x| *x == 77.0), "other columns stay unchanged");
        let expected = added(&weights_before, &d_weights);
        assert_close("gradient of weights", &weights_gradient, &expected, 1e-5);
        let d_features = trainable(&d_features, k, trainable_from);
        let expected = unscaled_reference(&added(&features_before, &d_features));
        assert_close("gradient of features", &unscaled(&features_gradient), &expected, 1e-5);
    }

    proptest! {
        #![proptest_config(cases(100))]

        #[test]
        fn messages_of_few_nodes_agree_with_the_formula_and_its_finite_differences(
            (samples, n, h, k, seed) in
                (1..3_usize, 1..4_usize, 1..4_usize, 0..4_usize, any::<u64>())
        ) {
            let edges = Random(seed).edges(samples, n);
            check(seed, Random::uniform, &edges, h, k, 1.0);
        }

        #[test]
        fn messages_agree_with_the_formula_for_any_number_of_channels_and_features(
            (samples, n, h, k, seed) in
                (1..4_usize, 1..6_usize, widths(), 0..=15_usize, any::<u64>())
        ) {
            let edges = Random(seed).edges(samples, n);
            for scale in [1.0, 2_f32.powi(100), 2_f32.powi(-100)] {
                check(seed, Random::few_digits, &edges, h, k, scale);
            }
        }
    }

    proptest! {
        #![proptest_config(cases(20))]

        #[test]
        fn messages_agree_with_the_formula_for_any_number_of_nodes(
            (n, h, k, seed) in (1..=70_usize, 1..4_usize, 0..4_usize, any::<u64>())
        ) {
            check(seed, Random::few_digits, &EdgeMask::complete(1, n), h, k, 1.0);
        }
    }

    proptest! {
        #![proptest_config(cases(100))]

        #[test]
        fn biases_are_added_and_rows_summed_channel_by_channel(
            (rows, h, seed) in (0..6_usize, widths(), any::<u64>())
        ) {
            let random = &mut Random(seed);
            let (x, bias) = (random.few_digits(rows * h), random.few_digits(h));
            let mut rectified = x.clone();
            add_bias_relu(&mut rectified, &bias);
            let (mut sum, mut strided) = (bias.clone(), used::<f32>(rows * (h + 1)));
            add_row_sum(&mut sum, &x);
            add_bias(MatMut::new(&mut strided, rows, h + 1).columns(0..h), rows, &bias);
            for c in 0..h {
                let mut expected = bias[c];
                for row in 0..rows {
                    let at = row * h + c;
                    prop_assert_eq!(rectified[at], (x[at] + bias[c]).max(0.0));
                    prop_assert_eq!(strided[row * (h + 1) + c], 77.0 + bias[c]);
                    prop_assert_eq!(strided[row * (h + 1) + h], 77.0);
                    expected += x[at];
                }
                prop_assert_eq!(sum[c], expected);
            }
        }
    }

    #[test]
    fn rows_without_channels_can_be_summed() {
        add_row_sum(&mut [], &[]);
    }
}
