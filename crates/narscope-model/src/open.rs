//! Opening models: from runs, checkpoints, imported weights, or with initial weights; with fused
//! kernels where they exist, with the generic engine otherwise.

use std::path::Path;
use std::sync::Arc;

use narscope_net::config::{Config, Kernels};
use narscope_net::engine::{Engine, TrainingEngine};
use narscope_net::fused::{self, FusedEngine, FusedTrainer};
use narscope_net::spec::Spec;
use narscope_net::weights::{Parameter, Weights};
use narscope_net::{Error as NetError, Model};

use crate::Result;
use crate::checkpoint::Checkpoint;
use crate::declaration::{initial_weights, parameters};
use crate::generic::net::Net;
use crate::generic::{GenericEngine, GenericTrainer};
use crate::memory::available;
use crate::run::{Run, Which};

/// Opens [`Model`]s with every engine.
///
/// ```no_run
/// use narscope_model::run::Which;
/// use narscope_model::{Model, OpenModel};
///
/// let model = Model::open("runs/bfs".as_ref(), Which::Best)?;
/// let task = model.task("bfs")?;
/// println!("{:.3}", task.evaluate(&task.benchmark(narscope_clrs::split::Split::Test)?)?.score);
/// # Ok::<(), narscope_model::Error>(())
/// ```
pub trait OpenModel: Sized {
    /// The model of a run.
    fn open(run: &Path, which: Which) -> Result<Self>;

    /// The model of a checkpoint file.
    fn from_checkpoint(config: &Config, file: &Path) -> Result<Self>;

    /// A model with given weights, for example [imported](crate::haiku::import) ones.
    fn from_weights(config: &Config, weights: Weights) -> Result<Self>;

    /// A model with initial weights.
    fn initial(config: &Config) -> Result<Self>;
}

impl OpenModel for Model {
    fn open(run: &Path, which: Which) -> Result<Self> {
        let run = Run::open(run)?;
        let weights = run.checkpoint(which)?.weights;
        Self::from_weights(&run.config, weights)
    }

    fn from_checkpoint(config: &Config, file: &Path) -> Result<Self> {
        let parameters = network_parameters(config)?;
        Self::from_weights(config, Checkpoint::read(file, parameters)?.weights)
    }

    fn from_weights(config: &Config, weights: Weights) -> Result<Self> {
        let model = Self::with_engine(config.clone(), weights, make_engine)?;
        Ok(model.with_memory_limit(available))
    }

    fn initial(config: &Config) -> Result<Self> {
        let declarations = Net::declarations(config, &Spec::all(config)?);
        Self::from_weights(config, initial_weights(&declarations, config.seed))
    }
}

/// Names and shapes of the parameters of a network.
pub fn network_parameters(config: &Config) -> Result<Vec<Parameter>> {
    Ok(parameters(&Net::declarations(config, &Spec::all(config)?)))
}

/// Whether a network is run by fused kernels: they exist, and the configuration does not ask for the
/// generic engine.
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
    let expected = parameters(&Net::declarations(config, specs));
    let mut bound = Weights::zeros(expected);
    let all: Vec<_> = weights.iter().collect();
    bound.fill(|wanted| {
        let found = all.iter().find(|(parameter, _)| parameter.name == wanted.name)?;
        Some((found.0.shape.as_slice(), found.1))
    })?;
    Ok(Arc::new(GenericEngine::new(config, specs, &bound)))
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

/// The losses of a network on a batch, and the gradient of their sum, with everything that training
/// does. For one batch; a [`Trainer`](crate::train::Trainer) keeps its engine.
///
/// # Errors
/// If that does not fit into memory.
pub fn loss_and_gradient(
    task: narscope_net::Task<'_>,
    traces: &narscope_clrs::trace::Traces,
    stochastic: narscope_net::rollout::Stochastic,
) -> Result<narscope_net::engine::Gradient> {
    let model = task.model();
    let (config, specs, weights) = (model.config(), model.specs(), model.weights());
    let mut engine = make_training_engine(config, specs, weights);
    let mut budget = crate::memory::MemoryBudget::default();
    budget.check_update(&*engine, task.spec(), task.index(), traces)?;
    Ok(engine.loss_and_gradient(weights, task.index(), traces, stochastic))
}
