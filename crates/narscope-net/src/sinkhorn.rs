//! Rounds of the Sinkhorn iteration and the noise of its scores. The iteration itself is a
//! [kernel](narscope_kernels::sinkhorn).

/// Rounds for a prediction that enters the loss.
pub const ROUNDS_IN_DECODERS: usize = 10;
/// Rounds for a prediction that is fed back.
pub const ROUNDS_IN_FEEDBACK: usize = 25;
/// Rounds for a final prediction.
// Parity: these come on top of the rounds of the decoder.
pub const ROUNDS_IN_POSTPROCESSING: usize = 50;

/// Gumbel noise from a uniform random number in `[0, 1)`.
pub fn gumbel(uniform: f32) -> f32 {
    -(-(uniform + 1e-12).ln() + 1e-12).ln()
}
