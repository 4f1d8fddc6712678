//! What the paper printed, to stand beside ours.

use narscope_analysis::study::Size;
use narscope_clrs::options::Direction;
use narscope_model::aggregate::Aggregation;
use narscope_model::config::{Config, DecayTarget, Draft};
use narscope_model::statistics::{Summary, apart_by_chance};
use serde::Serialize;

/// A number of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    /// The number, as our measure has it: shares from 0 to 1.
    pub value: f64,
    /// Its standard deviation over seeds, if there was one.
    pub std: Option<f64>,
}

/// The networks that the paper's numbers are of.
const BASELINE: &str = "linear_pgn";
const SOFTMAX: &str = "linear_pgn + softmax";
const DECAYED: &str = "linear_pgn + decay";
const TRIPLETS: &str = "triplet_gmpnn";

/// A row: the network, the analysis, the measure, the number, its standard deviation.
type Row = (&'static str, &'static str, &'static str, f64, Option<f64>);

const NUMBERS: &[Row] = &[
    // Section 3.2 and appendix C.2.
    (BASELINE, "dimensionality", "trajectory_wise_max", 0.635, None),
    (BASELINE, "dimensionality", "step_wise_max", 0.964, None),
    (BASELINE, "dimensionality", "trajectory_wise_mean", 0.94, None),
    // Section 3.3.
    (BASELINE, "symmetries", "scaling_dimension", 1.0, None),
    // With c = 1/2 all base weights are equal, so that many paths tie and images of a graph do not even
    // have one tree: there is nothing to compare.
    (BASELINE, "symmetries", "reweighting_in_three_quarter", 0.94, None),
    // Table 1.
    (BASELINE, "perturbations", "noise_free", 0.9358, Some(0.0341)),
    (BASELINE, "perturbations", "directional_closest", 0.8855, Some(0.0628)),
    (BASELINE, "perturbations", "directional_mean", 0.9060, Some(0.0516)),
    (BASELINE, "perturbations", "random", 0.9317, Some(0.0367)),
    (BASELINE, "perturbations", "out_closest", 0.6346, Some(0.0710)),
    (BASELINE, "perturbations", "out_mean", 0.0520, Some(0.0447)),
    (BASELINE, "perturbations", "onto_closest", 0.7174, Some(0.0691)),
    (BASELINE, "perturbations", "onto_mean", 0.2607, Some(0.0591)),
    // The same numbers in the other reading of the same table.
    (BASELINE, "perturbations", "directional_closest_by_node", 0.8855, Some(0.0628)),
    (BASELINE, "perturbations", "directional_mean_by_node", 0.9060, Some(0.0516)),
    (BASELINE, "perturbations", "random_by_node", 0.9317, Some(0.0367)),
    (BASELINE, "perturbations", "out_closest_by_node", 0.6346, Some(0.0710)),
    (BASELINE, "perturbations", "out_mean_by_node", 0.0520, Some(0.0447)),
    (BASELINE, "perturbations", "onto_closest_by_node", 0.7174, Some(0.0691)),
    (BASELINE, "perturbations", "onto_mean_by_node", 0.2607, Some(0.0591)),
    // Section 4.
    (BASELINE, "mispredicts", "never_right", 0.01, None),
    // Section 4.1 and appendix D; which graphs they are of follows from their distances.
    (BASELINE, "value_generalisation", "distance_directed_0_5", 0.15, None),
    (BASELINE, "value_generalisation", "distance_undirected_0_25", 1.1, None),
    (BASELINE, "value_generalisation", "score_directed_0_5", 0.93, None),
    (BASELINE, "value_generalisation", "score_undirected_0_25", 0.87, None),
    (BASELINE, "value_generalisation", "rescaled_undirected_0_25", 0.93, None),
    (BASELINE, "value_generalisation", "wrong_above_1_5", 1.0, None),
    (SOFTMAX, "value_generalisation", "score_undirected_0_25", 0.965, None),
    // Appendix C: the ablations of decay and temperature. Without either, the paper
    // has two numbers of the same network, 98.61 and 98.68.
    (TRIPLETS, "score", "test", 0.9861, Some(0.0010)),
    ("triplet_gmpnn + decay", "score", "test", 0.9876, Some(0.0010)),
    ("triplet_gmpnn + decay 0.5", "score", "test", 0.9864, Some(0.0030)),
    ("triplet_gmpnn + decay to mean", "score", "test", 0.9791, Some(0.0044)),
    ("triplet_gmpnn + decay 0.5 to mean", "score", "test", 0.9863, Some(0.0028)),
    ("triplet_gmpnn + softmax", "score", "test", 0.9880, Some(0.0014)),
    ("triplet_gmpnn + softmax 0.1", "score", "test", 0.9799, Some(0.0042)),
    ("triplet_gmpnn + softmax 1", "score", "test", 0.9829, Some(0.0073)),
    // Figure 3, read off the authors' code.
    (BASELINE, "attractors", "offset_minus_3", 0.821, None),
    (BASELINE, "attractors", "offset_minus_2", 0.895, None),
    (BASELINE, "attractors", "offset_minus_1", 0.931, None),
    (BASELINE, "attractors", "offset_0", 0.937, None),
    (BASELINE, "attractors", "offset_1", 0.928, None),
    (BASELINE, "attractors", "offset_2", 0.920, None),
    (BASELINE, "attractors", "offset_3", 0.915, None),
    (BASELINE, "attractors", "offset_4", 0.913, None),
    // The authors count the hint that a network is given, we count the steps that it takes: of 16,384
    // directed graphs, 4,047 had their 9, and a quarter have our 8.
    (BASELINE, "attractors", "steps_5", 0.953, None),
    (BASELINE, "attractors", "steps_6", 0.948, None),
    (BASELINE, "attractors", "steps_7", 0.940, None),
    (BASELINE, "attractors", "steps_8", 0.932, None),
    (BASELINE, "attractors", "steps_9", 0.923, None),
    (BASELINE, "attractors", "steps_10", 0.913, None),
    (BASELINE, "attractors", "steps_11", 0.900, None),
    (BASELINE, "attractors", "steps_12", 0.889, None),
];

/// How many networks a spread is of: three in the ablations; of table 1, the paper does not say.
const PAPERS_RUNS: f64 = 3.0;

/// What the paper says without a number: the network, the analysis, the measure, the claim.
const CLAIMS: &[(&str, &str, &str, &str)] = &[
    (BASELINE, "symmetries", "nearest_centroid_quarter", "clearly separated"),
    (DECAYED, "value_generalisation", "right_below_1", "almost all"),
    (DECAYED, "value_generalisation", "right_above_1_2", "almost none"),
];

/// The decay and the temperature of the paper's tables, which need not be named.
const DECAY: f64 = 0.9;
const TEMPERATURE: f64 = 0.01;

/// Which of the paper's networks a configuration is one of.
pub fn variant(config: &Config) -> String {
    let mut parts = vec![config.processor_type.clone()];
    match config.aggregator {
        Aggregation::Max => {}
        Aggregation::Min => parts.push("min".to_owned()),
        Aggregation::Mean => parts.push("mean".to_owned()),
        Aggregation::Sum => parts.push("sum".to_owned()),
        Aggregation::Softmax => parts.push(named("softmax", config.temperature, TEMPERATURE)),
    }
    if config.decay != 1.0 {
        let to = if config.decay_towards == DecayTarget::Mean { " to mean" } else { "" };
        parts.push(decayed(config.decay) + to);
    }
    parts.join(" + ")
}

/// What files of a variant are called.
pub fn file_name(variant: &str) -> String {
    variant.replace(" + ", "-").replace(", ", "-").replace(' ', "-")
}

/// What a decay is called.
pub fn decayed(factor: f64) -> String {
    named("decay", factor, DECAY)
}

/// A name, with its number unless that is the usual one.
fn named(name: &str, number: f64, usual: f64) -> String {
    if number == usual { name.to_owned() } else { format!("{name} {number}") }
}

/// A variant without its remark, which stands behind a comma.
fn without_remark(variant: &str) -> &str {
    variant.split(", ").next().unwrap_or(variant)
}

/// What the paper printed of a measure.
pub fn published(variant: &str, analysis: &str, measure: &str) -> Option<Published> {
    let wanted = (without_remark(variant), analysis, measure);
    let row = NUMBERS.iter().find(|row| (row.0, row.1, row.2) == wanted);
    row.map(|&(.., value, std)| Published { value, std })
}

/// What the paper says of a measure without a number.
pub fn claimed(variant: &str, analysis: &str, measure: &str) -> Option<&'static str> {
    let wanted = (without_remark(variant), analysis, measure);
    CLAIMS.iter().find(|row| (row.0, row.1, row.2) == wanted).map(|row| row.3)
}

