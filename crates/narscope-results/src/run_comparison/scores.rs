//! Paired differences of test scores: by seed where there are several, or else by sample.

use serde::Serialize;

use super::ComparedRun;
use crate::statistics::{
    DIFFERENCES, bootstrap_interval, bounded_interval, holm, mcnemar, mean, paired_t_test,
};

/// Scores of a run on the test samples.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TestResult {
    /// Mean over the outputs, as in the reference.
    pub score: f64,
    /// Share of samples without a mistake.
    pub exact: f64,
    /// Share of the parts of answers that are correct by the problem itself, where several answers are.
    pub valid: Option<f64>,
    /// Every sample, in the order that all runs share.
    pub samples: Vec<SampleResult>,
}

/// Score of a run on one test sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SampleResult {
    /// Mean over the outputs.
    pub score: f64,
    /// Whether every output is right everywhere.
    pub exact: bool,
}

/// What scores are paired by, and so what an interval is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pairing {
    /// Runs of the same seed: how much would the difference of the variants change with other seeds?
    Seeds,
    /// Test samples of two runs: how much would the difference of these two networks change with other
    /// samples? It says nothing about other seeds.
    Samples,
}

/// Difference of test scores from the first run, or from the runs of its variant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreDifference {
    /// Indices of the runs whose scores are compared.
    pub of: Vec<usize>,
    /// Indices of the runs that they are compared with.
    pub from: Vec<usize>,
    /// What scores are paired by.
    pub pairing: Pairing,
    /// Number of pairs.
    pub pairs: usize,
    /// Mean difference.
    pub mean: f64,
    /// 95 % interval of the mean difference: Student's t over seeds, bootstrap over samples. `None` for one
    /// pair, or if all pairs have the same difference.
    pub interval: Option<(f64, f64)>,
    /// Number of samples that only one of the two solves without a mistake: those of `of`, those of `from`.
    /// `None` for pairs of seeds.
    pub solved_by_one: Option<(usize, usize)>,
    /// p-value: paired t-test over seeds, McNemar's test over samples solved without a mistake.
    pub p: Option<f64>,
    /// The p-value, adjusted for the number of differences (Holm).
    pub corrected: Option<f64>,
}

/// Compares every run with the first, or every variant with the variant of the first run if both have at
/// least two seeds in common.
pub fn score_differences(runs: &[ComparedRun]) -> Vec<ScoreDifference> {
    let Some(first) = runs.first() else { return vec![] };
    let of_variant = |variant: &str| -> Vec<usize> {
        (0..runs.len()).filter(|&index| runs[index].variant == variant).collect()
    };
    let baseline = of_variant(&first.variant);
    let mut differences = vec![];
    let mut done: Vec<&str> = vec![];
    for run in runs {
        let variant = run.variant.as_str();
        if done.contains(&variant) {
            continue;
        }
        done.push(variant);
        let own = of_variant(variant);
        let with_seed = |seed: u32| baseline.iter().copied().find(|&it| runs[it].seed == seed);
        let pairs: Vec<(usize, usize)> =
            own.iter().filter_map(|&index| Some((index, with_seed(runs[index].seed)?))).collect();
        if variant != first.variant && pairs.len() > 1 {
            differences.push(by_seed(runs, &pairs));
            continue;
        }
        for index in own.into_iter().filter(|&index| index != 0) {
            // Of the baseline's own seeds, each is compared with the first.
            let same_seed = with_seed(runs[index].seed).filter(|&other| other != index);
            differences.push(by_sample(runs, index, same_seed.unwrap_or(0)));
        }
    }
    let tested: Vec<usize> =
        (0..differences.len()).filter(|&index| differences[index].p.is_some()).collect();
    let p_values: Vec<f64> = tested.iter().filter_map(|&index| differences[index].p).collect();
    for (index, corrected) in tested.into_iter().zip(holm(&p_values)) {
        differences[index].corrected = Some(corrected);
    }
    differences
}

