//! Tables of test scores: algorithms by variants of a network, with the number of runs, standard
//! deviations, confidence intervals and significance tests.

mod build;

use narscope_clrs::algorithms::Category;
use serde::Serialize;

use crate::published::Published;

/// Test score of one run on one algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct RunScore {
    /// The algorithm.
    pub algorithm: String,
    /// The processor of the network.
    pub processor: String,
    /// What differs from the baseline; empty for the baseline.
    pub variant: String,
    /// Seed of the run.
    pub seed: u32,
    /// Number of training steps, if known.
    pub steps: Option<usize>,
    /// The score, from 0 to 1.
    pub score: f64,
}

/// A difference is significant if its adjusted p-value is below this.
const SIGNIFICANCE: f64 = 0.05;
/// Name of the column of the baseline.
const BASELINE: &str = "baseline";

/// When the paper's scores are shown next to ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShowPublished {
    /// For every variant that the paper has.
    Always,
    /// For variants that were [trained as the paper's](crate::comparable::is_trained_as_published).
    #[default]
    Comparable,
    /// For none.
    Never,
}

/// What a table compares with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// Name of the column that others are compared with. By default the variant without changes; if there
    /// is none, the one with the most runs, and of several the one with the fewest changes.
    pub baseline: Option<String>,
    /// When the paper's scores are shown.
    pub published: ShowPublished,
}

/// Scores of all variants of one processor.
///
/// ```
/// use narscope_results::{RunScore, Table, tables};
///
/// let score = |variant: &str, seed: u32, score: f64| RunScore {
///     algorithm: "bfs".to_owned(),
///     processor: "mpnn".to_owned(),
///     variant: variant.to_owned(),
///     seed,
///     steps: Some(1000),
///     score,
/// };
/// let scores = [score("", 1, 0.90), score("", 2, 0.92), score("decay", 1, 0.95), score("decay", 2, 0.96)];
/// let [Table { rows, .. }] = &tables(&scores)[..] else { panic!("one processor") };
/// let difference = rows[0].cells[1].as_ref().unwrap().difference.as_ref().unwrap();
/// assert!((difference.mean - 0.045).abs() < 1e-12);
/// assert!(difference.p.unwrap() > 0.05, "two seeds are few");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// The processor.
    pub processor: String,
    /// Numbers of training steps, as far as known.
    pub steps: Vec<usize>,
    /// The variants, the baseline first.
    pub variants: Vec<VariantColumn>,
    /// The algorithms.
    pub rows: Vec<AlgorithmRow>,
    /// Number of algorithms on which some variant has a higher mean than the baseline.
    pub any_above: usize,
    /// Number of algorithms that all variants have runs of; means are over these.
    pub common: usize,
    /// What the baseline is: settings that other networks of the table change, or the name of its variant.
    pub baseline: Option<String>,
    /// Whether published scores are left out because the networks were trained otherwise.
    pub published_left_out: bool,
}

/// Scores of all variants on one algorithm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AlgorithmRow {
    /// The algorithm.
    pub algorithm: String,
    /// Per variant; `None` without runs.
    pub cells: Vec<Option<Cell>>,
    /// Per variant, the published score.
    pub published: Vec<Option<Published>>,
}

/// All runs of one variant on one algorithm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Seeds and scores.
    pub scores: Vec<(u32, f64)>,
    /// Mean score.
    pub mean: f64,
    /// Standard deviation; `None` for a single run.
    pub std: Option<f64>,
    /// 95 % confidence interval of the mean, see [`bounded_interval`](crate::statistics::bounded_interval).
    pub interval: Option<(f64, f64)>,
    /// Whether no other variant has a higher mean.
    pub is_best: bool,
    /// Whether the mean is above the baseline's.
    pub is_above: bool,
    /// Difference from the baseline; `None` for the baseline and without common seeds.
    pub difference: Option<Difference>,
}

/// Difference of a variant from the baseline, paired by seed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Number of common seeds.
    pub seeds: usize,
    /// Mean difference.
    pub mean: f64,
    /// 95 % confidence interval of the mean difference (paired t), from -1 to 1.
    pub interval: Option<(f64, f64)>,
    /// p-value of the [paired t-test](crate::statistics::paired_t_test); `None` for a single seed.
    pub p: Option<f64>,
    /// The p-value, [adjusted](crate::statistics::holm) for the number of tests in the table.
    pub corrected: Option<f64>,
}

/// Whether a difference from the baseline is significant, and its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Significantly better than the baseline.
    Better,
    /// Not significant.
    NotSignificant,
    /// Significantly worse than the baseline.
    Worse,
}

