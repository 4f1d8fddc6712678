//! What several runs of one configuration say together.

use narscope_clrs::rng::Rng;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// Mean, spread and confidence of a few numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How many numbers.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, with `count - 1` below; none for a single number.
    pub std: Option<f64>,
    /// Half the width of the 95 % confidence interval of the mean, by Student's distribution.
    pub interval: Option<f64>,
}

impl Summary {
    /// Summarises numbers.
    pub fn of(numbers: &[f64]) -> Self {
        let count = numbers.len();
        let mean = numbers.iter().sum::<f64>() / count as f64;
        let squares: f64 = numbers.iter().map(|x| (x - mean) * (x - mean)).sum();
        let std = (count > 1).then(|| (squares / (count - 1) as f64).sqrt());
        let interval =
            std.map(|std| student(count - 1).inverse_cdf(0.975) * std / (count as f64).sqrt());
        Self { count, mean, std, interval }
    }
}

/// Student's distribution.
fn student(freedom: usize) -> StudentsT {
    StudentsT::new(0.0, 1.0, freedom as f64).expect("a degree of freedom")
}

/// How far a sum of errors is from zero at most in 95 of 100 cases, by the variance of each and its degrees of
/// freedom (Welch).
pub fn apart_by_chance(errors: &[(f64, f64)]) -> f64 {
    /// From here on, Student's distribution is the normal one.
    const MANY: f64 = 1e5;
    let errors = errors.iter().filter(|(variance, _)| *variance > 0.0);
    let variance: f64 = errors.clone().map(|(variance, _)| variance).sum();
    if variance == 0.0 {
        return 0.0;
    }
    let shares = errors.map(|(part, freedom)| part * part / freedom);
    let freedom = (variance * variance / shares.sum::<f64>()).min(MANY);
    let student = StudentsT::new(0.0, 1.0, freedom).expect("a degree of freedom");
    student.inverse_cdf(0.975) * variance.sqrt()
}

/// What differences of doubles between 0 and 1 may be off by.
const ROUNDING: f64 = 1e-12;

/// How likely the mean of differences is so far from zero, either way, if there is nothing but chance:
/// Student's test for pairs. `None` for fewer than two, or if all are the same and not zero.
pub fn paired(differences: &[f64]) -> Option<f64> {
    let Summary { count, mean, std, .. } = Summary::of(differences);
    let error = std? / (count as f64).sqrt();
    if error < ROUNDING {
        // Scores come in steps, so that a few differences can be the same by chance: that is no certainty.
        return (mean.abs() < ROUNDING).then_some(1.0);
    }
    Some(2.0 * student(count - 1).cdf(-(mean / error).abs()))
}

/// How likely differences lean so far to one side, either way, if there is nothing but chance: Wilcoxon's test
/// of signed ranks, exact. It asks for differences that can be put in order, not for equal spreads, and so goes
/// for scores of different problems. Zeros say nothing; equal sizes share their ranks. `None` without
/// differences.
pub fn signed_ranks(differences: &[f64]) -> Option<f64> {
    if differences.is_empty() {
        return None;
    }
    let lean: Vec<f64> = differences.iter().copied().filter(|it| it.abs() > ROUNDING).collect();
    // Twice the rank, which is whole even if it is shared.
    let rank = |difference: &f64| {
        let count = |is_counted: &dyn Fn(f64) -> bool| {
            lean.iter().filter(|other| is_counted(other.abs() - difference.abs())).count()
        };
        2 * count(&|apart| apart < -ROUNDING) + count(&|apart| apart.abs() <= ROUNDING) + 1
    };
    let ranks: Vec<usize> = lean.iter().map(rank).collect();
    let all: usize = ranks.iter().sum();
    let up: usize =
        ranks.iter().zip(&lean).filter(|(_, it)| **it > 0.0).map(|(rank, _)| rank).sum();
    // The probability of each sum of the ranks of one side, if a coin is tossed for every rank.
    let mut sums = vec![0.0; all + 1];
    sums[0] = 1.0;
    for rank in ranks {
        for sum in (0..=all).rev() {
            let with = if sum >= rank { sums[sum - rank] } else { 0.0 };
            sums[sum] = f64::midpoint(sums[sum], with);
        }
    }
    let tail: f64 = sums[..=up.min(all - up)].iter().sum();
    Some((2.0 * tail).min(1.0))
}

/// Probabilities of many tests, raised so that 5 % is the chance of any false alarm among all (Holm).
pub fn holm(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]));
    let mut raised = vec![0.0; probabilities.len()];
    let mut most: f64 = 0.0;
    for (rank, &place) in order.iter().enumerate() {
        let left = (probabilities.len() - rank) as f64;
        most = most.max((left * probabilities[place]).min(1.0));
        raised[place] = most;
    }
    raised
}

