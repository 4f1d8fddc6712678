//! Tables of scores, algorithms by variants of a network, with what a statistician asks for: how many
//! runs are behind a cell, how far they spread, and whether a difference is more than chance.

pub mod figures;
pub mod format;
pub mod found;

use std::collections::BTreeSet;

use narscope_clrs::algorithms::{self, Category};
use narscope_model::statistics::{Summary, bootstrap, holm, paired, signed_ranks};
use serde::Serialize;

use crate::paper::Published;

/// The score of one run on one algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The algorithm.
    pub algorithm: String,
    /// The processor of the network.
    pub processor: String,
    /// What differs from the processor as it is: nothing for the baseline.
    pub variant: String,
    /// The seed of the run.
    pub seed: u32,
    /// For how many steps it was trained, if that is known.
    pub steps: Option<usize>,
    /// The score, from 0 to 1.
    pub score: f64,
}

/// Below which corrected probability a difference counts.
const SURE: f64 = 0.05;
/// The order of the paper's columns; other variants come after them.
const ORDER: [&str; 4] = ["", "softmax", "decay", "softmax + decay"];
/// What the baseline is called.
const BASELINE: &str = "baseline";

/// Scores of one processor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// The processor.
    pub processor: String,
    /// For how many steps its networks were trained, as far as that is known.
    pub steps: Vec<usize>,
    /// The variants, the baseline first.
    pub variants: Vec<Column>,
    /// The algorithms.
    pub rows: Vec<Row>,
    /// On how many algorithms some variant has a higher mean than the baseline.
    pub any_above: usize,
    /// How many algorithms all variants have runs of: means are over these.
    pub common: usize,
    /// What the baseline is like, where networks differ in what variants are not named after.
    pub baseline: Option<String>,
}

/// One algorithm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its name.
    pub algorithm: String,
    /// By variant; nothing where there is no run.
    pub cells: Vec<Option<Cell>>,
    /// By variant, what the paper has.
    pub published: Vec<Option<Published>>,
}

/// All runs of one variant on one algorithm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Seeds and scores.
    pub scores: Vec<(u32, f64)>,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, if there are several.
    pub std: Option<f64>,
    /// The 95 % interval of the mean, by drawing seeds again.
    pub interval: Option<(f64, f64)>,
    /// Whether no other variant has a higher mean.
    pub is_best: bool,
    /// Whether its mean is above the baseline's.
    pub is_above: bool,
    /// What differs from the baseline, if this is another variant and both have runs of the same seed.
    pub difference: Option<Difference>,
}

/// A variant beside the baseline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// How many seeds both have.
    pub seeds: usize,
    /// The mean difference over these.
    pub mean: f64,
    /// The 95 % interval of the mean difference, by drawing seeds again.
    pub interval: Option<(f64, f64)>,
    /// How likely it is by chance, see [`paired`]; nothing for a single seed.
    pub p: Option<f64>,
    /// The same, corrected for the number of tests in the table, see [`holm`].
    pub corrected: Option<f64>,
}

/// One variant over all algorithms.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// How many algorithms have runs.
    pub algorithms: usize,
    /// The mean over algorithms that all variants have runs of: over others, means would say nothing about
    /// variants.
    pub mean: Option<Mean>,
    /// The same over algorithms of each kind.
    pub by_category: Vec<(Category, Mean)>,
    /// On how many algorithms no other variant has a higher mean.
    pub best: usize,
    /// On how many algorithms its mean is above the baseline's.
    pub above: usize,
    /// On how many algorithms it is better than the baseline beyond chance, not beyond chance, and
    /// worse beyond chance.
    pub wins_ties_losses: [usize; 3],
    /// How likely its differences from the baseline, one of each algorithm, are by chance, see
    /// [`signed_ranks`]; corrected for the number of variants, see [`holm`]. A few seeds of many algorithms
    /// can say what they cannot say of any one of them.
    pub over_algorithms: Option<f64>,
}

/// The mean of a variant over some algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// Ours.
    pub ours: f64,
    /// The paper's, if it has all of them: a mean over others would say nothing.
    pub published: Option<f64>,
}

/// A table per processor, in the order of their names.
pub fn tables(scores: &[Score]) -> Vec<Table> {
    let processors = sorted(scores.iter().map(|score| score.processor.clone()));
    processors.into_iter().map(|processor| Table::of(processor, scores)).collect()
}

