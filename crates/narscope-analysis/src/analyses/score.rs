//! What the network scores on the benchmark's test samples (section 5 and appendix C of the paper).

use narscope_model::evaluate::{Evaluation, ValidScore};
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::Result;
use crate::study::Study;

/// What the network scores. Also what a run wrote down when its training was over, for whoever has no more of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// How many samples there were.
    pub samples: usize,
    /// The size of each.
    pub nodes: usize,
    /// The score, as the reference counts.
    pub score: f64,
    /// The share of samples whose outputs are right to the last place.
    pub exact: f64,
    /// How much of the answers stands up by itself, where more than one answer is right.
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

    fn of(study: &Study<'_>) -> Result<Self> {
        let subject = study.subject(Self::NAME)?;
        let traces = study.test_samples(Self::NAME)?;
        Ok(study.evaluate(Self::NAME, subject, &traces)?.into())
    }

    fn sentence(&self) -> String {
        let Self { samples, nodes, score, exact, .. } = self;
        format!(
            "It scores {:.1} % on {samples} test samples of {nodes} nodes, and makes no mistake on {:.1} % of them.",
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
    fn what_a_run_wrote_down_after_its_training_is_its_score() {
        let written = r#"{"algorithm": "bfs", "samples": 32, "nodes": 64, "score": 0.75, "outputs": [], "exact": 0.5}"#;
        let score: Score = serde_json::from_str(written).unwrap();
        let expected = Score { samples: 32, nodes: 64, score: 0.75, exact: 0.5, valid: None };
        assert_eq!(score, expected);
    }
}
