//! Scores of postprocessed predictions, by kind.

use narscope_clrs::column::Row;
pub use narscope_clrs::kind::Metric;
use narscope_clrs::probe::Probe;
use serde::{Deserialize, Serialize};

/// Sufficient counts of a score. Tallies of samples add up to the tally of a set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tally {
    /// Classes and pointers: equal locations.
    Equal {
        /// Locations that are equal.
        right: u64,
        /// Locations that are scored.
        of: u64,
    },
    /// Masks: true positives, false positives and false negatives.
    Marks {
        /// True positives.
        found: u64,
        /// False positives.
        invented: u64,
        /// False negatives.
        missed: u64,
    },
    /// Scalars: squared errors.
    Squares {
        /// The sum of squared errors.
        sum: f64,
        /// Number of values.
        of: u64,
    },
}

impl Tally {
    /// An empty tally for a probe.
    pub fn new(probe: &Probe) -> Self {
        match probe.kind.info().metric {
            Metric::SquaredError => Self::Squares { sum: 0.0, of: 0 },
            Metric::F1 => Self::Marks { found: 0, invented: 0, missed: 0 },
            Metric::Accuracy => Self::Equal { right: 0, of: 0 },
        }
    }

    /// Adds one record. Locations whose true value is invalid are not scored.
    ///
    /// # Panics
    /// If the two records are not of the same kind as the tally.
    #[track_caller]
    pub fn add(&mut self, truth: Row<'_>, answer: Row<'_>) {
        match (self, truth, answer) {
            (Self::Equal { right, of }, Row::Index(truth), Row::Index(answer)) => {
                *of += truth.len() as u64;
                *right += truth.iter().zip(answer).filter(|(a, b)| a == b).count() as u64;
            }
            (Self::Equal { right, of }, Row::Class(truth), Row::Class(answer)) => {
                for (truth, answer) in truth.iter().zip(answer).filter(|(truth, _)| **truth >= 0) {
                    *of += 1;
                    *right += u64::from(truth == answer);
                }
            }
            (Self::Marks { found, invented, missed }, Row::Class(truth), Row::Class(answer)) => {
                for (truth, answer) in truth.iter().zip(answer) {
                    match (truth, answer) {
                        (1, 1) => *found += 1,
                        (0, 1) => *invented += 1,
                        (1, 0) => *missed += 1,
                        _ => {}
                    }
                }
            }
            (Self::Squares { sum, of }, Row::Real(truth), Row::Real(answer)) => {
                *of += truth.len() as u64;
                *sum += truth.iter().zip(answer).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
            }
            (tally, truth, answer) => panic!("{tally:?} of {truth:?} and {answer:?}"),
        }
    }

    /// Adds another tally.
    ///
    /// # Panics
    /// If it is of another kind.
    #[track_caller]
    pub fn merge(&mut self, other: &Self) {
        match (self, other) {
            (Self::Equal { right, of }, Self::Equal { right: more, of: all }) => {
                *right += more;
                *of += all;
            }
            (
                Self::Marks { found, invented, missed },
                Self::Marks { found: more, invented: wrong, missed: lost },
            ) => {
                *found += more;
                *invented += wrong;
                *missed += lost;
            }
            (Self::Squares { sum, of }, Self::Squares { sum: more, of: all }) => {
                *sum += more;
                *of += all;
            }
            (one, other) => panic!("{one:?} cannot be added to {other:?}"),
        }
    }

    /// The score: accuracy, F1, or mean squared error.
    pub fn score(&self) -> f64 {
        match *self {
            Self::Equal { right, of } => right as f64 / of as f64,
            Self::Marks { found, invented, missed } => {
                let share = |wrong: u64| match found + wrong {
                    0 => 1.0,
                    all => found as f64 / all as f64,
                };
                let (precision, recall) = (share(invented), share(missed));
                if precision + recall > 0.0 {
                    2.0 * precision * recall / (precision + recall)
                } else {
                    0.0
                }
            }
            Self::Squares { sum, of } => sum / of as f64,
        }
    }

    /// The metric of the score.
    pub fn metric(&self) -> Metric {
        match self {
            Self::Equal { .. } => Metric::Accuracy,
            Self::Marks { .. } => Metric::F1,
            Self::Squares { .. } => Metric::SquaredError,
        }
    }

    /// Whether every location is right.
    pub fn is_exact(&self) -> bool {
        match *self {
            Self::Equal { right, of } => right == of,
            Self::Marks { invented, missed, .. } => invented + missed == 0,
            Self::Squares { sum, .. } => sum == 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_scored_by_f1_without_invalid_locations() {
        let mut tally = Tally::Marks { found: 0, invented: 0, missed: 0 };
        assert_eq!(tally.score(), 1.0);
        tally.add(Row::Class(&[1, 1, 0, -1, 0]), Row::Class(&[1, 0, 1, 1, 0]));
        assert_eq!(tally, Tally::Marks { found: 1, invented: 1, missed: 1 });
        assert_eq!(tally.score(), 0.5);
        let nothing_found = Tally::Marks { found: 0, invented: 1, missed: 1 };
        assert_eq!(nothing_found.score(), 0.0);
    }

    #[test]
    fn invalid_classes_are_not_scored() {
        let mut tally = Tally::Equal { right: 0, of: 0 };
        tally.add(Row::Class(&[2, !1, 0]), Row::Class(&[2, 1, 1]));
        assert_eq!(tally, Tally::Equal { right: 1, of: 2 });
    }
}
