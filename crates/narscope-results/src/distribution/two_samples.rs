//! Welch's t-test: do the means of two groups differ, if their variances may differ too?

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use crate::statistics::{ErrorTerm, Summary, TWO_SIDED, welch_half_width};

/// Difference of the means of two groups.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WelchTest {
    /// Mean of the first group minus mean of the second.
    pub difference: f64,
    /// 95 % interval of the difference, with the degrees of freedom of Welch and Satterthwaite.
    pub interval: (f64, f64),
    /// Two-sided p-value: the means are equal.
    pub p: f64,
}

/// Bound on the rounding error of a difference of two doubles between 0 and 1.
const ROUNDING: f64 = 1e-12;

/// Compares the means of two groups. `None` if a group has fewer than two values, or if no group has any spread: a few
/// equal values do not make a mean certain.
pub fn welch(first: &[f64], second: &[f64]) -> Option<WelchTest> {
    let term = |values: &[f64]| {
        let Summary { count, std, .. } = Summary::of(values);
        let variance = std?.powi(2) / count as f64;
        Some(ErrorTerm { variance, degrees_of_freedom: (count - 1) as f64 })
    };
    let terms = [term(first)?, term(second)?];
    let variance: f64 = terms.iter().map(|term| term.variance).sum();
    if variance.sqrt() < ROUNDING {
        return None;
    }
    let shares = terms.iter().map(|term| term.variance.powi(2) / term.degrees_of_freedom);
    let freedom = variance * variance / shares.sum::<f64>();
    let student = StudentsT::new(0.0, 1.0, freedom).expect("positive degrees of freedom");
    let difference = Summary::of(first).mean - Summary::of(second).mean;
    let half = welch_half_width(&terms, TWO_SIDED);
    Some(WelchTest {
        difference,
        interval: (difference - half, difference + half),
        p: 2.0 * student.cdf(-(difference / variance.sqrt()).abs()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_textbook_example_has_its_published_result() {
        // Hours of additional sleep under two drugs (Student 1908), as two groups: R's `t.test(extra ~ group)`.
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let found = welch(&first, &second).unwrap();
        assert!((found.difference + 1.58).abs() < 1e-12, "{found:?}");
        assert!((found.p - 0.07939).abs() < 1e-5, "{found:?}");
        let (low, high) = found.interval;
        assert!((low + 3.365_483_2).abs() < 1e-6 && (high - 0.205_483_2).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn groups_of_equal_size_and_variance_are_compared_as_by_students_test() {
        let found = welch(&[1.0, 2.0, 3.0], &[2.0, 3.0, 4.0]).unwrap();
        // t = -1 / sqrt(2 / 3) with 4 degrees of freedom; 97.5 % quantile 2.776445.
        let error = (2.0_f64 / 3.0).sqrt();
        assert_eq!(found.difference, -1.0);
        assert!((found.p - 0.287_864).abs() < 1e-5, "{found:?}");
        assert!((found.interval.0 - (-1.0 - 2.776_445 * error)).abs() < 1e-5, "{found:?}");
    }

    #[test]
    fn the_order_of_the_groups_changes_the_sign_only() {
        let (one, other) = ([0.1, 0.4, 0.2], [0.9, 0.5, 0.6, 0.65]);
        let (there, back) = (welch(&one, &other).unwrap(), welch(&other, &one).unwrap());
        assert_eq!((there.difference, there.p), (-back.difference, back.p));
        assert_eq!(there.interval, (-back.interval.1, -back.interval.0));
    }

    #[test]
    fn groups_without_spread_or_of_one_value_are_not_compared() {
        assert_eq!(welch(&[0.5, 0.5], &[0.25, 0.25]), None);
        assert_eq!(welch(&[0.5], &[0.25, 0.5]), None);
        assert!(welch(&[0.5, 0.5], &[0.25, 0.5]).is_some(), "one group may have none");
    }
}
