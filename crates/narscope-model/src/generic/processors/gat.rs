//! Graph attention. Veličković et al., *Graph Attention Networks* (2018).

use burn_tensor::Tensor;
use burn_tensor::activation::{leaky_relu, relu, softmax};
use narscope_net::processor::{GatConfig, Reach};

use super::{Processor, Settings, sent};
use crate::generic::features::{Features, Processed};
use crate::generic::layers::{LayerNorm, Linear};
use crate::generic::scope::Scope;

/// Subtracted from the score of a node that sends no message.
const MASKED: f32 = 1e9;

/// Negative slope of the leaky ReLU.
pub(super) const SLOPE: f64 = 0.01;

/// Attention with additive scores of the two ends.
pub struct Gat {
    attention: Attention,
    receiver: Linear,
    sender: Linear,
    edge: Linear,
    graph: Linear,
}

impl Gat {
    /// Requests the weights, in the order of the reference.
    pub fn new(config: GatConfig, scope: &mut Scope<'_>, settings: &Settings) -> Self {
        let (h, heads) = (settings.hidden, settings.heads);
        let value = scope.linear("value", 2 * h, h);
        let skip = scope.linear("skip", 2 * h, h);
        Self {
            // The names of these weights are those in files.
            receiver: scope.linear("listener", 2 * h, heads),
            sender: scope.linear("heard", 2 * h, heads),
            edge: scope.linear("edge", h, heads),
            graph: scope.linear("graph", h, heads),
            attention: Attention::new(config, scope, settings, value, skip),
        }
    }
}

impl Processor for Gat {
    fn step(&self, x: &Features, hidden: Tensor<3>) -> Processed {
        let z = Tensor::cat(vec![x.node.clone(), hidden], 2); // (B, N, 2H)
        // scores[b, i, j] is the attention of receiver i to sender j.
        let scores = self.receiver.forward(z.clone()).unsqueeze_dim::<4>(2) // (B, N, 1, heads)
            + self.sender.forward(z.clone()).unsqueeze_dim(1) // (B, 1, N, heads)
            + x.edge.through(&self.edge) // (B, N, N, heads)
            + self.graph.forward(x.graph.clone()).unsqueeze_dims(&[1, 1]);
        let scores = leaky_relu(scores, SLOPE).permute([0, 3, 1, 2]); // (B, heads, N, N)
        Processed { node: self.attention.forward(x, z, scores), edge: None }
    }
}

/// The part that both kinds of attention share: from scores to the next state.
pub(super) struct Attention {
    reach: Reach,
    heads: usize,
    value: Linear,
    skip: Linear,
    norm: Option<LayerNorm>,
}

impl Attention {
    /// Requests the weights that come after those of the scores.
    pub(super) fn new(
        config: GatConfig,
        scope: &mut Scope<'_>,
        settings: &Settings,
        value: Linear,
        skip: Linear,
    ) -> Self {
        let norm = settings.layer_norm.then(|| scope.layer_norm("norm", settings.hidden));
        Self { reach: config.reach, heads: settings.heads, value, skip, norm }
    }

    /// The next state `(B, N, H)`, from scores `(B, heads, N, N)`.
    pub(super) fn forward(&self, x: &Features, z: Tensor<3>, scores: Tensor<4>) -> Tensor<3> {
        let scores = match sent(self.reach, &x.adjacency) {
            Some(sent) => scores + (sent - 1.0).unsqueeze_dim::<4>(1) * MASKED,
            None => scores,
        };
        let values = self.value.forward(z.clone());
        let [b, n, h] = values.dims();
        let values = values.reshape([b, n, self.heads, h / self.heads]).swap_dims(1, 2);
        let attended = softmax(scores, 3).matmul(values); // (B, heads, N, H / heads)
        let next = attended.swap_dims(1, 2).reshape([b, n, h]) + self.skip.forward(z);
        let next = relu(next);
        match &self.norm {
            Some(norm) => norm.forward(next),
            None => next,
        }
    }
}
