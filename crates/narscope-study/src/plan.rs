//! What remains to be done for a study.

use narscope_analysis::analyses;
use narscope_analysis::sampling::Sampling;
use narscope_model::config::Config;

/// What remains to be done for a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Number of networks.
    pub networks: usize,
    /// Networks to train.
    pub training: Vec<RemainingTraining>,
    /// Number of answers to compute.
    pub answers: usize,
    /// Networks to analyse.
    pub samples: Vec<RemainingSamples>,
    /// Samples of the analyses.
    pub sampling: Sampling,
}

/// A network to train.
#[derive(Clone, Debug, PartialEq)]
pub struct RemainingTraining {
    /// Its configuration.
    pub config: Config,
    /// Number of training steps that remain; 0 if only the test remains.
    pub steps: usize,
}

/// A network to analyse.
#[derive(Clone, Debug, PartialEq)]
pub struct RemainingSamples {
    /// Its configuration.
    pub config: Config,
    /// Estimated number of samples to run it on.
    pub samples: usize,
}

/// Estimates the number of samples of some of the analyses. The score does not count: its samples are few.
pub(crate) fn samples_of(sampling: &Sampling, analyses: usize) -> usize {
    sampling.samples() * analyses / (analyses::ALL.len() - 1)
}
