//! Opening models: from runs, checkpoints, imported weights, or with initial weights.

use std::path::Path;

use narscope_net::Model;
use narscope_net::config::Config;
use narscope_net::spec::Spec;
use narscope_net::weights::Weights;

use crate::Result;
use crate::checkpoint::Checkpoint;
use crate::declaration::initial_weights;
use crate::engines::{self, network_parameters};
use crate::generic::net::Net;
use crate::run::{Run, Which};

/// Opens [`Model`]s with every engine.
///
/// ```no_run
/// use narscope_clrs::split::Split;
/// use narscope_model::run::Which;
/// use narscope_model::{Model, OpenModel};
///
/// let model = Model::open("runs/bfs".as_ref(), Which::Best)?;
/// let task = model.task("bfs")?;
/// println!("{:.3}", task.evaluate(&task.benchmark(Split::Test)?)?.score);
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
        engines::model(config, weights)
    }

    fn initial(config: &Config) -> Result<Self> {
        let declarations = Net::declarations(config, &Spec::all(config)?);
        Self::from_weights(config, initial_weights(&declarations, config.seed))
    }
}
