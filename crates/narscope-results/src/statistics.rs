//! Summaries and significance tests of the scores of several runs.

use narscope_clrs::rng::Rng;
use serde::Serialize;
use statrs::distribution::{Binomial, ContinuousCDF as _, DiscreteCDF as _, StudentsT};

/// Range of a score.
pub const SCORES: (f64, f64) = (0.0, 1.0);
/// Range of a difference of two scores.
pub const DIFFERENCES: (f64, f64) = (-1.0, 1.0);
/// Probability below the upper end of an interval of 95 %.
pub(crate) const TWO_SIDED: f64 = 0.975;
/// What intervals are, for footnotes.
pub const INTERVAL_METHOD: &str = "95 % confidence interval of the mean over seeds, Student's t";

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
    /// Lower and upper limit of the 95 % confidence interval of the mean, see [`bounded_interval`].
    pub interval: Option<(f64, f64)>,
}

impl Summary {
    /// Summarises values that may be any number.
    pub fn of(values: &[f64]) -> Self {
        Self::within(values, (f64::NEG_INFINITY, f64::INFINITY))
    }

    /// Summarises scores: the interval stays between 0 and 1.
    pub fn of_scores(scores: &[f64]) -> Self {
        Self::within(scores, SCORES)
    }

    fn within(values: &[f64], range: (f64, f64)) -> Self {
        let (count, mean) = (values.len(), mean(values));
        let std = (count > 1).then(|| deviation(values, mean));
        Self { count, mean, std, interval: bounded_interval(values, range) }
    }
}

/// Mean of values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Sample standard deviation of at least two values.
fn deviation(values: &[f64], mean: f64) -> f64 {
    let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

/// 95 % confidence interval of the mean (Student's t), limited to the range that a mean can have.
///
/// This is the interval of every table, figure and command. It is right for a few seeds, where resampling
/// (bootstrap) gives intervals that are too narrow. `None` for fewer than two values, and for values that
/// are all equal: a few equal scores do not make the mean certain.
///
/// ```
/// use narscope_results::statistics::{SCORES, bounded_interval};
///
/// let (low, high) = bounded_interval(&[0.94, 0.96, 0.98], SCORES).unwrap();
/// assert!((low - 0.9103).abs() < 1e-4 && high == 1.0, "{low} to {high}: not above 100 %");
/// assert_eq!(bounded_interval(&[0.94], SCORES), None);
/// assert_eq!(bounded_interval(&[0.94, 0.94, 0.94], SCORES), None);
/// ```
pub fn bounded_interval(values: &[f64], range: (f64, f64)) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values);
    let error = deviation(values, mean) / (values.len() as f64).sqrt();
    if error < ROUNDING {
        return None;
    }
    let half = student_quantile((values.len() - 1) as f64, TWO_SIDED) * error;
    Some(((mean - half).max(range.0), (mean + half).min(range.1)))
}

