//! Tables as people and programs read them.

use std::collections::BTreeSet;

use super::{Cell, Column, Mean, Row, Table};
use crate::paper::Published;

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For a terminal.
    Text,
    /// For a README.
    Markdown,
    /// The same where there is little room: all processors side by side, means and numbers of seeds alone.
    Brief,
    /// For a paper: a `tabular` with the rules of `booktabs`.
    Latex,
    /// For a spreadsheet: a line per cell.
    Csv,
    /// For programs: everything.
    Json,
    /// For a page.
    Html,
}

/// What is said below a table, in words.
const LEGEND: &str = "mean ± standard deviation over seeds (n - 1), in percent (number of seeds); * best, ^ above the baseline, \
                      ! different from the baseline beyond chance (paired t-test, Holm)";
/// Means over CLRS-30 that others have published on the same scores.
const OTHERS: &str = "Published means over the 30: MPNN 51.02, Triplet-GMPNN 75.98 (10 seeds), G-ForgetNet 82.89, ReNAR 87.11";
/// What differences are, where they are shown.
const DIFFERENCES: &str = "Differences from the baseline are over seeds that both have, with 95 % of what drawing seeds again gives; p is corrected";

/// All tables in one format.
pub fn write(tables: &[Table], format: Format) -> String {
    match format {
        Format::Json => serde_json::to_string_pretty(tables).expect("tables are JSON") + "\n",
        Format::Csv => csv(tables),
        Format::Brief => brief(tables),
        _ => tables.iter().map(|table| one(table, format)).collect::<Vec<_>>().join("\n"),
    }
}

fn one(table: &Table, format: Format) -> String {
    let is_latex = format == Format::Latex;
    let grid = match table.rows.as_slice() {
        [row] => Grid::of_variants(table, row, is_latex),
        _ => Grid::of(table, is_latex),
    };
    match format {
        Format::Text => grid.text(),
        Format::Markdown => grid.markdown(),
        Format::Latex => grid.latex(),
        Format::Html => grid.html(),
        Format::Brief | Format::Csv | Format::Json => unreachable!("these are not grids"),
    }
}

/// A table as text in cells.
struct Grid {
    title: String,
    head: Vec<String>,
    body: Vec<Vec<String>>,
    summary: Vec<Vec<String>>,
    /// What is said below it, beside the legend.
    remark: &'static str,
}

fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

