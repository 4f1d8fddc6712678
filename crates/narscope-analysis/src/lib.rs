//! Questions about what networks do inside, and answers as plain data.
//!
//! An [analysis](analyses) answers one question about one network: it draws samples, lets the
//! network run on them, looks at the [trajectories](narscope_model::trajectory) of its hidden states
//! or [touches](hooks) them on the way, and returns an answer that can be written down, compared
//! with the paper's and drawn. Nothing here draws or prints.

pub mod analyses;
pub mod answers;
pub mod directions;
mod error;
mod every_step;
pub mod histogram;
pub mod hooks;
pub mod linalg;
mod pointers;
pub mod recording;
mod runs;
pub mod study;
pub mod subject;

pub use error::{Error, Result};
