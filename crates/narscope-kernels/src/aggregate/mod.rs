//! Aggregation: the messages to a receiver are reduced to one row, channel by channel.

mod selection;
mod softmax_mean;

pub use selection::{Selection, scatter_to_selected, selected_linear_backward};
use softmax_mean::{softmax_mean, softmax_mean_backward};

use crate::denormals::count;
use crate::incoming::{NONE, Tile};
use crate::simd::widest;
use crate::vector::{add, add_scaled};

/// Reduction over the messages to a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aggregate {
    /// Maximum.
    Max,
    /// Minimum.
    Min,
    /// Mean.
    Mean,
    /// Sum.
    Sum,
    /// Mean weighted by the softmax of the messages at a temperature.
    Softmax(f32),
}

/// Value of a masked message in a maximum; its negative is that in a minimum.
pub const MASKED_MESSAGE: f32 = -1e6;

impl Aggregate {
    /// Whether each channel selects one message, which alone has a gradient.
    pub fn selects(self) -> bool {
        matches!(self, Self::Max | Self::Min)
    }

    /// Aggregates the messages of a tile; `bias` is added to every message.
    ///
    /// `out` has a row for each receiver. So has `selected`, if a message is
    /// [selected](Self::selects): it receives the index among the messages to the receiver, the
    /// first one on ties.
    pub fn forward(
        self,
        messages: &[f32],
        bias: &[f32],
        tile: &Tile<'_>,
        out: &mut [f32],
        selected: &mut [u32],
    ) {
        widest(
            #[inline(always)]
            || {
                let h = bias.len();
                let receivers = tile.receivers.clone().enumerate();
                for (out, (index, receiver)) in out.chunks_exact_mut(h).zip(receivers) {
                    let rows = tile.rows_of(receiver);
                    let count = rows.len();
                    let messages = &messages[rows.start * h..rows.end * h];
                    let any_masked = count != tile.incoming.nodes();
                    let at = index * h;
                    match self {
                        Self::Max => {
                            let selected = &mut selected[at..at + h];
                            select(messages, out, selected, |new, best| new > best);
                            add(out, bias);
                            if any_masked {
                                let loses = |x| x < MASKED_MESSAGE;
                                compare_with_masked(out, selected, loses, MASKED_MESSAGE);
                            }
                        }
                        Self::Min => {
                            let selected = &mut selected[at..at + h];
                            select(messages, out, selected, |new, best| new < best);
                            add(out, bias);
                            if any_masked {
                                let loses = |x| x > -MASKED_MESSAGE;
                                compare_with_masked(out, selected, loses, -MASKED_MESSAGE);
                            }
                        }
                        Self::Sum | Self::Mean => {
                            let count = count as f32;
                            out.fill(0.0);
                            for message in messages.chunks_exact(h) {
                                add(out, message);
                            }
                            if self == Self::Mean {
                                let share = 1.0 / count.max(1.0);
                                for (out, bias) in out.iter_mut().zip(bias) {
                                    *out = (*out + count * bias) * share;
                                }
                            } else {
                                add_scaled(out, count, bias);
                            }
                        }
                        Self::Softmax(temperature) => {
                            softmax_mean(messages, bias, temperature, out);
                        }
                    }
                }
            },
        );
        count("aggregation", out);
    }

    /// Backward pass of [`forward`](Self::forward) for aggregates that do not
    /// [select](Self::selects): writes the gradient of the messages and returns that of the
    /// temperature.
    pub fn backward(
        self,
        messages: &[f32],
        tile: &Tile<'_>,
        out_gradient: &[f32],
        gradient: &mut [f32],
    ) -> f32 {
        let mut temperature_gradient = 0.0;
        widest(
            #[inline(always)]
            || {
                let h = out_gradient.len() / tile.receivers.len();
                for (index, receiver) in tile.receivers.clone().enumerate() {
                    let rows = tile.rows_of(receiver);
                    let span = rows.start * h..rows.end * h;
                    let d = &out_gradient[index * h..][..h];
                    match self {
                        Self::Max | Self::Min => {
                            unreachable!("{self:?} selects messages; see scatter_to_selected")
                        }
                        Self::Sum | Self::Mean => {
                            let count = rows.len() as f32;
                            let share = if self == Self::Mean { 1.0 / count.max(1.0) } else { 1.0 };
                            for row in gradient[span].chunks_exact_mut(h) {
                                for (row, d) in row.iter_mut().zip(d) {
                                    *row = share * d;
                                }
                            }
                        }
                        Self::Softmax(temperature) => {
                            softmax_mean_backward(
                                &messages[span.clone()],
                                temperature,
                                d,
                                &mut gradient[span],
                                &mut temperature_gradient,
                            );
                        }
                    }
                }
            },
        );
        count("aggregation, backward", gradient);
        temperature_gradient
    }

