//! Backward passes of maximum and minimum: the gradient of a channel belongs to one message.

use pulp::Simd;

use crate::WithGradient;
use crate::incoming::{NONE, Tile};
use crate::simd::simd_fn;
use crate::vector::add_scaled;

/// Selected message and gradient of every channel of the receivers of a tile.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// Index of the selected message among those to the receiver.
    pub selected: &'a [u32],
    /// Gradient with respect to the aggregated messages.
    pub gradient: &'a [f32],
}

/// Number of channels processed before the next receiver: that many rows of the layer, of its
/// gradient and of a receiver's messages stay in the L1 cache.
const CHANNELS: usize = 16;

simd_fn! {
    /// Backward pass of a linear layer followed by a maximum or minimum: each channel's gradient
    /// belongs to one message.
    ///
    /// `layer` has a row of weights for each output channel, `inputs` a row for each message.
    pub fn selected_linear_backward<'a>(
        simd: S,
        tile: &'a Tile<'a>,
        outputs: Selection<'a>,
        layer: WithGradient<'a>,
        inputs: WithGradient<'a>,
    ) {
        let (mut layer, mut inputs) = (layer, inputs);
        let channels = outputs.gradient.len() / tile.receivers.len();
        let width = layer.values.len() / channels;
        for from in (0..channels).step_by(CHANNELS) {
            let some = from..channels.min(from + CHANNELS);
            for (index, receiver) in tile.receivers.clone().enumerate() {
                let start = tile.rows_of(receiver).start;
                for c in some.clone() {
                    let at = index * channels + c;
                    let (selected, d) = (outputs.selected[at], outputs.gradient[at]);
                    if selected == NONE || d == 0.0 {
                        continue;
                    }
                    let row = (start + selected as usize) * width;
                    dot_backward(simd, d, layer.slice(c * width, width), inputs.slice(row, width));
                }
            }
        }
    }
}

/// Backward pass of a dot product whose gradient is `d`.
#[inline(always)]
fn dot_backward<S: Simd>(
    simd: S,
    d: f32,
    WithGradient { values: a, gradient: a_gradient }: WithGradient<'_>,
    WithGradient { values: b, gradient: b_gradient }: WithGradient<'_>,
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

/// Writes each channel's gradient to the selected message, and 0 to the others.
pub fn scatter_to_selected(tile: &Tile<'_>, outputs: Selection<'_>, gradient: &mut [f32]) {
    let channels = outputs.gradient.len() / tile.receivers.len();
    gradient.fill(0.0);
    for (index, receiver) in tile.receivers.clone().enumerate() {
        let start = tile.rows_of(receiver).start;
        for c in 0..channels {
            let selected = outputs.selected[index * channels + c];
            if selected != NONE {
                gradient[(start + selected as usize) * channels + c] =
                    outputs.gradient[index * channels + c];
            }
        }
    }
}
