//! Aggregation: the messages to a receiver become one, channel by channel.

use std::ops::Range;

use pulp::Simd;

use crate::heard::{Heard, NOBODY};
use crate::simd::{simd_fn, widest};
use crate::vector::{add_scaled, exp_of};

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
const NEVER_LARGEST: f32 = -1e6;

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

    /// The way back where all messages count: their gradients, and that of the temperature.
    /// `out` is what [`reduce`](Self::reduce) made.
    pub fn spread(
        self,
        messages: &[f32],
        bias: &[f32],
        (heard, receivers): (&Heard, Range<usize>),
        (out, out_gradient): (&[f32], &[f32]),
        gradient: &mut [f32],
    ) -> f32 {
        let mut of_temperature = 0.0;
        widest(
            #[inline(always)]
            || {
                let h = bias.len();
                let first = heard.rows(receivers.clone()).start;
                for (place, receiver) in receivers.clone().enumerate() {
                    let rows = heard.rows(receiver..receiver + 1);
                    let span = (rows.start - first) * h..(rows.end - first) * h;
                    let (out, d) = (&out[place * h..][..h], &out_gradient[place * h..][..h]);
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
                                bias,
                                temperature,
                                (out, d),
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
            let heard = simd.greater_than_f32s(total, simd.splat_f32s(0.0));
            let mean = simd.select_f32s(heard, mean, simd.splat_f32s(0.0));
            simd.partial_store_f32s(&mut out[here], mean);
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
    pub fn soften_back<'a>(
        simd: S,
        messages: &'a [f32],
        bias: &'a [f32],
        temperature: f32,
        reached: (&'a [f32], &'a [f32]),
        gradient: &'a mut [f32],
        of_temperature: &'a mut f32,
    ) {
        let ((out, d), h, share) = (reached, bias.len(), simd.splat_f32s(1.0 / temperature));
        for at in (0..h).step_by(S::F32_LANES) {
            let here = at..h.min(at + S::F32_LANES);
            let load = |row: &[f32]| simd.partial_load_f32s(&row[here.clone()]);
            let most = largest(simd, messages, h, here.clone());
            let behind = |message| simd.mul_f32s(simd.sub_f32s(message, most), share);
            let total = messages.chunks_exact(h).fold(simd.splat_f32s(0.0), |total, message| {
                simd.add_f32s(total, exp_of(simd, behind(load(message))))
            });
            let mean = simd.sub_f32s(load(out), load(bias));
            let d_over_total = simd.div_f32s(load(d), total);
            let mut of_this = simd.splat_f32s(0.0);
            for (message, gradient) in messages.chunks_exact(h).zip(gradient.chunks_exact_mut(h)) {
                let message = load(message);
                let behind = behind(message);
                let weight = simd.mul_f32s(exp_of(simd, behind), d_over_total);
                let above = simd.mul_f32s(simd.sub_f32s(message, mean), share);
                let weighted = simd.mul_f32s(weight, above);
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
        match aggregate {
            Aggregate::Max | Aggregate::Min => {
                let chosen = &chosen[place * h..][..h];
                for ((bias, d), chosen) in bias_gradient.iter_mut().zip(d).zip(chosen) {
                    *bias += if *chosen == NOBODY { 0.0 } else { *d };
                }
            }
            Aggregate::Sum => {
                let count = heard.rows(receiver..receiver + 1).len() as f32;
                add_scaled(bias_gradient, count, d);
            }
            Aggregate::Mean | Aggregate::Softmax(_) => crate::vector::add(bias_gradient, d),
        }
    }
}
