//! Whether a measured value agrees with a published one.

use narscope_analysis::sampling::Sampling;
use narscope_clrs::options::Direction;
use narscope_model::config::{Config, Draft};
use serde::Serialize;

use crate::published::Published;
use crate::statistics::{ErrorTerm, Summary, welch_half_width};

/// Number of networks behind a published standard deviation: three in the ablations; the paper does not
/// say for table 1.
const PUBLISHED_RUNS: f64 = 3.0;

/// Number of steps from which a training is comparable with the paper's of 30,000.
pub(crate) const MIN_STEPS: usize = 10_000;

/// Agreement of a measured value with a published one.
///
/// ```
/// use narscope_results::{Published, Summary, Verdict};
///
/// let paper = Published { value: 0.9358, std: Some(0.0341) };
/// let ours = Summary::of(&[0.93, 0.95, 0.94]);
/// assert_eq!(Verdict::of(&ours, None, paper), Verdict::Agrees);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The difference is inside its 95 % interval.
    Agrees,
    /// The difference is outside its 95 % interval.
    Differs,
    /// There is no standard deviation: we have one seed, or all seeds agree, and the paper gives none.
    NoSpread,
    /// Our value is from other graphs, or from a network with other training.
    Incomparable,
}

impl Verdict {
    /// Judges a summary over seeds; `error` is the standard error that all seeds share.
    ///
    /// If both sides have a standard deviation, two means are compared (the published one is taken to
    /// be over three networks, as in the ablations). Otherwise, the side without one counts as a single
    /// network with the spread of the other side.
    pub fn of(ours: &Summary, error: Option<f64>, paper: Published) -> Self {
        let (count, square) = (ours.count as f64, |std: f64| std * std);
        let (our_variance, paper_variance) = match (ours.std, paper.std) {
            (Some(ours), Some(paper)) => (square(ours) / count, square(paper) / PUBLISHED_RUNS),
            (Some(ours), None) => (square(ours) * (1.0 + 1.0 / count), 0.0),
            (None, Some(paper)) => (0.0, square(paper) * (1.0 + 1.0 / PUBLISHED_RUNS)),
            (None, None) => (0.0, 0.0),
        };
        let limit = welch_half_width(&[
            ErrorTerm { variance: our_variance, degrees_of_freedom: count - 1.0 },
            ErrorTerm { variance: paper_variance, degrees_of_freedom: PUBLISHED_RUNS - 1.0 },
            // The error of a mean over many samples.
            ErrorTerm { variance: square(error.unwrap_or(0.0)), degrees_of_freedom: f64::INFINITY },
        ]);
        // The mean of equal values may be off by rounding.
        if limit < 1e-9 {
            Self::NoSpread
        } else if (ours.mean - paper.value).abs() <= limit {
            Self::Agrees
        } else {
            Self::Differs
        }
    }

    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Agrees => "agrees within spread",
            Self::Differs => "differs",
            Self::NoSpread => "no spread to judge by",
            Self::Incomparable => "other graphs or training",
        }
    }
}

/// Whether a network was trained as those of the paper: on one algorithm, with the paper's settings, for at
/// least a third of its steps. Keys that the paper varies may have any value, and so may those that have no
/// effect.
///
/// ```
/// use narscope_model::config::{Config, Draft};
///
/// let paper = Draft::preset("paper")?.finish()?;
/// let paper = Config { directed_training: true, ..paper };
/// assert!(narscope_results::verdict::is_trained_as_published(&paper));
/// assert!(!narscope_results::verdict::is_trained_as_published(&Config { hidden_size: 8, ..paper }));
/// # Ok::<(), narscope_model::NetError>(())
/// ```
pub fn is_trained_as_published(config: &Config) -> bool {
    let Ok(paper) = Draft::preset("paper").and_then(Draft::finish) else { return false };
    let paper = Config {
        algorithms: config.algorithms.clone(),
        directed_training: true,
        seed: config.seed,
        processor_type: config.processor_type.clone(),
        aggregator: config.aggregator,
        temperature: config.temperature,
        decay: config.decay,
        decay_towards: config.decay_towards,
        train_steps: config.train_steps.max(MIN_STEPS),
        kernels: config.kernels,
        ..paper
    };
    config.algorithms.len() == 1 && paper.effective() == config.effective()
}

/// Whether measures of a network are comparable with the paper's: the network solves Bellman-Ford, was
/// [trained as the paper's](is_trained_as_published), and was analysed on graphs like the paper's. `size`
/// describes the random samples; `None` stands for an instance of the user.
pub fn is_comparable(analysis: &str, config: &Config, size: Option<&Sampling>) -> bool {
    let same_graphs = size.is_some_and(|size| match analysis {
        // It has its own test samples.
        "score" => true,
        // It has graphs of both directions.
        "value_generalisation" => size.length == Sampling::FULL.length,
        _ => size.length == Sampling::FULL.length && size.direction == Some(Direction::Directed),
    });
    config.algorithms == ["bellman_ford"] && is_trained_as_published(config) && same_graphs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_within_the_spread_of_another_network_agree() {
        let alone = |value: f64| Published { value, std: None };
        let of = |values: &[f64], paper| Verdict::of(&Summary::of(values), None, paper);
        // Three seeds with a standard deviation of 0.01: the limit is 4.303 * 0.01 * sqrt(4/3).
        let three = [0.49, 0.5, 0.51];
        assert_eq!(of(&three, alone(0.549)), Verdict::Agrees);
        assert_eq!(of(&three, alone(0.551)), Verdict::Differs);
        let spread = Published { value: 0.58, std: Some(0.04) };
        assert_eq!(of(&three, spread), Verdict::Agrees);
        // Two means of three, with standard deviations of 0.01 and 0.04: the limit is 3.87 * 0.0238 (Welch).
        assert_eq!(of(&three, Published { value: 0.595, ..spread }), Verdict::Differs);
        // A single seed has the spread of the paper: the limit is 4.303 * 0.04 * sqrt(4/3).
        assert_eq!(of(&[0.39], spread), Verdict::Agrees);
        assert_eq!(of(&[0.38], spread), Verdict::Differs);
        assert_eq!(of(&[0.5], alone(0.5)), Verdict::NoSpread);
        assert_eq!(of(&[0.4; 3], alone(0.5)), Verdict::NoSpread);
        let shared = Verdict::of(&Summary::of(&[0.4; 3]), Some(0.1), alone(0.5));
        assert_eq!(shared, Verdict::Agrees);
    }

    #[test]
    fn only_networks_and_graphs_like_those_of_the_paper_are_comparable() {
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
        let theirs = Sampling { direction: Some(Direction::Directed), ..Sampling::QUICK };
        let is = |analysis: &str, config: &Config, size: &Sampling| {
            is_comparable(analysis, config, Some(size))
        };
        assert!(is("perturbations", &config, &theirs));
        assert!(!is("perturbations", &config, &Sampling::QUICK), "undirected graphs");
        assert!(is("score", &config, &Sampling::QUICK), "it has its own test samples");
        assert!(
            is("value_generalisation", &config, &Sampling::QUICK),
            "it has graphs of both kinds"
        );
        assert!(!is("value_generalisation", &config, &Sampling { length: 16, ..theirs }));
        assert!(!is_comparable("score", &config, None), "an instance of the user");
        for other in [
            Config { hidden_size: 4, ..config.clone() },
            Config { train_steps: 6, ..config.clone() },
            Config { directed_training: false, ..config.clone() },
        ] {
            assert!(!is("score", &other, &theirs), "{other:?}");
        }
    }
}
