//! How much it hurts to move hidden states along the directions of reweighting (table 1 of the
//! paper).

use narscope_model::trajectory::Kept;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::Result;
use crate::directions::Database;
use crate::hooks::{Along, Perturb, Perturbation};
use crate::study::{Ask, Study};

/// How much it hurts to move hidden states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Perturbations {
    /// How many graphs were scored.
    pub graphs: usize,
    /// How many clusters directions were taken from.
    pub clusters: usize,
    /// All that was done, in the order of the paper's table.
    pub rows: Vec<Row>,
}

/// One perturbation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What was done.
    pub perturbation: Perturbation,
    /// Along which direction, where that matters.
    pub along: Option<Along>,
    /// The mean score of the graphs.
    pub score: f64,
}

impl Analysis for Perturbations {
    const NAME: &'static str = "perturbations";
    const QUESTION: &'static str =
        "Does moving along the directions of reweighting change what the network answers?";
    const PAPER: &'static str = "Table 1, section 3.4";

    fn of(study: &Study<'_>) -> Result<Self> {
        let directions = Database::of(study, Self::NAME)?.directions();
        let graphs = study.size.scored;
        let ask = Ask { offset: 300, kept: Kept::Max, ..Ask::new(graphs) };
        let traces = study.samples(Self::NAME, &ask)?;
        let steps: Vec<usize> = (0..traces.len()).map(|i| ask.steps.of(traces.steps(i))).collect();
        let mut rows = vec![];
        for perturbation in Perturbation::ALL {
            let ways: &[Option<Along>] = if perturbation.is_directed() {
                &[Some(Along::Closest), Some(Along::Mean)]
            } else {
                &[None]
            };
            for &along in ways {
                let what = (perturbation, along.unwrap_or(Along::Mean));
                let mut hook = Perturb::new(what, &directions, &steps, study.size.seed);
                let all = study.run(Self::NAME, &traces, &ask, &mut hook)?;
                rows.push(Row { perturbation, along, score: all.mean_score() });
            }
        }
        Ok(Self { graphs, clusters: study.size.clusters, rows })
    }

    fn sentence(&self) -> String {
        let percent = |perturbation, along| match self.score(perturbation, along) {
            Some(score) => format!("{:.1} %", 100.0 * score),
            None => "nothing".to_owned(),
        };
        let closest = Some(Along::Closest);
        format!(
            "Of {} without noise, noise along the direction of the nearest cluster leaves {}, random noise {}, taking the direction out \
             {}, keeping nothing else {}.",
            percent(Perturbation::NoiseFree, None),
            percent(Perturbation::Directional, closest),
            percent(Perturbation::Random, None),
            percent(Perturbation::Out, closest),
            percent(Perturbation::Onto, closest),
        )
    }

    fn measures(&self) -> Vec<Measure> {
        let measure = |row: &Row| {
            let what = row.perturbation.name();
            let (key, label) = match row.along.map(Along::name) {
                Some(along) => {
                    (format!("{what}_{along}"), format!("accuracy, {what}, {along} direction"))
                }
                None => (what.to_owned(), format!("accuracy, {what}")),
            };
            Measure::share(key, label.replace('_', " "), row.score)
        };
        self.rows.iter().map(measure).collect()
    }
}

impl Perturbations {
    /// The score under a perturbation.
    pub fn score(&self, perturbation: Perturbation, along: Option<Along>) -> Option<f64> {
        let row = self.rows.iter();
        let mut row = row.filter(|row| row.perturbation == perturbation && row.along == along);
        row.next().map(|row| row.score)
    }
}