/// Whether numbers of a network may be judged by the paper's: it was trained as theirs were, for a third of
/// their steps at least, and looked at on graphs like theirs. `size` is of random samples.
pub fn is_comparable(analysis: &str, config: &Config, size: Option<&Size>) -> bool {
    const LEAST_STEPS: usize = 10_000;
    let Ok(theirs) = Draft::preset("paper").and_then(Draft::finish) else { return false };
    // What the paper varies may be anything, and what changes no result.
    let theirs = Config {
        algorithms: vec!["bellman_ford".to_owned()],
        directed_training: true,
        seed: config.seed,
        processor_type: config.processor_type.clone(),
        aggregator: config.aggregator,
        temperature: config.temperature,
        decay: config.decay,
        decay_towards: config.decay_towards,
        train_steps: config.train_steps.max(LEAST_STEPS),
        kernels: config.kernels,
        ..theirs
    };
    let is_trained_alike = theirs == *config;
    let is_looked_at_alike = size.is_some_and(|size| match analysis {
        // These have graphs of their own.
        "score" => true,
        "value_generalisation" => size.length == Size::FULL.length,
        _ => size.length == Size::FULL.length && size.direction == Some(Direction::Directed),
    });
    is_trained_alike && is_looked_at_alike
}

/// How a number of ours stands to the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// No further apart than chance puts them in 95 of 100 cases.
    Agrees,
    /// Further apart.
    Differs,
    /// Nobody knows how far numbers spread: one seed of ours, or seeds do not matter, and none of
    /// theirs.
    NoSpread,
    /// Ours is of other graphs, or of a network that was trained otherwise.
    Incomparable,
}

