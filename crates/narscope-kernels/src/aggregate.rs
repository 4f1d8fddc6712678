//! Aggregation: the messages to a receiver become one, channel by channel.

use std::ops::Range;

use pulp::Simd;

use crate::heard::{Heard, NOBODY};
use crate::simd::{simd_fn, widest};
use crate::vector::{TOO_SMALL, add_scaled, exp_of};

/// How messages become one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aggregate {
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// The mean.
    Mean,
    /// The sum.
    Sum,
    /// A mean in which larger messages weigh more, with its temperature.
    Softmax(f32),
}

/// What stands for a message that was not sent when the largest is looked for.
pub const NEVER_LARGEST: f32 = -1e6;

impl Aggregate {
    /// Whether each channel takes one message as it is: its gradient then goes to that one alone.
    pub fn chooses(self) -> bool {
        matches!(self, Self::Max | Self::Min)
    }

    /// What reaches some receivers. `bias` is added to every message; where one message is taken,
    /// `chosen` says the how many-th it was. Both `out` and `chosen` have a row for each receiver.
    pub fn reduce(
        self,
        messages: &[f32],
        bias: &[f32],
        (heard, receivers): (&Heard, Range<usize>),
        out: &mut [f32],
        chosen: &mut [u32],
    ) {
        widest(
            #[inline(always)]
            || {
                let h = bias.len();
                let first = heard.rows(receivers.clone()).start;
                for (out, receiver) in out.chunks_exact_mut(h).zip(receivers.clone()) {
                    let rows = heard.rows(receiver..receiver + 1);
                    let messages = &messages[(rows.start - first) * h..(rows.end - first) * h];
                    let everybody = rows.len() == heard.nodes();
                    let at = (receiver - receivers.start) * h;
                    match self {
                        Self::Max => {
                            let chosen = &mut chosen[at..at + h];
                            choose(messages, out, chosen, |new, best| new > best);
                            finish(
                                out,
                                bias,
                                chosen,
                                !everybody,
                                |x| x < NEVER_LARGEST,
                                NEVER_LARGEST,
                            );
                        }
                        Self::Min => {
                            let chosen = &mut chosen[at..at + h];
                            choose(messages, out, chosen, |new, best| new < best);
                            finish(
                                out,
                                bias,
                                chosen,
                                !everybody,
                                |x| x > -NEVER_LARGEST,
                                -NEVER_LARGEST,
                            );
                        }
                        Self::Sum | Self::Mean => {
                            let count = rows.len() as f32;
                            out.fill(0.0);
                            for message in messages.chunks_exact(h) {
                                crate::vector::add(out, message);
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
                        Self::Softmax(temperature) => soften(messages, bias, temperature, out),
                    }
                }
            },
        );
    }

    /// The way back of [`reduce`](Self::reduce) where all messages count: their gradients, and that
    /// of the temperature.
    pub fn spread(
        self,
        messages: &[f32],
        (heard, receivers): (&Heard, Range<usize>),
        out_gradient: &[f32],
        gradient: &mut [f32],
    ) -> f32 {
        let mut of_temperature = 0.0;
        widest(
            #[inline(always)]
            || {
                let h = out_gradient.len() / receivers.len();
                let first = heard.rows(receivers.clone()).start;
                for (place, receiver) in receivers.clone().enumerate() {
                    let rows = heard.rows(receiver..receiver + 1);
                    let span = (rows.start - first) * h..(rows.end - first) * h;
                    let d = &out_gradient[place * h..][..h];
                    match self {
                        Self::Max | Self::Min => {
                            unreachable!("{self:?} takes one message, so nothing is spread")
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
                            soften_back(
                                &messages[span.clone()],
                                temperature,
                                d,
                                &mut gradient[span],
                                &mut of_temperature,
                            );
                        }
                    }
                }
            },
        );
        of_temperature
    }
}

#[inline(always)]
fn choose(
    messages: &[f32],
    best: &mut [f32],
    chosen: &mut [u32],
    better: impl Fn(f32, f32) -> bool,
) {
    let h = best.len();
    chosen.fill(NOBODY);
    let mut messages = messages.chunks_exact(h);
    let Some(first) = messages.next() else { return };
    best.copy_from_slice(first);
    chosen.fill(0);
    for (i, message) in messages.enumerate() {
        for ((best, chosen), &new) in best.iter_mut().zip(chosen.iter_mut()).zip(message) {
            let wins = better(new, *best);
            *best = if wins { new } else { *best };
            *chosen = if wins { i as u32 + 1 } else { *chosen };
        }
    }
}

/// Adds the bias; what was not sent competes too.
#[inline(always)]
fn finish(
    best: &mut [f32],
    bias: &[f32],
    chosen: &mut [u32],
    somebody_is_silent: bool,
    loses: impl Fn(f32) -> bool,
    instead: f32,
) {
    crate::vector::add(best, bias);
    if somebody_is_silent {
        for (best, chosen) in best.iter_mut().zip(chosen) {
            if *chosen == NOBODY || loses(*best) {
                (*best, *chosen) = (instead, NOBODY);
            }
        }
    }
}

simd_fn! {
    /// A mean of messages weighted by `exp(message / temperature)`.
    pub fn soften<'a>(
        simd: S,
        messages: &'a [f32],
        bias: &'a [f32],
        temperature: f32,
        out: &'a mut [f32],
    ) {
        let (h, share) = (bias.len(), simd.splat_f32s(1.0 / temperature));
        for at in (0..h).step_by(S::F32_LANES) {
            let here = at..h.min(at + S::F32_LANES);
            let most = largest(simd, messages, h, here.clone());
            let mut total = simd.splat_f32s(0.0);
            let mut sum = total;
            for message in messages.chunks_exact(h) {
                let message = simd.partial_load_f32s(&message[here.clone()]);
                let behind = simd.mul_f32s(simd.sub_f32s(message, most), share);
                let weight = exp_of(simd, behind);
                total = simd.add_f32s(total, weight);
                sum = simd.mul_add_e_f32s(weight, message, sum);
            }
            let bias = simd.partial_load_f32s(&bias[here.clone()]);
            let mean = simd.add_f32s(simd.div_f32s(sum, total), bias);
            // Where nothing was heard, nothing is said.
            let said = if messages.is_empty() { simd.splat_f32s(0.0) } else { mean };
            simd.partial_store_f32s(&mut out[here], said);
        }
    }
}

/// The largest message in some channels.
#[inline(always)]
fn largest<S: Simd>(simd: S, messages: &[f32], h: usize, here: Range<usize>) -> S::f32s {
    messages.chunks_exact(h).fold(simd.splat_f32s(f32::MIN), |most, message| {
        simd.max_f32s(simd.partial_load_f32s(&message[here.clone()]), most)
    })
}

simd_fn! {
    /// The way back of [`soften`]; adds to the gradient of the temperature.
    ///
    /// A message learns `weight (1 + (message - mean) / temperature)`. At low temperatures the last
    /// digits of messages decide, so both are measured from the largest message: their difference
    /// is lost otherwise.
    pub fn soften_back<'a>(
        simd: S,
        messages: &'a [f32],
        temperature: f32,
        d: &'a [f32],
        gradient: &'a mut [f32],
        of_temperature: &'a mut f32,
    ) {
        let (h, share) = (d.len(), simd.splat_f32s(1.0 / temperature));
        for at in (0..h).step_by(S::F32_LANES) {
            let here = at..h.min(at + S::F32_LANES);
            let load = |row: &[f32]| simd.partial_load_f32s(&row[here.clone()]);
            let most = largest(simd, messages, h, here.clone());
            let behind = |message| {
                let behind = simd.mul_f32s(simd.sub_f32s(message, most), share);
                simd.max_f32s(behind, simd.splat_f32s(TOO_SMALL))
            };
            let mut total = simd.splat_f32s(0.0);
            let mut mean = total;
            for message in messages.chunks_exact(h) {
                let behind = behind(load(message));
                let weight = exp_of(simd, behind);
                total = simd.add_f32s(total, weight);
                mean = simd.mul_add_e_f32s(weight, behind, mean);
            }
            mean = simd.div_f32s(mean, total);
            let d_over_total = simd.div_f32s(load(d), total);
            let mut of_this = simd.splat_f32s(0.0);
            for (message, gradient) in messages.chunks_exact(h).zip(gradient.chunks_exact_mut(h)) {
                let behind = behind(load(message));
                let weight = simd.mul_f32s(exp_of(simd, behind), d_over_total);
                let weighted = simd.mul_f32s(weight, simd.sub_f32s(behind, mean));
                let here = &mut gradient[here.clone()];
                simd.partial_store_f32s(here, simd.add_f32s(weight, weighted));
                // What lies behind the largest is what the temperature divides.
                of_this = simd.mul_add_e_f32s(weighted, behind, of_this);
            }
            let lanes = S::F32_LANES.min(h - at);
            let mut sums = [0.0; 16];
            simd.partial_store_f32s(&mut sums[..S::F32_LANES], of_this);
            *of_temperature -= sums[..lanes].iter().sum::<f32>();
        }
    }
}