/// One variant over all algorithms.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariantColumn {
    /// Name of the variant; `baseline` for the variant without changes.
    pub name: String,
    /// Whether other variants are compared with this one.
    pub baseline: bool,
    /// Number of algorithms with runs.
    pub algorithms: usize,
    /// Mean over the algorithms that all variants have runs of, so that means of variants are comparable.
    pub mean: Option<MeanScore>,
    /// The same per category of algorithms.
    pub by_category: Vec<(Category, MeanScore)>,
    /// Number of algorithms on which no other variant has a higher mean.
    pub best: usize,
    /// Number of algorithms on which the mean is above the baseline's.
    pub above: usize,
    /// Number of algorithms on which the variant is significantly better than the baseline, not
    /// significantly different, and significantly worse.
    pub wins_ties_losses: [usize; 3],
    /// p-value of [Wilcoxon's signed-rank test](crate::statistics::wilcoxon_signed_rank) over the mean
    /// differences of all algorithms, [adjusted](crate::statistics::holm) for the number of variants.
    /// Few seeds of many algorithms can be significant when no single algorithm is.
    pub over_algorithms: Option<f64>,
}

/// Mean score of a variant over several algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanScore {
    /// Our mean.
    pub ours: f64,
    /// The published mean; `None` unless all of the algorithms were published.
    pub published: Option<f64>,
}

/// Builds a table per processor, sorted by processor, with all published scores.
pub fn tables(scores: &[RunScore]) -> Vec<Table> {
    build::tables(scores, None, &|_, _| true)
}

/// Builds a table per processor. `shows_published` tells by processor and variant whether published scores
/// are shown.
pub(crate) fn tables_with(
    scores: &[RunScore],
    baseline: Option<&str>,
    shows_published: &dyn Fn(&str, &str) -> bool,
) -> Vec<Table> {
    build::tables(scores, baseline, shows_published)
}

/// Name of the column of a variant, as [`RunScore::variant`] names it.
fn column_name(variant: &str) -> &str {
    if variant.is_empty() { BASELINE } else { variant }
}

impl Difference {
    /// Significance and sign of the difference.
    pub fn outcome(&self) -> Outcome {
        match self.corrected {
            Some(p) if p < SIGNIFICANCE && self.mean > 0.0 => Outcome::Better,
            Some(p) if p < SIGNIFICANCE => Outcome::Worse,
            _ => Outcome::NotSignificant,
        }
    }
}

impl Cell {
    /// Whether the difference from the baseline is significant.
    pub fn is_significant(&self) -> bool {
        let difference = self.difference.as_ref();
        difference.is_some_and(|it| it.outcome() != Outcome::NotSignificant)
    }
}

impl VariantColumn {
    /// Whether this is the column of a variant, as [`RunScore::variant`] names it.
    pub fn is_of(&self, variant: &str) -> bool {
        self.name == column_name(variant)
    }

    /// Whether this is the column of the variant without changes.
    pub fn is_unchanged(&self) -> bool {
        self.is_of("")
    }
}

#[cfg(test)]
mod tests {
    use narscope_clrs::algorithms;

    use super::*;

    fn score(algorithm: &str, variant: &str, seed: u32, score: f64) -> RunScore {
        RunScore {
            algorithm: algorithm.to_owned(),
            processor: "mpnn".to_owned(),
            variant: variant.to_owned(),
            seed,
            steps: None,
            score,
        }
    }

    fn examples() -> Vec<RunScore> {
        let mut scores = vec![];
        for seed in 42..47 {
            let noise = f64::from(seed % 3) * 0.001;
            scores.push(score("bfs", "", seed, 0.9 + noise));
            scores.push(score("bfs", "decay", seed, 0.8 + 1.1 * noise));
            scores.push(score("dfs", "", seed, 0.2 + noise));
            scores.push(score("dfs", "decay", seed, 0.2 + f64::from(seed % 2) * 0.01));
        }
        scores.push(score("dijkstra", "", 42, 0.95));
        scores
    }

