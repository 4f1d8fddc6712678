//! Summaries and significance tests of the scores of several runs.

use narscope_clrs::rng::Rng;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// Mean, standard deviation and confidence interval of a few values.
///
/// ```
/// use narscope_results::Summary;
///
/// let summary = Summary::of(&[0.9, 0.92, 0.94]);
/// assert_eq!(summary.count, 3);
/// assert!((summary.mean - 0.92).abs() < 1e-12);
/// assert!((summary.std.unwrap() - 0.02).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Number of values.
    pub count: usize,
    /// Mean.
    pub mean: f64,
    /// Sample standard deviation (`count - 1` in the denominator); `None` for a single value.
    pub std: Option<f64>,
    /// Half the width of the 95 % confidence interval of the mean (Student's t).
    pub interval: Option<f64>,
}

impl Summary {
    /// Summarises values.
    pub fn of(values: &[f64]) -> Self {
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        let std = (count > 1).then(|| (squares / (count - 1) as f64).sqrt());
        let interval =
            std.map(|std| student(count - 1).inverse_cdf(0.975) * std / (count as f64).sqrt());
        Self { count, mean, std, interval }
    }
}

/// Student's t distribution.
fn student(degrees_of_freedom: usize) -> StudentsT {
    StudentsT::new(0.0, 1.0, degrees_of_freedom as f64).expect("at least one degree of freedom")
}

/// An independent error of a difference of two estimates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorTerm {
    /// Variance of the error.
    pub variance: f64,
    /// Degrees of freedom of the variance estimate; infinite if the variance is known.
    pub degrees_of_freedom: f64,
}

/// Half the width of the 95 % interval of a sum of independent errors, with the Welch–Satterthwaite
/// degrees of freedom; 0 if no error has a variance.
pub fn welch_half_width(errors: &[ErrorTerm]) -> f64 {
    /// From here on, Student's t is the normal distribution.
    const MAX_DEGREES_OF_FREEDOM: f64 = 1e5;
    let errors = errors.iter().filter(|error| error.variance > 0.0);
    let variance: f64 = errors.clone().map(|error| error.variance).sum();
    if variance == 0.0 {
        return 0.0;
    }
    let shares = errors.map(|error| error.variance * error.variance / error.degrees_of_freedom);
    let freedom = (variance * variance / shares.sum::<f64>()).min(MAX_DEGREES_OF_FREEDOM);
    let student = StudentsT::new(0.0, 1.0, freedom).expect("positive degrees of freedom");
    student.inverse_cdf(0.975) * variance.sqrt()
}

/// Bound on the rounding error of a difference of two doubles between 0 and 1.
const ROUNDING: f64 = 1e-12;

/// Two-sided p-value of the paired t-test: the mean of `differences` is zero. `None` for fewer than two
/// differences, or if all are equal and not zero.
pub fn paired_t_test(differences: &[f64]) -> Option<f64> {
    let Summary { count, mean, std, .. } = Summary::of(differences);
    let error = std? / (count as f64).sqrt();
    if error < ROUNDING {
        // Scores are multiples of a step, so a few differences can be equal by chance: that does not
        // make p zero.
        return (mean.abs() < ROUNDING).then_some(1.0);
    }
    Some(2.0 * student(count - 1).cdf(-(mean / error).abs()))
}

