//! A table as a grid of text, and how grids are rendered.

use std::collections::BTreeSet;

use super::cells::{self, escape, p_value, percent};
use crate::table::{AlgorithmRow, MeanScore, Table, VariantColumn};

/// Explains the marks below every table.
const LEGEND: &str = "mean ± standard deviation over seeds (n - 1), in percent (number of seeds); * best, ^ above the baseline, \
                      ! different from the baseline beyond chance (paired t-test, Holm)";
/// Means over CLRS-30 that other papers published, on the same scores.
const OTHER_PAPERS: &str = "Published means over the 30: MPNN 51.02, Triplet-GMPNN 75.98 (10 seeds), G-ForgetNet 82.89, ReNAR 87.11";
/// Explains the columns of one algorithm's variants.
const INTERVALS: &str = "Intervals of scores: 95 % confidence interval of the mean over seeds, Student's t, limited to 0-100 %; of differences \
                         from the baseline: the same over seeds that both have (paired). None for one seed, or if all seeds are equal. \
                         p is corrected";
/// Why there are fewer published scores than the paper has.
const LEFT_OUT: &str = "The paper's scores are left out where its networks were trained otherwise (settings, or 30,000 steps)";

/// A table as text in cells.
pub(super) struct Grid {
    title: String,
    head: Vec<String>,
    body: Vec<Vec<String>>,
    summary: Vec<Vec<String>>,
    /// Follow the legend.
    remarks: Vec<&'static str>,
}

impl Grid {
    pub(super) fn of(table: &Table, is_latex: bool) -> Self {
        let mut grid = match table.rows.as_slice() {
            [row] => Self::of_variants(table, row, is_latex),
            _ => Self::of_algorithms(table, is_latex),
        };
        if table.published_left_out {
            grid.remarks.push(LEFT_OUT);
        }
        grid.without_empty_columns()
    }

    /// A row per algorithm.
    fn of_algorithms(table: &Table, is_latex: bool) -> Self {
        let escaped = |text: &String| escape(text, is_latex);
        let mut head = vec!["algorithm".to_owned()];
        for column in &table.variants {
            head.extend([escaped(&column.name), "paper".to_owned()]);
        }
        let line = |row: &AlgorithmRow| {
            let pairs = row.cells.iter().zip(&row.published).flat_map(|(cell, paper)| {
                [cells::cell(cell.as_ref(), is_latex), escaped(&cells::published(*paper))]
            });
            std::iter::once(escaped(&row.algorithm)).chain(pairs).collect()
        };
        let summary = summary(table);
        let has_published = table.rows.iter().flat_map(|row| &row.published).any(Option::is_some);
        Self {
            title: title(table),
            head,
            body: table.rows.iter().map(line).collect(),
            summary: summary.iter().map(|line| line.iter().map(escaped).collect()).collect(),
            remarks: if has_published { vec![OTHER_PAPERS] } else { vec![] },
        }
    }

    /// A row per variant of a single algorithm: there is room for intervals and differences, and nothing to
    /// summarise.
    fn of_variants(table: &Table, row: &AlgorithmRow, is_latex: bool) -> Self {
        let head = ["ours", "95 %", "paper", "difference", "95 %", "p"].map(str::to_owned);
        let lines = table.variants.iter().zip(&row.cells).zip(&row.published);
        let body = lines.map(|((column, cell), paper)| {
            let difference = cell.as_ref().and_then(|cell| cell.difference.as_ref());
            let points = |share: f64| format!("{:+.2}", 100.0 * share);
            let between = |interval: Option<(f64, f64)>, text: &dyn Fn(f64) -> String| {
                interval.map(|(low, high)| format!("{} to {}", text(low), text(high)))
            };
            let rest = [
                between(cell.as_ref().and_then(|cell| cell.interval), &percent),
                Some(cells::published(*paper)),
                difference.map(|it| points(it.mean)),
                between(difference.and_then(|it| it.interval), &points),
                difference.and_then(|it| it.corrected).map(p_value),
            ];
            let rest = rest.map(|cell| escape(&cell.unwrap_or_default(), is_latex));
            let ours = cells::cell(cell.as_ref(), is_latex);
            [escape(&column.name, is_latex), ours].into_iter().chain(rest).collect()
        });
        let first = escape(&row.algorithm, is_latex);
        let has_intervals = row
            .cells
            .iter()
            .flatten()
            .any(|cell| cell.interval.is_some() || cell.difference.is_some());
        Self {
            title: title(table),
            head: std::iter::once(first).chain(head.map(|cell| escape(&cell, is_latex))).collect(),
            body: body.collect(),
            summary: vec![],
            remarks: if has_intervals { vec![INTERVALS] } else { vec![] },
        }
    }

    /// Leaves out columns without any value, such as published scores if there are none.
    fn without_empty_columns(self) -> Self {
        let is_kept: Vec<bool> = (0..self.head.len())
            .map(|column| column == 0 || self.body.iter().any(|line| !line[column].is_empty()))
            .collect();
        let kept = |line: Vec<String>| {
            let cells = line.into_iter().zip(&is_kept).filter(|(_, is_kept)| **is_kept);
            cells.map(|(cell, _)| cell).collect()
        };
        Self {
            head: kept(self.head),
            body: self.body.into_iter().map(kept).collect(),
            summary: self.summary.into_iter().map(kept).collect(),
            ..self
        }
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        self.body.iter().chain(&self.summary)
    }

