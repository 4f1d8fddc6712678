//! The tests of the plan, for one set of networks.

use narscope_analysis::Behaviour;
use narscope_analysis::histogram::{auc, median};
use narscope_clrs::rng::Rng;
use serde::Serialize;

use super::{KindsOptions, LeaningNetwork};
use crate::distribution::dip::DipTest;
use crate::distribution::mixture::{Mixture, MixtureTest};
use crate::distribution::rank_correlation::spearman;
use crate::distribution::two_samples::{WelchTest, welch};
use crate::distribution::variance_components::{Grid, VarianceComponents};
use crate::statistics::{Summary, holm};

/// A p-value below this counts as yes.
const SIGNIFICANT: f64 = 0.01;
/// Smallest share of networks of a kind.
const LEAST_WEIGHT: f64 = 0.05;
/// Smallest distance between the means of two kinds, in deviations (Ashman).
const LEAST_DISTANCE: f64 = 2.0;
/// Smallest share of the variance of a seed that decides.
const DECISIVE_SHARE: f64 = 0.5;

/// The answers for one set of networks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Findings {
    /// Number of networks.
    pub networks: usize,
    /// Their leanings.
    pub leaning: Summary,
    /// Test for more than one mode; `None` without networks.
    pub dip: Option<DipTest>,
    /// Test of two normal distributions against one; `None` for fewer than four networks, or without spread.
    pub mixture: Option<MixtureTest>,
    /// What both tests together say.
    pub modality: Modality,
    /// Which seed decides.
    pub grid: GridFindings,
    /// The leaning that separates the kinds; `None` without networks to choose it on.
    pub threshold: Option<Threshold>,
    /// Differences between the kinds among other networks than the threshold was chosen on.
    pub outcomes: Vec<OutcomeDifference>,
}

/// What the tests say about the distribution of leanings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Modality {
    /// Both tests: more than one mode, and two normal distributions that are apart.
    TwoKinds,
    /// The mixture only.
    SkewedOrHeavyTailed,
    /// The dip test only.
    SeveralModes,
    /// Neither.
    OneRange,
}

impl Modality {
    fn of(dip: Option<DipTest>, mixture: Option<&MixtureTest>) -> Self {
        let has_modes = dip.is_some_and(|test| test.p < SIGNIFICANT);
        let is_mixture = mixture.is_some_and(|test| {
            test.p < SIGNIFICANT
                && test.mixture.weights.iter().all(|&weight| weight >= LEAST_WEIGHT)
                && test.ashmans_distance >= LEAST_DISTANCE
        });
        match (has_modes, is_mixture) {
            (true, true) => Self::TwoKinds,
            (false, true) => Self::SkewedOrHeavyTailed,
            (true, false) => Self::SeveralModes,
            (false, false) => Self::OneRange,
        }
    }
}

/// Variance of the leaning over the grid of both seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GridFindings {
    /// Number of networks in the complete part of the grid; zero if there is none.
    pub networks: usize,
    /// Number of networks outside of it, which are left out.
    pub left_out: usize,
    /// Number of seeds of weights (rows), and of data (columns), of the complete part.
    pub seeds: (usize, usize),
    /// Why networks are left out, or why there is no grid.
    pub remark: Option<String>,
    /// Variances: rows are seeds of weights, columns are seeds of data.
    pub components: Option<VarianceComponents>,
    /// The seed that decides.
    pub decider: Option<Decider>,
}

/// A seed that decides about the leaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decider {
    /// The seed of the initial weights.
    Weights,
    /// The seed of the training data.
    Data,
}

impl GridFindings {
    fn of(networks: &[&LeaningNetwork], options: &KindsOptions) -> Self {
        let cell = |it: &&LeaningNetwork| (it.network.seed, it.network.data_seed, it.leaning);
        let cells: Vec<(u32, u32, f64)> = networks.iter().map(cell).collect();
        let whole = Grid::of(&cells);
        let remark = whole.as_ref().err().map(ToString::to_string);
        let grid = whole.or_else(|_| Grid::complete_part(&cells)).ok();
        let seeds = grid.as_ref().map_or((0, 0), |grid| (grid.rows.len(), grid.columns.len()));
        let draws = options.draws.permutations;
        let components = grid
            .and_then(|grid| VarianceComponents::of(&grid, draws, &mut Rng::seeded(options.seed)));
        Self {
            networks: seeds.0 * seeds.1,
            left_out: networks.len() - seeds.0 * seeds.1,
            seeds,
            remark,
            decider: components.as_ref().and_then(decider),
            components,
        }
    }
}

