//! Do networks that differ in their seeds only fall into two kinds? What decides, and what does the kind predict?
//!
//! Every network has one number, its **leaning**: the share of nodes whose final answer is that of a faulty variant of
//! the algorithm, minus the share whose answer is that of the algorithm. The questions, tests and limits are those of
//! `experiments/kinds.md`, which was written before its networks were trained.

mod findings;
mod measured;
mod text;

use narscope_analysis::behaviour::Graphs;
use serde::Serialize;

use crate::{Error, Result};

pub use findings::{
    Decider, Findings, GridFindings, Modality, OUTCOMES, Outcome, OutcomeDifference, Threshold,
    ThresholdRule,
};
pub use measured::MeasuredNetwork;

/// Networks with a lower validation score have not learned the task.
pub const LEARNED: f64 = 0.8;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindsOptions {
    /// The faulty variant, such as `decay`.
    pub variant: String,
    /// Number of networks that were planned.
    pub planned: usize,
    /// Numbers of draws.
    pub draws: Draws,
    /// Seed of all draws.
    pub seed: u32,
}

/// Numbers of draws for p-values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws {
    /// Uniform samples for the dip test.
    pub dip: usize,
    /// Samples of one normal distribution for the test of the mixture.
    pub mixture: usize,
    /// Permutations for each seed.
    pub permutations: usize,
}

impl Default for Draws {
    /// As planned.
    fn default() -> Self {
        Self { dip: 10_000, mixture: 999, permutations: 10_000 }
    }
}

/// A network with its leaning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeaningNetwork {
    /// Share of nodes that agree with the variant minus the share that agree with the algorithm.
    pub leaning: f64,
    /// The network and its behaviour.
    #[serde(flatten)]
    pub network: MeasuredNetwork,
}

impl LeaningNetwork {
    /// Whether its validation score is known and below [`LEARNED`].
    pub fn is_unlearned(&self) -> bool {
        self.network.validation.is_some_and(|score| score < LEARNED)
    }
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Kinds {
    /// The algorithm.
    pub algorithm: String,
    /// The faulty variant.
    pub variant: String,
    /// Number of networks that were planned.
    pub planned: usize,
    /// The graphs that all networks were measured on.
    pub graphs: Graphs,
    /// The networks, by seed of weights and seed of data.
    pub networks: Vec<LeaningNetwork>,
    /// The answer for all networks.
    pub all: Findings,
    /// The answer without networks that have not learned the task; the same if there are none.
    pub learned: Findings,
}

impl Kinds {
    /// Answers all questions for networks of one algorithm, measured on the same graphs.
    ///
    /// # Errors
    /// If there are no networks, if they cannot be compared, or if the algorithm has no such variant.
    pub fn of(networks: &[MeasuredNetwork], options: &KindsOptions) -> Result<Self> {
        let first = networks.first().ok_or_else(|| Error::kinds("at least one network", "none"))?;
        let differs =
            |it: &&MeasuredNetwork| (&it.algorithm, it.graphs) != (&first.algorithm, first.graphs);
        if let Some(other) = networks.iter().find(differs) {
            let of = |it: &MeasuredNetwork| {
                let Graphs { count, nodes, seed } = it.graphs;
                format!(
                    "{} on {}, {count} graphs of {nodes} nodes, seed {seed}",
                    it.name, it.algorithm
                )
            };
            let wanted = "networks of one algorithm on the same graphs";
            return Err(Error::kinds(wanted, format!("{} and {}", of(first), of(other))));
        }
        let mut leaning = networks
            .iter()
            .map(|network| with_leaning(network, &options.variant))
            .collect::<Result<Vec<_>>>()?;
        leaning.sort_by_key(|it| (it.network.seed, it.network.data_seed));
        let learned: Vec<&LeaningNetwork> =
            leaning.iter().filter(|network| !network.is_unlearned()).collect();
        let all = Findings::of(&leaning.iter().collect::<Vec<_>>(), options);
        let learned = if learned.len() == leaning.len() {
            all.clone()
        } else {
            Findings::of(&learned, options)
        };
        Ok(Self {
            algorithm: first.algorithm.clone(),
            variant: options.variant.clone(),
            planned: options.planned,
            graphs: first.graphs,
            networks: leaning,
            all,
            learned,
        })
    }

