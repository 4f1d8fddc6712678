//! What several tests of networks share.

#![allow(dead_code, reason = "no test uses all of it")]

use narscope_clrs::trace::Traces;
use narscope_model::config::Config;
use narscope_model::declaration::{Declaration, initial_weights};
use narscope_model::engine::Gradient;
use narscope_model::engines::loss_and_gradient;
use narscope_model::generic::net::Net;
use narscope_model::rollout::Stochastic;
use narscope_model::{Model, OpenModel as _, Spec, Weights};

/// No forcing, no dropout, no noise.
pub(crate) const DETERMINISTIC: Stochastic =
    Stochastic { teacher_forcing: 0.0, dropout: 0.0, gumbel_noise: false, seed: 1, update: 0 };

pub(crate) fn declarations(config: &Config) -> Vec<Declaration> {
    Net::declarations(config, &Spec::all(config).unwrap())
}

pub(crate) fn initial(config: &Config, seed: u32) -> Weights {
    initial_weights(&declarations(config), seed)
}

pub(crate) fn model(config: &Config, weights: &Weights) -> Model {
    Model::from_weights(config, weights.clone()).unwrap()
}

/// Losses and gradient of a batch of a task.
pub(crate) fn gradient(
    config: &Config,
    weights: &Weights,
    task: usize,
    traces: &Traces,
    stochastic: Stochastic,
) -> Gradient {
    let model = model(config, weights);
    let task = model.tasks().nth(task).unwrap();
    loss_and_gradient(task, traces, stochastic).unwrap()
}