fn decider(components: &VarianceComponents) -> Option<Decider> {
    let both = [(components.rows, Decider::Weights), (components.columns, Decider::Data)];
    let found = both.into_iter().find(|(component, _)| {
        component.share >= DECISIVE_SHARE && component.p.is_some_and(|p| p < SIGNIFICANT)
    });
    found.map(|(_, decider)| decider)
}

/// The leaning that separates the kinds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Threshold {
    /// The leaning.
    pub value: f64,
    /// How it was chosen.
    pub rule: ThresholdRule,
    /// Number of networks that it was chosen on, whose two seeds are both even.
    pub networks: usize,
}

/// How a threshold is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThresholdRule {
    /// Both components of the mixture explain it equally well.
    EqualPosterior,
    /// The median, if there are no two kinds, or if the mixture has no such place.
    Median,
}

impl Threshold {
    fn of(leanings: &[f64], modality: Modality) -> Option<Self> {
        let networks = leanings.len();
        let equal = (modality == Modality::TwoKinds).then(|| Mixture::fit(leanings)?.threshold());
        Some(match equal.flatten() {
            Some(value) => Self { value, rule: ThresholdRule::EqualPosterior, networks },
            None => Self { value: median(leanings)?, rule: ThresholdRule::Median, networks },
        })
    }
}

/// An outcome that the kind may predict.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Identifier.
    pub key: &'static str,
    /// Label for people.
    pub label: &'static str,
    /// What the number is, for axes.
    pub unit: &'static str,
    /// The number of a network.
    pub of: fn(&Behaviour) -> f64,
}

/// The outcomes of the plan.
pub static OUTCOMES: [Outcome; 4] = [
    Outcome {
        key: "overrun_drift",
        label: "8 steps beyond the end",
        unit: "change of the score",
        of: |it| it.overrun_drift,
    },
    Outcome {
        key: "sparse_score",
        label: "sparse undirected graphs",
        unit: "score",
        of: |it| it.sparse_score,
    },
    Outcome {
        key: "stopping",
        label: "stopping when the state rests",
        unit: "change of the score",
        of: |it| it.stopping,
    },
    Outcome {
        key: "never_right",
        label: "nodes that never were right",
        unit: "share of nodes",
        of: |it| it.never_right,
    },
];

/// Difference of an outcome between networks above and below the threshold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutcomeDifference {
    /// Identifier.
    pub key: &'static str,
    /// Label for people.
    pub label: &'static str,
    /// What the number is.
    pub unit: &'static str,
    /// Number of networks above the threshold and at or below it, both seeds odd.
    pub networks: (usize, usize),
    /// Means above and below; `None` without networks.
    pub means: (Option<f64>, Option<f64>),
    /// Mean above minus mean below; `None` if one side has fewer than two networks, or no spread.
    pub test: Option<WelchTest>,
    /// The p-value, adjusted for the number of outcomes (Holm).
    pub corrected: Option<f64>,
    /// How often, of a network above and one below the threshold, the one above has the larger outcome.
    pub auc: Option<f64>,
    /// Rank correlation of the leaning with the outcome, over the same networks (Spearman).
    pub correlation: Option<f64>,
    /// Whether the corrected p-value counts as yes.
    pub is_predicted: bool,
}

impl Findings {
    pub(super) fn of(networks: &[&LeaningNetwork], options: &KindsOptions) -> Self {
        let leanings: Vec<f64> = networks.iter().map(|it| it.leaning).collect();
        // A stream for each test: none depends on the number of draws of another.
        let dip = DipTest::of(&leanings, options.draws.dip, &mut Rng::seeded(options.seed));
        let mixture =
            MixtureTest::of(&leanings, options.draws.mixture, &mut Rng::seeded(options.seed));
        let modality = Modality::of(dip, mixture.as_ref());
        let with_seeds = |remainder: u32| {
            let chosen = networks.iter().filter(move |it| {
                it.network.seed % 2 == remainder && it.network.data_seed % 2 == remainder
            });
            chosen.copied().collect::<Vec<&LeaningNetwork>>()
        };
        let even: Vec<f64> = with_seeds(0).iter().map(|it| it.leaning).collect();
        let threshold = Threshold::of(&even, modality);
        let odd = with_seeds(1);
        Self {
            networks: networks.len(),
            leaning: Summary::of(&leanings),
            dip,
            mixture,
            modality,
            grid: GridFindings::of(networks, options),
            threshold,
            outcomes: threshold.map_or_else(Vec::new, |it| outcomes(&odd, it.value)),
        }
    }
}