fn sorted(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    names
}

impl Table {
    fn of(processor: String, scores: &[Score]) -> Self {
        let scores: Vec<&Score> =
            scores.iter().filter(|score| score.processor == processor).collect();
        let mut variants = sorted(scores.iter().map(|score| score.variant.clone()));
        let place = |name: &String| ORDER.iter().position(|known| known == name);
        variants.sort_by_key(|name| place(name).unwrap_or(ORDER.len()));
        let names = sorted(scores.iter().map(|score| score.algorithm.clone()));
        let mut rows: Vec<Row> = names
            .into_iter()
            .map(|algorithm| Row::of(algorithm, &processor, &variants, &scores))
            .collect();
        let cells = rows.iter_mut().flat_map(|row| row.cells.iter_mut().flatten());
        let differences = cells.filter_map(|cell| cell.difference.as_mut());
        correct(differences.filter_map(|difference| difference.corrected.as_mut()));
        let is_above = |row: &&Row| row.cells.iter().flatten().any(|cell| cell.is_above);
        let any_above = rows.iter().filter(is_above).count();
        let common = rows.iter().filter(|row| row.is_common()).count();
        let columns = variants.iter().enumerate();
        let mut columns: Vec<Column> =
            columns.map(|(place, name)| Column::of(name, place, &rows)).collect();
        correct(columns.iter_mut().filter_map(|column| column.over_algorithms.as_mut()));
        let steps: BTreeSet<usize> = scores.iter().filter_map(|score| score.steps).collect();
        let steps = steps.into_iter().collect();
        Self { processor, steps, variants: columns, rows, any_above, common, baseline: None }
    }
}

/// The mean score of runs, each with its seed.
fn mean_of(runs: &[(u32, f64)]) -> f64 {
    runs.iter().map(|(_, score)| score).sum::<f64>() / runs.len() as f64
}

/// Corrects the probabilities of several tests together.
fn correct<'a>(probabilities: impl Iterator<Item = &'a mut f64>) {
    let tests: Vec<&mut f64> = probabilities.collect();
    let corrected = holm(&tests.iter().map(|p| **p).collect::<Vec<_>>());
    tests.into_iter().zip(corrected).for_each(|(p, corrected)| *p = corrected);
}

impl Row {
    fn of(algorithm: String, processor: &str, variants: &[String], scores: &[&Score]) -> Self {
        let runs = |variant: &String| -> Vec<(u32, f64)> {
            let is_it = |score: &&&Score| score.algorithm == algorithm && score.variant == *variant;
            let mut runs: Vec<(u32, f64)> =
                scores.iter().filter(is_it).map(|score| (score.seed, score.score)).collect();
            runs.sort_by_key(|(seed, _)| *seed);
            runs
        };
        let all: Vec<Vec<(u32, f64)>> = variants.iter().map(runs).collect();
        let there = all.iter().filter(|runs| !runs.is_empty());
        let best = there.map(|runs| mean_of(runs)).fold(f64::MIN, f64::max);
        let baseline = variants.iter().position(String::is_empty).map(|place| all[place].clone());
        let cells = variants.iter().zip(&all).map(|(variant, runs)| {
            if runs.is_empty() {
                return None;
            }
            let numbers: Vec<f64> = runs.iter().map(|(_, score)| *score).collect();
            let Summary { mean, std, .. } = Summary::of(&numbers);
            let beside = baseline.as_ref().filter(|_| !variant.is_empty());
            Some(Cell {
                scores: runs.clone(),
                mean,
                std,
                interval: bootstrap(&numbers),
                is_best: mean == best,
                is_above: beside
                    .is_some_and(|baseline| !baseline.is_empty() && mean > mean_of(baseline)),
                difference: beside.and_then(|baseline| Difference::of(runs, baseline)),
            })
        });
        let cells = cells.collect();
        // A network that is in the paper's tables and in its ablations has two numbers: it is an ablation
        // among others.
        let is_ablated = |variant: &String| {
            !ORDER.contains(&variant.as_str())
                && published(&algorithm, processor, variant).is_some()
        };
        let is_ablation = variants.iter().any(is_ablated);
        let published = variants.iter().map(|variant| {
            let of = |variant: &str| published(&algorithm, processor, variant);
            let ablated = is_ablation.then(|| of(&format!("{variant} (ablation)"))).flatten();
            ablated.or_else(|| of(variant))
        });
        let published = published.collect();
        Self { algorithm, cells, published }
    }

