//! Aggregation: the messages to a receiver become one, channel by channel.

use std::ops::Range;

use crate::heard::Heard;
use crate::simd::widest;
use crate::vector::{add_scaled, exp};

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

/// Nobody's message was taken.
const NOBODY: u32 = u32::MAX;

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
                            of_temperature += soften_back(
                                &messages[span.clone()],
                                bias,
                                temperature,
                                (out, d),
                                &mut gradient[span],
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

/// How many channels are looked at together: one of the widest vectors.
const TOGETHER: usize = 16;

/// Calls `work(start, count)` for channels in groups, whole groups first.
#[inline(always)]
fn in_groups(channels: usize, mut work: impl FnMut(usize, usize)) {
    let whole = channels / TOGETHER * TOGETHER;
    for start in (0..whole).step_by(TOGETHER) {
        work(start, TOGETHER);
    }
    if whole < channels {
        work(whole, channels - whole);
    }
}

/// The largest message, channel by channel.
#[inline(always)]
fn largest(messages: &[f32], h: usize, start: usize, count: usize) -> [f32; TOGETHER] {
    let mut largest = [f32::MIN; TOGETHER];
    for message in messages.chunks_exact(h) {
        for (largest, &x) in largest.iter_mut().zip(&message[start..start + count]) {
            *largest = if x > *largest { x } else { *largest };
        }
    }
    largest
}

/// A mean of messages weighted by `exp(message / temperature)`.
#[inline(always)]
fn soften(messages: &[f32], bias: &[f32], temperature: f32, out: &mut [f32]) {
    let (h, share) = (bias.len(), 1.0 / temperature);
    in_groups(h, |start, count| {
        let largest = largest(messages, h, start, count);
        let (mut total, mut sum) = ([0.0; TOGETHER], [0.0; TOGETHER]);
        for message in messages.chunks_exact(h) {
            let message = &message[start..start + count];
            for c in 0..count {
                let weight = exp((message[c] - largest[c]) * share);
                total[c] += weight;
                sum[c] += weight * message[c];
            }
        }
        for c in 0..count {
            let heard = total[c] > 0.0;
            out[start + c] = if heard { sum[c] / total[c] + bias[start + c] } else { 0.0 };
        }
    });
}

/// The way back of [`soften`]; returns the gradient of the temperature.
#[inline(always)]
fn soften_back(
    messages: &[f32],
    bias: &[f32],
    temperature: f32,
    (out, d): (&[f32], &[f32]),
    gradient: &mut [f32],
) -> f32 {
    let (h, share) = (bias.len(), 1.0 / temperature);
    let mut of_temperature = [0.0; TOGETHER];
    in_groups(h, |start, count| {
        let largest = largest(messages, h, start, count);
        let mut total = [0.0; TOGETHER];
        for message in messages.chunks_exact(h) {
            let message = &message[start..start + count];
            for c in 0..count {
                total[c] += exp((message[c] - largest[c]) * share);
            }
        }
        let (bias, out) = (&bias[start..start + count], &out[start..start + count]);
        let d = &d[start..start + count];
        for (message, gradient) in messages.chunks_exact(h).zip(gradient.chunks_exact_mut(h)) {
            let message = &message[start..start + count];
            let gradient = &mut gradient[start..start + count];
            for c in 0..count {
                let behind = (message[c] - largest[c]) * share;
                let weight = exp(behind) / total[c] * d[c];
                let above = (message[c] - (out[c] - bias[c])) * share;
                gradient[c] = weight * (1.0 + above);
                // What lies behind the largest is what the temperature divides.
                of_temperature[c] -= weight * above * behind;
            }
        }
    });
    of_temperature.iter().sum()
}

/// The way back of a layer whose outputs were chosen: each channel's gradient goes to one message.
///
/// `layer` has a row for each channel, and so has its gradient. `inputs` are what the layer was
/// given, a row for each message, and `gradient` what is learnt of them.
pub fn back_to_chosen(
    (heard, receivers): (&Heard, Range<usize>),
    (chosen, out_gradient): (&[u32], &[f32]),
    (layer, layer_gradient): (&[f32], &mut [f32]),
    inputs: &[f32],
    gradient: &mut [f32],
) {
    widest(
        #[inline(always)]
        || {
            let count = receivers.len();
            let channels = out_gradient.len() / count;
            let width = layer.len() / channels;
            let first = heard.rows(receivers.clone()).start;
            // Channel by channel: a channel's weights and their gradient stay at hand.
            for c in 0..channels {
                let weights = &layer[c * width..][..width];
                let weights_gradient = &mut layer_gradient[c * width..][..width];
                for (place, receiver) in receivers.clone().enumerate() {
                    let (chosen, d) =
                        (chosen[place * channels + c], out_gradient[place * channels + c]);
                    if chosen == NOBODY || d == 0.0 {
                        continue;
                    }
                    let row = heard.rows(receiver..receiver + 1).start - first + chosen as usize;
                    add_scaled(weights_gradient, d, &inputs[row * width..][..width]);
                    add_scaled(&mut gradient[row * width..][..width], d, weights);
                }
            }
        },
    );
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
