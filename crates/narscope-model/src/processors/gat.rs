//! Graph attention. Veličković et al., *Graph Attention Networks* (2018).

use burn_tensor::Tensor;
use burn_tensor::activation::{leaky_relu, relu, softmax};

use super::{Processor, Reach, Settings};
use crate::features::{Features, Processed};
use crate::layers::{LayerNorm, Linear};
use crate::scope::Scope;

/// What is subtracted from the score of a node that is not heard.
const UNHEARD: f32 = 1e9;

/// The slope of a leaky rectifier below zero.
pub(super) const SLOPE: f64 = 0.01;

/// The switches of attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatConfig {
    /// Who attends to whom.
    pub reach: Reach,
}

/// Attention whose scores are sums of what the two ends say.
pub struct Gat {
    attention: Attention,
    listener: Linear,
    heard: Linear,
    edge: Linear,
    graph: Linear,
}

impl Gat {
    /// Asks for the weights, in the order in which the reference makes them.
    pub fn new(config: GatConfig, scope: &mut Scope<'_>, settings: &Settings) -> Self {
        let (h, heads) = (settings.hidden, settings.heads);
        let value = scope.linear("value", 2 * h, h);
        let skip = scope.linear("skip", 2 * h, h);
        Self {
            listener: scope.linear("listener", 2 * h, heads),
            heard: scope.linear("heard", 2 * h, heads),
            edge: scope.linear("edge", h, heads),
            graph: scope.linear("graph", h, heads),
            attention: Attention::new(config, scope, settings, value, skip),
        }
    }
}

impl Processor for Gat {
    fn step(&self, x: &Features, hidden: Tensor<3>) -> Processed {
        let z = Tensor::cat(vec![x.node.clone(), hidden], 2); // (B, N, 2H)
        // scores[b, i, j] is how much node i listens to node j.
        let scores = self.listener.forward(z.clone()).unsqueeze_dim::<4>(2) // (B, N, 1, heads)
            + self.heard.forward(z.clone()).unsqueeze_dim(1) // (B, 1, N, heads)
            + x.edge.through(&self.edge) // (B, N, N, heads)
            + self.graph.forward(x.graph.clone()).unsqueeze_dims(&[1, 1]);
        let scores = leaky_relu(scores, SLOPE).permute([0, 3, 1, 2]); // (B, heads, N, N)
        Processed { node: self.attention.listen(x, z, scores), edge: None }
    }
}

/// What both kinds of attention do with their scores.
pub(super) struct Attention {
    reach: Reach,
    heads: usize,
    value: Linear,
    skip: Linear,
    norm: Option<LayerNorm>,
}

impl Attention {
    /// Asks for what is left to ask for once the scores' layers are made.
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
    pub(super) fn listen(&self, x: &Features, z: Tensor<3>, scores: Tensor<4>) -> Tensor<3> {
        let scores = match self.reach.restrict(&x.adjacency) {
            Some(heard) => scores + (heard - 1.0).unsqueeze_dim::<4>(1) * UNHEARD,
            None => scores,
        };
        let values = self.value.forward(z.clone());
        let [b, n, h] = values.dims();
        let values = values.reshape([b, n, self.heads, h / self.heads]).swap_dims(1, 2);
        let heard = softmax(scores, 3).matmul(values); // (B, heads, N, H / heads)
        let next = heard.swap_dims(1, 2).reshape([b, n, h]) + self.skip.forward(z);
        let next = relu(next);
        match &self.norm {
            Some(norm) => norm.forward(next),
            None => next,
        }
    }
}