/// Pairs of runs with the same seed.
fn by_seed(runs: &[ComparedRun], pairs: &[(usize, usize)]) -> ScoreDifference {
    let differences: Vec<f64> =
        pairs.iter().map(|&(one, other)| runs[one].test.score - runs[other].test.score).collect();
    ScoreDifference {
        of: pairs.iter().map(|pair| pair.0).collect(),
        from: pairs.iter().map(|pair| pair.1).collect(),
        pairing: Pairing::Seeds,
        pairs: pairs.len(),
        mean: mean(&differences),
        interval: bounded_interval(&differences, DIFFERENCES),
        solved_by_one: None,
        p: paired_t_test(&differences),
        corrected: None,
    }
}

/// Two runs on the same samples.
fn by_sample(runs: &[ComparedRun], one: usize, other: usize) -> ScoreDifference {
    let pairs = runs[one].test.samples.iter().zip(&runs[other].test.samples);
    let differences: Vec<f64> = pairs.clone().map(|(one, other)| one.score - other.score).collect();
    let solved = pairs.clone().filter(|(one, other)| one.exact && !other.exact).count();
    let lost = pairs.filter(|(one, other)| !one.exact && other.exact).count();
    ScoreDifference {
        of: vec![one],
        from: vec![other],
        pairing: Pairing::Samples,
        pairs: differences.len(),
        mean: mean(&differences),
        interval: bootstrap_interval(&differences),
        solved_by_one: Some((solved, lost)),
        p: mcnemar(solved, lost),
        corrected: None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::label;
    use super::*;

    /// A run whose samples have the given scores; those with 1 are solved.
    fn run(index: usize, variant: &str, seed: u32, scores: &[f64]) -> ComparedRun {
        let sample = |&score: &f64| SampleResult { score, exact: score == 1.0 };
        let samples: Vec<SampleResult> = scores.iter().map(sample).collect();
        ComparedRun {
            label: label(index),
            name: format!("runs/{index}"),
            variant: variant.to_owned(),
            seed,
            validation: vec![],
            test: TestResult { score: mean(scores), exact: 0.0, valid: None, samples },
        }
    }

    #[test]
    fn single_runs_are_paired_by_sample() {
        let runs = [run(0, "a", 1, &[0.5, 1.0, 0.5, 0.25]), run(1, "b", 1, &[1.0, 1.0, 1.0, 0.5])];
        let [difference] = &score_differences(&runs)[..] else { panic!("one") };
        assert_eq!((difference.pairing, difference.pairs), (Pairing::Samples, 4));
        assert!((difference.mean - 0.3125).abs() < 1e-12);
        let (low, high) = difference.interval.unwrap();
        assert!((0.0..0.3125).contains(&low) && 0.3125 < high && high <= 0.5, "{low} {high}");
        assert_eq!(difference.solved_by_one, Some((2, 0)));
        assert!((difference.p.unwrap() - 0.5).abs() < 1e-9 && difference.corrected == difference.p);
    }

    #[test]
    fn variants_with_common_seeds_are_paired_by_seed() {
        let runs = [
            run(0, "a", 1, &[0.5]),
            run(1, "a", 2, &[0.6]),
            run(2, "b", 2, &[0.9]),
            run(3, "b", 1, &[0.7]),
            run(4, "c", 3, &[0.75]),
        ];
        let [own, b, c] = &score_differences(&runs)[..] else { panic!("three") };
        assert_eq!(
            (&own.of[..], &own.from[..], own.pairing),
            (&[1][..], &[0][..], Pairing::Samples)
        );
        assert_eq!((&b.of[..], &b.from[..], b.pairing), (&[2, 3][..], &[1, 0][..], Pairing::Seeds));
        assert!((b.mean - 0.25).abs() < 1e-12, "{b:?}");
        let (low, high) = b.interval.unwrap();
        assert!(low < 0.0 && (-1.0..=1.0).contains(&low) && high <= 1.0, "two seeds are few");
        assert_eq!((&c.of[..], &c.from[..], c.pairing), (&[4][..], &[0][..], Pairing::Samples));
        assert_eq!(c.interval, None, "one sample");
    }
}