/// Quantile of Student's t distribution, for a probability above 1/2.
fn student_quantile(degrees_of_freedom: f64, probability: f64) -> f64 {
    let student =
        StudentsT::new(0.0, 1.0, degrees_of_freedom).expect("positive degrees of freedom");
    // The inverse of the library stops at an error of 1e-3; bisection goes on to the last bit.
    let (mut low, mut high) = (0.0, 13.0);
    while low < f64::midpoint(low, high) && f64::midpoint(low, high) < high {
        let middle = f64::midpoint(low, high);
        if student.cdf(middle) < probability { low = middle } else { high = middle }
    }
    high
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

/// Half the width of the interval of a sum of independent errors, with the Welch–Satterthwaite degrees of
/// freedom; 0 if no error has a variance. The sum is below the upper end with the given probability: 0.975
/// for the usual interval of 95 %.
pub fn welch_half_width(errors: &[ErrorTerm], probability: f64) -> f64 {
    /// From here on, Student's t is the normal distribution.
    const MAX_DEGREES_OF_FREEDOM: f64 = 1e5;
    let errors = errors.iter().filter(|error| error.variance > 0.0);
    let variance: f64 = errors.clone().map(|error| error.variance).sum();
    if variance == 0.0 {
        return 0.0;
    }
    let shares = errors.map(|error| error.variance * error.variance / error.degrees_of_freedom);
    let freedom = (variance * variance / shares.sum::<f64>()).min(MAX_DEGREES_OF_FREEDOM);
    student_quantile(freedom, probability) * variance.sqrt()
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

/// Two-sided p-value of McNemar's test, exact: of the samples on which two networks disagree, each is
/// equally often the one that is right. `None` if they never disagree.
///
/// ```
/// // One network alone is right on 1 sample, the other alone on 9.
/// let p = narscope_results::statistics::mcnemar(1, 9).unwrap();
/// assert!((p - 22.0 / 1024.0).abs() < 1e-12);
/// ```
pub fn mcnemar(only_one: usize, only_other: usize) -> Option<f64> {
    let count = (only_one + only_other) as u64;
    if count == 0 {
        return None;
    }
    let coin = Binomial::new(0.5, count).expect("a probability");
    Some((2.0 * coin.cdf(only_one.min(only_other) as u64)).min(1.0))
}

/// 95 % percentile bootstrap interval of the mean over many values, such as test samples; for a few seeds
/// use [`bounded_interval`]. `None` for fewer than two values, and if all are equal. Deterministic: the
/// resampling seed is fixed.
pub fn bootstrap_interval(values: &[f64]) -> Option<(f64, f64)> {
    const RESAMPLES: usize = 10_000;
    if values.iter().all(|value| (value - values[0]).abs() < ROUNDING) {
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
        let (low, high) = summary.interval.unwrap();
        let half = 2.364_624 * 2.138_090 / 8_f64.sqrt();
        assert!((low - (5.0 - half)).abs() < 1e-5 && (high - (5.0 + half)).abs() < 1e-5);
    }

    #[test]
    fn one_value_has_no_standard_deviation() {
        let summary = Summary::of(&[0.5]);
        assert_eq!((summary.mean, summary.std, summary.interval), (0.5, None, None));
    }

    #[test]
    fn quantiles_of_students_t_match_published_tables_and_approach_the_normal_distribution() {
        for (freedom, expected) in [
            (1.0, 12.706_205),
            (2.0, 4.302_653),
            (3.0, 3.182_446),
            (4.0, 2.776_445),
            (11.0, 2.200_985),
            (30.0, 2.042_272),
            (100_000.0, 1.959_988),
        ] {
            let found = student_quantile(freedom, TWO_SIDED);
            assert!((found - expected).abs() < 1e-6, "{freedom}: {found}");
        }
    }

    /// A draw from the standard normal distribution (Box–Muller).
    fn normal(rng: &mut Rng) -> f64 {
        let radius = (-2.0 * (1.0 - rng.double()).ln()).sqrt();
        radius * (std::f64::consts::TAU * rng.double()).cos()
    }

    #[test]
    fn intervals_of_a_few_normal_values_cover_the_mean_in_95_of_100_cases() {
        const TRIALS: usize = 20_000;
        let everywhere = (f64::NEG_INFINITY, f64::INFINITY);
        let mut rng = Rng::seeded(7);
        for count in 2..=5 {
            let covers = |interval: Option<(f64, f64)>| {
                interval.is_some_and(|(low, high)| low <= 0.0 && 0.0 <= high)
            };
            let (mut student, mut bootstrap) = (0, 0);
            for trial in 0..TRIALS {
                let values: Vec<f64> = (0..count).map(|_| normal(&mut rng)).collect();
                student += usize::from(covers(bounded_interval(&values, everywhere)));
                // The bootstrap takes long.
                if trial < 100 {
                    bootstrap += usize::from(covers(bootstrap_interval(&values)));
                }
            }
            let share = student as f64 / TRIALS as f64;
            // The standard error of the share is 0.0015.
            assert!((share - 0.95).abs() < 0.006, "{count} values: {share}");
            assert!(bootstrap < 93, "{count} values: the bootstrap covers {bootstrap} of 100");
        }
    }

    #[test]
    fn independent_errors_combine_as_in_textbooks() {
        let of = |errors: &[(f64, f64)]| {
            let term = |&(variance, degrees_of_freedom)| ErrorTerm { variance, degrees_of_freedom };
            welch_half_width(&errors.iter().map(term).collect::<Vec<_>>(), TWO_SIDED)
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

    #[test]
    fn the_paired_test_of_right_and_wrong_answers_counts_coin_tosses() {
        assert_eq!(mcnemar(0, 0), None);
        assert_eq!(mcnemar(3, 3), Some(1.0));
        assert!((mcnemar(0, 5).unwrap() - 2.0 / 32.0).abs() < 1e-12);
        assert_eq!(mcnemar(5, 0), mcnemar(0, 5));
    }

    proptest::proptest! {
        #[test]
        fn an_interval_of_scores_is_in_their_range_and_contains_their_mean(
            scores in proptest::collection::vec(0.0..=1.0_f64, 2..12),
        ) {
            if let Some((low, high)) = bounded_interval(&scores, SCORES) {
                let mean = mean(&scores);
                proptest::prop_assert!(0.0 <= low && low <= mean && mean <= high && high <= 1.0);
            } else {
                proptest::prop_assert!(scores.iter().all(|score| (score - scores[0]).abs() < 1e-9));
            }
        }

        #[test]
        fn an_interval_of_few_values_is_wider_than_the_bootstraps(
            values in proptest::collection::vec(-1.0..1.0_f64, 2..6),
        ) {
            let width = |interval: Option<(f64, f64)>| interval.map(|(low, high)| high - low);
            let student = width(Summary::of(&values).interval);
            let bootstrap = width(bootstrap_interval(&values));
            proptest::prop_assert!(student >= bootstrap, "{:?} and {:?}", student, bootstrap);
        }

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
        assert_eq!(bootstrap_interval(&[0.3, 0.3, 0.3]), None);
        assert_eq!(bootstrap_interval(&[0.3]), None);
    }
}
