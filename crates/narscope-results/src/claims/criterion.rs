//! A criterion, judged over the values of several seeds.
//!
//! **Direction** (above or below a bound): confirmed if the 95 % confidence interval of the mean lies beyond the bound,
//! refuted if it lies on the other side.
//!
//! **Equality** with a published number: two one-sided tests at 5 %, which is to say that the 90 % interval of the
//! difference has to lie within the margin. A published mean with a standard deviation over networks is compared with
//! our mean (Welch). A number of one network is compared with one more network of ours, by a prediction interval. A
//! printed number stands for everything that rounds to it.
//!
//! **Kinds.** If at least a fifth of the seeds clearly fulfil a criterion and at least a fifth clearly do not, their
//! mean describes neither: the verdict is mixed.

use std::fmt;

use serde::Serialize;

use crate::statistics::{ErrorTerm, mean, welch_half_width};

/// What a quantity should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Criterion {
    /// Above a bound. Seeds whose distance to the bound is within the margin count for neither side.
    Above {
        /// The bound.
        bound: f64,
        /// The margin.
        margin: f64,
    },
    /// Below a bound.
    Below {
        /// The bound.
        bound: f64,
        /// The margin.
        margin: f64,
    },
    /// Equal to a published number within a margin.
    Equal {
        /// The published number.
        published: Printed,
        /// The margin.
        margin: f64,
    },
}

/// A number as it was printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// The number.
    pub value: f64,
    /// Unit of its last printed digit: 0.15 has 0.01.
    pub unit: f64,
    /// Standard deviation over networks and their number, if they were published.
    pub spread: Option<(f64, usize)>,
}

/// What the seeds say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The claimed direction, or equality within the margin, is shown.
    Confirmed,
    /// The interval is wider than the margin.
    Undecided,
    /// Seeds fall into kinds: some fulfil the claim and some do not.
    Mixed,
    /// The opposite direction, or a difference larger than the margin, is shown.
    Refuted,
    /// There is no network that was trained and analysed as the paper's.
    NotComparable,
}

impl Verdict {
    /// All of them, in the order in which they are counted.
    pub const ALL: [Self; 5] =
        [Self::Confirmed, Self::Refuted, Self::Mixed, Self::Undecided, Self::NotComparable];

    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Undecided => "undecided",
            Self::Mixed => "mixed",
            Self::Refuted => "refuted",
            Self::NotComparable => "not comparable",
        }
    }
}

/// A criterion, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Interval that was compared with the criterion, in the unit of the quantity; `None` for one value, and for equal
    /// values.
    pub interval: Option<(f64, f64)>,
    /// Why, if it is not plain from the interval.
    pub note: Option<String>,
}

/// Smallest share of seeds that is a kind of its own.
const MINORITY: f64 = 0.2;
/// Number of seeds from which equal values decide: `0.5^5` is below 5 %.
const SIGN_TEST: usize = 5;
/// Largest number of seeds that is called attainable.
const ATTAINABLE: usize = 1000;

impl Criterion {
    /// Above a bound.
    pub const fn above(bound: f64, margin: f64) -> Self {
        Self::Above { bound, margin }
    }

    /// Below a bound.
    pub const fn below(bound: f64, margin: f64) -> Self {
        Self::Below { bound, margin }
    }

    /// Equal to a number that was printed with a last digit of the given unit.
    pub const fn equal(value: f64, unit: f64, margin: f64) -> Self {
        Self::Equal { published: Printed { value, unit, spread: None }, margin }
    }

    /// Equal to a published mean over several networks.
    pub const fn equal_mean(
        (value, std): (f64, f64),
        networks: usize,
        unit: f64,
        margin: f64,
    ) -> Self {
        Self::Equal { published: Printed { value, unit, spread: Some((std, networks)) }, margin }
    }

    /// The margin, widened by the rounding of a printed number.
    pub fn margin(&self) -> f64 {
        match *self {
            Self::Above { margin, .. } | Self::Below { margin, .. } => margin,
            Self::Equal { published, margin } => margin + published.unit / 2.0,
        }
    }