    /// Whether all variants have runs.
    fn is_common(&self) -> bool {
        self.cells.iter().all(Option::is_some)
    }
}

impl Difference {
    fn of(runs: &[(u32, f64)], baseline: &[(u32, f64)]) -> Option<Self> {
        let other = |seed: u32| baseline.iter().find(|(other, _)| *other == seed);
        let pairs: Vec<f64> =
            runs.iter().filter_map(|(seed, score)| Some(score - other(*seed)?.1)).collect();
        if pairs.is_empty() {
            return None;
        }
        let p = paired(&pairs);
        Some(Self {
            seeds: pairs.len(),
            mean: pairs.iter().sum::<f64>() / pairs.len() as f64,
            interval: bootstrap(&pairs),
            p,
            // Until all tests of the table are known.
            corrected: p,
        })
    }

    /// 0 if it is better than the baseline beyond chance, 2 if it is worse, 1 if nobody knows.
    fn outcome(&self) -> usize {
        match self.corrected {
            Some(p) if p < SURE && self.mean > 0.0 => 0,
            Some(p) if p < SURE => 2,
            _ => 1,
        }
    }
}

impl Column {
    /// Whether it is of a variant, by what differs from the processor as it is.
    fn is(&self, variant: &str) -> bool {
        self.name == if variant.is_empty() { BASELINE } else { variant }
    }

    fn of(variant: &str, place: usize, rows: &[Row]) -> Self {
        let there: Vec<(&Row, &Cell)> =
            rows.iter().filter_map(|row| Some((row, row.cells[place].as_ref()?))).collect();
        let common: Vec<&(&Row, &Cell)> = there.iter().filter(|(row, _)| row.is_common()).collect();
        let category = |row: &Row| algorithms::find(&row.algorithm).ok().map(|it| it.category);
        let categories: BTreeSet<Category> =
            common.iter().filter_map(|(row, _)| category(row)).collect();
        let by_category = categories.into_iter().filter_map(|wanted| {
            let of_it = common.iter().filter(|(row, _)| category(row) == Some(wanted));
            Some((wanted, Mean::of(place, of_it.copied())?))
        });
        let differences: Vec<&Difference> =
            there.iter().filter_map(|(_, cell)| cell.difference.as_ref()).collect();
        let mut wins_ties_losses = [0; 3];
        for difference in &differences {
            wins_ties_losses[difference.outcome()] += 1;
        }
        let differences: Vec<f64> = differences.iter().map(|difference| difference.mean).collect();
        Self {
            name: if variant.is_empty() { BASELINE } else { variant }.to_owned(),
            algorithms: there.len(),
            mean: Mean::of(place, common.iter().copied()),
            by_category: by_category.collect(),
            best: there.iter().filter(|(_, cell)| cell.is_best).count(),
            above: there.iter().filter(|(_, cell)| cell.is_above).count(),
            wins_ties_losses,
            over_algorithms: signed_ranks(&differences),
        }
    }
}

impl Mean {
    /// Of the variant at a place; nothing if there is no algorithm.
    fn of<'a>(place: usize, cells: impl Iterator<Item = &'a (&'a Row, &'a Cell)>) -> Option<Self> {
        let cells: Vec<_> = cells.collect();
        let mean = |numbers: Vec<f64>| numbers.iter().sum::<f64>() / numbers.len() as f64;
        let published = cells.iter().map(|(row, _)| Some(row.published[place]?.value));
        (!cells.is_empty()).then(|| Self {
            ours: mean(cells.iter().map(|(_, cell)| cell.mean).collect()),
            published: published.collect::<Option<_>>().map(mean),
        })
    }
}

