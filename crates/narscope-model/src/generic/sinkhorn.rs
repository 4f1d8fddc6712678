//! The Sinkhorn iteration: from scores to the logarithm of a nearly doubly stochastic matrix.

use burn_tensor::Tensor;
use burn_tensor::activation::log_softmax;
use narscope_kernels::sinkhorn::{DIAGONAL_PENALTY, TEMPERATURE};

/// Normalises rows and columns alternately; the diagonal is excluded. Scores are `(B, N, N)`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generic::tensors::{floats, tensor};
    use burn_tensor::Device;
    use narscope_net::random::{Purpose, Stream};

    #[test]
    fn rows_and_columns_sum_to_one_and_the_diagonal_is_zero() {
        let (n, mut stream) = (6, Stream::new(1, Purpose::Noise, 0));
        let scores = (0..n * n).map(|_| stream.uniform()).collect();
        let x = floats(log_sinkhorn(tensor(scores, [1, n, n], &Device::flex()), 50).exp());
        for i in 0..n {
            let row: f32 = (0..n).map(|j| x[i * n + j]).sum();
            let column: f32 = (0..n).map(|j| x[j * n + i]).sum();
            assert!((row - 1.0).abs() < 1e-4 && (column - 1.0).abs() < 1e-4, "{row} {column}");
            assert_eq!(x[i * n + i], 0.0);
        }
    }
}