impl Verdict {
    /// Of what our seeds say together, and of the error that they share.
    ///
    /// Where the paper gives a spread, it is one of as many networks as in its ablations, and two means are
    /// compared. Otherwise, its number is taken for one more network like ours, as a single one of ours is for
    /// one more like theirs.
    pub fn of(ours: &Summary, error: Option<f64>, paper: Published) -> Self {
        let (count, square) = (ours.count as f64, |std: f64| std * std);
        let (of_ours, of_theirs) = match (ours.std, paper.std) {
            (Some(ours), Some(theirs)) => (square(ours) / count, square(theirs) / PAPERS_RUNS),
            (Some(ours), None) => (square(ours) * (1.0 + 1.0 / count), 0.0),
            (None, Some(theirs)) => (0.0, square(theirs) * (1.0 + 1.0 / PAPERS_RUNS)),
            (None, None) => (0.0, 0.0),
        };
        let limit = apart_by_chance(&[
            (of_ours, count - 1.0),
            (of_theirs, PAPERS_RUNS - 1.0),
            // That of samples, of which there are many.
            (square(error.unwrap_or(0.0)), f64::INFINITY),
        ]);
        // Means of equal numbers are rounded.
        if limit < 1e-9 {
            Self::NoSpread
        } else if (ours.mean - paper.value).abs() <= limit {
            Self::Agrees
        } else {
            Self::Differs
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Agrees => "agrees within spread",
            Self::Differs => "differs",
            Self::NoSpread => "no spread to judge by",
            Self::Incomparable => "other graphs or training",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_more_network_could_have_scored_is_agreement() {
        let alone = |value: f64| Published { value, std: None };
        let of = |numbers: &[f64], paper| Verdict::of(&Summary::of(numbers), None, paper);
        // Three seeds with a standard deviation of 0.01: 4.303 times that, times the root of 4/3.
        let three = [0.49, 0.5, 0.51];
        assert_eq!(of(&three, alone(0.549)), Verdict::Agrees);
        assert_eq!(of(&three, alone(0.551)), Verdict::Differs);
        let spread = Published { value: 0.58, std: Some(0.04) };
        assert_eq!(of(&three, spread), Verdict::Agrees);
        // Two means of three, with standard deviations of 0.01 and 0.04: 3.87 times 0.0238, after Welch.
        assert_eq!(of(&three, Published { value: 0.595, ..spread }), Verdict::Differs);
        // One seed of ours spreads as theirs do: 4.303 times 0.04, times the root of 4/3.
        assert_eq!(of(&[0.39], spread), Verdict::Agrees);
        assert_eq!(of(&[0.38], spread), Verdict::Differs);
        assert_eq!(of(&[0.5], alone(0.5)), Verdict::NoSpread);
        assert_eq!(of(&[0.4; 3], alone(0.5)), Verdict::NoSpread);
        let shared = Verdict::of(&Summary::of(&[0.4; 3]), Some(0.1), alone(0.5));
        assert_eq!(shared, Verdict::Agrees);
    }

    #[test]
    fn only_networks_and_graphs_like_the_papers_are_judged() {
        let mut draft = Draft::preset("paper").unwrap();
        for (key, value) in [
            ("algorithms", "bellman_ford"),
            ("processor_type", "linear_pgn"),
            ("directed_training", "true"),
            ("decay", "0.9"),
            ("seed", "43"),
        ] {
            draft.set_text(key, value).unwrap();
        }
        let config = draft.finish().unwrap();
        let theirs = Size { direction: Some(Direction::Directed), ..Size::QUICK };
        let is = |analysis: &str, config: &Config, size: &Size| {
            is_comparable(analysis, config, Some(size))
        };
        assert!(is("perturbations", &config, &theirs));
        assert!(!is("perturbations", &config, &Size::QUICK), "undirected graphs");
        assert!(is("score", &config, &Size::QUICK), "the test samples are what they are");
        assert!(is("value_generalisation", &config, &Size::QUICK), "which has both kinds");
        assert!(!is("value_generalisation", &config, &Size { length: 16, ..theirs }));
        assert!(!is_comparable("score", &config, None), "the user's own graph");
        for other in [
            Config { hidden_size: 4, ..config.clone() },
            Config { train_steps: 6, ..config.clone() },
            Config { directed_training: false, ..config.clone() },
        ] {
            assert!(!is("score", &other, &theirs), "{other:?}");
        }
    }

    #[test]
    fn variants_are_named_after_what_differs_from_the_papers_tables() {
        let config = Config {
            processor_type: "mpnn".to_owned(),
            aggregator: Aggregation::Softmax,
            decay: 0.9,
            ..Config::default()
        };
        assert_eq!(variant(&config), "mpnn + softmax + decay");
        assert_eq!(file_name("mpnn + softmax 0.1, 10000 steps"), "mpnn-softmax-0.1-10000-steps");
        let config =
            Config { temperature: 0.1, decay: 0.5, decay_towards: DecayTarget::Mean, ..config };
        assert_eq!(variant(&config), "mpnn + softmax 0.1 + decay 0.5 to mean");
    }

    #[test]
    fn every_number_is_of_a_measure_that_some_analysis_has() {
        let claims = CLAIMS.iter().map(|(_, analysis, ..)| analysis);
        for analysis in NUMBERS.iter().map(|(_, analysis, ..)| analysis).chain(claims) {
            assert!(narscope_analysis::analyses::find(analysis).is_ok(), "{analysis}");
        }
    }
}
