//! Graph attention whose scores depend on both ends together. Brody et al., *How Attentive are
//! Graph Attention Networks?* (2022).

use burn_tensor::Tensor;
use burn_tensor::activation::leaky_relu;

use super::gat::{Attention, GatConfig, SLOPE};
use super::{Processor, Settings};
use crate::features::{Features, Processed};
use crate::layers::Linear;
use crate::scope::Scope;

/// Attention with a score network of its own per head.
pub struct Gatv2 {
    attention: Attention,
    heard: Linear,
    listener: Linear,
    edge: Linear,
    graph: Linear,
    scores: Vec<Linear>,
}

impl Gatv2 {
    /// Asks for the weights, in the order in which the reference makes them.
    pub fn new(config: GatConfig, scope: &mut Scope<'_>, settings: &Settings) -> Self {
        let (h, heads) = (settings.hidden, settings.heads);
        let value = scope.linear("value", 2 * h, h);
        let skip = scope.linear("skip", 2 * h, h);
        Self {
            heard: scope.linear("heard", 2 * h, h),
            listener: scope.linear("listener", 2 * h, h),
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
        // pairs[b, i, j] says what node i, who listens, makes of node j.
        let pairs = self.heard.forward(z.clone()).unsqueeze_dim::<4>(1) // (B, 1, N, H)
            + self.listener.forward(z.clone()).unsqueeze_dim(2) // (B, N, 1, H)
            + x.edge.through(&self.edge) // (B, N, N, H)
            + self.graph.forward(x.graph.clone()).unsqueeze_dims(&[1, 1]);
        let pairs = leaky_relu(pairs, SLOPE);
        let width = pairs.dims()[3] / self.scores.len();
        let heads = self.scores.iter().enumerate();
        let scores = heads.map(|(head, score)| {
            score.forward(pairs.clone().narrow(3, head * width, width)) // (B, N, N, 1)
        });
        let scores = Tensor::cat(scores.collect(), 3).permute([0, 3, 1, 2]); // (B, heads, N, N)
        Processed { node: self.attention.listen(x, z, scores), edge: None }
    }
}
