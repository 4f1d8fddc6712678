//! Mean of messages weighted by their softmax over senders, channel by channel.

use std::ops::Range;

use pulp::Simd;

use crate::simd::simd_fn;
use crate::vector::exp_above;

/// Messages whose exponent `x = (message - largest) / temperature` is at most this have weight 0.
///
/// The largest message has weight `e^0 = 1`, so all weights sum to at least 1. Beside that, a message
/// contributes `e^x` to the sum of weights, `|x| e^x` to the mean and to its gradient, and `x² e^x`
/// to the gradient of the temperature. The last is the most: `36² e^-36 < 2^-41`. All of 2^16
/// messages together then contribute less than 2^-25, half of the rounding error of a sum of
/// order 1 in single precision.
///
/// Without the bound, weights go down to the smallest normal number, and their products with small
/// gradients are denormal: matrix products with denormal factors take several times as long.
const NEGLIGIBLE: f32 = -36.0;

simd_fn! {
    /// Mean of the messages to one receiver, weighted by `softmax(message / temperature)`, plus the
    /// bias. Without messages the result is 0.
    pub(super) fn softmax_mean<'a>(
        simd: S,
        messages: &'a [f32],
        bias: &'a [f32],
        temperature: f32,
        out: &'a mut [f32],
    ) {
        let (h, inverse) = (bias.len(), simd.splat_f32s(1.0 / temperature));
        for at in (0..h).step_by(S::F32_LANES) {
            let here = at..h.min(at + S::F32_LANES);
            let most = largest(simd, messages, h, here.clone());
            let mut total = simd.splat_f32s(0.0);
            let mut sum = total;
            for message in messages.chunks_exact(h) {
                let message = simd.partial_load_f32s(&message[here.clone()]);
                let exponent = simd.mul_f32s(simd.sub_f32s(message, most), inverse);
                let weight = exp_above(simd, NEGLIGIBLE, exponent);
                total = simd.add_f32s(total, weight);
                sum = simd.mul_add_e_f32s(weight, message, sum);
            }
            let bias = simd.partial_load_f32s(&bias[here.clone()]);
            let mean = simd.add_f32s(simd.div_f32s(sum, total), bias);
            let result = if messages.is_empty() { simd.splat_f32s(0.0) } else { mean };
            simd.partial_store_f32s(&mut out[here], result);
        }
    }
}

/// Largest message in some channels.
#[inline(always)]
fn largest<S: Simd>(simd: S, messages: &[f32], h: usize, here: Range<usize>) -> S::f32s {
    messages.chunks_exact(h).fold(simd.splat_f32s(f32::MIN), |most, message| {
        simd.max_f32s(simd.partial_load_f32s(&message[here.clone()]), most)
    })
}

simd_fn! {
    /// Backward pass of [`softmax_mean`]: writes the gradient of the messages for the output
    /// gradient `d`, and adds to that of the temperature.
    ///
    /// The gradient of a message is `d weight (1 + (message - mean) / temperature)`. At low
    /// temperatures the last digits of messages decide, so message and mean are both measured from
    /// the largest message: their difference would be lost to rounding otherwise.
    pub(super) fn softmax_mean_backward<'a>(
        simd: S,
        messages: &'a [f32],
        temperature: f32,
        d: &'a [f32],
        gradient: &'a mut [f32],
        temperature_gradient: &'a mut f32,
    ) {
        let (h, inverse) = (d.len(), simd.splat_f32s(1.0 / temperature));
        for at in (0..h).step_by(S::F32_LANES) {
            let here = at..h.min(at + S::F32_LANES);
            let load = |row: &[f32]| simd.partial_load_f32s(&row[here.clone()]);
            let most = largest(simd, messages, h, here.clone());
            let exponent = |message| {
                let exponent = simd.mul_f32s(simd.sub_f32s(message, most), inverse);
                simd.max_f32s(exponent, simd.splat_f32s(NEGLIGIBLE))
            };
            let mut total = simd.splat_f32s(0.0);
            let mut mean = total;
            for (message, gradient) in messages.chunks_exact(h).zip(gradient.chunks_exact_mut(h)) {
                let exponent = exponent(load(message));
                let weight = exp_above(simd, NEGLIGIBLE, exponent);
                total = simd.add_f32s(total, weight);
                mean = simd.mul_add_e_f32s(weight, exponent, mean);
                // Kept for the second pass: an exponential costs more than a load.
                simd.partial_store_f32s(&mut gradient[here.clone()], weight);
            }
            mean = simd.div_f32s(mean, total);
            let d_over_total = simd.div_f32s(load(d), total);
            let mut sum = simd.splat_f32s(0.0);
            for (message, gradient) in messages.chunks_exact(h).zip(gradient.chunks_exact_mut(h)) {
                let exponent = exponent(load(message));
                let weight = simd.mul_f32s(load(gradient), d_over_total);
                let weighted = simd.mul_f32s(weight, simd.sub_f32s(exponent, mean));
                let here = &mut gradient[here.clone()];
                simd.partial_store_f32s(here, simd.add_f32s(weight, weighted));
                // d exponent / d temperature = -exponent / temperature.
                sum = simd.mul_add_e_f32s(weighted, exponent, sum);
            }
            let lanes = S::F32_LANES.min(h - at);
            let mut sums = [0.0; 16];
            simd.partial_store_f32s(&mut sums[..S::F32_LANES], sum);
            *temperature_gradient -= sums[..lanes].iter().sum::<f32>();
        }
    }
}