    /// The bound or the published number.
    pub fn target(&self) -> f64 {
        match *self {
            Self::Above { bound, .. } | Self::Below { bound, .. } => bound,
            Self::Equal { published, .. } => published.value,
        }
    }

    /// Judges the values of several seeds; `error` is the standard error that all of them share.
    ///
    /// ```
    /// use narscope_results::claims::{Criterion, Verdict};
    ///
    /// let positive = Criterion::above(0.0, 0.01);
    /// assert_eq!(positive.judge(&[0.05, 0.06, 0.07], 0.0).verdict, Verdict::Confirmed);
    /// assert_eq!(positive.judge(&[0.05], 0.0).verdict, Verdict::Undecided, "one seed proves nothing");
    /// ```
    pub fn judge(&self, values: &[f64], error: f64) -> Judgement {
        if values.len() < 2 {
            let note = "one seed proves nothing".to_owned();
            return Judgement { verdict: Verdict::Undecided, interval: None, note: Some(note) };
        }
        let spread = Spread::of(values);
        let interval = self.interval(&spread, error);
        if let Some(note) = self.kinds(values) {
            return Judgement { verdict: Verdict::Mixed, interval, note: Some(note) };
        }
        let Some((low, high)) = interval else { return self.judge_equal_values(values) };
        let verdict = self.verdict_of(low, high);
        let note = (verdict == Verdict::Undecided).then(|| self.seeds_needed(&spread, error));
        Judgement { verdict, interval, note }
    }

    fn verdict_of(&self, low: f64, high: f64) -> Verdict {
        let (target, margin) = (self.target(), self.margin());
        let (is_shown, is_refuted) = match self {
            Self::Above { .. } => (low > target, high < target),
            Self::Below { .. } => (high < target, low > target),
            Self::Equal { .. } => (
                low >= target - margin && high <= target + margin,
                low > target + margin || high < target - margin,
            ),
        };
        match (is_shown, is_refuted) {
            (true, _) => Verdict::Confirmed,
            (_, true) => Verdict::Refuted,
            _ => Verdict::Undecided,
        }
    }

    /// Equal values have no interval; enough of them decide by a sign test.
    fn judge_equal_values(&self, values: &[f64]) -> Judgement {
        let verdict = self.verdict_of(values[0], values[0]);
        let enough = values.len() >= SIGN_TEST;
        let note = if enough { "all seeds are equal" } else { "too few seeds, all equal" };
        let verdict = if enough { verdict } else { Verdict::Undecided };
        Judgement { verdict, interval: None, note: Some(note.to_owned()) }
    }

    /// The interval that is compared with the criterion.
    fn interval(&self, spread: &Spread, error: f64) -> Option<(f64, f64)> {
        if spread.std < ROUNDING && error < ROUNDING {
            return None;
        }
        let half = self.half_width(spread, spread.count, error);
        Some((spread.mean - half, spread.mean + half))
    }

    /// Half the width of the interval, if there were `count` seeds.
    fn half_width(&self, spread: &Spread, count: usize, error: f64) -> f64 {
        let (n, variance, freedom) = (count as f64, spread.std * spread.std, (count - 1) as f64);
        let shared = ErrorTerm { variance: error * error, degrees_of_freedom: f64::INFINITY };
        let (probability, terms) = match *self {
            Self::Above { .. } | Self::Below { .. } => {
                (0.975, vec![ErrorTerm { variance: variance / n, degrees_of_freedom: freedom }])
            }
            Self::Equal { published: Printed { spread: None, .. }, .. } => {
                let variance = variance * (1.0 + 1.0 / n);
                (0.95, vec![ErrorTerm { variance, degrees_of_freedom: freedom }])
            }
            Self::Equal { published: Printed { spread: Some((std, networks)), .. }, .. } => {
                let ours = ErrorTerm { variance: variance / n, degrees_of_freedom: freedom };
                let theirs = ErrorTerm {
                    variance: std * std / networks as f64,
                    degrees_of_freedom: (networks - 1) as f64,
                };
                (0.95, vec![ours, theirs])
            }
        };
        welch_half_width(&[terms, vec![shared]].concat(), probability)
    }

