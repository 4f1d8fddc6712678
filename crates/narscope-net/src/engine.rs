//! Engines: implementations of the same network.
//!
//! The fused engine ([`crate::fused`]) runs whole blocks of samples over plain slices. The generic
//! engine (`narscope_model::generic`) defines the network in tensor operations. A model chooses one
//! when it is opened, a trainer when it is made; nothing after that asks which.

use narscope_clrs::probe::Probe;
use narscope_clrs::trace::Traces;

use crate::rollout::{Predictions, RolloutOptions, StepHook, Stochastic};
use crate::weights::Weights;

/// Runs a network with fixed weights.
pub trait Engine: Send + Sync {
    /// Runs a batch of a task.
    ///
    /// # Panics
    /// If a sample has no hint to start from.
    fn rollout(
        &self,
        task: usize,
        traces: &Traces,
        options: &RolloutOptions,
        hook: &mut dyn StepHook,
    ) -> Predictions;

    /// Estimate of the bytes that running `samples` samples of `nodes` nodes takes, without the
    /// predictions that are kept. With a hook, all samples advance together.
    fn bytes(&self, task: usize, nodes: usize, samples: usize, hooked: bool) -> usize;
}

/// Computes losses and gradients of a network.
pub trait TrainingEngine: Send {
    /// Runs a batch with everything that training does; returns the losses and the gradient.
    fn loss_and_gradient(
        &mut self,
        weights: &Weights,
        task: usize,
        traces: &Traces,
        stochastic: Stochastic,
    ) -> Gradient;

    /// Estimate of the bytes that an update on a batch takes.
    fn bytes(&self, task: usize, traces: &Traces) -> usize;

    /// Whether it keeps its memory from one update to the next.
    fn keeps_memory(&self) -> bool;
}

/// Losses of a batch: the mean of each probe, and their sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Losses {
    /// Stage and name of each probe, for example `hint/pi_h`, and its loss.
    pub probes: Vec<(String, f64)>,
    /// The sum.
    pub total: f64,
}

/// Losses of a batch and the gradient of their sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradient {
    /// The losses.
    pub losses: Losses,
    /// The gradient, one value per weight.
    pub values: Vec<f32>,
}

/// The name of a probe's loss: its stage and its name.
pub fn loss_name(probe: &Probe) -> String {
    format!("{}/{}", probe.stage.name(), probe.name)
}
