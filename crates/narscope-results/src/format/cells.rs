//! Numbers and names as text.

use crate::published::Published;
use crate::table::Cell;

pub(super) fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

pub(super) fn p_value(p: f64) -> String {
    if p < 0.001 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

fn mean_and_std(mean: f64, std: Option<f64>) -> String {
    match std {
        Some(std) => format!("{} ± {}", percent(mean), percent(std)),
        None => percent(mean),
    }
}

pub(super) fn published(paper: Option<Published>) -> String {
    paper.map_or(String::new(), |Published { value, std }| mean_and_std(value, std))
}

/// Mean, standard deviation and number of seeds, with marks for best, above the baseline and significant;
/// a dash without runs.
pub(super) fn cell(cell: Option<&Cell>, is_latex: bool) -> String {
    match cell {
        None => "-".to_owned(),
        Some(cell) if is_latex => latex_cell(cell),
        Some(cell) => text_cell(cell),
    }
}

fn text_cell(cell: &Cell) -> String {
    let marks = [(cell.is_best, "*"), (cell.is_above, "^"), (cell.is_significant(), "!")];
    let marks: String = marks.iter().filter(|(is_set, _)| *is_set).map(|(_, mark)| *mark).collect();
    format!("{marks}{} ({})", mean_and_std(cell.mean, cell.std), cell.scores.len())
}

/// As the paper prints it, bold for best and underlined for above the baseline, with a dagger for
/// significant differences and the number of seeds.
fn latex_cell(cell: &Cell) -> String {
    let number = mean_and_std(cell.mean, cell.std).replace('±', "$\\pm$");
    let number = match (cell.is_best, cell.is_above) {
        (true, _) => format!("\\textbf{{{number}}}"),
        (false, true) => format!("\\underline{{{number}}}"),
        (false, false) => number,
    };
    let dagger = if cell.is_significant() { "$^\\dagger$" } else { "" };
    format!("{number}{dagger} ({})", cell.scores.len())
}

/// Text, escaped if the format is LaTeX.
pub(super) fn escape(text: &str, is_latex: bool) -> String {
    if is_latex { escape_latex(text) } else { text.to_owned() }
}

fn escape_latex(text: &str) -> String {
    let escape = |character: char| match character {
        '&' | '%' | '$' | '#' | '_' | '{' | '}' => format!("\\{character}"),
        '~' => "\\textasciitilde{}".to_owned(),
        '^' => "\\textasciicircum{}".to_owned(),
        '\\' => "\\textbackslash{}".to_owned(),
        '±' => "$\\pm$".to_owned(),
        // Text fonts have other glyphs at these code points.
        '<' | '>' | '|' => format!("${character}$"),
        other => other.to_string(),
    };
    text.chars().map(escape).collect()
}

/// Cells as a Markdown table.
pub(super) fn markdown<'a>(
    head: &'a Vec<String>,
    lines: impl IntoIterator<Item = &'a Vec<String>>,
) -> String {
    let line = |cells: &Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = format!("| --- |{}\n", " ---: |".repeat(head.len() - 1));
    let lines: String = lines.into_iter().map(line).collect();
    format!("{}{rule}{lines}", line(head))
}
