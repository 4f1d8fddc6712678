//! Graph attention whose scores depend on both ends jointly. Brody et al., *How Attentive are
//! Graph Attention Networks?* (2022).

use burn_tensor::Tensor;
use burn_tensor::activation::leaky_relu;
use narscope_net::processor::GatConfig;

use super::gat::{Attention, SLOPE};
use super::{Processor, Settings};
use crate::generic::features::{Features, Processed};
use crate::generic::layers::Linear;
use crate::generic::scope::Scope;

/// Attention with a separate score layer per head.
pub struct Gatv2 {
    attention: Attention,
    sender: Linear,
    receiver: Linear,
    edge: Linear,
    graph: Linear,
    scores: Vec<Linear>,
}

impl Gatv2 {
    /// Requests the weights, in the order of the reference.
    pub fn new(config: GatConfig, scope: &mut Scope<'_>, settings: &Settings) -> Self {
        let (h, heads) = (settings.hidden, settings.heads);
        let value = scope.linear("value", 2 * h, h);
        let skip = scope.linear("skip", 2 * h, h);
        Self {
            // The names of these weights are those in files.
            sender: scope.linear("heard", 2 * h, h),
            receiver: scope.linear("listener", 2 * h, h),
            edge: scope.linear("edge", h, h),
            graph: scope.linear("graph", h, h),
            scores: (0..heads)
                .map(|head| scope.linear(&format!("score.{head}"), h / heads, 1))
                .collect(),
            attention: Attention::new(config, scope, settings, value, skip),
        }
    }
}

impl Processor for Gatv2 {
    fn step(&self, x: &Features, hidden: Tensor<3>) -> Processed {
        let z = Tensor::cat(vec![x.node.clone(), hidden], 2); // (B, N, 2H)
        // pairs[b, i, j] belongs to receiver i and sender j.
        let pairs = self.sender.forward(z.clone()).unsqueeze_dim::<4>(1) // (B, 1, N, H)
            + self.receiver.forward(z.clone()).unsqueeze_dim(2) // (B, N, 1, H)
            + x.edge.through(&self.edge) // (B, N, N, H)
            + self.graph.forward(x.graph.clone()).unsqueeze_dims(&[1, 1]);
        let pairs = leaky_relu(pairs, SLOPE);
        let width = pairs.dims()[3] / self.scores.len();
        let heads = self.scores.iter().enumerate();
        let scores = heads.map(|(head, score)| {
            score.forward(pairs.clone().narrow(3, head * width, width)) // (B, N, N, 1)
        });
        let scores = Tensor::cat(scores.collect(), 3).permute([0, 3, 1, 2]); // (B, heads, N, N)
        Processed { node: self.attention.forward(x, z, scores), edge: None }
    }
}