fn probability(p: f64) -> String {
    if p < 0.001 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

fn spread(mean: f64, std: Option<f64>) -> String {
    match std {
        Some(std) => format!("{} ± {}", percent(mean), percent(std)),
        None => percent(mean),
    }
}

impl Grid {
    fn of(table: &Table, is_latex: bool) -> Self {
        let plain = |text: &String| plain(text, is_latex);
        let mut head = vec!["algorithm".to_owned()];
        for column in &table.variants {
            head.extend([plain(&column.name), "paper".to_owned()]);
        }
        let shown = |cell: &Cell| if is_latex { latex(cell) } else { marked(cell) };
        let line = |row: &Row| {
            let pairs = row.cells.iter().zip(&row.published).flat_map(|(cell, paper)| {
                let ours = cell.as_ref().map_or("-".to_owned(), &shown);
                let paper = paper.map(|Published { value, std }| spread(value, std));
                [ours, plain(&paper.unwrap_or_default())]
            });
            std::iter::once(plain(&row.algorithm)).chain(pairs).collect()
        };
        let summary = summary(table);
        Self {
            title: title(table),
            head,
            body: table.rows.iter().map(line).collect(),
            summary: summary.iter().map(|line| line.iter().map(plain).collect()).collect(),
            remark: OTHERS,
        }
    }

    /// A single algorithm: a line per variant leaves room for differences, and there is nothing to sum up.
    fn of_variants(table: &Table, row: &Row, is_latex: bool) -> Self {
        let head = ["ours", "paper", "difference", "95 %", "p"].map(str::to_owned);
        let lines = table.variants.iter().zip(&row.cells).zip(&row.published);
        let body = lines.map(|((column, cell), paper)| {
            let ours = cell
                .as_ref()
                .map_or("-".to_owned(), |cell| if is_latex { latex(cell) } else { marked(cell) });
            let paper = paper.map(|Published { value, std }| spread(value, std));
            let difference = cell.as_ref().and_then(|cell| cell.difference.as_ref());
            let points = |share: f64| format!("{:+.2}", 100.0 * share);
            let interval = difference.and_then(|it| it.interval);
            let rest = [
                paper,
                difference.map(|it| points(it.mean)),
                interval.map(|(low, high)| format!("{} to {}", points(low), points(high))),
                difference.and_then(|it| it.corrected).map(probability),
            ];
            let rest = rest.map(|cell| plain(&cell.unwrap_or_default(), is_latex));
            [plain(&column.name, is_latex), ours].into_iter().chain(rest).collect()
        });
        let first = plain(&row.algorithm, is_latex);
        Self {
            title: title(table),
            head: std::iter::once(first).chain(head.map(|cell| plain(&cell, is_latex))).collect(),
            body: body.collect(),
            summary: vec![],
            remark: DIFFERENCES,
        }
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        self.body.iter().chain(&self.summary)
    }

    fn text(&self) -> String {
        let width = |place: usize| {
            let all = self.lines().chain(std::iter::once(&self.head));
            all.map(|line| line[place].chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let line = |cells: &Vec<String>| {
            let cells = cells.iter().zip(&widths).enumerate().map(|(place, (cell, width))| {
                if place == 0 { format!("{cell:width$}") } else { format!("{cell:>width$}") }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        let rule = "-".repeat(widths.iter().sum::<usize>() + 2 * (widths.len() - 1)) + "\n";
        let body: String = self.body.iter().map(line).collect();
        let summary: String = self.summary.iter().map(line).collect();
        let summary = if summary.is_empty() { summary } else { summary + &rule };
        let (title, head, remark) = (&self.title, line(&self.head), self.remark);
        format!("{title}\n{rule}{head}{rule}{body}{rule}{summary}{LEGEND}.\n{remark}.\n")
    }

    fn markdown(&self) -> String {
        let (title, remark) = (&self.title, self.remark);
        let lines = markdown(&self.head, self.lines());
        format!("**{title}**\n\n{lines}\n{LEGEND}.\n{remark}.\n")
    }

    fn latex(&self) -> String {
        let line = |cells: &Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let columns = format!("l{}", "r".repeat(self.head.len() - 1));
        let body: String = self.body.iter().map(line).collect();
        let summary: String = self.summary.iter().map(line).collect();
        let summary = if summary.is_empty() { summary } else { format!("\\midrule\n{summary}") };
        let (title, head, remark) = (&self.title, line(&self.head), self.remark);
        format!(
            "% {title}\n% {LEGEND}\n% {remark}\n% bold: best; underlined: above the baseline; dagger: beyond chance\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n{head}\\midrule\n{body}{summary}\\bottomrule\n\\end{{tabular}}\n"
        )
    }

    fn html(&self) -> String {
        let escape = |cell: &String| cell.replace('&', "&amp;").replace('<', "&lt;");
        let line = |cells: &Vec<String>, tag: &str| {
            let cells = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell)));
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        };
        let body: String = self.lines().map(|cells| line(cells, "td")).collect();
        let (title, head, remark) = (escape(&self.title), line(&self.head, "th"), self.remark);
        format!(
            "<meta charset=\"utf-8\">\n<table>\n<caption>{title}</caption>\n<thead>{head}</thead>\n<tbody>\n{body}</tbody>\n</table>\n<p>{LEGEND}. {remark}.</p>\n"
        )
    }
}

/// Cells as Markdown takes them.
fn markdown<'a>(head: &'a Vec<String>, lines: impl IntoIterator<Item = &'a Vec<String>>) -> String {
    let line = |cells: &Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = format!("| --- |{}\n", " ---: |".repeat(head.len() - 1));
    let lines: String = lines.into_iter().map(line).collect();
    format!("{}{rule}{lines}", line(head))
}

/// Means and numbers of seeds: a line per algorithm, a column per variant of every processor. Whatever there
/// is no room for is in the other formats.
fn brief(tables: &[Table]) -> String {
    let line = |name: &str, cells: &dyn Fn(&Table) -> Vec<String>| -> Vec<String> {
        std::iter::once(name.to_owned()).chain(tables.iter().flat_map(cells)).collect()
    };
    let summed_up = |name: &str, cell: &dyn Fn(&Column) -> Option<String>| {
        line(name, &|table| table.variants.iter().map(|it| cell(it).unwrap_or_default()).collect())
    };
    let short = |share: f64| format!("{:.1}", 100.0 * share);
    let shown = |cell: &Option<Cell>| {
        let cell = cell.as_ref();
        cell.map_or("-".to_owned(), |it| format!("{} ({})", short(it.mean), it.scores.len()))
    };
    let head = line("test score, % (seeds)", &|table| {
        let name = |it: &Column| if it.is("") { &table.processor } else { &it.name }.clone();
        table.variants.iter().map(name).collect()
    });
    let rows = || tables.iter().flat_map(|table| &table.rows);
    let algorithms: BTreeSet<&String> = rows().map(|row| &row.algorithm).collect();
    let mut lines: Vec<Vec<String>> = vec![];
    for algorithm in algorithms {
        lines.push(line(algorithm, &|table| {
            let row = table.rows.iter().find(|row| row.algorithm == *algorithm);
            let missing = || vec!["-".to_owned(); table.variants.len()];
            row.map_or_else(missing, |row| row.cells.iter().map(shown).collect())
        }));
    }
    lines.push(summed_up("mean over those with all variants", &|it| Some(short(it.mean?.ours))));
    lines.push(summed_up("p over algorithms", &|it| it.over_algorithms.map(probability)));
    markdown(&head, &lines)
}

/// The processor, and for how long it was trained.
fn title(table: &Table) -> String {
    let steps: Vec<String> = table.steps.iter().map(ToString::to_string).collect();
    let trained = match steps.as_slice() {
        [] => table.processor.clone(),
        steps => format!("{}, trained for {} steps", table.processor, steps.join(" or ")),
    };
    match &table.baseline {
        Some(baseline) => format!("{trained}; baseline: {baseline}"),
        None => trained,
    }
}

/// A cell with its marks.
fn marked(cell: &Cell) -> String {
    let difference = cell.difference.as_ref();
    let marks = [
        (cell.is_best, "*"),
        (cell.is_above, "^"),
        (difference.is_some_and(|it| it.outcome() != 1), "!"),
    ];
    let marks: String = marks.iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| *mark).collect();
    format!("{marks}{} ({})", spread(cell.mean, cell.std), cell.scores.len())
}

/// The same as the paper prints it: bold if best, underlined if above the baseline; and how many seeds
/// there are, and a dagger if the difference is beyond chance.
fn latex(cell: &Cell) -> String {
    let number = spread(cell.mean, cell.std).replace('±', "$\\pm$");
    let difference = cell.difference.as_ref();
    let number = match (cell.is_best, cell.is_above) {
        (true, _) => format!("\\textbf{{{number}}}"),
        (false, true) => format!("\\underline{{{number}}}"),
        (false, false) => number,
    };
    let dagger = if difference.is_some_and(|it| it.outcome() != 1) { "$^\\dagger$" } else { "" };
    format!("{number}{dagger} ({})", cell.scores.len())
}

/// Text as the format takes it.
fn plain(text: &str, is_latex: bool) -> String {
    if is_latex { in_latex(text) } else { text.to_owned() }
}

/// Text as LaTeX takes it.
fn in_latex(text: &str) -> String {
    let letter = |letter: char| match letter {
        '&' | '%' | '$' | '#' | '_' | '{' | '}' => format!("\\{letter}"),
        '~' => "\\textasciitilde{}".to_owned(),
        '^' => "\\textasciicircum{}".to_owned(),
        '\\' => "\\textbackslash{}".to_owned(),
        '±' => "$\\pm$".to_owned(),
        // In the usual fonts of text, these are other letters.
        '<' | '>' | '|' => format!("${letter}$"),
        other => other.to_string(),
    };
    text.chars().map(letter).collect()
}

/// What is below the algorithms.
fn summary(table: &Table) -> Vec<Vec<String>> {
    let line = |name: String, cell: &dyn Fn(&Column) -> [String; 2]| {
        std::iter::once(name).chain(table.variants.iter().flat_map(cell)).collect()
    };
    let means = |mean: Option<Mean>| {
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
        lines.push(line(format!("mean over {}", in_words(category)), &|it| {
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
        [it.over_algorithms.map_or(String::new(), probability), String::new()]
    }));
    let mut any = vec!["any variant above".to_owned(), table.any_above.to_string()];
    any.resize(1 + 2 * table.variants.len(), String::new());
    lines.push(any);
    lines
}

/// A kind of algorithm in words.
fn in_words(category: impl serde::Serialize) -> String {
    let name = serde_json::to_value(category).ok();
    let name = name.as_ref().and_then(|name| name.as_str()).unwrap_or_default();
    name.replace('_', " ")
}

fn csv(tables: &[Table]) -> String {
    const NAMES: &str = "algorithm,processor,variant,seeds,mean,std,low,high,paired_seeds,difference,difference_low,difference_high,p,p_corrected,paper_mean,paper_std";
    let mut lines = csv::Writer::from_writer(vec![]);
    lines.write_record(NAMES.split(',')).expect("memory takes everything");
    for table in tables {
        for row in &table.rows {
            let cells = row.cells.iter().zip(&row.published).zip(&table.variants);
            for ((cell, paper), column) in cells {
                let known = |number: Option<f64>| number.map_or(String::new(), |x| x.to_string());
                let difference = cell.as_ref().and_then(|cell| cell.difference.as_ref());
                let interval = cell.as_ref().and_then(|cell| cell.interval);
                let fields = [
                    row.algorithm.clone(),
                    table.processor.clone(),
                    column.name.clone(),
                    cell.as_ref().map_or(0, |cell| cell.scores.len()).to_string(),
                    known(cell.as_ref().map(|cell| cell.mean)),
                    known(cell.as_ref().and_then(|cell| cell.std)),
                    known(interval.map(|(low, _)| low)),
                    known(interval.map(|(_, high)| high)),
                    difference.map_or(String::new(), |it| it.seeds.to_string()),
                    known(difference.map(|it| it.mean)),
                    known(difference.and_then(|it| Some(it.interval?.0))),
                    known(difference.and_then(|it| Some(it.interval?.1))),
                    known(difference.and_then(|it| it.p)),
                    known(difference.and_then(|it| it.corrected)),
                    known(paper.map(|paper| paper.value)),
                    known(paper.and_then(|paper| paper.std)),
                ];
                lines.write_record(fields).expect("memory takes everything");
            }
        }
    }
    let bytes = lines.into_inner().expect("memory takes everything");
    String::from_utf8(bytes).expect("fields are text")
}

#[cfg(test)]
mod tests {
    use super::super::{Score, tables};
    use super::*;

    #[test]
    fn names_with_special_letters_break_no_format() {
        let of = |algorithm: &str, variant: &str| Score {
            algorithm: algorithm.to_owned(),
            processor: "my%net".to_owned(),
            variant: variant.to_owned(),
            seed: 1,
            steps: None,
            score: 0.5,
        };
        let score = |variant: &str| of("a_1,2|3&<b>", variant);
        let tables = tables(&[score(""), score("50 % {x}"), of("other", "")]);
        let shown = |format: Format| write(&tables, format);
        assert!(
            shown(Format::Latex).contains(r"a\_1,2$|$3\&$<$b$>$ & "),
            "{}",
            shown(Format::Latex)
        );
        assert!(shown(Format::Latex).contains(r"50 \% \{x\}"));
        assert!(shown(Format::Csv).contains("\n\"a_1,2|3&<b>\",my%net,baseline,1,"));
        assert!(shown(Format::Markdown).contains(r"| a_1,2\|3&<b> |"));
        assert!(shown(Format::Html).contains("<td>a_1,2|3&amp;&lt;b></td>"));
    }

    #[test]
    fn a_brief_table_has_all_processors_side_by_side_and_shows_what_is_missing() {
        let score =
            |algorithm: &str, processor: &str, variant: &str, seed: u32, score: f64| Score {
                algorithm: algorithm.to_owned(),
                processor: processor.to_owned(),
                variant: variant.to_owned(),
                seed,
                steps: None,
                score,
            };
        let scores = [
            score("bfs", "mpnn", "", 1, 0.90),
            score("bfs", "mpnn", "", 2, 0.92),
            score("bfs", "mpnn", "decay", 1, 0.95),
            score("dfs", "mpnn", "", 1, 0.5),
            score("dfs", "pgn", "", 1, 0.125),
        ];
        let expected = "\
| test score, % (seeds) | mpnn | decay | pgn |
| --- | ---: | ---: | ---: |
| bfs | 91.0 (2) | 95.0 (1) | - |
| dfs | 50.0 (1) | - | 12.5 (1) |
| mean over those with all variants | 91.0 | 95.0 | 12.5 |
| p over algorithms |  | 1.000 |  |
";
        assert_eq!(write(&tables(&scores), Format::Brief), expected);
    }

    #[test]
    fn variants_of_one_algorithm_are_lines_with_their_differences() {
        let score = |variant: &str, seed: u32, score: f64| Score {
            algorithm: "bfs".to_owned(),
            processor: "mpnn".to_owned(),
            variant: variant.to_owned(),
            seed,
            steps: None,
            score,
        };
        let scores = [
            score("", 1, 0.90),
            score("", 2, 0.92),
            score("mine", 1, 0.95),
            score("mine", 2, 0.96),
            score("one seed", 2, 0.5),
        ];
        let shown = write(&tables(&scores), Format::Markdown);
        assert!(shown.contains("| bfs | ours | paper | difference | 95 % | p |"), "{shown}");
        let mine = "| mine | *^95.50 ± 0.71 (2) |  | +4.50 | +4.00 to +5.00 | 0.070 |";
        assert!(shown.contains(mine), "{shown}");
        assert!(shown.contains("| one seed | 50.00 (1) |  | -42.00 |  |  |"), "{shown}");
        assert!(!shown.contains("mean over"), "{shown}");
    }
}