    /// Adds the gradient with respect to the bias of messages.
    pub fn bias_backward(self, tile: &Tile<'_>, outputs: Selection<'_>, bias_gradient: &mut [f32]) {
        let h = bias_gradient.len();
        for (index, receiver) in tile.receivers.clone().enumerate() {
            let d = &outputs.gradient[index * h..][..h];
            let count = tile.rows_of(receiver).len();
            match self {
                Self::Max | Self::Min => {
                    let selected = &outputs.selected[index * h..][..h];
                    for ((bias, d), selected) in bias_gradient.iter_mut().zip(d).zip(selected) {
                        *bias += if *selected == NONE { 0.0 } else { *d };
                    }
                }
                Self::Sum => add_scaled(bias_gradient, count as f32, d),
                // Receivers without messages get no bias.
                Self::Mean | Self::Softmax(_) if count == 0 => {}
                Self::Mean | Self::Softmax(_) => add(bias_gradient, d),
            }
        }
    }
}

/// Best message of each channel and its index; the first one wins ties.
#[inline(always)]
fn select(
    messages: &[f32],
    best: &mut [f32],
    selected: &mut [u32],
    better: impl Fn(f32, f32) -> bool,
) {
    let h = best.len();
    selected.fill(NONE);
    let mut messages = messages.chunks_exact(h);
    let Some(first) = messages.next() else { return };
    best.copy_from_slice(first);
    selected.fill(0);
    for (i, message) in messages.enumerate() {
        for ((best, selected), &new) in best.iter_mut().zip(selected.iter_mut()).zip(message) {
            let wins = better(new, *best);
            *best = if wins { new } else { *best };
            *selected = if wins { i as u32 + 1 } else { *selected };
        }
    }
}