    /// Says how many seeds fulfil the criterion and how many do not, if both are kinds.
    fn kinds(&self, values: &[f64]) -> Option<String> {
        let (target, margin) = (self.target(), self.margin());
        let (fulfils, fails): (Vec<bool>, Vec<bool>) = values
            .iter()
            .map(|value| {
                let by = value - target;
                match self {
                    Self::Above { .. } => (by > margin, by < -margin),
                    Self::Below { .. } => (by < -margin, by > margin),
                    Self::Equal { .. } => (by.abs() <= margin, by.abs() > 2.0 * margin),
                }
            })
            .unzip();
        let count = |which: &[bool]| which.iter().filter(|it| **it).count();
        let (for_it, against) = (count(&fulfils), count(&fails));
        let smaller = for_it.min(against);
        let is_kind = smaller > 0 && smaller as f64 >= MINORITY * values.len() as f64;
        is_kind.then(|| {
            format!(
                "{for_it} of {} seeds clearly fulfil it, {against} clearly do not",
                values.len()
            )
        })
    }

    /// Says how many seeds with the same mean and spread would decide.
    fn seeds_needed(&self, spread: &Spread, error: f64) -> String {
        let decides = |count: usize| {
            let half = self.half_width(spread, count, error);
            self.verdict_of(spread.mean - half, spread.mean + half) != Verdict::Undecided
        };
        if !decides(ATTAINABLE) {
            return match self {
                Self::Equal { published: Printed { spread: None, .. }, .. } => {
                    "networks differ from each other by more than the margin: no number of seeds decides"
                        .to_owned()
                }
                _ => format!("more than {ATTAINABLE} seeds would be needed"),
            };
        }
        // A larger number of seeds has a narrower interval, so the smallest one is found by bisection.
        let (mut too_few, mut enough) = (spread.count, ATTAINABLE);
        while enough - too_few > 1 {
            let middle = usize::midpoint(too_few, enough);
            if decides(middle) { enough = middle } else { too_few = middle }
        }
        format!("about {enough} seeds would decide")
    }
}

/// Bound on the rounding error of values of order 1.
const ROUNDING: f64 = 1e-12;