/// The 95 % interval of a mean over numbers drawn again from among themselves (percentile bootstrap).
/// `None` for fewer than two. The same numbers have the same interval.
pub fn bootstrap(numbers: &[f64]) -> Option<(f64, f64)> {
    const DRAWS: usize = 10_000;
    if numbers.len() < 2 {
        return None;
    }
    let mut rng = Rng::seeded(1);
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let drawn = (0..numbers.len()).map(|_| rng.choice(numbers));
            drawn.sum::<f64>() / numbers.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[(share * (DRAWS - 1) as f64).round() as usize];
    Some((at(0.025), at(0.975)))
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
    fn one_number_has_no_spread() {
        let summary = Summary::of(&[0.5]);
        assert_eq!((summary.mean, summary.std, summary.interval), (0.5, None, None));
    }

    #[test]
    fn points_of_students_distribution_are_those_of_tables_and_reach_the_normal_distribution() {
        let point = |freedom| student(freedom).inverse_cdf(0.975);
        assert!((point(11) - 2.2010).abs() < 2e-3, "{}", point(11));
        assert!((point(30) - 2.0423).abs() < 1e-3, "{}", point(30));
        assert!((point(100_000) - 1.96).abs() < 1e-3);
    }

    #[test]
    fn errors_add_up_as_in_textbooks() {
        assert_eq!(apart_by_chance(&[]), 0.0);
        assert_eq!(apart_by_chance(&[(0.0, 0.0)]), 0.0, "a single number has no spread");
        let of_one = apart_by_chance(&[(4.0, 2.0)]);
        assert!((of_one - 2.0 * 4.3027).abs() < 1e-2, "{of_one}");
        // Two equal ones have the degrees of freedom of both.
        let of_two = apart_by_chance(&[(1.0, 2.0), (1.0, 2.0)]);
        assert!((of_two - 2.0_f64.sqrt() * 2.7764).abs() < 1e-2, "{of_two}");
        let of_many = apart_by_chance(&[(1.0, f64::INFINITY)]);
        assert!((of_many - 1.96).abs() < 1e-3, "{of_many}");
    }

    #[test]
    fn pairs_are_tested_as_in_textbooks() {
        // With 4 degrees of freedom.
        let p = paired(&[1.0, 2.0, 3.0, 4.0, -1.0]).unwrap();
        let t = 1.8 / (3.7_f64 / 5.0).sqrt();
        let expected = 2.0 * student(4).cdf(-t);
        assert!((p - expected).abs() < 1e-12 && (0.10..0.11).contains(&p), "{p}");
        assert_eq!(paired(&[0.0, 0.0]), Some(1.0));
        assert_eq!(paired(&[0.25, 0.25]), None, "two that are the same prove nothing");
        assert_eq!(
            paired(&[0.9 - 0.8, 0.7 - 0.6, 0.4 - 0.3]),
            None,
            "nor the same but for rounding"
        );
        assert_eq!(paired(&[0.1]), None);
    }

    #[test]
    fn signed_ranks_are_tested_as_in_textbooks() {
        // Darwin's maize: fifteen pairs of plants, 24 on the lesser side.
        let heights = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48].map(f64::from);
        assert_eq!(signed_ranks(&heights), Some(0.041_259_765_625));
        assert_eq!(signed_ranks(&[0.1, 0.4, 0.2, 0.3, 0.5]), Some(2.0 / 32.0));
        assert_eq!(signed_ranks(&[0.1, -0.1]), Some(1.0));
        assert_eq!(signed_ranks(&[0.0, 0.3 - 0.2 - 0.1]), Some(1.0), "rounding leans to no side");
        assert_eq!(signed_ranks(&[]), None);
    }

    proptest::proptest! {
        #[test]
        fn signed_ranks_count_all_ways_to_toss_a_coin_for_every_rank(
            // Few sizes, so that ranks are shared.
            differences in proptest::collection::vec(-4_i32..5, 1..9),
        ) {
            let lean: Vec<i32> = differences.iter().copied().filter(|it| *it != 0).collect();
            let rank = |size: i32| {
                let below = lean.iter().filter(|it| it.abs() < size).count() as f64;
                let same = lean.iter().filter(|it| it.abs() == size).count() as f64;
                below + f64::midpoint(same, 1.0)
            };
            let balance = |ways: u32| -> f64 {
                let signed = lean.iter().enumerate().map(|(place, it)| {
                    if ways >> place & 1 == 1 { rank(it.abs()) } else { -rank(it.abs()) }
                });
                signed.sum::<f64>().abs()
            };
            let found = (0..lean.len()).filter(|&place| lean[place] > 0).fold(0, |ways, place| ways | 1 << place);
            let all = 1_u32 << lean.len();
            let as_far = (0..all).filter(|&ways| balance(ways) >= balance(found)).count();
            let expected = as_far as f64 / f64::from(all);
            let numbers: Vec<f64> = differences.iter().map(|it| f64::from(*it) / 100.0).collect();
            let p = signed_ranks(&numbers).unwrap();
            proptest::prop_assert!((p - expected).abs() < 1e-12, "{} is not {}", p, expected);
        }
    }

    #[test]
    fn many_tests_raise_every_probability() {
        let raised = holm(&[0.01, 0.04, 0.03, 0.5]);
        let expected = [0.04, 0.09, 0.09, 0.5];
        for (raised, expected) in raised.iter().zip(expected) {
            assert!((raised - expected).abs() < 1e-12, "{raised} is not {expected}");
        }
    }

    #[test]
    fn drawing_again_gives_an_interval_around_the_mean() {
        let (low, high) = bootstrap(&[0.1, 0.2, 0.3, 0.4, 0.5]).unwrap();
        // 95 % of all 3,125 ways to draw five have their means in here.
        assert!((low - 0.18).abs() < 0.011 && (high - 0.42).abs() < 0.011, "{low} {high}");
        assert_eq!(bootstrap(&[0.3, 0.3, 0.3]), Some((0.3, 0.3)));
        assert_eq!(bootstrap(&[0.3]), None);
    }
}
