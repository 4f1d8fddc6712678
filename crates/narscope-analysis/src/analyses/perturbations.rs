//! Scores under perturbations of hidden states along the leading directions of clusters (table 1 of the paper).
//!
//! Code and text of the paper differ, so the table is computed in two ways; see [`Perturb`] and
//! [`Directions`] for what each does.

use std::fmt::Write as _;

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
            let _ = write!(
                sentence,
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
            key.extend(["_", along]);
            label.extend([", ", along, " direction"]);
        }
        if let Some(protocol) = self.protocol {
            key += protocol.suffix();
            label.extend([", ", protocol.words()]);
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

#[cfg(test)]
mod tests {
    use narscope_model::config::Draft;
    use narscope_model::{Model, OpenModel as _};

    use super::*;
    use crate::analysed::AnalysedModel;
    use crate::context::NoProgress;
    use crate::sampling::Sampling;

    /// An untrained network.
    fn model(algorithm: &str, processor: &str) -> AnalysedModel {
        let config = format!(
            "algorithms = ['{algorithm}']\nprocessor_type = '{processor}'\nhidden_size = 8"
        );
        let config = Draft::parse(&config).unwrap().finish().unwrap();
        AnalysedModel::new("untrained".to_owned(), Model::initial(&config).unwrap(), None).unwrap()
    }

    const SMALL: Sampling =
        Sampling { length: 6, clusters: 4, cluster_images: 4, scored: 8, ..Sampling::QUICK };

    fn run(model: &AnalysedModel, sampling: Sampling) -> Result<Perturbations> {
        Perturbations::run(&Context::new(model, sampling, &NoProgress))
    }

    #[test]
    fn both_protocols_are_evaluated_unless_one_is_chosen() {
        let model = model("bellman_ford", "linear_pgn");
        let both = run(&model, SMALL).unwrap();
        let measures = both.measures();
        let keys: Vec<&str> = measures.iter().map(|it| it.key.as_str()).collect();
        assert_eq!(
            keys,
            [
                "noise_free",
                "directional_closest_as_stated",
                "directional_mean_as_stated",
                "directional_closest_as_coded",
                "directional_mean_as_coded",
                "random_as_stated",
                "random_as_coded",
                "out_closest_as_stated",
                "out_mean_as_stated",
                "out_closest_as_coded",
                "out_mean_as_coded",
                "onto_closest_as_stated",
                "onto_mean_as_stated",
                "onto_closest_as_coded",
                "onto_mean_as_coded",
                "corrupt",
                "noise_free_graph_std",
            ]
        );
        let only = Sampling { protocol: Some(Protocol::AsCoded), ..SMALL };
        let coded = run(&model, only).unwrap();
        assert_eq!(coded.rows.len(), 9);
        for row in &coded.rows {
            assert!(both.rows.contains(row), "it does not depend on the other protocol: {row:?}");
        }
    }

    #[test]
    fn other_processors_are_analysed_and_other_algorithms_are_refused() {
        assert!(run(&model("bellman_ford", "gat"), SMALL).is_ok());
        let error = run(&model("bfs", "mpnn"), SMALL).unwrap_err();
        assert!(error.is_unsuitable());
        assert_eq!(
            error.to_string(),
            "perturbations needs a shortest-path algorithm, but bfs is not one"
        );
    }

    #[test]
    fn clusters_of_too_few_images_are_refused_without_stopping_other_analyses() {
        let model = model("bellman_ford", "mpnn");
        for images in [1, 2] {
            let error = run(&model, Sampling { cluster_images: images, ..SMALL }).unwrap_err();
            assert!(error.is_unsuitable());
            let wanted = format!(
                "perturbations needs more images in each cluster than principal components (2), but there are {images}"
            );
            assert_eq!(error.to_string(), wanted);
        }
        let many = Sampling { cluster_images: 12, components: Some(9), ..SMALL };
        assert_eq!(
            run(&model, many).unwrap_err().to_string(),
            "perturbations needs at least 9 hidden units, for 9 components, but there are 8"
        );
        let one = Sampling { cluster_images: 2, components: Some(1), ..SMALL };
        assert_eq!(run(&model, one).unwrap().components, 1);
    }
}
