//! Computes tables from scores.

use std::collections::BTreeSet;

use narscope_clrs::algorithms::{self, Category};

use super::{
    AlgorithmRow, BASELINE, Cell, Difference, MeanScore, RunScore, Table, VariantColumn,
    column_name,
};
use crate::published::{self, Published};
use crate::statistics::{
    DIFFERENCES, Summary, bounded_interval, holm, mean, paired_t_test, wilcoxon_signed_rank,
};

/// The paper's columns, in its order; other variants follow.
const PAPER_VARIANTS: [&str; 4] = ["", "softmax", "decay", "softmax + decay"];

/// Tells by processor and variant whether published scores are shown.
type ShowsPublished<'a> = &'a dyn Fn(&str, &str) -> bool;

pub(super) fn tables(
    scores: &[RunScore],
    baseline: Option<&str>,
    shows_published: ShowsPublished<'_>,
) -> Vec<Table> {
    let processors = sorted(scores.iter().map(|score| score.processor.clone()));
    let table = |processor| Table::of(processor, scores, baseline, shows_published);
    processors.into_iter().map(table).collect()
}

fn sorted(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    names
}

impl Table {
    fn of(
        processor: String,
        scores: &[RunScore],
        baseline: Option<&str>,
        shows_published: ShowsPublished<'_>,
    ) -> Self {
        let scores: Vec<&RunScore> =
            scores.iter().filter(|score| score.processor == processor).collect();
        let mut variants = sorted(scores.iter().map(|score| score.variant.clone()));
        let position = |name: &String| PAPER_VARIANTS.iter().position(|known| known == name);
        variants.sort_by_key(|name| position(name).unwrap_or(PAPER_VARIANTS.len()));
        let chosen = baseline_index(&variants, &scores, baseline);
        variants[..=chosen].rotate_right(1);
        let names = sorted(scores.iter().map(|score| score.algorithm.clone()));
        let mut rows: Vec<AlgorithmRow> = names
            .into_iter()
            .map(|algorithm| AlgorithmRow::of(algorithm, &processor, &variants, &scores))
            .collect();
        let is_hidden: Vec<bool> =
            variants.iter().map(|variant| !shows_published(&processor, variant)).collect();
        let mut published_left_out = false;
        for row in &mut rows {
            let hidden = row.published.iter_mut().zip(&is_hidden).filter(|(_, hidden)| **hidden);
            hidden.for_each(|(published, _)| published_left_out |= published.take().is_some());
        }
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
        Self {
            processor,
            steps,
            variants: columns,
            rows,
            any_above,
            common,
            baseline: None,
            published_left_out,
        }
    }
}

/// Index of the variant that others are compared with: the named one, or else the one without changes, or
/// else the one with the most runs; of several, the one with the fewest changes, and of those the first.
fn baseline_index(variants: &[String], scores: &[&RunScore], named: Option<&str>) -> usize {
    let find = |name: &str| variants.iter().position(|variant| column_name(variant) == name);
    let runs = |variant: &String| scores.iter().filter(|score| score.variant == *variant).count();
    let most_runs = || {
        let counted = variants.iter().enumerate();
        let changes = |variant: &String| variant.matches(" + ").count();
        counted.min_by_key(|(index, it)| (std::cmp::Reverse(runs(it)), changes(it), *index))
    };
    named
        .and_then(find)
        .or_else(|| find(BASELINE))
        .or_else(|| most_runs().map(|(index, _)| index))
        .expect("a processor has runs")
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
        let cells = all.iter().enumerate().map(|(index, runs)| {
            if runs.is_empty() {
                return None;
            }
            let values: Vec<f64> = runs.iter().map(|(_, score)| *score).collect();
            let Summary { mean, std, interval, .. } = Summary::of_scores(&values);
            // The first variant is the baseline.
            let baseline = all.first().filter(|_| index > 0);
            Some(Cell {
                scores: runs.clone(),
                mean,
                std,
                interval,
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
            interval: bounded_interval(&pairs, DIFFERENCES),
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
            name: column_name(variant).to_owned(),
            baseline: index == 0,
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
