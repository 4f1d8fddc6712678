//! Computes tables from scores.

use std::collections::BTreeSet;

use narscope_clrs::algorithms::{self, Category};

use super::{AlgorithmRow, BASELINE, Cell, Difference, MeanScore, RunScore, Table, VariantColumn};
use crate::published::{self, Published};
use crate::statistics::{Summary, bootstrap_interval, holm, paired_t_test, wilcoxon_signed_rank};

/// The paper's columns, in its order; other variants follow.
const PAPER_VARIANTS: [&str; 4] = ["", "softmax", "decay", "softmax + decay"];

pub(super) fn tables(scores: &[RunScore]) -> Vec<Table> {
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
    fn of(processor: String, scores: &[RunScore]) -> Self {
        let scores: Vec<&RunScore> =
            scores.iter().filter(|score| score.processor == processor).collect();
        let mut variants = sorted(scores.iter().map(|score| score.variant.clone()));
        let position = |name: &String| PAPER_VARIANTS.iter().position(|known| known == name);
        variants.sort_by_key(|name| position(name).unwrap_or(PAPER_VARIANTS.len()));
        let names = sorted(scores.iter().map(|score| score.algorithm.clone()));
        let mut rows: Vec<AlgorithmRow> = names
            .into_iter()
            .map(|algorithm| AlgorithmRow::of(algorithm, &processor, &variants, &scores))
            .collect();
        let cells = rows.iter_mut().flat_map(|row| row.cells.iter_mut().flatten());
        let differences = cells.filter_map(|cell| cell.difference.as_mut());
        adjust(differences.filter_map(|difference| difference.corrected.as_mut()));
        let is_above = |row: &&AlgorithmRow| row.cells.iter().flatten().any(|cell| cell.is_above);
        let any_above = rows.iter().filter(is_above).count();
        let common = rows.iter().filter(|row| row.is_common()).count();
        let columns = variants.iter().enumerate();
        let mut columns: Vec<VariantColumn> =
            columns.map(|(index, name)| VariantColumn::of(name, index, &rows)).collect();
        adjust(columns.iter_mut().filter_map(|column| column.over_algorithms.as_mut()));
        let steps: BTreeSet<usize> = scores.iter().filter_map(|score| score.steps).collect();
        let steps = steps.into_iter().collect();
        Self { processor, steps, variants: columns, rows, any_above, common, baseline: None }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The mean score of runs, given as seeds and scores.
fn mean_of_runs(runs: &[(u32, f64)]) -> f64 {
    runs.iter().map(|(_, score)| score).sum::<f64>() / runs.len() as f64
}

/// Adjusts p-values for their number, in place.
fn adjust<'a>(p_values: impl Iterator<Item = &'a mut f64>) {
    let tests: Vec<&mut f64> = p_values.collect();
    let adjusted = holm(&tests.iter().map(|p| **p).collect::<Vec<_>>());
    tests.into_iter().zip(adjusted).for_each(|(p, adjusted)| *p = adjusted);
}

impl AlgorithmRow {
    fn of(algorithm: String, processor: &str, variants: &[String], scores: &[&RunScore]) -> Self {
        let runs = |variant: &String| -> Vec<(u32, f64)> {
            let is_run =
                |score: &&&RunScore| score.algorithm == algorithm && score.variant == *variant;
            let mut runs: Vec<(u32, f64)> =
                scores.iter().filter(is_run).map(|score| (score.seed, score.score)).collect();
            runs.sort_by_key(|(seed, _)| *seed);
            runs
        };
        let all: Vec<Vec<(u32, f64)>> = variants.iter().map(runs).collect();
        let nonempty = all.iter().filter(|runs| !runs.is_empty());
        let best = nonempty.map(|runs| mean_of_runs(runs)).fold(f64::MIN, f64::max);
        let baseline = variants.iter().position(String::is_empty).map(|index| all[index].clone());
        let cells = variants.iter().zip(&all).map(|(variant, runs)| {
            if runs.is_empty() {
                return None;
            }
            let values: Vec<f64> = runs.iter().map(|(_, score)| *score).collect();
            let Summary { mean, std, .. } = Summary::of(&values);
            let baseline = baseline.as_ref().filter(|_| !variant.is_empty());
            Some(Cell {
                scores: runs.clone(),
                mean,
                std,
                interval: bootstrap_interval(&values),
                is_best: mean == best,
                is_above: baseline
                    .is_some_and(|baseline| !baseline.is_empty() && mean > mean_of_runs(baseline)),
                difference: baseline.and_then(|baseline| Difference::of(runs, baseline)),
            })
        });
        let cells = cells.collect();
        let published = published_scores(&algorithm, processor, variants);
        Self { algorithm, cells, published }
    }

    /// Whether all variants have runs.
    fn is_common(&self) -> bool {
        self.cells.iter().all(Option::is_some)
    }
}

/// Per variant, the published score. Some networks are both in the paper's tables and in its ablations,
/// with different numbers: the ablations' are used if another variant is one of the ablations.
fn published_scores(
    algorithm: &str,
    processor: &str,
    variants: &[String],
) -> Vec<Option<Published>> {
    let of = |variant: &str| published::score(algorithm, processor, variant);
    let is_ablation =
        |variant: &String| !PAPER_VARIANTS.contains(&variant.as_str()) && of(variant).is_some();
    let has_ablations = variants.iter().any(is_ablation);
    let scores = variants.iter().map(|variant| {
        let ablation = has_ablations.then(|| of(&format!("{variant} (ablation)"))).flatten();
        ablation.or_else(|| of(variant))
    });
    scores.collect()
}

impl Difference {
    fn of(runs: &[(u32, f64)], baseline: &[(u32, f64)]) -> Option<Self> {
        let other = |seed: u32| baseline.iter().find(|(other, _)| *other == seed);
        let pairs: Vec<f64> =
            runs.iter().filter_map(|(seed, score)| Some(score - other(*seed)?.1)).collect();
        if pairs.is_empty() {
            return None;
        }
        let p = paired_t_test(&pairs);
        Some(Self {
            seeds: pairs.len(),
            mean: mean(&pairs),
            interval: bootstrap_interval(&pairs),
            p,
            // Adjusted when all tests of the table are known.
            corrected: p,
        })
    }
}

impl VariantColumn {
    fn of(variant: &str, index: usize, rows: &[AlgorithmRow]) -> Self {
        let cells: Vec<(&AlgorithmRow, &Cell)> =
            rows.iter().filter_map(|row| Some((row, row.cells[index].as_ref()?))).collect();
        let common: Vec<&(&AlgorithmRow, &Cell)> =
            cells.iter().filter(|(row, _)| row.is_common()).collect();
        let category =
            |row: &AlgorithmRow| algorithms::find(&row.algorithm).ok().map(|it| it.category);
        let categories: BTreeSet<Category> =
            common.iter().filter_map(|(row, _)| category(row)).collect();
        let by_category = categories.into_iter().filter_map(|wanted| {
            let of_category = common.iter().filter(|(row, _)| category(row) == Some(wanted));
            Some((wanted, MeanScore::of(index, of_category.copied())?))
        });
        let differences: Vec<&Difference> =
            cells.iter().filter_map(|(_, cell)| cell.difference.as_ref()).collect();
        let mut wins_ties_losses = [0; 3];
        for difference in &differences {
            wins_ties_losses[difference.outcome() as usize] += 1;
        }
        let differences: Vec<f64> = differences.iter().map(|difference| difference.mean).collect();
        Self {
            name: if variant.is_empty() { BASELINE } else { variant }.to_owned(),
            algorithms: cells.len(),
            mean: MeanScore::of(index, common.iter().copied()),
            by_category: by_category.collect(),
            best: cells.iter().filter(|(_, cell)| cell.is_best).count(),
            above: cells.iter().filter(|(_, cell)| cell.is_above).count(),
            wins_ties_losses,
            over_algorithms: wilcoxon_signed_rank(&differences),
        }
    }
}

impl MeanScore {
    /// Mean of the variant with this index; `None` without algorithms.
    fn of<'a>(
        index: usize,
        cells: impl Iterator<Item = &'a (&'a AlgorithmRow, &'a Cell)>,
    ) -> Option<Self> {
        let cells: Vec<_> = cells.collect();
        let published = cells.iter().map(|(row, _)| Some(row.published[index]?.value));
        (!cells.is_empty()).then(|| Self {
            ours: mean(&cells.iter().map(|(_, cell)| cell.mean).collect::<Vec<_>>()),
            published: published.collect::<Option<Vec<f64>>>().map(|values| mean(&values)),
        })
    }
}
