//! Features: what encoders hand to processors and decoders at one step.

use burn_tensor::Tensor;

use super::layers::Linear;

/// The encoded problem at one step.
#[derive(Clone, Debug)]
pub struct Features {
    /// `(B, N, H)`.
    pub node: Tensor<3>,
    /// Features of every pair of nodes.
    pub edge: EdgeFeatures,
    /// `(B, H)`.
    pub graph: Tensor<2>,
    /// 1 where two nodes are adjacent or the same, 0 elsewhere: `(B, N, N)`.
    pub adjacency: Tensor<3>,
}

/// Edge features, factored: a few values per edge, and the linear map that encodes them.
///
/// An encoded edge is a sum of linear encodings of its weight, its mask, the pointers along it. A
/// linear layer after that is one small matrix times the same few values, so the vectors of all
/// `B N N` edges need not be computed for it.
#[derive(Clone, Debug)]
pub struct EdgeFeatures {
    /// The values, `(B, N, N, K)`, and the map that encodes them, `(K, H)`, if there are any.
    pub encoded: Option<(Tensor<4>, Tensor<2>)>,
    /// The bias of every edge: `(H)`.
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
            Some((values, encoder)) => {
                Linear { weight: encoder.clone().matmul(layer.weight.clone()), bias }
                    .forward(values.clone())
            }
            None => self.on_every_edge(bias),
        }
    }

    /// The features as vectors: `(B, N, N, H)`.
    pub fn dense(&self) -> Tensor<4> {
        match self.encoded.clone() {
            Some((values, weight)) => Linear { weight, bias: self.bias.clone() }.forward(values),
            None => self.on_every_edge(self.bias.clone()),
        }
    }

    fn on_every_edge(&self, vector: Tensor<1>) -> Tensor<4> {
        let ([b, n], width) = (self.size, vector.dims()[0]);
        vector.reshape([1, 1, 1, width]).expand([b, n, n, width])
    }
}

/// The output of a processor step.
#[derive(Clone, Debug)]
pub struct Processed {
    /// The next hidden state: `(B, N, H)`.
    pub node: Tensor<3>,
    /// Edge states, if it has any: `(B, N, N, H)`.
    pub edge: Option<Tensor<4>>,
}
