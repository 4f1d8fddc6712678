//! Linear layers and layer norm.

use burn_tensor::Tensor;
use narscope_kernels::norm::EPSILON;

/// `y = x W + b` over the last axis.
#[derive(Clone, Debug)]
pub struct Linear {
    /// `W`, inputs by outputs.
    pub weight: Tensor<2>,
    /// `b`.
    pub bias: Tensor<1>,
}

impl Linear {
    /// Applies the layer to the last axis.
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        let mut shape = x.dims();
        let (rows, inputs) = (shape[..D - 1].iter().product::<usize>(), shape[D - 1]);
        let y = x.reshape([rows, inputs]).matmul(self.weight.clone())
            + self.bias.clone().unsqueeze::<2>();
        shape[D - 1] = self.bias.dims()[0];
        y.reshape(shape)
    }

    /// The layer for the first inputs, which keeps the bias, and the weights for the rest.
    pub fn split(&self, first: usize) -> (Self, Tensor<2>) {
        let [inputs, _] = self.weight.dims();
        let (head, tail) = (
            self.weight.clone().narrow(0, 0, first),
            self.weight.clone().narrow(0, first, inputs - first),
        );
        (Self { weight: head, bias: self.bias.clone() }, tail)
    }
}

/// Layer normalisation over the last axis.
#[derive(Clone, Debug)]
pub struct LayerNorm {
    /// Factor of the normalised values.
    pub scale: Tensor<1>,
    /// Added to the normalised values.
    pub offset: Tensor<1>,
}

impl LayerNorm {
    /// Applies the layer to the last axis.
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        let centred = x.clone() - x.mean_dim(D - 1);
        let variance = centred.clone().square().mean_dim(D - 1);
        centred / (variance + EPSILON).sqrt() * self.scale.clone().unsqueeze()
            + self.offset.clone().unsqueeze()
    }
}
