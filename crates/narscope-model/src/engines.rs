//! The choice of engine, made once when a model is opened or a trainer is made: fused kernels where
//! they exist and the configuration asks for them, the generic engine otherwise.

use std::sync::Arc;

use narscope_clrs::trace::Traces;
use narscope_net::config::{Config, Kernels};
use narscope_net::engine::{Engine, Gradient, TrainingEngine};
use narscope_net::fused::{self, FusedEngine, FusedTrainer};
use narscope_net::rollout::Stochastic;
use narscope_net::spec::Spec;
use narscope_net::weights::{Parameter, Weights};
use narscope_net::{Error as NetError, Model, Task};

use crate::Result;
use crate::declaration::parameters;
use crate::generic::net::Net;
use crate::generic::{GenericEngine, GenericTrainer};
use crate::memory::{MemoryBudget, available};

/// Names and shapes of the parameters of a network.
pub fn network_parameters(config: &Config) -> Result<Vec<Parameter>> {
    Ok(parameters(&Net::declarations(config, &Spec::all(config)?)))
}

/// A model with given weights, its engine and the memory limit of this process.
pub(crate) fn model(config: &Config, weights: Weights) -> Result<Model> {
    let model = Model::with_engine(config.clone(), weights, make_engine)?;
    Ok(model.with_memory_limit(available))
}

/// Whether a network is run by fused kernels.
fn is_fused(config: &Config) -> bool {
    config.kernels == Kernels::Fused && fused::exists(config)
}

/// Whether a network is trained by fused kernels. Chunked training has none.
pub fn trains_fused(config: &Config) -> bool {
    is_fused(config) && !config.chunked_training
}

/// The engine of a network for prediction.
fn make_engine(
    config: &Config,
    specs: &[Spec],
    weights: &Weights,
) -> Result<Arc<dyn Engine>, NetError> {
    if is_fused(config) {
        return Ok(Arc::new(FusedEngine::new(config, specs, weights)?));
    }
    // In the order of the declarations, whatever the order of the given weights.
    let mut declared = Weights::zeros(parameters(&Net::declarations(config, specs)));
    let given: Vec<_> = weights.iter().collect();
    declared.fill(|wanted| {
        let found = given.iter().find(|(parameter, _)| parameter.name == wanted.name)?;
        Some((found.0.shape.as_slice(), found.1))
    })?;
    Ok(Arc::new(GenericEngine::new(config, specs, &declared)))
}

/// The engine of a network for training on whole samples.
pub(crate) fn make_training_engine(
    config: &Config,
    specs: &[Spec],
    weights: &Weights,
) -> Box<dyn TrainingEngine> {
    if is_fused(config) {
        Box::new(FusedTrainer::new(config, specs, &weights.parameters))
    } else {
        Box::new(GenericTrainer::new(config, specs))
    }
}

/// The losses of a network on one batch, and the gradient of their sum, with everything that
/// training does. A [`Trainer`](crate::train::Trainer) keeps its engine from batch to batch.
///
/// # Errors
/// If that does not fit into memory.
pub fn loss_and_gradient(
    task: Task<'_>,
    traces: &Traces,
    stochastic: Stochastic,
) -> Result<Gradient> {
    let model = task.model();
    let (config, specs, weights) = (model.config(), model.specs(), model.weights());
    let mut engine = make_training_engine(config, specs, weights);
    MemoryBudget::default().check_update(&*engine, task.spec(), task.index(), traces)?;
    Ok(engine.loss_and_gradient(weights, task.index(), traces, stochastic))
}
