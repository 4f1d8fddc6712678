//! Writes tables as text, Markdown, LaTeX, HTML, CSV and JSON.

mod brief;
mod cells;
mod csv;
mod grid;

use crate::table::Table;
use grid::Grid;

/// Output format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns for a terminal.
    Text,
    /// Markdown.
    Markdown,
    /// Compact Markdown: all processors side by side, only means and numbers of seeds.
    Brief,
    /// A LaTeX `tabular` with the rules of `booktabs`.
    Latex,
    /// CSV, a line per cell.
    Csv,
    /// JSON with everything.
    Json,
    /// HTML.
    Html,
}

/// Writes all tables in one format.
///
/// ```
/// use narscope_results::{Format, RunScore, format, tables};
///
/// let score = RunScore {
///     algorithm: "bfs".to_owned(),
///     processor: "mpnn".to_owned(),
///     variant: String::new(),
///     seed: 42,
///     steps: None,
///     score: 0.9875,
/// };
/// let text = format::write(&tables(&[score]), Format::Brief);
/// assert!(text.contains("| bfs | 98.8 (1) |"), "{text}");
/// ```
pub fn write(tables: &[Table], format: Format) -> String {
    let grids = |render: &dyn Fn(Grid) -> String, is_latex: bool| {
        let texts = tables.iter().map(|table| render(Grid::of(table, is_latex)));
        texts.collect::<Vec<_>>().join("\n")
    };
    match format {
        Format::Text => grids(&|grid| grid.text(), false),
        Format::Markdown => grids(&|grid| grid.markdown(), false),
        Format::Latex => grids(&|grid| grid.latex(), true),
        Format::Html => grids(&|grid| grid.html(), false),
        Format::Brief => brief::write(tables),
        Format::Csv => csv::write(tables),
        Format::Json => serde_json::to_string_pretty(tables).expect("tables are JSON") + "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{RunScore, tables};

    #[test]
    fn special_characters_in_names_are_escaped_in_every_format() {
        let of = |algorithm: &str, variant: &str| RunScore {
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
        assert!(!shown(Format::Markdown).contains("paper"), "the paper has no such networks");
        assert!(shown(Format::Markdown).contains(r"| a_1,2\|3&<b> |"));
        assert!(shown(Format::Html).contains("<td>a_1,2|3&amp;&lt;b></td>"));
    }

    #[test]
    fn a_brief_table_has_all_processors_side_by_side_and_dashes_for_missing_cells() {
        let score =
            |algorithm: &str, processor: &str, variant: &str, seed: u32, score: f64| RunScore {
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
    fn a_table_of_one_algorithm_has_a_row_per_variant_with_its_difference() {
        let score = |variant: &str, seed: u32, score: f64| RunScore {
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
        assert!(shown.contains("| bfs | ours | 95 % | paper | difference | 95 % | p |"), "{shown}");
        let mine =
            "| mine | *^95.50 ± 0.71 (2) | 89.15 to 100.00 |  | +4.50 | -1.85 to +10.85 | 0.070 |";
        assert!(shown.contains(mine), "{shown}");
        assert!(shown.contains("| one seed | 50.00 (1) |  |  | -42.00 |  |  |"), "{shown}");
        assert!(!shown.contains("mean over algorithms"), "{shown}");
    }
}
