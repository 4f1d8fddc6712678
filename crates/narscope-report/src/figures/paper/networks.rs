//! Answers of the networks that solve Bellman-Ford.

use narscope_analysis::analyses::Analysis;
use narscope_results::comparable::is_comparable;
use narscope_results::{AnswerGroup, NetworkAnswers};

use crate::Result;
use crate::figures::seeds::{Network, network};

/// The algorithm of all figures.
const ALGORITHM: &str = "bellman_ford";
/// The analysis whose samples decide whether the graphs are like the paper's: it has no samples of its own.
const SAMPLED: &str = "dimensionality";

/// Answers that figures are composed from.
pub(super) struct Networks<'a> {
    all: &'a [NetworkAnswers],
}

impl<'a> Networks<'a> {
    pub(super) fn new(all: &'a [NetworkAnswers]) -> Self {
        Self { all }
    }

    fn of_algorithm(&self) -> impl Iterator<Item = &'a NetworkAnswers> {
        self.all.iter().filter(|network| network.config.algorithms == [ALGORITHM])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.of_algorithm().next().is_none()
    }

    /// Whether all networks and graphs are like the paper's.
    pub(super) fn are_comparable(&self) -> bool {
        let is_like =
            |it: &NetworkAnswers| is_comparable(SAMPLED, &it.config, it.sampling.as_ref());
        self.of_algorithm().all(is_like)
    }

    /// The answers of one variant to the question of an analysis, with all seeds; `None` without any.
    pub(super) fn find<A: Analysis>(&self, variant: &str) -> Result<Option<Network<'a, A>>> {
        let of_variant = self.of_algorithm().filter(|network| network.variant == variant);
        let answers = of_variant.flat_map(|network| {
            let seed = network.seed;
            let answers = network.answers.iter().filter(|answer| answer.analysis == A::NAME);
            answers.map(move |answer| (network.variant.as_str(), seed, answer))
        });
        let answers: Vec<_> = answers.collect();
        let Some(&(variant, ..)) = answers.first() else { return Ok(None) };
        let answers = answers.into_iter().map(|(_, seed, answer)| (seed, answer)).collect();
        let group = AnswerGroup { variant, answers, is_comparable: self.are_comparable() };
        network(&group).map(Some)
    }
}
