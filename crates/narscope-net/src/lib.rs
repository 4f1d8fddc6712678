//! What a neural algorithmic reasoner is: its [configuration](config), [specs](spec) and
//! [`weights`], the [fused engine](fused) that runs and differentiates it, and [`Model`],
//! which predicts.
//!
//! This crate needs no tensor library, no file system and no threads (without its default feature
//! `rayon`), and builds for `wasm32-unknown-unknown`. `narscope-model` adds training, runs,
//! checkpoints and the generic engine in Burn, which is the definition of every network.
//!
//! ```
//! use narscope_clrs::options::Options;
//! use narscope_net::Model;
//!
//! let config = include_str!("../../narscope/networks/linear_pgn-42/config.toml");
//! let weights = include_bytes!("../../narscope/networks/linear_pgn-42/best.safetensors");
//! let model = Model::from_bytes(config, weights)?;
//! let task = model.task("bellman_ford")?;
//! let graphs = task.sample(64, &Options::default(), 1, 4)?;
//! println!("{:.3}", task.evaluate(&graphs)?.score);
//! # Ok::<(), narscope_net::Error>(())
//! ```
//!
//! Shapes have one legend: `B` batch, `T` steps, `N` nodes, `H` hidden units, `P` locations of a
//! probe (one, the nodes, or the pairs of nodes), `C` choices at each location.

pub mod config;
pub mod engine;
mod error;
pub mod evaluation;
pub mod feedback;
pub mod fused;
pub mod half;
mod loss;
pub mod memory;
pub mod model;
mod parallel;
pub mod pooling;
pub mod postprocess;
pub mod predict;
pub mod processor;
pub mod random;
pub mod rollout;
pub mod score;
pub mod sinkhorn;
pub mod spec;
pub mod trajectory;
pub mod values;
pub mod weights;

pub use config::Config;
pub use error::{Error, Result};
pub use model::{Model, Task};
pub use spec::Spec;
pub use weights::Weights;