/// How many channels are gone through before the next receiver: so many rows of the layer, of its
/// gradient and of a receiver's messages stay in the nearest cache.
const CHANNELS: usize = 16;

simd_fn! {
    /// The way back of a layer whose outputs were chosen: each channel's gradient goes to one
    /// message.
    ///
    /// `layer` has a row for each channel, and so has its gradient. `inputs` are what the layer was
    /// given, a row for each message, and `gradient` what is learnt of them.
    pub fn back_to_chosen<'a>(
        simd: S,
        to_whom: (&'a Heard, Range<usize>),
        outputs: (&'a [u32], &'a [f32]),
        layer: (&'a [f32], &'a mut [f32]),
        inputs: &'a [f32],
        gradient: &'a mut [f32],
    ) {
        let ((heard, receivers), (chosen, d)) = (to_whom, outputs);
        let (layer, layer_gradient) = layer;
        let channels = d.len() / receivers.len();
        let width = layer.len() / channels;
        let first = heard.rows(receivers.clone()).start;
        for from in (0..channels).step_by(CHANNELS) {
            let some = from..channels.min(from + CHANNELS);
            for (place, receiver) in receivers.clone().enumerate() {
                let start = heard.rows(receiver..receiver + 1).start - first;
                for c in some.clone() {
                    let (chosen, d) = (chosen[place * channels + c], d[place * channels + c]);
                    if chosen == NOBODY || d == 0.0 {
                        continue;
                    }
                    let row = (start + chosen as usize) * width;
                    exchange(
                        simd,
                        d,
                        (&layer[c * width..][..width], &mut layer_gradient[c * width..][..width]),
                        (&inputs[row..][..width], &mut gradient[row..][..width]),
                    );
                }
            }
        }
    }
}

