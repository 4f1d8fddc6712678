//! Pointer graph networks and their relatives: message passing with switches.
//!
//! Veličković et al., *Pointer Graph Networks* (2020); Ibarz et al., *A Generalist Neural
//! Algorithmic Learner* (2022) for triplets and gates; `linear` is the paper's `LinearPGN`.

use burn_tensor::Tensor;
use burn_tensor::activation::{relu, sigmoid};
use narscope_net::processor::PgnConfig;

use super::{Processor, Settings, sent};
use crate::generic::aggregate::Aggregator;
use crate::generic::features::{Features, Processed};
use crate::generic::layers::{LayerNorm, Linear};
use crate::generic::scope::{LinearInit, Scope};

/// Message passing.
pub struct Pgn {
    config: PgnConfig,
    aggregator: Aggregator,
    receiver: Linear,
    sender: Linear,
    edge: Linear,
    graph: Linear,
    message: Vec<Linear>,
    skip: Linear,
    inbox: Linear,
    triplets: Option<Triplets>,
    norm: Option<LayerNorm>,
    gate: Option<Gate>,
}

impl Pgn {
    /// Requests the weights, in the order of the reference.
    pub fn new(config: PgnConfig, scope: &mut Scope<'_>, settings: &Settings) -> Self {
        let h = settings.hidden;
        Self {
            config,
            aggregator: settings.aggregator.clone(),
            receiver: scope.linear("receiver", 2 * h, h),
            sender: scope.linear("sender", 2 * h, h),
            edge: scope.linear("edge", h, h),
            graph: scope.linear("graph", h, h),
            message: scope.perceptron("message", &[h, h, h]),
            skip: scope.linear("skip", 2 * h, h),
            inbox: scope.linear("inbox", h, h),
            triplets: config.triplets.then(|| Triplets::new(scope, h, settings.triplet_channels)),
            norm: settings.layer_norm.then(|| scope.layer_norm("norm", h)),
            gate: config.gated.then(|| Gate::new(scope, h)),
        }
    }

    /// ReLU, unless the processor is linear.
    fn activate<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        if self.config.linear { x } else { relu(x) }
    }
}

impl Processor for Pgn {
    fn step(&self, x: &Features, hidden: Tensor<3>) -> Processed {
        let z = Tensor::cat(vec![x.node.clone(), hidden.clone()], 2); // (B, N, 2H)

        // messages[b, s, r] goes from node s to node r.
        let mut messages = self.sender.forward(z.clone()).unsqueeze_dim::<4>(2) // (B, N, 1, H)
            + self.receiver.forward(z.clone()).unsqueeze_dim(1) // (B, 1, N, H)
            + x.edge.through(&self.edge) // (B, N, N, H)
            + self.graph.forward(x.graph.clone()).unsqueeze_dims(&[1, 1]); // (B, 1, 1, H)
        for layer in &self.message {
            messages = layer.forward(self.activate(messages));
        }
        let inbox = self.aggregator.reduce(messages, sent(self.config.reach, &x.adjacency));

        let mut next = self.skip.forward(z.clone()) + self.inbox.forward(inbox.clone());
        next = self.activate(next); // (B, N, H)
        if let Some(norm) = &self.norm {
            next = norm.forward(next);
        }
        if let Some(gate) = &self.gate {
            next = gate.mix(z.clone(), inbox, hidden, next);
        }
        Processed { node: next, edge: self.triplets.as_ref().map(|triplets| triplets.step(x, z)) }
    }
}

/// Messages to edges, from all third nodes.
struct Triplets {
    node: [Linear; 3],
    edge: [Linear; 3],
    graph: Linear,
    output: Linear,
}

impl Triplets {
    fn new(scope: &mut Scope<'_>, h: usize, channels: usize) -> Self {
        Self {
            node: ["first", "second", "third"]
                .map(|end| scope.linear(&format!("triplet.{end}"), 2 * h, channels)),
            edge: ["first_second", "first_third", "second_third"]
                .map(|pair| scope.linear(&format!("triplet.{pair}"), h, channels)),
            graph: scope.linear("triplet.graph", h, channels),
            output: scope.linear("triplet.output", channels, h),
        }
    }

    /// Edge states: `(B, N, N, H)`.
    fn step(&self, x: &Features, z: Tensor<3>) -> Tensor<4> {
        // Only three of the seven terms depend on the first node i; the others are added after the
        // maximum over it.
        let first = self.node[0].forward(z.clone()).unsqueeze_dim::<4>(2); // (B, i, 1, F)
        let to_second = first + x.edge.through(&self.edge[0]); // (B, i, j, F)
        let to_third = x.edge.through(&self.edge[1]); // (B, i, k, F)
        let largest = (to_second.unsqueeze_dim::<5>(3) + to_third.unsqueeze_dim(2)).max_dim(1);
        let pair = largest.squeeze_dim::<4>(1) // (B, j, k, F)
            + self.node[1].forward(z.clone()).unsqueeze_dim::<4>(2) // (B, j, 1, F)
            + self.node[2].forward(z).unsqueeze_dim(1) // (B, 1, k, F)
            + x.edge.through(&self.edge[2]) // (B, j, k, F)
            + self.graph.forward(x.graph.clone()).unsqueeze_dims(&[1, 1]);
        relu(self.output.forward(pair))
    }
}

/// Mixes the old state into the new one, channel by channel.
struct Gate {
    skip: Linear,
    inbox: Linear,
    output: Linear,
}

impl Gate {
    fn new(scope: &mut Scope<'_>, h: usize) -> Self {
        // Initially, the gate keeps almost all of the old state.
        let closed = LinearInit { bias: -3.0, ..LinearInit::DEFAULT };
        Self {
            skip: scope.linear("gate.skip", 2 * h, h),
            inbox: scope.linear("gate.inbox", h, h),
            output: scope.linear_from("gate.output", h, h, closed),
        }
    }

    fn mix(&self, z: Tensor<3>, inbox: Tensor<3>, old: Tensor<3>, new: Tensor<3>) -> Tensor<3> {
        let hidden = relu(self.skip.forward(z) + self.inbox.forward(inbox));
        let open = sigmoid(self.output.forward(hidden));
        open.clone() * new + (-open + 1.0) * old
    }
}