    /// Networks that have not learned the task.
    pub fn unlearned(&self) -> impl Iterator<Item = &LeaningNetwork> {
        self.networks.iter().filter(|network| network.is_unlearned())
    }
}

fn with_leaning(network: &MeasuredNetwork, variant: &str) -> Result<LeaningNetwork> {
    let leaning = network.behaviour.leaning(variant).ok_or_else(|| {
        let known = network.behaviour.agrees_with_variants.iter().map(|it| it.0.as_str());
        let known = known.collect::<Vec<_>>().join(", ");
        let wanted = format!("a faulty variant of {}: {known}", network.algorithm);
        Error::kinds(wanted, format!("\"{variant}\""))
    })?;
    Ok(LeaningNetwork { leaning, network: network.clone() })
}

#[cfg(test)]
pub(crate) mod sample {
    use narscope_analysis::Behaviour;

    use super::*;

    /// A network with the given leaning, whose other numbers follow from it.
    pub(crate) fn network(seed: u32, data_seed: u32, leaning: f64) -> MeasuredNetwork {
        MeasuredNetwork {
            name: format!("data_seed={data_seed}/seed={seed}"),
            made: "0".to_owned(),
            algorithm: "bellman_ford".to_owned(),
            seed,
            data_seed,
            validation: Some(0.95),
            graphs: Graphs::default(),
            behaviour: Behaviour {
                agrees: 0.5,
                agrees_with_variants: vec![("decay".to_owned(), 0.5 + leaning)],
                never_right: 0.1 + 0.2 * leaning,
                overrun_drift: f64::from((7 * seed + 3 * data_seed) % 11) / 100.0,
                stopping: f64::from((5 * seed + data_seed) % 7) / -100.0,
                sparse_score: 0.6 - 0.5 * leaning + f64::from((seed + data_seed) % 3) / 100.0,
            },
        }
    }

    /// A grid of networks: of every four seeds of weights, two lean towards the variant.
    pub(crate) fn two_kinds(rows: u32, columns: u32) -> Vec<MeasuredNetwork> {
        let one = |row: u32, column: u32| {
            // Spread within the kinds that depends on neither seed alone.
            let spread = f64::from((13 * row + 7 * column + row * column) % 17) / 400.0;
            let kind = if row % 4 < 2 { 0.3 } else { 0.0 };
            network(100 + row, 200 + column, kind + spread - 0.2)
        };
        (0..rows).flat_map(|row| (0..columns).map(move |column| one(row, column))).collect()
    }

    pub(crate) fn options() -> KindsOptions {
        KindsOptions {
            variant: "decay".to_owned(),
            planned: 200,
            draws: Draws { dip: 400, mixture: 149, permutations: 400 },
            seed: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sample::{network, options, two_kinds};
    use super::*;

    #[test]
    fn networks_below_the_limit_are_in_one_answer_and_not_in_the_other() {
        let mut networks = two_kinds(6, 4);
        networks[3].validation = Some(0.79);
        networks[4].validation = None;
        let kinds = Kinds::of(&networks, &options()).unwrap();
        assert_eq!((kinds.all.networks, kinds.learned.networks), (24, 23));
        assert_eq!(kinds.unlearned().count(), 1, "imported weights have no validation score");
        networks[3].validation = Some(0.8);
        let kinds = Kinds::of(&networks, &options()).unwrap();
        assert_eq!(kinds.all, kinds.learned);
    }

    #[test]
    fn the_same_networks_in_another_order_give_the_same_answer() {
        let mut networks = two_kinds(4, 4);
        let expected = Kinds::of(&networks, &options()).unwrap();
        networks.reverse();
        assert_eq!(Kinds::of(&networks, &options()).unwrap(), expected);
    }

    #[test]
    fn networks_that_cannot_be_compared_are_refused() {
        let of = |networks: &[MeasuredNetwork], variant: &str| {
            let options = KindsOptions { variant: variant.to_owned(), ..options() };
            Kinds::of(networks, &options).unwrap_err().to_string()
        };
        let one = network(1, 2, 0.0);
        assert_eq!(of(&[], "decay"), "expected at least one network, found none");
        assert_eq!(
            of(std::slice::from_ref(&one), "slow"),
            "expected a faulty variant of bellman_ford: decay, found \"slow\""
        );
        let graphs = Graphs { count: 8, ..one.graphs };
        let other = MeasuredNetwork { graphs, name: "b".to_owned(), ..one.clone() };
        let error = of(&[one, other], "decay");
        assert!(error.contains("b on bellman_ford, 8 graphs of 64 nodes, seed 1"), "{error}");
    }
}