/// Two rows learn `d` times each other.
#[inline(always)]
fn exchange<S: Simd>(
    simd: S,
    d: f32,
    (a, a_gradient): (&[f32], &mut [f32]),
    (b, b_gradient): (&[f32], &mut [f32]),
) {
    let all = simd.splat_f32s(d);
    let ((a, a_rest), (b, b_rest)) = (S::as_simd_f32s(a), S::as_simd_f32s(b));
    let (a_gradient, a_gradient_rest) = S::as_mut_simd_f32s(a_gradient);
    let (b_gradient, b_gradient_rest) = S::as_mut_simd_f32s(b_gradient);
    for ((a, a_gradient), (b, b_gradient)) in a.iter().zip(a_gradient).zip(b.iter().zip(b_gradient))
    {
        *a_gradient = simd.mul_add_e_f32s(all, *b, *a_gradient);
        *b_gradient = simd.mul_add_e_f32s(all, *a, *b_gradient);
    }
    add_scaled(a_gradient_rest, d, b_rest);
    add_scaled(b_gradient_rest, d, a_rest);
}

/// Writes each channel's gradient to the message that was chosen; the others get none.
pub fn scatter_to_chosen(
    (heard, receivers): (&Heard, Range<usize>),
    (chosen, out_gradient): (&[u32], &[f32]),
    gradient: &mut [f32],
) {
    let count = receivers.len();
    let channels = out_gradient.len() / count;
    let first = heard.rows(receivers.clone()).start;
    gradient.fill(0.0);
    for (place, receiver) in receivers.enumerate() {
        let start = heard.rows(receiver..receiver + 1).start - first;
        for c in 0..channels {
            let chosen = chosen[place * channels + c];
            if chosen != NOBODY {
                gradient[(start + chosen as usize) * channels + c] =
                    out_gradient[place * channels + c];
            }
        }
    }
}

