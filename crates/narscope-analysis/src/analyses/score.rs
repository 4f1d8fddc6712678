//! Score on the benchmark's test samples (section 5 and appendix C of the paper).

use narscope_model::evaluation::{Evaluation, ValidScore};
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::Result;
use crate::context::Context;

/// Score on the benchmark's test samples. Also reads the `test.json` that a run writes at the end of training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Number of samples.
    pub samples: usize,
    /// Number of nodes of each.
    pub nodes: usize,
    /// The score, as the reference computes it.
    pub score: f64,
    /// Share of samples whose outputs are all correct.
    pub exact: f64,
    /// Share of valid outputs, for algorithms with several correct outputs.
    pub valid: Option<ValidScore>,
}

impl From<Evaluation> for Score {
    fn from(evaluation: Evaluation) -> Self {
        let Evaluation { samples, nodes, score, exact, valid, .. } = evaluation;
        Self { samples, nodes, score, exact, valid }
    }
}

impl Analysis for Score {
    const NAME: &'static str = "score";
    const QUESTION: &'static str = "What does the network score?";
    const PAPER: &'static str = "Section 5 and appendix C: ablations of decay and temperature";

    fn run(context: &Context<'_>) -> Result<Self> {
        let model = context.model(Self::NAME)?;
        let traces = context.test_samples(Self::NAME)?;
        Ok(context.evaluate(Self::NAME, model, &traces)?.into())
    }

    fn sentence(&self) -> String {
        let Self { samples, nodes, score, exact, .. } = self;
        if *samples == 1 {
            return format!("It scores {:.1} % on one sample of {nodes} nodes.", 100.0 * score);
        }
        format!(
            "It scores {:.1} % on {samples} test samples of {nodes} nodes; {:.1} % of them have no error.",
            100.0 * score,
            100.0 * exact
        )
    }

    fn measures(&self) -> Vec<Measure> {
        vec![
            Measure::share("test", "test score", self.score),
            Measure::share("exact", "test samples without a mistake", self.exact),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_scores_that_a_run_writes_are_read() {
        let written = r#"{"algorithm": "bfs", "samples": 32, "nodes": 64, "score": 0.75, "outputs": [], "exact": 0.5}"#;
        let score: Score = serde_json::from_str(written).unwrap();
        let expected = Score { samples: 32, nodes: 64, score: 0.75, exact: 0.5, valid: None };
        assert_eq!(score, expected);
    }
}
