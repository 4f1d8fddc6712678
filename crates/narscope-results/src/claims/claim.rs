//! What a claim is, and the quantities that it is about.

use narscope_analysis::Protocol;

use super::Criterion;
use crate::NetworkAnswers;
use crate::statistics::{DIFFERENCES, SCORES};

/// A claim of the paper.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Identifier.
    pub id: &'static str,
    /// The claim in our words.
    pub statement: &'static str,
    /// Where the paper makes it.
    pub place: &'static str,
    /// What decides it. The first part is the one whose values represent the claim.
    pub parts: &'static [Part],
}

/// One condition of a claim.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The protocol of the experiment; `None` where the authors' code and text do not differ.
    pub protocol: Option<Protocol>,
    /// Name of the variant of the network.
    pub network: &'static str,
    /// What is measured for every seed.
    pub quantity: Quantity,
    /// What it should be.
    pub criterion: Criterion,
}

/// A number of a network, made of measures of one analysis.
#[derive(Clone, Copy, Debug)]
pub enum Quantity {
    /// A measure.
    Measure {
        /// The analysis.
        analysis: &'static str,
        /// The measure.
        key: &'static str,
    },
    /// A measure minus another one of the same network.
    Difference {
        /// The analysis.
        analysis: &'static str,
        /// The measure.
        key: &'static str,
        /// The measure that is subtracted.
        minus: &'static str,
    },
    /// A measure minus the same one of another network with the same seed.
    Gain {
        /// The analysis.
        analysis: &'static str,
        /// The measure.
        key: &'static str,
        /// Name of the other variant.
        over: &'static str,
    },
    /// Mean distance of several measures from the paper's numbers: one fact in many points.
    Deviation {
        /// The analysis.
        analysis: &'static str,
        /// Measures and the paper's numbers.
        points: &'static [(&'static str, f64)],
    },
}

/// A quantity of one seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SeedValue {
    pub(super) seed: u32,
    pub(super) value: f64,
    /// Standard error with respect to the samples, which all seeds share.
    pub(super) error: Option<f64>,
}

impl Quantity {
    /// The analysis that measures it.
    pub fn analysis(&self) -> &'static str {
        match self {
            Self::Measure { analysis, .. }
            | Self::Difference { analysis, .. }
            | Self::Gain { analysis, .. }
            | Self::Deviation { analysis, .. } => analysis,
        }
    }

    /// The measures that it is made of.
    pub(super) fn keys(&self) -> Vec<&'static str> {
        match self {
            Self::Measure { key, .. } | Self::Gain { key, .. } => vec![key],
            Self::Difference { key, minus, .. } => vec![key, minus],
            Self::Deviation { points, .. } => points.iter().map(|(key, _)| *key).collect(),
        }
    }

    /// The range of the quantity, if its measures are shares. Some shares are differences of two, such as a slope.
    pub(super) fn range_of_shares(&self, values: &[f64]) -> (f64, f64) {
        let is_measured = matches!(self, Self::Measure { .. } | Self::Deviation { .. });
        let (least, most) = SCORES;
        let in_range = values.iter().all(|value| (least..=most).contains(value));
        if is_measured && in_range { SCORES } else { DIFFERENCES }
    }

    /// The quantity in words, as `label` names measures.
    pub(super) fn words(&self, label: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::Measure { key, .. } => label(key),
            Self::Difference { key, minus, .. } => {
                format!("{}, minus {}", label(key), label(minus))
            }
            Self::Gain { key, over, .. } => format!("{}, minus that of {over}", label(key)),
            Self::Deviation { points, .. } => {
                format!("mean distance from the paper's {} numbers", points.len())
            }
        }
    }

    /// The value of one network; `None` if a measure is missing.
    pub(super) fn of(
        &self,
        network: &NetworkAnswers,
        others: &[&NetworkAnswers],
    ) -> Option<SeedValue> {
        let measure = |network: &NetworkAnswers, key: &str| {
            let answer = network.answers.iter().find(|it| it.analysis == self.analysis())?;
            answer.measures.iter().find(|it| it.key == key).map(|it| (it.value, it.error))
        };
        let (value, error) = match *self {
            Self::Measure { key, .. } => measure(network, key)?,
            Self::Difference { key, minus, .. } => {
                (measure(network, key)?.0 - measure(network, minus)?.0, None)
            }
            Self::Gain { key, over, .. } => {
                let training = |it: &NetworkAnswers| (it.config.seed, it.config.train_steps);
                let is_pair = |it: &&&NetworkAnswers| {
                    without_remark(&it.variant) == over && training(it) == training(network)
                };
                let other = others.iter().find(is_pair)?;
                (measure(network, key)?.0 - measure(other, key)?.0, None)
            }
            Self::Deviation { points, .. } => {
                let distances = points
                    .iter()
                    .map(|(key, paper)| Some((measure(network, key)?.0 - paper).abs()));
                let sum: f64 = distances.sum::<Option<f64>>()?;
                (sum / points.len() as f64, None)
            }
        };
        Some(SeedValue { seed: network.seed, value, error })
    }
}

/// A variant without its remark, which follows a comma (`mpnn, 10000 steps`).
pub(super) fn without_remark(variant: &str) -> &str {
    variant.split(", ").next().unwrap_or(variant)
}