/// Replaces the best message of a channel by `masked` if there is none or if it `loses` to it:
/// masked messages take part in the comparison.
#[inline(always)]
fn compare_with_masked(
    best: &mut [f32],
    selected: &mut [u32],
    loses: impl Fn(f32) -> bool,
    masked: f32,
) {
    for (best, selected) in best.iter_mut().zip(selected) {
        if *selected == NONE || loses(*best) {
            (*best, *selected) = (masked, NONE);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::*;
    use crate::WithGradient;
    use crate::incoming::Incoming;
    use crate::matrix::{Mat, MatMut, product};
    use crate::oracle::{
        Draw, EdgeMask, Random, Real, added, assert_close, cases, reference, scaled, used, widths,
    };

    /// The formula of an aggregate.
    fn formula(
        aggregate: Aggregate,
        [messages, bias, temperature]: [&[Real]; 3],
        edges: &EdgeMask,
        receivers: Range<usize>,
    ) -> Vec<Real> {
        let (h, mut out, mut first) = (bias.len(), Vec::new(), 0);
        for receiver in receivers {
            let count = edges.senders(receiver).len();
            let masked = (count < edges.nodes).then_some(Real::from(-1e6));
            for c in 0..h {
                let terms = (0..count).map(|i| messages[(first + i) * h + c] + bias[c]);
                let terms: Vec<Real> = terms.collect();
                out.push(match aggregate {
                    Aggregate::Max => {
                        let largest = terms.into_iter().reduce(Real::max);
                        largest.into_iter().chain(masked).reduce(Real::max).unwrap()
                    }
                    Aggregate::Min => {
                        let smallest = terms.into_iter().map(|x| -x).reduce(Real::max);
                        -smallest.into_iter().chain(masked).reduce(Real::max).unwrap()
                    }
                    _ if count == 0 => Real::from(0.0),
                    Aggregate::Sum => terms.into_iter().sum(),
                    Aggregate::Mean => terms.into_iter().sum::<Real>() / count as f64,
                    Aggregate::Softmax(_) => {
                        let most = terms.iter().fold(f64::MIN, |most, x| most.max(x.value));
                        let weight = |x: &Real| ((*x - most) / temperature[0]).exp();
                        let total: Real = terms.iter().map(weight).sum();
                        // Measured from the largest, so that gradients of huge messages are not
                        // lost in double precision.
                        terms.iter().map(|x| weight(x) * (*x - most)).sum::<Real>() / total + most
                    }
                });
            }
            first += count;
        }
        out
    }

    /// Random consecutive receivers.
    fn some_receivers(random: &mut Random, edges: &EdgeMask) -> Range<usize> {
        let all = edges.samples * edges.nodes;
        let start = random.below(all);
        start..start + 1 + random.below(all - start)
    }

    /// Compares outputs and the gradients of messages, bias and temperature with the formula.
    fn check(seed: u64, draw: Draw, aggregate: Aggregate, edges: &EdgeMask, h: usize) {
        check_messages(seed, [draw; 2], aggregate, edges, h);
    }

    /// [`check`] with messages that are drawn differently from the bias and the output gradient.
    fn check_messages(
        seed: u64,
        [draw_messages, draw]: [Draw; 2],
        aggregate: Aggregate,
        edges: &EdgeMask,
        h: usize,
    ) {
        let (random, incoming) = (&mut Random(seed), edges.incoming());
        let receivers = some_receivers(random, edges);
        let tile = incoming.tile(receivers.clone());
        let rows = tile.rows().len();
        let (messages, bias) = (draw_messages(random, rows * h), draw(random, h));
        let d = random.sparse(draw, receivers.len() * h);
        let temperature =
            if let Aggregate::Softmax(temperature) = aggregate { temperature } else { 1.0 };
        let (values, [d_messages, d_bias, d_temperature]) =
            reference([&messages, &bias, &[temperature]], &d, |inputs| {
                formula(aggregate, inputs, edges, receivers.clone())
            });

        let (mut out, mut selected) = (used(d.len()), used(d.len()));
        aggregate.forward(&messages, &bias, &tile, &mut out, &mut selected);
        assert_close("outputs", &out, &values, 1e-5);

        let outputs = Selection { selected: &selected, gradient: &d };
        let mut gradient = used(rows * h);
        let mut temperature_gradient = 0.0;
        if aggregate.selects() {
            scatter_to_selected(&tile, outputs, &mut gradient);
        } else {
            temperature_gradient = aggregate.backward(&messages, &tile, &d, &mut gradient);
        }
        assert_close("gradient of messages", &gradient, &d_messages, 1e-5);
        let found = [temperature_gradient];
        assert_close("gradient of the temperature", &found, &d_temperature, 1e-5);
        let before = random.few_digits(h);
        let mut bias_gradient = before.clone();
        aggregate.bias_backward(&tile, outputs, &mut bias_gradient);
        assert_close("gradient of the bias", &bias_gradient, &added(&before, &d_bias), 1e-5);
    }

    fn aggregates() -> impl Strategy<Value = Aggregate> {
        use Aggregate::{Max, Mean, Min, Softmax, Sum};
        let soft = (-4.0..=2.0_f32).prop_map(|digits| Softmax(10_f32.powf(digits)));
        prop_oneof![Just(Max), Just(Min), Just(Mean), Just(Sum), soft.clone(), soft]
    }

    proptest! {
        #![proptest_config(cases(300))]

        #[test]
        fn aggregates_of_few_nodes_agree_with_the_formula_and_its_finite_differences(
            (aggregate, samples, n, h, seed) in
                (aggregates(), 1..3_usize, 1..5_usize, 1..4_usize, any::<u64>())
        ) {
            let edges = Random(seed).edges(samples, n);
            check(seed, Random::uniform, aggregate, &edges, h);
        }

        #[test]
        fn aggregates_agree_with_the_formula_for_any_number_of_channels(
            (aggregate, samples, n, h, seed) in
                (aggregates(), 1..4_usize, 1..6_usize, widths(), any::<u64>())
        ) {
            let edges = Random(seed).edges(samples, n);
            check(seed, Random::few_digits, aggregate, &edges, h);
        }
    }

    proptest! {
        #![proptest_config(cases(60))]

        #[test]
        fn aggregates_agree_with_the_formula_for_any_number_of_nodes(
            (aggregate, n, h, seed) in (aggregates(), 1..=70_usize, 1..4_usize, any::<u64>())
        ) {
            check(seed, Random::few_digits, aggregate, &EdgeMask::complete(1, n), h);
            check(seed, Random::few_digits, aggregate, &Random(seed).edges(1, n), h);
        }

        #[test]
        fn gradients_of_a_layer_come_from_the_selected_messages(
            (samples, n, h, width, seed) in
                (1..3_usize, 1..6_usize, widths(), widths(), any::<u64>())
        ) {
            let random = &mut Random(seed);
            let edges = random.edges(samples, n);
            let (incoming, receivers) = (edges.incoming(), some_receivers(random, &edges));
            let tile = incoming.tile(receivers.clone());
            let rows = tile.rows().len();
            let (inputs, layer) = (random.few_digits(rows * width), random.few_digits(h * width));
            let d = random.sparse(Random::few_digits, receivers.len() * h);
            for aggregate in [Aggregate::Max, Aggregate::Min] {
                let (_, [d_inputs, d_layer]) = reference([&inputs, &layer], &d, |[inputs, layer]| {
                    let messages: Vec<Real> = (0..rows * h)
                        .map(|at| {
                            let (row, c) = (at / h * width, at % h * width);
                            (0..width).map(|i| inputs[row + i] * layer[c + i]).sum()
                        })
                        .collect();
                    let bias = vec![Real::from(0.0); h];
                    formula(aggregate, [&messages, &bias, &[]], &edges, receivers.clone())
                });

                let mut messages = used(rows * h);
                let (x, map) = (Mat::new(&inputs, rows, width), Mat::new(&layer, h, width).t());
                product(MatMut::new(&mut messages, rows, h), x, map);
                let (mut out, mut selected) = (used(d.len()), used(d.len()));
                aggregate.forward(&messages, &vec![0.0; h], &tile, &mut out, &mut selected);
                let [inputs_before, layer_before] =
                    [inputs.len(), layer.len()].map(|count| random.few_digits(count));
                let (mut gradient, mut layer_gradient) =
                    (inputs_before.clone(), layer_before.clone());
                selected_linear_backward(
                    &tile,
                    Selection { selected: &selected, gradient: &d },
                    WithGradient { values: &layer, gradient: &mut layer_gradient },
                    WithGradient { values: &inputs, gradient: &mut gradient },
                );
                let expected = added(&inputs_before, &d_inputs);
                assert_close("gradient of inputs", &gradient, &expected, 1e-5);
                let expected = added(&layer_before, &d_layer);
                assert_close("gradient of the layer", &layer_gradient, &expected, 1e-5);
            }
        }

        #[test]
        fn outputs_and_gradients_scale_with_messages(
            (n, h, power, seed) in (1..6_usize, widths(), -90..=90_i32, any::<u64>())
        ) {
            let (random, incoming) = (&mut Random(seed), complete(n));
            let tile = incoming.tile(0..n);
            let (messages, bias) = (random.uniform(n * n * h), random.uniform(h));
            let d = random.uniform(n * h);
            for aggregate in [Aggregate::Max, Aggregate::Min, Aggregate::Mean, Aggregate::Sum] {
                let [(out, gradient), (other, other_gradient)] = [0, power].map(|power| {
                    let [messages, bias, d] = [&messages, &bias, &d].map(|x| scaled(x, power));
                    let (mut out, mut selected) = (used(n * h), used(n * h));
                    aggregate.forward(&messages, &bias, &tile, &mut out, &mut selected);
                    let mut gradient = used(messages.len());
                    if aggregate.selects() {
                        let outputs = Selection { selected: &selected, gradient: &d };
                        scatter_to_selected(&tile, outputs, &mut gradient);
                    } else {
                        aggregate.backward(&messages, &tile, &d, &mut gradient);
                    }
                    (out, gradient)
                });
                // Above a million a masked message would win, but none is masked here.
                prop_assert_eq!(other, scaled(&out, power), "{:?}", aggregate);
                prop_assert_eq!(other_gradient, scaled(&gradient, power), "{:?}", aggregate);
            }
        }

        #[test]
        fn softmax_agrees_with_the_formula_for_huge_tiny_equal_and_nearly_equal_messages(
            (kind, digits, samples, n, h, seed) in
                (0..KINDS.len(), -4.0..=2.0_f32, 1..3_usize, 1..20_usize, widths(), any::<u64>())
        ) {
            let edges = Random(seed).edges(samples, n);
            let softmax = Aggregate::Softmax(10_f32.powf(digits));
            let draws = [KINDS[kind], Random::uniform];
            check_messages(seed, draws, softmax, &edges, h);
            check_messages(seed, draws, softmax, &EdgeMask::complete(1, n), h);
        }

        #[test]
        fn softmax_scales_with_messages_and_temperature(
            (n, h, digits, power, seed) in
                (1..6_usize, widths(), -4.0..=2.0_f32, -60..=60_i32, any::<u64>())
        ) {
            let (random, incoming) = (&mut Random(seed), complete(n));
            let tile = incoming.tile(0..n);
            let (messages, d) = (random.uniform(n * n * h), random.uniform(n * h));
            let [one, other] = [0, power].map(|power| {
                let softmax = Aggregate::Softmax(10_f32.powf(digits) * 2_f32.powi(power));
                let (messages, mut out) = (scaled(&messages, power), used(n * h));
                softmax.forward(&messages, &vec![0.0; h], &tile, &mut out, &mut []);
                let mut gradient = used(messages.len());
                let of_temperature = softmax.backward(&messages, &tile, &d, &mut gradient);
                (scaled(&out, -power), gradient, of_temperature)
            });
            prop_assert_eq!(one, other);
        }

        #[test]
        fn no_gradient_of_softmax_is_denormal(
            (n, h, digits, seed) in (1..20_usize, widths(), -4.0..=2.0_f32, any::<u64>())
        ) {
            let (random, incoming) = (&mut Random(seed), complete(n));
            let softmax = Aggregate::Softmax(10_f32.powf(digits));
            let messages = random.uniform(n * n * h);
            let d: Vec<f32> = random.uniform(n * h).iter().map(|d| 1e-12 * d).collect();
            let mut gradient = used(messages.len());
            softmax.backward(&messages, &incoming.tile(0..n), &d, &mut gradient);
            prop_assert!(gradient.iter().all(|d| !d.is_subnormal()));
        }

        #[test]
        fn softmax_stays_finite_and_between_the_messages_at_any_scale(
            (n, h, digits, power, seed) in
                (1..6_usize, 1..=20_usize, -4.0..=2.0_f32, -100..=100_i32, any::<u64>())
        ) {
            let (random, incoming) = (&mut Random(seed), complete(n));
            let (tile, softmax) = (incoming.tile(0..n), Aggregate::Softmax(10_f32.powf(digits)));
            let scale = 2_f32.powi(power);
            let messages: Vec<_> = random.uniform(n * n * h).iter().map(|x| x * scale).collect();
            let (bias, mut out, d) = (vec![0.0; h], used(n * h), random.uniform(n * h));
            softmax.forward(&messages, &bias, &tile, &mut out, &mut []);
            for (at, x) in out.iter().enumerate() {
                let terms = || (0..n).map(|i| messages[(at / h * n + i) * h + at % h]);
                let least = terms().fold(f32::MAX, f32::min);
                let most = terms().fold(f32::MIN, f32::max);
                let rounding = 1e-5 * least.abs().max(most.abs());
                prop_assert!(least - rounding <= *x && *x <= most + rounding, "{least} {x} {most}");
            }
            let mut gradient = used(messages.len());
            let temperature_gradient = softmax.backward(&messages, &tile, &d, &mut gradient);
            prop_assert!(temperature_gradient.is_finite());
            prop_assert!(gradient.iter().all(|d| d.is_finite()));
        }
    }

    /// Messages that softmax has to get right.
    const KINDS: [Draw; 5] = [
        |random, count| random.uniform(count).iter().map(|x| 1e30 * x).collect(),
        |random, count| random.uniform(count).iter().map(|x| 1e-30 * x).collect(),
        |_, count| vec![0.7; count],
        // Equal up to the last digits.
        |random, count| random.uniform(count).iter().map(|x| 1.0 + 1e-6 * x).collect(),
        // From 1e-8 to 1e8, of both signs.
        |random, count| {
            let signs = random.uniform(count);
            let digits = random.uniform(count);
            signs
                .iter()
                .zip(digits)
                .map(|(x, digits)| x.signum() * 10_f32.powf(8.0 * digits))
                .collect()
        },
    ];

    /// All edges among `nodes` nodes of one sample.
    fn complete(nodes: usize) -> Incoming {
        EdgeMask::complete(1, nodes).incoming()
    }

    #[test]
    fn gradients_of_softmax_do_not_depend_on_an_offset_of_the_messages() {
        let incoming = complete(3);
        let [near, far] = [0.0, 1000.0].map(|offset| {
            let messages: Vec<_> = Random(1).few_digits(9).iter().map(|x| x + offset).collect();
            let (softmax, mut gradient) = (Aggregate::Softmax(1e-1), used(9));
            let tile = incoming.tile(0..3);
            let d = softmax.backward(&messages, &tile, &[1.0, 2.0, 3.0], &mut gradient);
            (d, gradient)
        });
        assert_eq!(near, far);
    }

    #[test]
    fn the_first_of_equal_messages_is_selected_and_gets_the_gradient() {
        let incoming = complete(3);
        let tile = incoming.tile(0..3);
        let messages = [1.0, 5.0, 5.0, 2.0, 2.0, 2.0, -1.0, -1.0, -2.0];
        for (aggregate, expected) in [
            (Aggregate::Max, [0.0, 7.0, 0.0, 7.0, 0.0, 0.0, 7.0, 0.0, 0.0]),
            (Aggregate::Min, [7.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 7.0]),
        ] {
            let (mut out, mut selected, mut gradient) = ([0.0; 3], [0; 3], [0.0; 9]);
            aggregate.forward(&messages, &[0.0], &tile, &mut out, &mut selected);
            let outputs = Selection { selected: &selected, gradient: &[7.0; 3] };
            scatter_to_selected(&tile, outputs, &mut gradient);
            assert_eq!(gradient, expected, "{aggregate:?}");
        }
    }

    #[test]
    fn a_masked_message_wins_over_worse_messages() {
        let edges = EdgeMask { mask: vec![true, false, false, false], nodes: 2, samples: 1 };
        let incoming = edges.incoming();
        let tile = incoming.tile(0..2);
        for (aggregate, message, masked) in
            [(Aggregate::Max, -2e6, -1e6), (Aggregate::Min, 2e6, 1e6)]
        {
            let (mut out, mut selected, mut gradient) = ([0.0; 2], [0; 2], [0.0; 1]);
            aggregate.forward(&[message], &[0.0], &tile, &mut out, &mut selected);
            let outputs = Selection { selected: &selected, gradient: &[1.0; 2] };
            scatter_to_selected(&tile, outputs, &mut gradient);
            assert_eq!((out, gradient), ([masked; 2], [0.0]), "{aggregate:?}");
        }
    }

    #[test]
    fn a_receiver_without_messages_gets_a_constant_and_has_no_gradients() {
        let incoming = EdgeMask { mask: vec![false], nodes: 1, samples: 1 }.incoming();
        let tile = incoming.tile(0..1);
        for (aggregate, expected) in [
            (Aggregate::Max, -1e6),
            (Aggregate::Min, 1e6),
            (Aggregate::Mean, 0.0),
            (Aggregate::Sum, 0.0),
            (Aggregate::Softmax(0.1), 0.0),
        ] {
            let (mut out, mut selected, mut bias_gradient) = ([f32::NAN], [0], [0.0]);
            aggregate.forward(&[], &[3.0], &tile, &mut out, &mut selected);
            assert_eq!(out, [expected], "{aggregate:?}");
            let outputs = Selection { selected: &selected, gradient: &[1.0] };
            aggregate.bias_backward(&tile, outputs, &mut bias_gradient);
            assert_eq!(bias_gradient, [0.0], "{aggregate:?}");
            if !aggregate.selects() {
                let d = aggregate.backward(&[], &tile, &[1.0], &mut []);
                assert_eq!(d, 0.0, "{aggregate:?}");
            }
        }
    }
}
