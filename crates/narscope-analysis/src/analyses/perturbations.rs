//! Scores under perturbations of hidden states along the leading directions of clusters (table 1 of the paper).
//!
//! The paper does not say whether noise is drawn per graph or per node, nor which point projections are relative to.
//! Both readings are evaluated; the first one is compared with the table.

use narscope_model::pooling::Pooling;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::Result;
use crate::context::{Context, Request};
use crate::directions::Clusters;
use crate::hooks::{Along, Perturb, Perturbation, Reading};

/// Scores under perturbations of hidden states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Perturbations {
    /// Number of scored graphs.
    pub graphs: usize,
    /// Number of clusters that directions are taken from.
    pub clusters: usize,
    /// All perturbations, in the order of the paper's table.
    pub rows: Vec<Row>,
}

/// One perturbation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The perturbation.
    pub perturbation: Perturbation,
    /// The direction, if it uses one.
    pub along: Option<Along>,
    /// How the paper is read, if it makes a difference.
    pub reading: Option<Reading>,
    /// Mean score of the graphs.
    pub score: f64,
}

impl Analysis for Perturbations {
    const NAME: &'static str = "perturbations";
    const QUESTION: &'static str =
        "Does the score depend on the position along the leading directions of clusters?";
    const PAPER: &'static str = "Table 1, section 3.4";

    fn run(context: &Context<'_>) -> Result<Self> {
        let directions = Clusters::of(context, Self::NAME)?.directions();
        let graphs = context.sampling.scored;
        let request = Request { seed_offset: 300, pooling: Pooling::Max, ..Request::new(graphs) };
        let traces = context.samples(Self::NAME, &request)?;
        let steps: Vec<usize> =
            (0..traces.len()).map(|i| request.steps.of(traces.steps(i))).collect();
        let mut rows = vec![];
        for perturbation in Perturbation::ALL {
            for (along, reading) in settings(perturbation) {
                let what =
                    (perturbation, along.unwrap_or(Along::Mean), reading.unwrap_or(Reading::Graph));
                let mut hook = Perturb::new(what, &directions, &steps, context.sampling.seed);
                let all = context.run(Self::NAME, &traces, &request, &mut hook)?;
                rows.push(Row { perturbation, along, reading, score: all.mean_score() });
            }
        }
        Ok(Self { graphs, clusters: context.sampling.clusters, rows })
    }

    fn sentence(&self) -> String {
        let percent = |perturbation| {
            let score = self.score(perturbation, Along::Closest, Reading::Graph);
            format!("{:.1} %", 100.0 * score.unwrap_or(f64::NAN))
        };
        format!(
            "The score is {} without perturbation, {} with noise along the direction of the nearest cluster, {} with noise in a random \
             direction, {} with that direction projected out, {} with states projected onto it.",
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

/// Directions and readings that a perturbation is evaluated with.
fn settings(perturbation: Perturbation) -> Vec<(Option<Along>, Option<Reading>)> {
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
    /// Score under a perturbation in one reading.
    pub fn score(&self, perturbation: Perturbation, along: Along, reading: Reading) -> Option<f64> {
        let is_it = |row: &&Row| {
            row.perturbation == perturbation
                && row.along.is_none_or(|other| other == along)
                && row.reading.is_none_or(|other| other == reading)
        };
        self.rows.iter().find(is_it).map(|row| row.score)
    }
}
