//! Recordings: trajectories and predictions in files, for NumPy and for analyses.
//!
//! `narscope record` and `narscope predict` write them, in the layout of `docs/files.md`:
//!
//! ```text
//! lengths            [B]               number of true hints
//! steps              [B]               number of steps of the network
//! score              [B]               mean score of the sample's outputs; for masks, the mean over samples
//!                                      differs from `evaluate`, which computes one F1 over all samples
//! cluster            [B]               index of the base graph, if samples are images of graphs
//! hidden             [B, S, N, H]      states after each step, or [B, S, H] if pooled over nodes
//! input/PROBE        [B, …]            as given to the network
//! hint/PROBE         [B, T, …]         true hints: the given one, then one per step of the algorithm
//! output/PROBE       [B, …]            true outputs
//! predicted/…        [B, S, …]         predictions of hints after each step, and of outputs [B, …]
//! logits/…           [B, S, …]         the same before a decision is made
//! ```
//!
//! Predictions have the encoding and the type of the true values. Everything after a sample's own end is zero.

mod layout;
mod read;
mod version1;
mod write;

use narscope_model::pooling::Pooling;
use narscope_model::trajectory::Trajectories;
use serde_json::Value;

use crate::hooks::{Along, Directions, Perturbation};
pub use read::{convert, read};
pub use write::write;

/// Number of samples that are run, or read, before they are written.
const CHUNK: usize = 256;

/// What is recorded, besides the network and its samples.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Where the samples come from, for readers of the file.
    pub source: Option<Value>,
    /// Names of the nodes of each sample.
    pub names: Option<Vec<Vec<String>>>,
    /// Whether the graphs are directed.
    pub directed: Option<bool>,
    /// What is kept of the hidden states, if anything.
    pub hidden: Option<Pooling>,
    /// Which raw predictions are kept.
    pub logits: KeptLogits,
    /// Names and values of losses of all samples together.
    pub losses: Vec<(String, f32)>,
    /// Number of base graphs, if samples are images of graphs.
    pub classes: Option<usize>,
    /// Perturbation of states during the recording.
    pub perturbed: Option<Perturbed>,
}

/// Which raw predictions are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeptLogits {
    /// None.
    #[default]
    Nothing,
    /// Those of hints, and of outputs after the last step of each sample.
    AtEnd,
    /// Those of hints, and of outputs after the last step of each sample and after every step.
    EveryStep,
}

/// A perturbation of states during a recording.
#[derive(Clone, Debug)]
pub struct Perturbed {
    /// The perturbation.
    pub perturbation: Perturbation,
    /// Which clusters its directions are from.
    pub along: Along,
    /// Centroids and directions of clusters at each step, and how they are used.
    pub directions: Directions,
    /// Seed of the noise.
    pub seed: u32,
}

/// A recording read from a file.
pub struct Recording {
    /// The recorded trajectories.
    pub trajectories: Trajectories,
    /// Index of the base graph of each sample, if samples are images of graphs.
    pub clusters: Option<Vec<usize>>,
    /// The algorithm.
    pub algorithm: String,
    /// Name of the folder of the run.
    pub run: String,
}