/// Two-sided p-value of Wilcoxon's signed-rank test, exact: `differences` are symmetric around zero.
///
/// It needs differences that can be ordered, not equal variances, and so suits scores of different
/// algorithms. Zeros are dropped; ties share their mean rank. `None` without differences.
pub fn wilcoxon_signed_rank(differences: &[f64]) -> Option<f64> {
    if differences.is_empty() {
        return None;
    }
    let nonzero: Vec<f64> = differences.iter().copied().filter(|it| it.abs() > ROUNDING).collect();
    // Twice the rank, which is an integer even for ties.
    let rank = |difference: &f64| {
        let count = |is_counted: &dyn Fn(f64) -> bool| {
            nonzero.iter().filter(|other| is_counted(other.abs() - difference.abs())).count()
        };
        2 * count(&|by| by < -ROUNDING) + count(&|by| by.abs() <= ROUNDING) + 1
    };
    let ranks: Vec<usize> = nonzero.iter().map(rank).collect();
    let total: usize = ranks.iter().sum();
    let positive: usize =
        ranks.iter().zip(&nonzero).filter(|(_, it)| **it > 0.0).map(|(rank, _)| rank).sum();
    // Distribution of the rank sum of the positive differences, if every sign is a fair coin toss.
    let mut distribution = vec![0.0; total + 1];
    distribution[0] = 1.0;
    for rank in ranks {
        for sum in (0..=total).rev() {
            let with = if sum >= rank { distribution[sum - rank] } else { 0.0 };
            distribution[sum] = f64::midpoint(distribution[sum], with);
        }
    }
    let tail: f64 = distribution[..=positive.min(total - positive)].iter().sum();
    Some((2.0 * tail).min(1.0))
}

/// p-values of several tests, adjusted for their number (Holm–Bonferroni).
///
/// ```
/// let adjusted = narscope_results::statistics::holm(&[0.25, 0.125]);
/// assert_eq!(adjusted, [0.25, 0.25]);
/// ```
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        let remaining = (p_values.len() - rank) as f64;
        largest = largest.max((remaining * p_values[index]).min(1.0));
        adjusted[index] = largest;
    }
    adjusted
}