/// What the paper has in a cell of its tables of CLRS-30 (appendix A), and in its ablations (appendix C).
fn published(algorithm: &str, processor: &str, variant: &str) -> Option<Published> {
    const PAPER: &str = include_str!("published.csv");
    let wanted = format!("{algorithm},{processor},{variant},");
    let numbers = PAPER.lines().find_map(|line| line.strip_prefix(&wanted))?;
    let (mean, std) = numbers.split_once(',').expect("a mean and a standard deviation");
    // Two digits of a percentage are four of a share.
    let share = |text: &str| (100.0 * text.parse::<f64>().expect("a number")).round() / 10_000.0;
    Some(Published { value: share(mean), std: Some(share(std)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(algorithm: &str, variant: &str, seed: u32, score: f64) -> Score {
        Score {
            algorithm: algorithm.to_owned(),
            processor: "mpnn".to_owned(),
            variant: variant.to_owned(),
            seed,
            steps: None,
            score,
        }
    }

    fn some() -> Vec<Score> {
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
    fn only_differences_beyond_chance_are_wins_or_losses() {
        let [table] = &tables(&some())[..] else { panic!("one processor") };
        let names: Vec<&str> = table.variants.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["baseline", "decay"]);
        let decay = &table.variants[1];
        assert_eq!(decay.wins_ties_losses, [0, 1, 1], "dfs is a tie, bfs a loss");
        assert_eq!((decay.algorithms, decay.above, table.any_above), (2, 1, 1));
        assert_eq!(table.variants[0].best, 2, "bfs and dijkstra");
    }

    #[test]
    fn many_algorithms_say_together_what_none_says_alone() {
        let mut scores = vec![];
        for (place, entry) in algorithms::ALL.iter().take(8).enumerate() {
            let better = 0.01 * (place + 1) as f64;
            scores.push(score(entry.name, "", 42, 0.5));
            scores.push(score(entry.name, "decay", 42, 0.5 + better));
            scores.push(score(entry.name, "softmax", 42, if place % 2 == 0 { 0.4 } else { 0.6 }));
        }
        let [baseline, softmax, decay] = &tables(&scores)[0].variants[..] else { panic!("three") };
        assert_eq!(decay.wins_ties_losses, [0, 8, 0], "one seed says nothing of an algorithm");
        assert_eq!(decay.over_algorithms, Some(2.0 * 2.0 / 256.0), "the smaller one of two tests");
        assert_eq!(softmax.over_algorithms, Some(1.0));
        assert_eq!(baseline.over_algorithms, None, "it does not differ from itself");
    }

    #[test]
    fn means_are_over_what_all_variants_have() {
        let table = &tables(&some())[0];
        assert_eq!(table.common, 2, "dijkstra has no run with decay");
        let [baseline, decay] = [0, 1].map(|place| table.variants[place].mean.unwrap().ours);
        assert!((baseline - 0.551).abs() < 1e-3, "{baseline}, without dijkstra");
        assert!((decay - 0.503).abs() < 1e-3, "{decay}");
    }

    #[test]
    fn the_papers_mean_is_over_the_same_algorithms_or_missing() {
        let scores = |algorithms: &[&str]| -> Vec<Score> {
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
        assert_eq!(graphs, Mean { ours: 0.5, published: None });
    }

    #[test]
    fn above_the_baseline_is_who_has_a_higher_mean_of_whatever_seeds() {
        let scores = [score("bfs", "", 1, 0.3), score("bfs", "decay", 2, 0.9)];
        let table = &tables(&scores)[0];
        let cell = table.rows[0].cells[1].as_ref().unwrap();
        assert!(cell.is_above && cell.difference.is_none(), "{cell:?}");
        assert_eq!((table.variants[1].above, table.any_above), (1, 1));
    }

    #[test]
    fn the_numbers_of_ablations_stand_beside_ablations_only() {
        let of = |variants: &[&str]| {
            let scores = variants.iter().map(|variant| Score {
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
    fn a_cell_without_runs_is_missing() {
        let table = &tables(&some())[0];
        let dijkstra = table.rows.iter().find(|row| row.algorithm == "dijkstra").unwrap();
        assert!(dijkstra.cells[1].is_none());
        let alone = dijkstra.cells[0].as_ref().unwrap();
        assert_eq!((alone.std, alone.interval), (None, None));
        let paper = dijkstra.published[0].unwrap();
        assert_eq!((paper.value, paper.std), (0.9393, Some(0.0141)));
    }

    #[test]
    fn the_paper_has_every_algorithm_of_clrs_30_in_four_variants() {
        for entry in algorithms::ALL.iter().filter(|entry| entry.in_clrs_30) {
            for processor in ["mpnn", "triplet_gmpnn"] {
                for variant in ["", "softmax", "decay", "softmax + decay"] {
                    let name = entry.name;
                    assert!(published(name, processor, variant).is_some(), "{name} {variant}");
                }
            }
        }
    }
}