/// Every outcome of networks above against those below a threshold.
fn outcomes(networks: &[&LeaningNetwork], threshold: f64) -> Vec<OutcomeDifference> {
    let mut all: Vec<OutcomeDifference> =
        OUTCOMES.iter().map(|outcome| difference(outcome, networks, threshold)).collect();
    let tested: Vec<usize> = (0..all.len()).filter(|&index| all[index].test.is_some()).collect();
    let p_values: Vec<f64> = all.iter().filter_map(|it| it.test.map(|test| test.p)).collect();
    for (index, corrected) in tested.into_iter().zip(holm(&p_values)) {
        all[index].corrected = Some(corrected);
        all[index].is_predicted = corrected < SIGNIFICANT;
    }
    all
}

fn difference(
    outcome: &Outcome,
    networks: &[&LeaningNetwork],
    threshold: f64,
) -> OutcomeDifference {
    let of = |it: &&LeaningNetwork| (outcome.of)(&it.network.behaviour);
    let (above, below): (Vec<&LeaningNetwork>, Vec<&LeaningNetwork>) =
        networks.iter().partition(|it| it.leaning > threshold);
    let [above, below] = [above, below].map(|side| side.iter().map(of).collect::<Vec<f64>>());
    let mean = |values: &[f64]| (!values.is_empty()).then(|| Summary::of(values).mean);
    let pairs: Vec<(f64, f64)> = networks.iter().map(|it| (it.leaning, of(it))).collect();
    OutcomeDifference {
        key: outcome.key,
        label: outcome.label,
        unit: outcome.unit,
        networks: (above.len(), below.len()),
        means: (mean(&above), mean(&below)),
        test: welch(&above, &below),
        corrected: None,
        auc: auc(&below, &above),
        correlation: spearman(&pairs),
        is_predicted: false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{network, options, two_kinds};
    use super::super::{Kinds, MeasuredNetwork};
    use super::*;

    fn findings(networks: &[MeasuredNetwork]) -> Findings {
        Kinds::of(networks, &options()).unwrap().all
    }

    #[test]
    fn two_groups_by_seed_of_weights_are_two_kinds_that_this_seed_decides() {
        let found = findings(&two_kinds(12, 8));
        assert_eq!(found.modality, Modality::TwoKinds, "{found:?}");
        assert_eq!(found.grid.decider, Some(Decider::Weights), "{:?}", found.grid);
        assert_eq!((found.grid.seeds, found.grid.left_out), ((12, 8), 0));
        let threshold = found.threshold.unwrap();
        assert_eq!((threshold.rule, threshold.networks), (ThresholdRule::EqualPosterior, 24));
        assert!((-0.16..0.1).contains(&threshold.value), "{threshold:?}");
    }

    #[test]
    fn outcomes_that_follow_from_the_leaning_are_predicted_and_others_are_not() {
        let found = findings(&two_kinds(12, 8));
        let predicted: Vec<(&str, bool)> =
            found.outcomes.iter().map(|it| (it.key, it.is_predicted)).collect();
        let expected = [
            ("overrun_drift", false),
            ("sparse_score", true),
            ("stopping", false),
            ("never_right", true),
        ];
        assert_eq!(predicted, expected, "{:?}", found.outcomes);
        let never_right = &found.outcomes[3];
        assert_eq!((never_right.networks, never_right.auc), ((12, 12), Some(1.0)));
        assert!((never_right.test.unwrap().difference - 0.06).abs() < 0.01);
        assert!((never_right.correlation.unwrap() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn one_range_has_no_kinds_and_its_median_as_threshold() {
        let of = |row: u32, column: u32| {
            let leaning = f64::from((7 * row + 5 * column) % 23) / 100.0;
            network(100 + row, 200 + column, leaning)
        };
        let networks: Vec<MeasuredNetwork> =
            (0..8).flat_map(|row| (0..6).map(move |column| of(row, column))).collect();
        let found = findings(&networks);
        assert_eq!(found.modality, Modality::OneRange, "{found:?}");
        assert_eq!(found.threshold.unwrap().rule, ThresholdRule::Median);
    }

    #[test]
    fn missing_networks_shrink_the_grid_and_are_named() {
        let mut networks = two_kinds(6, 4);
        networks.retain(|it| (it.seed, it.data_seed) != (102, 201));
        let grid = findings(&networks).grid;
        assert_eq!((grid.seeds, grid.networks, grid.left_out), ((5, 4), 20, 3));
        let remark = grid.remark.unwrap();
        assert!(remark.contains("1 of 24 are missing"), "{remark}");
    }

    #[test]
    fn a_single_network_has_no_answers() {
        let found = findings(&[network(100, 200, 0.1)]);
        assert_eq!((found.mixture, found.modality), (None, Modality::OneRange));
        assert_eq!((found.grid.networks, found.grid.components), (0, None));
        assert!(found.outcomes.iter().all(|it| it.test.is_none()), "{:?}", found.outcomes);
    }
}