    /// The legend and the remarks, each between `before` and `after`.
    fn notes(&self, before: &str, after: &str) -> String {
        let notes = std::iter::once(&LEGEND).chain(&self.remarks);
        notes.flat_map(|note| [before, note, after]).collect()
    }

    pub(super) fn text(&self) -> String {
        let width = |column: usize| {
            let all = self.lines().chain(std::iter::once(&self.head));
            all.map(|line| line[column].chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let line = |cells: &Vec<String>| {
            let cells = cells.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                if column == 0 { format!("{cell:width$}") } else { format!("{cell:>width$}") }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        let rule = "-".repeat(widths.iter().sum::<usize>() + 2 * (widths.len() - 1)) + "\n";
        let body: String = self.body.iter().map(line).collect();
        let summary: String = self.summary.iter().map(line).collect();
        let summary = if summary.is_empty() { summary } else { summary + &rule };
        let (title, head, notes) = (&self.title, line(&self.head), self.notes("", ".\n"));
        format!("{title}\n{rule}{head}{rule}{body}{rule}{summary}{notes}")
    }

    pub(super) fn markdown(&self) -> String {
        let (title, notes) = (&self.title, self.notes("", ".\n"));
        let lines = cells::markdown(&self.head, self.lines());
        format!("**{title}**\n\n{lines}\n{notes}")
    }

    pub(super) fn latex(&self) -> String {
        let line = |cells: &Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let columns = format!("l{}", "r".repeat(self.head.len() - 1));
        let body: String = self.body.iter().map(line).collect();
        let summary: String = self.summary.iter().map(line).collect();
        let summary = if summary.is_empty() { summary } else { format!("\\midrule\n{summary}") };
        let (title, head, notes) = (&self.title, line(&self.head), self.notes("% ", "\n"));
        format!(
            "% {title}\n{notes}% bold: best; underlined: above the baseline; dagger: beyond chance\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n{head}\\midrule\n{body}{summary}\\bottomrule\n\\end{{tabular}}\n"
        )
    }

    pub(super) fn html(&self) -> String {
        let escape = |cell: &String| cell.replace('&', "&amp;").replace('<', "&lt;");
        let line = |cells: &Vec<String>, tag: &str| {
            let cells = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell)));
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        };
        let body: String = self.lines().map(|cells| line(cells, "td")).collect();
        let (title, head) = (escape(&self.title), line(&self.head, "th"));
        let notes = self.notes("", ". ");
        let notes = notes.trim_end();
        format!(
            "<meta charset=\"utf-8\">\n<table>\n<caption>{title}</caption>\n<thead>{head}</thead>\n<tbody>\n{body}</tbody>\n</table>\n<p>{notes}</p>\n"
        )
    }
}

/// The processor, its training steps and its baseline.
fn title(table: &Table) -> String {
    let steps: Vec<String> = table.steps.iter().map(ToString::to_string).collect();
    let trained = match table.steps.as_slice() {
        [] => table.processor.clone(),
        [1] => format!("{}, trained for 1 step", table.processor),
        _ => format!("{}, trained for {} steps", table.processor, steps.join(" or ")),
    };
    match &table.baseline {
        Some(baseline) => format!("{trained}; baseline: {baseline}"),
        None => trained,
    }
}

/// Summary rows below the algorithms.
fn summary(table: &Table) -> Vec<Vec<String>> {
    let line = |name: String, cell: &dyn Fn(&VariantColumn) -> [String; 2]| {
        std::iter::once(name).chain(table.variants.iter().flat_map(cell)).collect()
    };
    let means = |mean: Option<MeanScore>| {
        [mean.map(|it| it.ours), mean.and_then(|it| it.published)]
            .map(|share| share.map_or("-".to_owned(), percent))
    };
    let over = if table.common == table.rows.len() {
        "mean over algorithms".to_owned()
    } else {
        format!("mean over the {} that all have", table.common)
    };
    let mut lines: Vec<Vec<String>> = vec![
        line(over, &|it| means(it.mean)),
        line("algorithms with runs".to_owned(), &|it| [it.algorithms.to_string(), String::new()]),
    ];
    let categories = table.variants.iter().flat_map(|it| it.by_category.iter().map(|(it, _)| *it));
    for category in categories.collect::<BTreeSet<_>>() {
        lines.push(line(format!("mean over {}", category_name(category)), &|it| {
            let found = it.by_category.iter().find(|(other, _)| *other == category);
            means(found.map(|(_, mean)| *mean))
        }));
    }
    lines.push(line("best on".to_owned(), &|it| [it.best.to_string(), String::new()]));
    lines.push(line("above the baseline".to_owned(), &|it| [it.above.to_string(), String::new()]));
    lines.push(line("better / not sure / worse".to_owned(), &|it| {
        let [wins, ties, losses] = it.wins_ties_losses;
        [format!("{wins} / {ties} / {losses}"), String::new()]
    }));
    lines.push(line("p over algorithms (signed ranks)".to_owned(), &|it| {
        [it.over_algorithms.map_or(String::new(), p_value), String::new()]
    }));
    let mut any = vec!["any variant above".to_owned(), table.any_above.to_string()];
    any.resize(1 + 2 * table.variants.len(), String::new());
    lines.push(any);
    lines
}

/// Name of a category of algorithms.
fn category_name(category: impl serde::Serialize) -> String {
    let name = serde_json::to_value(category).ok();
    let name = name.as_ref().and_then(|name| name.as_str()).unwrap_or_default();
    name.replace('_', " ")
}