    #[test]
    fn only_significant_differences_are_wins_or_losses() {
        let [table] = &tables(&examples())[..] else { panic!("one processor") };
        let names: Vec<&str> = table.variants.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["baseline", "decay"]);
        let decay = &table.variants[1];
        assert_eq!(decay.wins_ties_losses, [0, 1, 1], "dfs is a tie, bfs a loss");
        assert_eq!((decay.algorithms, decay.above, table.any_above), (2, 1, 1));
        assert_eq!(table.variants[0].best, 2, "bfs and dijkstra");
    }

    #[test]
    fn many_algorithms_can_be_significant_together_when_none_is_alone() {
        let mut scores = vec![];
        for (index, entry) in algorithms::ALL.iter().take(8).enumerate() {
            let better = 0.01 * (index + 1) as f64;
            scores.push(score(entry.name, "", 42, 0.5));
            scores.push(score(entry.name, "decay", 42, 0.5 + better));
            scores.push(score(entry.name, "softmax", 42, if index % 2 == 0 { 0.4 } else { 0.6 }));
        }
        let [baseline, softmax, decay] = &tables(&scores)[0].variants[..] else { panic!("three") };
        assert_eq!(decay.wins_ties_losses, [0, 8, 0], "one seed is not enough for one algorithm");
        assert_eq!(decay.over_algorithms, Some(2.0 * 2.0 / 256.0), "the smaller p of two tests");
        assert_eq!(softmax.over_algorithms, Some(1.0));
        assert_eq!(baseline.over_algorithms, None, "it does not differ from itself");
    }

    #[test]
    fn means_are_over_algorithms_that_all_variants_have() {
        let table = &tables(&examples())[0];
        assert_eq!(table.common, 2, "dijkstra has no run with decay");
        let [baseline, decay] = [0, 1].map(|index| table.variants[index].mean.unwrap().ours);
        assert!((baseline - 0.551).abs() < 1e-3, "{baseline}, without dijkstra");
        assert!((decay - 0.503).abs() < 1e-3, "{decay}");
    }

    #[test]
    fn the_papers_mean_is_over_the_same_algorithms_or_missing() {
        let scores = |algorithms: &[&str]| -> Vec<RunScore> {
            algorithms.iter().map(|algorithm| score(algorithm, "", 1, 0.5)).collect()
        };
        let column = |algorithms: &[&str]| tables(&scores(algorithms))[0].variants[0].clone();
        let of = |algorithms: &[&str]| column(algorithms).mean.unwrap().published;
        let both = of(&["bfs", "dijkstra"]).unwrap();
        let [bfs, dijkstra] = ["bfs", "dijkstra"].map(|it| of(&[it]).unwrap());
        assert!((both - f64::midpoint(bfs, dijkstra)).abs() < 1e-12, "{both}");
        assert_eq!(of(&["bfs", "bipartite_matching"]), None);
        let kinds = column(&["bfs", "dijkstra", "minimum", "bipartite_matching"]).by_category;
        let [(Category::Searching, searching), (Category::Graphs, graphs)] = kinds[..] else {
            panic!("two kinds, found {kinds:?}")
        };
        assert_eq!(searching.published, of(&["minimum"]));
        assert_eq!(graphs, MeanScore { ours: 0.5, published: None });
    }

    #[test]
    fn a_variant_is_above_the_baseline_by_its_mean_over_any_seeds() {
        let scores = [score("bfs", "", 1, 0.3), score("bfs", "decay", 2, 0.9)];
        let table = &tables(&scores)[0];
        let cell = table.rows[0].cells[1].as_ref().unwrap();
        assert!(cell.is_above && cell.difference.is_none(), "{cell:?}");
        assert_eq!((table.variants[1].above, table.any_above), (1, 1));
    }

    #[test]
    fn published_ablations_are_compared_with_ablations_only() {
        let of = |variants: &[&str]| {
            let scores = variants.iter().map(|variant| RunScore {
                processor: "triplet_gmpnn".to_owned(),
                ..score("bellman_ford", variant, 1, 0.9)
            });
            let table = &tables(&scores.collect::<Vec<_>>())[0];
            table.rows[0].published[1].unwrap().value
        };
        assert_eq!(of(&["", "decay"]), 0.8453);
        assert_eq!(of(&["", "decay", "hidden_size 3"]), 0.8453);
        assert_eq!(of(&["", "decay", "decay 0.5"]), 0.9876);
    }

    #[test]
    fn any_variant_can_be_the_baseline_and_comes_first() {
        let table = &tables_with(&examples(), Some("decay"), &|_, _| true)[0];
        let names: Vec<&str> = table.variants.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["decay", "baseline"]);
        assert!(table.variants[0].baseline && !table.variants[1].baseline);
        let bfs = table.rows[0].cells[1].as_ref().unwrap();
        assert!(bfs.difference.as_ref().unwrap().mean > 0.09, "{bfs:?}");
        assert!(bfs.is_above && table.rows[0].cells[0].as_ref().unwrap().difference.is_none());
    }

    #[test]
    fn without_an_unchanged_variant_the_one_with_the_most_runs_is_the_baseline() {
        let of = |runs: &[(&str, u32)]| {
            let scores: Vec<RunScore> =
                runs.iter().map(|(variant, seed)| score("bfs", variant, *seed, 0.5)).collect();
            tables(&scores)[0].variants[0].name.clone()
        };
        assert_eq!(
            of(&[("mean", 1), ("decay 0.5", 1), ("decay", 1)]),
            "decay",
            "the paper's first"
        );
        assert_eq!(of(&[("sum", 1), ("mean", 1)]), "mean");
        assert_eq!(of(&[("sum", 1), ("mean", 1), ("sum", 2)]), "sum");
        assert_eq!(of(&[("sum", 1), ("", 1), ("sum", 2)]), "baseline");
        assert_eq!(of(&[("decay + steps 9", 1), ("steps 9", 1)]), "steps 9", "fewer changes");
    }

    #[test]
    fn a_cell_without_runs_is_none() {
        let table = &tables(&examples())[0];
        let dijkstra = table.rows.iter().find(|row| row.algorithm == "dijkstra").unwrap();
        assert!(dijkstra.cells[1].is_none());
        let alone = dijkstra.cells[0].as_ref().unwrap();
        assert_eq!((alone.std, alone.interval), (None, None));
        let several = table.rows[0].cells[0].as_ref().unwrap();
        assert!(several.interval.is_some_and(|(low, high)| low < 0.901 && 0.901 < high));
        let paper = dijkstra.published[0].unwrap();
        assert_eq!((paper.value, paper.std), (0.9393, Some(0.0141)));
    }
}
