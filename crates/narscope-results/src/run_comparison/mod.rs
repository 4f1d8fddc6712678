//! Several runs next to each other: configurations, learning curves, test scores and hidden states.
//!
//! This module holds the data, compares what needs no network, and writes text. `narscope-study` runs the
//! networks, `narscope-report` draws.

mod scores;
mod settings;
mod text;

use serde::Serialize;

pub use scores::{Pairing, SampleResult, ScoreDifference, TestResult, score_differences};
pub use settings::{SettingDifference, setting_differences, variants_of};

/// Several runs next to each other, on one algorithm that all were trained on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunComparison {
    /// The algorithm.
    pub algorithm: String,
    /// The runs. Differences are from the first.
    pub runs: Vec<ComparedRun>,
    /// Keys of the configuration in which the runs differ.
    pub settings: Vec<SettingDifference>,
    /// Nodes of the test samples.
    pub test_nodes: usize,
    /// Differences of test scores.
    pub differences: Vec<ScoreDifference>,
    /// Similarity of hidden states.
    pub hidden_states: HiddenStates,
}

/// One of the compared runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedRun {
    /// A letter, for tables and figures.
    pub label: String,
    /// Its folder.
    pub name: String,
    /// Name of the network without its seed: the same for runs that differ in their seed only.
    pub variant: String,
    /// Seed of the training.
    pub seed: u32,
    /// Validation scores during training: steps and scores. Empty for imported weights.
    pub validation: Vec<(usize, f64)>,
    /// Scores on the benchmark's test samples.
    pub test: TestResult,
}

/// Similarity of the hidden states of all runs on the same random samples.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HiddenStates {
    /// Number of samples.
    pub samples: usize,
    /// Nodes of each sample.
    pub nodes: usize,
    /// Linear CKA of the states of all nodes at all steps.
    pub similarity: Similarity,
    /// Other measures of the same states at all steps.
    pub beyond_chance: Estimates,
    /// These measures between untrained networks of the runs' configurations: what inputs and architecture alone
    /// make similar. `None` also if states are not finite.
    pub untrained: Estimates,
    /// Linear CKA step by step.
    pub by_step: Vec<StepSimilarity>,
    /// Per run, trajectories of the states in its first principal components, aligned with the first run's.
    pub trajectories: Vec<AlignedTrajectories>,
}

/// Measures that unrelated states do not inflate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimates {
    /// Debiased linear CKA: 0 in expectation for unrelated states, however few they are.
    pub debiased_cka: Similarity,
    /// Representational similarity: Spearman correlation of the distances between states.
    pub rsa: Similarity,
}

/// A similarity of every pair of runs, by row and column; `None` if all states of a run are equal.
pub type Similarity = Vec<Vec<Option<f64>>>;

/// Similarity at one step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepSimilarity {
    /// The step, counted from 1.
    pub step: usize,
    /// Number of samples that take so many steps.
    pub samples: usize,
    /// Linear CKA of every pair of runs.
    pub similarity: Similarity,
}

/// Trajectories of a run in three principal components.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AlignedTrajectories {
    /// Positions by sample and step: the maximum over the nodes, projected onto the principal components of
    /// the run, then rotated, mirrored, scaled and shifted to be closest to those of the first run.
    pub positions: Vec<Vec<[f32; 3]>>,
    /// Share of the variance of the run's states in its three components.
    pub explained: f64,
    /// What alignment leaves: the share of the variance of the first run's positions, from 0 to 1.
    pub disparity: f64,
}

/// The label of run `index`: A, B, …, Z, A2, B2, ….
pub fn label(index: usize) -> String {
    const LETTERS: usize = 26;
    let letter = char::from(b'A' + (index % LETTERS) as u8);
    match index / LETTERS {
        0 => letter.to_string(),
        round => format!("{letter}{}", round + 1),
    }
}