/// Adds what the bias of messages learns from the gradient of what reached receivers.
pub fn add_bias_gradient(
    aggregate: Aggregate,
    (heard, receivers): (&Heard, Range<usize>),
    (chosen, out_gradient): (&[u32], &[f32]),
    bias_gradient: &mut [f32],
) {
    let h = bias_gradient.len();
    for (place, receiver) in receivers.enumerate() {
        let d = &out_gradient[place * h..][..h];
        let count = heard.rows(receiver..receiver + 1).len();
        match aggregate {
            Aggregate::Max | Aggregate::Min => {
                let chosen = &chosen[place * h..][..h];
                for ((bias, d), chosen) in bias_gradient.iter_mut().zip(d).zip(chosen) {
                    *bias += if *chosen == NOBODY { 0.0 } else { *d };
                }
            }
            Aggregate::Sum => add_scaled(bias_gradient, count as f32, d),
            // Who hears nobody has heard of no bias either.
            Aggregate::Mean | Aggregate::Softmax(_) if count == 0 => {}
            Aggregate::Mean | Aggregate::Softmax(_) => crate::vector::add(bias_gradient, d),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matrix::{Mat, MatMut, product};
    use crate::oracle::{
        Draw, Hearing, Random, Real, added, answer, assert_close, cases, scaled, used, widths,
    };

    /// What reaches receivers, written down plainly.
    fn reached(
        aggregate: Aggregate,
        [messages, bias, temperature]: [&[Real]; 3],
        (hearing, receivers): (&Hearing, Range<usize>),
    ) -> Vec<Real> {
        let (h, mut out, mut first) = (bias.len(), Vec::new(), 0);
        for receiver in receivers {
            let count = hearing.senders(receiver).len();
            let somebody_is_silent = count < hearing.nodes;
            for c in 0..h {
                let said = (0..count).map(|i| messages[(first + i) * h + c] + bias[c]);
                let said: Vec<Real> = said.collect();
                let nothing = Real::from(0.0);
                out.push(match aggregate {
                    Aggregate::Max => {
                        let largest = said.into_iter().reduce(Real::max);
                        let silence = somebody_is_silent.then_some(Real::from(-1e6));
                        largest.into_iter().chain(silence).reduce(Real::max).unwrap()
                    }
                    Aggregate::Min => {
                        let smallest = said.into_iter().map(|x| -x).reduce(Real::max);
                        let silence = somebody_is_silent.then_some(Real::from(-1e6));
                        -smallest.into_iter().chain(silence).reduce(Real::max).unwrap()
                    }
                    _ if count == 0 => nothing,
                    Aggregate::Sum => said.into_iter().sum(),
                    Aggregate::Mean => said.into_iter().sum::<Real>() / count as f64,
                    Aggregate::Softmax(_) => {
                        let most = said.iter().fold(f64::MIN, |most, x| most.max(x.value));
                        let weigh = |x: &Real| ((*x - most) / temperature[0]).exp();
                        let total: Real = said.iter().map(weigh).sum();
                        said.iter().map(|x| weigh(x) * *x).sum::<Real>() / total
                    }
                });
            }
            first += count;
        }
        out
    }

    /// Some of the receivers, in a row.
    fn tile(random: &mut Random, hearing: &Hearing) -> Range<usize> {
        let all = hearing.samples * hearing.nodes;
        let start = random.below(all);
        start..start + 1 + random.below(all - start)
    }

    /// What is reached and what messages, bias and temperature learn from it.
    fn check(seed: u64, draw: Draw, aggregate: Aggregate, hearing: &Hearing, h: usize) {
        let (random, heard) = (&mut Random(seed), hearing.heard());
        let receivers = tile(random, hearing);
        let to_whom = (&heard, receivers.clone());
        let rows = heard.rows(receivers.clone()).len();
        let (messages, bias) = (draw(random, rows * h), draw(random, h));
        let d = random.sparse(draw, receivers.len() * h);
        let temperature =
            if let Aggregate::Softmax(temperature) = aggregate { temperature } else { 1.0 };
        let (values, [d_messages, d_bias, d_temperature]) =
            answer([&messages, &bias, &[temperature]], &d, |inputs| {
                reached(aggregate, inputs, (hearing, receivers.clone()))
            });

        let (mut out, mut chosen) = (used(d.len()), used(d.len()));
        aggregate.reduce(&messages, &bias, to_whom.clone(), &mut out, &mut chosen);
        assert_close("what is reached", &out, &values, 1e-5);

        let mut gradient = used(rows * h);
        let mut of_temperature = 0.0;
        if aggregate.chooses() {
            scatter_to_chosen(to_whom.clone(), (&chosen, &d), &mut gradient);
        } else {
            of_temperature = aggregate.spread(&messages, to_whom.clone(), &d, &mut gradient);
        }
        assert_close("messages learn", &gradient, &d_messages, 1e-5);
        assert_close("the temperature learns", &[of_temperature], &d_temperature, 1e-5);
        let before = random.few_digits(h);
        let mut bias_gradient = before.clone();
        add_bias_gradient(aggregate, to_whom, (&chosen, &d), &mut bias_gradient);
        assert_close("the bias learns", &bias_gradient, &added(&before, &d_bias), 1e-5);
    }

    fn aggregates() -> impl Strategy<Value = Aggregate> {
        use Aggregate::{Max, Mean, Min, Softmax, Sum};
        let soft = (-4.0..=1.0_f32).prop_map(|digits| Softmax(10_f32.powf(digits)));
        prop_oneof![Just(Max), Just(Min), Just(Mean), Just(Sum), soft.clone(), soft]
    }

    proptest! {
        #![proptest_config(cases(300))]

        #[test]
        fn aggregates_of_few_nodes_agree_with_the_formula_and_its_differences(
            (aggregate, samples, n, h, seed) in
                (aggregates(), 1..3_usize, 1..5_usize, 1..4_usize, any::<u64>())
        ) {
            let hearing = Random(seed).hearing(samples, n);
            check(seed, Random::numbers, aggregate, &hearing, h);
        }

        #[test]
        fn aggregates_agree_with_the_formula_at_any_width(
            (aggregate, samples, n, h, seed) in
                (aggregates(), 1..4_usize, 1..6_usize, widths(), any::<u64>())
        ) {
            let hearing = Random(seed).hearing(samples, n);
            check(seed, Random::few_digits, aggregate, &hearing, h);
        }
    }

    proptest! {
        #![proptest_config(cases(60))]

        #[test]
        fn aggregates_agree_with_the_formula_among_any_number_of_nodes(
            (aggregate, n, h, seed) in (aggregates(), 1..=70_usize, 1..4_usize, any::<u64>())
        ) {
            check(seed, Random::few_digits, aggregate, &Hearing::everyone(1, n), h);
            check(seed, Random::few_digits, aggregate, &Random(seed).hearing(1, n), h);
        }

        #[test]
        fn a_layer_learns_from_the_messages_that_were_chosen(
            (samples, n, h, width, seed) in
                (1..3_usize, 1..6_usize, widths(), widths(), any::<u64>())
        ) {
            let random = &mut Random(seed);
            let hearing = random.hearing(samples, n);
            let (heard, receivers) = (hearing.heard(), tile(random, &hearing));
            let to_whom = (&heard, receivers.clone());
            let rows = heard.rows(receivers.clone()).len();
            let (inputs, layer) = (random.few_digits(rows * width), random.few_digits(h * width));
            let d = random.sparse(Random::few_digits, receivers.len() * h);
            for aggregate in [Aggregate::Max, Aggregate::Min] {
                let (_, [d_inputs, d_layer]) = answer([&inputs, &layer], &d, |[inputs, layer]| {
                    let messages: Vec<Real> = (0..rows * h)
                        .map(|at| {
                            let (row, c) = (at / h * width, at % h * width);
                            (0..width).map(|i| inputs[row + i] * layer[c + i]).sum()
                        })
                        .collect();
                    let bias = vec![Real::from(0.0); h];
                    reached(aggregate, [&messages, &bias, &[]], (&hearing, receivers.clone()))
                });

                let mut messages = used(rows * h);
                let (x, map) = (Mat::new(&inputs, rows, width), Mat::new(&layer, h, width).t());
                product(MatMut::new(&mut messages, rows, h), x, map);
                let (mut out, mut chosen) = (used(d.len()), used(d.len()));
                aggregate.reduce(&messages, &vec![0.0; h], to_whom.clone(), &mut out, &mut chosen);
                let [inputs_before, layer_before] =
                    [inputs.len(), layer.len()].map(|count| random.few_digits(count));
                let (mut gradient, mut layer_gradient) =
                    (inputs_before.clone(), layer_before.clone());
                back_to_chosen(
                    to_whom.clone(),
                    (&chosen, &d),
                    (&layer, &mut layer_gradient),
                    &inputs,
                    &mut gradient,
                );
                assert_close("inputs learn", &gradient, &added(&inputs_before, &d_inputs), 1e-5);
                let learnt = added(&layer_before, &d_layer);
                assert_close("the layer learns", &layer_gradient, &learnt, 1e-5);
            }
        }

        #[test]
        fn messages_of_any_size_are_summed_up_and_teach_in_proportion(
            (n, h, power, seed) in (1..6_usize, widths(), -90..=90_i32, any::<u64>())
        ) {
            let (random, heard) = (&mut Random(seed), Hearing::everyone(1, n).heard());
            let to_whom = || (&heard, 0..n);
            let (messages, bias) = (random.numbers(n * n * h), random.numbers(h));
            let d = random.numbers(n * h);
            for aggregate in [Aggregate::Max, Aggregate::Min, Aggregate::Mean, Aggregate::Sum] {
                let [(usual, learnt), (other, other_learnt)] = [0, power].map(|power| {
                    let [messages, bias, d] = [&messages, &bias, &d].map(|x| scaled(x, power));
                    let (mut out, mut chosen) = (used(n * h), used(n * h));
                    aggregate.reduce(&messages, &bias, to_whom(), &mut out, &mut chosen);
                    let mut gradient = used(messages.len());
                    if aggregate.chooses() {
                        scatter_to_chosen(to_whom(), (&chosen, &d), &mut gradient);
                    } else {
                        aggregate.spread(&messages, to_whom(), &d, &mut gradient);
                    }
                    (out, gradient)
                });
                // Beyond a million, silence would win over messages, but nobody is silent.
                prop_assert_eq!(other, scaled(&usual, power), "{:?}", aggregate);
                prop_assert_eq!(other_learnt, scaled(&learnt, power), "{:?}", aggregate);
            }
        }

        #[test]
        fn softmax_stays_finite_and_between_the_messages_however_large_or_small_they_are(
            (n, h, digits, power, seed) in
                (1..6_usize, 1..=20_usize, -4.0..=1.0_f32, -100..=100_i32, any::<u64>())
        ) {
            let (random, heard) = (&mut Random(seed), Hearing::everyone(1, n).heard());
            let (to_whom, softmax) = ((&heard, 0..n), Aggregate::Softmax(10_f32.powf(digits)));
            let scale = 2_f32.powi(power);
            let messages: Vec<_> = random.numbers(n * n * h).iter().map(|x| x * scale).collect();
            let (bias, mut out, d) = (vec![0.0; h], used(n * h), random.numbers(n * h));
            softmax.reduce(&messages, &bias, to_whom.clone(), &mut out, &mut []);
            for (at, x) in out.iter().enumerate() {
                let said = || (0..n).map(|i| messages[(at / h * n + i) * h + at % h]);
                let [least, most] = [said().fold(f32::MAX, f32::min), said().fold(f32::MIN, f32::max)];
                let rounding = 1e-5 * least.abs().max(most.abs());
                prop_assert!(least - rounding <= *x && *x <= most + rounding, "{least} {x} {most}");
            }
            let mut gradient = used(messages.len());
            let of_temperature = softmax.spread(&messages, to_whom, &d, &mut gradient);
            prop_assert!(of_temperature.is_finite() && gradient.iter().all(|d| d.is_finite()));
        }
    }

    #[test]
    fn what_softmax_teaches_does_not_depend_on_how_far_from_0_messages_lie() {
        let heard = Hearing::everyone(1, 3).heard();
        let [near, far] = [0.0, 1000.0].map(|offset| {
            let messages: Vec<_> = Random(1).few_digits(9).iter().map(|x| x + offset).collect();
            let (softmax, mut gradient) = (Aggregate::Softmax(1e-1), used(9));
            let d = softmax.spread(&messages, (&heard, 0..3), &[1.0, 2.0, 3.0], &mut gradient);
            (d, gradient)
        });
        assert_eq!(near, far);
    }

    #[test]
    fn of_equal_messages_the_first_is_chosen_and_learns() {
        let heard = Hearing::everyone(1, 3).heard();
        let messages = [1.0, 5.0, 5.0, 2.0, 2.0, 2.0, -1.0, -1.0, -2.0];
        for (aggregate, expected) in [
            (Aggregate::Max, [0.0, 7.0, 0.0, 7.0, 0.0, 0.0, 7.0, 0.0, 0.0]),
            (Aggregate::Min, [7.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 7.0]),
        ] {
            let (mut out, mut chosen, mut gradient) = ([0.0; 3], [0; 3], [0.0; 9]);
            aggregate.reduce(&messages, &[0.0], (&heard, 0..3), &mut out, &mut chosen);
            scatter_to_chosen((&heard, 0..3), (&chosen, &[7.0; 3]), &mut gradient);
            assert_eq!(gradient, expected, "{aggregate:?}");
        }
    }

    #[test]
    fn silence_competes_with_messages_that_are_worse_than_it() {
        let heard = Hearing { mask: vec![true, false, false, false], nodes: 2, samples: 1 }.heard();
        for (aggregate, message, silence) in
            [(Aggregate::Max, -2e6, -1e6), (Aggregate::Min, 2e6, 1e6)]
        {
            let (mut out, mut chosen, mut gradient) = ([0.0; 2], [0; 2], [0.0; 1]);
            aggregate.reduce(&[message], &[0.0], (&heard, 0..2), &mut out, &mut chosen);
            scatter_to_chosen((&heard, 0..2), (&chosen, &[1.0; 2]), &mut gradient);
            assert_eq!((out, gradient), ([silence; 2], [0.0]), "{aggregate:?}");
        }
    }

    #[test]
    fn who_hears_nobody_is_told_nothing_and_teaches_nothing() {
        let heard = Hearing { mask: vec![false], nodes: 1, samples: 1 }.heard();
        for (aggregate, expected) in [
            (Aggregate::Max, -1e6),
            (Aggregate::Min, 1e6),
            (Aggregate::Mean, 0.0),
            (Aggregate::Sum, 0.0),
            (Aggregate::Softmax(0.1), 0.0),
        ] {
            let (mut out, mut chosen, mut bias_gradient) = ([f32::NAN], [0], [0.0]);
            aggregate.reduce(&[], &[3.0], (&heard, 0..1), &mut out, &mut chosen);
            assert_eq!(out, [expected], "{aggregate:?}");
            add_bias_gradient(aggregate, (&heard, 0..1), (&chosen, &[1.0]), &mut bias_gradient);
            assert_eq!(bias_gradient, [0.0], "{aggregate:?}");
            if !aggregate.chooses() {
                let d = aggregate.spread(&[], (&heard, 0..1), &[1.0], &mut []);
                assert_eq!(d, 0.0, "{aggregate:?}");
            }
        }
    }
}
