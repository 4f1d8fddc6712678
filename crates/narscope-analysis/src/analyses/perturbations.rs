//! How much it hurts to move hidden states along the directions of reweighting (table 1 of the
//! paper).
//!
//! The paper does not say whether noise is drawn for a graph or for each of its nodes, nor about which
//! point states are projected. Both readings are tried; the first one is compared with the table.

use narscope_model::trajectory::Kept;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::Result;
use crate::directions::Database;
use crate::hooks::{Along, Perturb, Perturbation, Reading};
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
    /// How the paper is read, where that matters.
    pub reading: Option<Reading>,
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
            for (along, reading) in ways(perturbation) {
                let what =
                    (perturbation, along.unwrap_or(Along::Mean), reading.unwrap_or(Reading::Graph));
                let mut hook = Perturb::new(what, &directions, &steps, study.size.seed);
                let all = study.run(Self::NAME, &traces, &ask, &mut hook)?;
                rows.push(Row { perturbation, along, reading, score: all.mean_score() });
            }
        }
        Ok(Self { graphs, clusters: study.size.clusters, rows })
    }

    fn sentence(&self) -> String {
        let percent = |perturbation| {
            let score = self.score(perturbation, Along::Closest, Reading::Graph);
            format!("{:.1} %", 100.0 * score.unwrap_or(f64::NAN))
        };
        format!(
            "Of {} without noise, noise along the direction of the nearest cluster leaves {}, random noise {}, taking the direction out \
             {}, keeping nothing else {}.",
            percent(Perturbation::NoiseFree),
            percent(Perturbation::Directional),
            percent(Perturbation::Random),
            percent(Perturbation::Out),
            percent(Perturbation::Onto),
        )
    }

    fn measures(&self) -> Vec<Measure> {
        let measure = |row: &Row| {
            let what = row.perturbation.name();
            let (mut key, mut label) = match row.along.map(Along::name) {
                Some(along) => {
                    (format!("{what}_{along}"), format!("accuracy, {what}, {along} direction"))
                }
                None => (what.to_owned(), format!("accuracy, {what}")),
            };
            if row.reading == Some(Reading::Node) {
                key += "_by_node";
                label += ", node by node";
            }
            Measure::share(key, label.replace('_', " "), row.score)
        };
        self.rows.iter().map(measure).collect()
    }
}

/// All that is done for a perturbation: along which direction, and in which reading.
fn ways(perturbation: Perturbation) -> Vec<(Option<Along>, Option<Reading>)> {
    let along: &[Option<Along>] = if perturbation.is_directed() {
        &[Some(Along::Closest), Some(Along::Mean)]
    } else {
        &[None]
    };
    let readings: &[Option<Reading>] = match perturbation {
        Perturbation::NoiseFree | Perturbation::Corrupt => &[None],
        _ => &[Some(Reading::Graph), Some(Reading::Node)],
    };
    let pairs = readings.iter().flat_map(|&reading| along.iter().map(move |&it| (it, reading)));
    pairs.collect()
}

impl Perturbations {
    /// The score under a perturbation in one reading.
    pub fn score(&self, perturbation: Perturbation, along: Along, reading: Reading) -> Option<f64> {
        let is_it = |row: &&Row| {
            row.perturbation == perturbation
                && row.along.is_none_or(|other| other == along)
                && row.reading.is_none_or(|other| other == reading)
        };
        self.rows.iter().find(is_it).map(|row| row.score)
    }
}
