//! Sinkhorn's iteration: from scores to the logarithm of an almost doubly stochastic matrix.

use burn_tensor::Tensor;
use burn_tensor::activation::log_softmax;
use narscope_kernels::sinkhorn::{DIAGONAL_PENALTY, TEMPERATURE};

/// Rounds for a prediction that the loss looks at.
pub const ROUNDS_IN_DECODERS: usize = 10;
/// Rounds for a prediction that is fed back.
pub const ROUNDS_IN_FEEDBACK: usize = 25;
/// Rounds for a prediction that is final.
// Parity: that is on top of the rounds of the decoder.
pub const ROUNDS_AT_THE_END: usize = 50;

/// Normalises rows and columns in turn; no node is sent to itself. Scores are `(B, N, N)`.
pub fn log_sinkhorn(scores: Tensor<3>, rounds: usize) -> Tensor<3> {
    let ([_, n, _], device) = (scores.dims(), scores.device());
    let diagonal = Tensor::<2>::eye(n, &device).reshape([1, n, n]) * DIAGONAL_PENALTY;
    let mut x = scores / TEMPERATURE - diagonal;
    for _ in 0..rounds {
        x = log_softmax(x, 2);
        x = log_softmax(x, 1);
    }
    x
}

/// Gumbel noise for a number drawn evenly from 0 to 1.
pub fn gumbel(uniform: f32) -> f32 {
    -(-(uniform + 1e-12).ln() + 1e-12).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};
    use crate::values::{numbers, tensor};
    use burn_tensor::Device;

    #[test]
    fn rows_and_columns_sum_to_one_and_nothing_is_sent_to_itself() {
        let (n, mut stream) = (6, Stream::new(1, Purpose::Noise, 0));
        let scores = (0..n * n).map(|_| stream.uniform()).collect();
        let x = numbers(log_sinkhorn(tensor(scores, [1, n, n], &Device::flex()), 50).exp());
        for i in 0..n {
            let row: f32 = (0..n).map(|j| x[i * n + j]).sum();
            let column: f32 = (0..n).map(|j| x[j * n + i]).sum();
            assert!((row - 1.0).abs() < 1e-4 && (column - 1.0).abs() < 1e-4, "{row} {column}");
            assert_eq!(x[i * n + i], 0.0);
        }
    }
}
