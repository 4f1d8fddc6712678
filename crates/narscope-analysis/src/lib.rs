//! Analyses of the hidden states of neural algorithmic reasoners, with answers as plain data.
//!
//! An [analysis](analyses) answers one question about one network: it draws samples, runs the network on them,
//! examines the [trajectories](narscope_model::trajectory) of its hidden states or [perturbs](hooks) them, and
//! returns an answer that can be serialised, compared with published numbers and drawn. Nothing here draws or prints.

pub mod analyses;
pub mod answers;
pub mod context;
pub mod directions;
mod error;
pub mod histogram;
pub mod hooks;
pub mod linalg;
mod pointers;
pub mod recording;
mod rollouts;
pub mod sampling;
mod step_outputs;
pub mod subject;

pub use error::{Error, Result};
