//! Compact Markdown: a row per algorithm, a column per variant of every processor.

use std::collections::BTreeSet;

use super::cells::{markdown, p_value};
use crate::table::{Cell, Table, VariantColumn};

/// Writes means and numbers of seeds; everything else is in the other formats.
pub(super) fn write(tables: &[Table]) -> String {
    let line = |name: &str, cells: &dyn Fn(&Table) -> Vec<String>| -> Vec<String> {
        std::iter::once(name.to_owned()).chain(tables.iter().flat_map(cells)).collect()
    };
    let summary = |name: &str, cell: &dyn Fn(&VariantColumn) -> Option<String>| {
        line(name, &|table| table.variants.iter().map(|it| cell(it).unwrap_or_default()).collect())
    };
    let short = |share: f64| format!("{:.1}", 100.0 * share);
    let text = |cell: &Option<Cell>| {
        let cell = cell.as_ref();
        cell.map_or("-".to_owned(), |it| format!("{} ({})", short(it.mean), it.scores.len()))
    };
    let head = line("test score, % (seeds)", &|table| {
        let name = |it: &VariantColumn| {
            if it.is_unchanged() { &table.processor } else { &it.name }.clone()
        };
        table.variants.iter().map(name).collect()
    });
    let rows = || tables.iter().flat_map(|table| &table.rows);
    let algorithms: BTreeSet<&String> = rows().map(|row| &row.algorithm).collect();
    let mut lines: Vec<Vec<String>> = vec![];
    for algorithm in algorithms {
        lines.push(line(algorithm, &|table| {
            let row = table.rows.iter().find(|row| row.algorithm == *algorithm);
            let missing = || vec!["-".to_owned(); table.variants.len()];
            row.map_or_else(missing, |row| row.cells.iter().map(text).collect())
        }));
    }
    lines.push(summary("mean over those with all variants", &|it| Some(short(it.mean?.ours))));
    lines.push(summary("p over algorithms", &|it| it.over_algorithms.map(p_value)));
    markdown(&head, &lines)
}
