//! Neural algorithmic reasoners: training, evaluation, runs, checkpoints, and the generic engine in
//! Burn, which defines every network.
//!
//! [`Model`] is a network that can be run; [`OpenModel`] opens it from a run, a checkpoint, imported
//! weights, or with initial weights. [`Trainer`](train::Trainer) trains one step by step,
//! [`Run`](run::Run) trains it in a folder, resumable at any moment.
//!
//! ```
//! use narscope_model::config::Draft;
//! use narscope_model::train::Trainer;
//!
//! let config = "algorithms = ['bfs']\nprocessor_type = 'mpnn'\nhidden_size = 16\ntrain_lengths = [8]";
//! let mut trainer = Trainer::new(&Draft::parse(config)?.finish()?)?;
//! for _ in 0..5 {
//!     trainer.step()?;
//! }
//! let model = trainer.model()?;
//! let task = model.task("bfs")?;
//! let graphs = task.sample(16, &Default::default(), 1, 4)?;
//! println!("{:.3}", task.evaluate(&graphs)?.score);
//! # Ok::<(), narscope_model::Error>(())
//! ```
//!
//! Configuration, weights, predictions and the fused engine are in [`narscope_net`], which needs no
//! Burn and no files; what users need of it is re-exported here.

pub mod checkpoint;
pub mod config_file;
pub mod data;
pub mod declaration;
pub mod engines;
mod error;
pub mod generic;
pub mod haiku;
pub mod learner;
pub mod memory;
pub mod metrics;
pub mod numerics;
mod open;
pub mod optimise;
mod recorder;
pub mod run;
mod run_log;
mod run_training;
mod taken_weights;
mod test_progress;
pub mod train;
pub mod training_range;

pub use burn_tensor::{Device, Tensor, TensorData};
pub use error::{Error, Result};
pub use narscope_net::Error as NetError;
pub use narscope_net::{
    Model, Spec, Task, Weights, config, engine, evaluation, model, pooling, postprocess, predict,
    processor, random, rollout, score, spec, trajectory, weights,
};
pub use open::OpenModel;