/// 95 % percentile bootstrap interval of the mean. `None` for fewer than two values. Deterministic: the
/// resampling seed is fixed.
pub fn bootstrap_interval(values: &[f64]) -> Option<(f64, f64)> {
    const RESAMPLES: usize = 10_000;
    if values.len() < 2 {
        return None;
    }
    let mut rng = Rng::seeded(1);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let resample = (0..values.len()).map(|_| rng.choice(values));
            resample.sum::<f64>() / values.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let quantile = |q: f64| means[(q * (RESAMPLES - 1) as f64).round() as usize];
    Some((quantile(0.025), quantile(0.975)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_textbook_sample_has_its_textbook_interval() {
        let summary = Summary::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!((summary.count, summary.mean), (8, 5.0));
        assert!((summary.std.unwrap() - 2.1381).abs() < 1e-4);
        assert!((summary.interval.unwrap() - 2.3646 * 2.1381 / 8_f64.sqrt()).abs() < 1e-3);
    }

    #[test]
    fn one_value_has_no_standard_deviation() {
        let summary = Summary::of(&[0.5]);
        assert_eq!((summary.mean, summary.std, summary.interval), (0.5, None, None));
    }

    #[test]
    fn quantiles_of_students_t_match_published_tables_and_approach_the_normal_distribution() {
        let quantile = |freedom| student(freedom).inverse_cdf(0.975);
        assert!((quantile(11) - 2.2010).abs() < 2e-3, "{}", quantile(11));
        assert!((quantile(30) - 2.0423).abs() < 1e-3, "{}", quantile(30));
        assert!((quantile(100_000) - 1.96).abs() < 1e-3);
    }

    #[test]
    fn independent_errors_combine_as_in_textbooks() {
        let of = |errors: &[(f64, f64)]| {
            let term = |&(variance, degrees_of_freedom)| ErrorTerm { variance, degrees_of_freedom };
            welch_half_width(&errors.iter().map(term).collect::<Vec<_>>())
        };
        assert_eq!(of(&[]), 0.0);
        assert_eq!(of(&[(0.0, 0.0)]), 0.0, "a single value has no variance");
        let of_one = of(&[(4.0, 2.0)]);
        assert!((of_one - 2.0 * 4.3027).abs() < 1e-2, "{of_one}");
        // The degrees of freedom of two equal errors add up.
        let of_two = of(&[(1.0, 2.0), (1.0, 2.0)]);
        assert!((of_two - 2.0_f64.sqrt() * 2.7764).abs() < 1e-2, "{of_two}");
        let of_many = of(&[(1.0, f64::INFINITY)]);
        assert!((of_many - 1.96).abs() < 1e-3, "{of_many}");
    }

    #[test]
    fn the_paired_t_test_matches_its_textbook_formula() {
        // With 4 degrees of freedom.
        let p = paired_t_test(&[1.0, 2.0, 3.0, 4.0, -1.0]).unwrap();
        let t = 1.8 / (3.7_f64 / 5.0).sqrt();
        let expected = 2.0 * student(4).cdf(-t);
        assert!((p - expected).abs() < 1e-12 && (0.10..0.11).contains(&p), "{p}");
        assert_eq!(paired_t_test(&[0.0, 0.0]), Some(1.0));
        assert_eq!(paired_t_test(&[0.25, 0.25]), None, "two equal differences prove nothing");
        assert_eq!(
            paired_t_test(&[0.9 - 0.8, 0.7 - 0.6, 0.4 - 0.3]),
            None,
            "nor do differences that are equal up to rounding"
        );
        assert_eq!(paired_t_test(&[0.1]), None);
    }

    #[test]
    fn the_signed_rank_test_matches_a_textbook_example() {
        // Darwin's maize: 15 pairs of plants, the smaller rank sum is 24.
        let heights = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48].map(f64::from);
        assert_eq!(wilcoxon_signed_rank(&heights), Some(0.041_259_765_625));
        assert_eq!(wilcoxon_signed_rank(&[0.1, 0.4, 0.2, 0.3, 0.5]), Some(2.0 / 32.0));
        assert_eq!(wilcoxon_signed_rank(&[0.1, -0.1]), Some(1.0));
        assert_eq!(
            wilcoxon_signed_rank(&[0.0, 0.3 - 0.2 - 0.1]),
            Some(1.0),
            "rounding errors count as zero"
        );
        assert_eq!(wilcoxon_signed_rank(&[]), None);
    }

    proptest::proptest! {
        #[test]
        fn the_signed_rank_test_counts_all_assignments_of_signs(
            // Few distinct sizes, so that there are ties.
            differences in proptest::collection::vec(-4_i32..5, 1..9),
        ) {
            let nonzero: Vec<i32> = differences.iter().copied().filter(|it| *it != 0).collect();
            let rank = |size: i32| {
                let below = nonzero.iter().filter(|it| it.abs() < size).count() as f64;
                let same = nonzero.iter().filter(|it| it.abs() == size).count() as f64;
                below + f64::midpoint(same, 1.0)
            };
            let imbalance = |signs: u32| -> f64 {
                let signed = nonzero.iter().enumerate().map(|(index, it)| {
                    if signs >> index & 1 == 1 { rank(it.abs()) } else { -rank(it.abs()) }
                });
                signed.sum::<f64>().abs()
            };
            let found = (0..nonzero.len()).filter(|&index| nonzero[index] > 0).fold(0, |signs, index| signs | 1 << index);
            let all = 1_u32 << nonzero.len();
            let as_extreme = (0..all).filter(|&signs| imbalance(signs) >= imbalance(found)).count();
            let expected = as_extreme as f64 / f64::from(all);
            let scaled: Vec<f64> = differences.iter().map(|it| f64::from(*it) / 100.0).collect();
            let p = wilcoxon_signed_rank(&scaled).unwrap();
            proptest::prop_assert!((p - expected).abs() < 1e-12, "{} is not {}", p, expected);
        }
    }

    #[test]
    fn holm_adjusts_p_values_for_the_number_of_tests() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.5]);
        let expected = [0.04, 0.09, 0.09, 0.5];
        for (adjusted, expected) in adjusted.iter().zip(expected) {
            assert!((adjusted - expected).abs() < 1e-12, "{adjusted} is not {expected}");
        }
    }

    #[test]
    fn the_bootstrap_interval_contains_95_percent_of_all_resamples() {
        let (low, high) = bootstrap_interval(&[0.1, 0.2, 0.3, 0.4, 0.5]).unwrap();
        // 95 % of the means of all 3,125 resamples are in this interval.
        assert!((low - 0.18).abs() < 0.011 && (high - 0.42).abs() < 0.011, "{low} {high}");
        assert_eq!(bootstrap_interval(&[0.3, 0.3, 0.3]), Some((0.3, 0.3)));
        assert_eq!(bootstrap_interval(&[0.3]), None);
    }
}