/// Mean and standard deviation of at least two values.
struct Spread {
    count: usize,
    mean: f64,
    std: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Self {
        let mean = mean(values);
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        Self { count: values.len(), mean, std: (squares / (values.len() - 1) as f64).sqrt() }
    }
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = (-self.unit.log10()).ceil().max(0.0) as usize;
        write!(f, "{:.digits$}", self.value)?;
        match self.spread {
            Some((std, _)) => write!(f, " ± {std:.digits$}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn verdict(criterion: Criterion, values: &[f64]) -> Verdict {
        criterion.judge(values, 0.0).verdict
    }

    #[test]
    fn a_direction_needs_an_interval_on_one_side_of_the_bound() {
        let positive = Criterion::above(0.0, 0.01);
        assert_eq!(verdict(positive, &[0.02, 0.03, 0.04]), Verdict::Confirmed);
        assert_eq!(verdict(positive, &[-0.02, -0.03, -0.04]), Verdict::Refuted);
        assert_eq!(verdict(positive, &[0.009, -0.005, 0.02]), Verdict::Undecided);
        assert_eq!(
            verdict(Criterion::below(0.0, 0.01), &[-0.02, -0.03, -0.04]),
            Verdict::Confirmed
        );
    }

    #[test]
    fn equality_needs_an_interval_within_the_margin() {
        let paper = Criterion::equal(0.93, 0.01, 0.02);
        assert!((paper.margin() - 0.025).abs() < 1e-12, "printed digits count");
        assert_eq!(verdict(paper, &[0.928, 0.931, 0.93, 0.929]), Verdict::Confirmed);
        assert_eq!(verdict(paper, &[0.97, 0.971, 0.972, 0.97]), Verdict::Refuted);
        // The mean is right, but networks differ by more than the margin.
        let wide = paper.judge(&[0.90, 0.91, 0.93, 0.94, 0.96], 0.0);
        assert_eq!(wide.verdict, Verdict::Undecided);
        assert!(wide.note.as_ref().unwrap().contains("no number of seeds"), "{wide:?}");
    }

    #[test]
    fn a_published_mean_over_networks_is_compared_with_our_mean() {
        let ours = [0.985, 0.987, 0.986, 0.988, 0.984];
        let precise = Criterion::equal_mean((0.9861, 0.001), 5, 0.0001, 0.005);
        assert_eq!(verdict(precise, &ours), Verdict::Confirmed);
        let vague = Criterion::equal_mean((0.9861, 0.02), 3, 0.0001, 0.005);
        assert_eq!(
            verdict(vague, &ours),
            Verdict::Undecided,
            "their mean is not known well enough"
        );
    }

    #[test]
    fn two_kinds_of_network_are_mixed_instead_of_averaged() {
        // Nodes that never were right, in three networks of the study; the paper has 1 %.
        let never = Criterion::equal(0.01, 0.01, 0.01);
        let found = never.judge(&[0.007, 0.019, 0.069], 0.0);
        assert_eq!(found.verdict, Verdict::Mixed);
        assert_eq!(found.note.unwrap(), "2 of 3 seeds clearly fulfil it, 1 clearly do not");
        let one_of_ten = [&[0.05; 9][..], &[-0.05]].concat();
        assert_ne!(verdict(Criterion::above(0.0, 0.01), &one_of_ten), Verdict::Mixed);
    }

    #[test]
    fn what_is_undecided_says_how_many_seeds_would_decide() {
        let values = [0.009, -0.005, 0.008, -0.001];
        let found = Criterion::above(0.0, 0.01).judge(&values, 0.0);
        let note = found.note.unwrap();
        assert!(note.starts_with("about ") && note.ends_with(" seeds would decide"), "{note}");
        let needed: usize = note.split(' ').nth(1).unwrap().parse().unwrap();
        let more: Vec<f64> =
            values.iter().copied().cycle().take(needed.next_multiple_of(4)).collect();
        assert_eq!(verdict(Criterion::above(0.0, 0.01), &more), Verdict::Confirmed);
    }

    #[test]
    fn equal_values_decide_only_if_there_are_enough() {
        let all_right = Criterion::above(0.9, 0.02);
        assert_eq!(verdict(all_right, &[1.0; 3]), Verdict::Undecided);
        assert_eq!(verdict(all_right, &[1.0; 5]), Verdict::Confirmed);
        assert_eq!(verdict(all_right, &[0.9; 5]), Verdict::Undecided);
    }

    #[test]
    fn an_error_that_all_seeds_share_widens_the_interval() {
        let values = [0.02, 0.03, 0.04];
        let positive = Criterion::above(0.0, 0.01);
        assert_eq!(positive.judge(&values, 0.02).verdict, Verdict::Undecided);
    }

    #[test]
    fn printed_numbers_show_their_digits() {
        let words = |value, unit, spread| Printed { value, unit, spread }.to_string();
        assert_eq!(words(0.15, 0.01, None), "0.15");
        assert_eq!(words(1.1, 0.1, None), "1.1");
        assert_eq!(words(0.9861, 0.0001, Some((0.001, 3))), "0.9861 ± 0.0010");
    }

    proptest! {
        #[test]
        fn a_claim_and_its_opposite_are_never_both_confirmed(
            values in proptest::collection::vec(-0.1..0.1_f64, 2..12), bound in -0.1..0.1_f64
        ) {
            let one = verdict(Criterion::above(bound, 0.005), &values);
            let other = verdict(Criterion::below(bound, 0.005), &values);
            prop_assert!(!(one == Verdict::Confirmed && other == Verdict::Confirmed));
            prop_assert_eq!(one == Verdict::Confirmed, other == Verdict::Refuted);
        }

        #[test]
        fn a_wider_margin_never_turns_confirmed_into_undecided(
            values in proptest::collection::vec(0.8..1.0_f64, 3..12), margin in 0.001..0.1_f64
        ) {
            let with = |margin| verdict(Criterion::equal(0.9, 0.001, margin), &values);
            if with(margin) == Verdict::Confirmed {
                prop_assert_eq!(with(2.0 * margin), Verdict::Confirmed);
            }
        }
    }
}
