//! Features: what encoders hand to processors and decoders at one step.

use burn_tensor::Tensor;

use crate::layers::Linear;

/// The encoded problem at one step.
#[derive(Clone, Debug)]
pub struct Features {
    /// `(B, N, H)`.
    pub node: Tensor<3>,
    /// What is encoded on every pair of nodes.
    pub edge: EdgeFeatures,
    /// `(B, H)`.
    pub graph: Tensor<2>,
    /// 1 where two nodes are linked or the same, 0 elsewhere: `(B, N, N)`.
    pub adjacency: Tensor<3>,
}

/// Edge features: a few numbers per edge, and the linear map that would make vectors of them.
///
/// An encoded edge is a sum of linear encodings of its weight, its mask, the pointers along it. A
/// linear layer after that is one small matrix times the same few numbers, so the vectors of all
/// `B N N` edges need not be made for it.
#[derive(Clone, Debug)]
pub struct EdgeFeatures {
    /// The numbers, `(B, N, N, K)`, and the map that encodes them, `(K, H)`. There may be none.
    pub encoded: Option<(Tensor<4>, Tensor<2>)>,
    /// What every edge has, whatever its numbers: `(H)`.
    pub bias: Tensor<1>,
    /// `B` and `N`.
    pub size: [usize; 2],
}

impl EdgeFeatures {
    /// A linear layer applied to the features: `(B, N, N, outputs)`.
    pub fn through(&self, layer: &Linear) -> Tensor<4> {
        let bias = layer.forward(self.bias.clone().unsqueeze::<2>()); // (1, outputs)
        let outputs = bias.dims()[1];
        let bias = bias.reshape([outputs]);
        match &self.encoded {
            // (K, H) times (H, outputs) comes first.
            Some((numbers, encoder)) => {
                Linear { weight: encoder.clone().matmul(layer.weight.clone()), bias }
                    .forward(numbers.clone())
            }
            None => self.everywhere(bias),
        }
    }

    /// The features as vectors: `(B, N, N, H)`.
    pub fn dense(&self) -> Tensor<4> {
        match self.encoded.clone() {
            Some((numbers, weight)) => Linear { weight, bias: self.bias.clone() }.forward(numbers),
            None => self.everywhere(self.bias.clone()),
        }
    }

    fn everywhere(&self, vector: Tensor<1>) -> Tensor<4> {
        let ([b, n], width) = (self.size, vector.dims()[0]);
        vector.reshape([1, 1, 1, width]).expand([b, n, n, width])
    }
}

/// What a processor made of the features at one step.
#[derive(Clone, Debug)]
pub struct Processed {
    /// The next hidden state: `(B, N, H)`.
    pub node: Tensor<3>,
    /// What it says of pairs of nodes, if anything: `(B, N, N, H)`.
    pub edge: Option<Tensor<4>>,
}
