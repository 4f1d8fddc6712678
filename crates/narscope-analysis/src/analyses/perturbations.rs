//! Scores under perturbations of hidden states along the leading directions of clusters (table 1 of the paper).
//!
//! Code and text of the paper differ, so the table is computed in two ways; see [`Perturb`] and
//! [`Directions`](crate::hooks::Directions) for what each does.

use narscope_model::pooling::Pooling;
use serde::{Deserialize, Serialize};

use super::{Analysis, Measure};
use crate::Result;
use crate::context::{Context, Request};
use crate::directions::Clusters;
use crate::hooks::{Along, Directions, Perturb, Perturbation};
use crate::protocol::Protocol;

/// Scores under perturbations of hidden states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Perturbations {
    /// Number of scored graphs.
    pub graphs: usize,
    /// Number of clusters that directions are taken from.
    pub clusters: usize,
    /// Number of directions of each cluster.
    pub components: usize,
    /// All perturbations, in the order of the paper's table.
    pub rows: Vec<Row>,
}

/// One perturbation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The perturbation.
    pub perturbation: Perturbation,
    /// Its directions, if it uses some.
    pub along: Option<Along>,
    /// How the experiment is repeated, if it makes a difference.
    pub protocol: Option<Protocol>,
    /// Mean score of the graphs.
    pub score: f64,
    /// Standard deviation of the scores of graphs, which is what the paper's table gives.
    pub graph_std: f64,
}

impl Analysis for Perturbations {
    const NAME: &'static str = "perturbations";
    const QUESTION: &'static str =
        "Does the score depend on the position along the leading directions of clusters?";
    const PAPER: &'static str = "Table 1, section 3.4";
    const REVISION: u32 = 6;
    const PROTOCOLS: Option<&'static str> = Some(
        "As stated, the directions of a cluster after a step are the first principal components of its states (two unless requested \
         otherwise); a graph gets those of the cluster whose centroid is nearest at this step, or the mean of each over all clusters with \
         agreeing signs. Every node gets noise of its own. Clusters are of base graphs with p = 0.5 and c = 1/4. As coded, base graphs have \
         p from {0.05, 0.10, …, 0.90} and c = 1/16; the nearest centroid is searched among all steps, and its number over all steps is used \
         as the number of a cluster, mostly that of the last one; the mean is one over steps instead of clusters, so that a direction \
         remains for each cluster, and projections onto all of them are summed; all nodes of 32 graphs get the same noise. Projections are \
         about the origin in both.",
    );

    fn run(context: &Context<'_>) -> Result<Self> {
        let clusters = context.sampling.protocols();
        let clusters = clusters.map(|protocol| Clusters::of(context, Self::NAME, protocol));
        let directions: Vec<Directions> =
            clusters.map(|it| Ok(it?.directions)).collect::<Result<_>>()?;
        let graphs = context.sampling.scored;
        let request = Request { seed_offset: 300, pooling: Pooling::Max, ..Request::new(graphs) };
        let traces = context.samples(Self::NAME, &request)?;
        let steps: Vec<usize> =
            (0..traces.len()).map(|i| request.steps.of(traces.steps(i))).collect();
        let mut rows = vec![];
        for perturbation in Perturbation::ALL {
            for (along, directions) in settings(perturbation, &directions) {
                let what = (perturbation, along.unwrap_or(Along::Closest));
                let mut hook = Perturb::new(what, directions, &steps, context.sampling.seed);
                let all = context.run(Self::NAME, &traces, &request, &mut hook)?;
                let protocol = depends_on_protocol(perturbation).then(|| directions.protocol());
                let (score, graph_std) = (all.mean_score(), standard_deviation(&all.scores));
                rows.push(Row { perturbation, along, protocol, score, graph_std });
            }
        }
        let components = context.sampling.components();
        Ok(Self { graphs, clusters: context.sampling.clusters, components, rows })
    }

    fn sentence(&self) -> String {
        let percent = |perturbation, protocol| {
            let score = self.score(perturbation, Along::Closest, protocol);
            format!("{:.1} %", 100.0 * score.unwrap_or(f64::NAN))
        };
        let plain = percent(Perturbation::NoiseFree, Protocol::AsStated);
        let mut sentence = format!("The score is {plain} without perturbation.");
        for protocol in self.protocols() {
            let of = |perturbation| percent(perturbation, protocol);
            sentence += &format!(
                " {}: {} with noise along the directions of the nearest cluster, {} with noise in a random direction, {} with these \
                 directions projected out, {} with states projected onto them.",
                protocol.title(),
                of(Perturbation::Directional),
                of(Perturbation::Random),
                of(Perturbation::Out),
                of(Perturbation::Onto),
            );
        }
        sentence
    }

    fn measures(&self) -> Vec<Measure> {
        let mut measures: Vec<Measure> = self.rows.iter().map(Row::measure).collect();
        let plain = self.rows.iter().find(|row| row.perturbation == Perturbation::NoiseFree);
        measures.extend(plain.map(|row| {
            let label = "standard deviation over graphs of the accuracy, noise free";
            Measure::share("noise_free_graph_std", label, row.graph_std)
        }));
        measures
    }
}

impl Row {
    fn measure(&self) -> Measure {
        let what = self.perturbation.name();
        let (mut key, mut label) = (what.to_owned(), format!("accuracy, {what}"));
        if let Some(along) = self.along.map(Along::name) {
            key += &format!("_{along}");
            label += &format!(", {along} direction");
        }
        if let Some(protocol) = self.protocol {
            key += protocol.suffix();
            label += &format!(", {}", protocol.words());
        }
        Measure::share(key, label.replace('_', " "), self.score)
    }
}

/// Whether the two protocols perturb in different ways.
fn depends_on_protocol(perturbation: Perturbation) -> bool {
    !matches!(perturbation, Perturbation::NoiseFree | Perturbation::Corrupt)
}

/// What a perturbation is evaluated with: which clusters, and the directions of each protocol.
fn settings(
    perturbation: Perturbation,
    directions: &[Directions],
) -> Vec<(Option<Along>, &Directions)> {
    let along: &[Option<Along>] = if perturbation.is_directed() {
        &[Some(Along::Closest), Some(Along::Mean)]
    } else {
        &[None]
    };
    let count = if depends_on_protocol(perturbation) { directions.len() } else { 1 };
    let each = directions[..count].iter();
    each.flat_map(|directions| along.iter().map(move |&along| (along, directions))).collect()
}

/// Standard deviation of the given scores themselves, with divisor `n`.
fn standard_deviation(scores: &[f64]) -> f64 {
    let count = scores.len().max(1) as f64;
    let mean = scores.iter().sum::<f64>() / count;
    (scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count).sqrt()
}

impl Perturbations {
    /// The protocols that were followed.
    pub fn protocols(&self) -> impl Iterator<Item = Protocol> {
        let is_there = |&it: &Protocol| self.rows.iter().any(|row| row.protocol == Some(it));
        Protocol::ALL.into_iter().filter(is_there)
    }

    /// Score under a perturbation with the directions of a protocol.
    pub fn score(
        &self,
        perturbation: Perturbation,
        along: Along,
        protocol: Protocol,
    ) -> Option<f64> {
        let is_it = |row: &&Row| {
            row.perturbation == perturbation
                && row.along.is_none_or(|other| other == along)
                && row.protocol.is_none_or(|other| other == protocol)
        };
        self.rows.iter().find(is_it).map(|row| row.score)
    }
}
