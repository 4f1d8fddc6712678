//! Tables of the page.

use narscope_results::claims::markdown::{protocol, values};
use narscope_results::{ClaimResult, Comparison};
use serde::Serialize;

/// Name of the column that stays in sight on narrow screens.
const VERDICT: &str = "verdict";

/// A table of texts. Columns without a single text are left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

/// A column and how it is set.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Column {
    name: String,
    /// Class in the style sheet: `text`, `number` or `verdict`.
    kind: &'static str,
}

impl Table {
    /// Makes a table; columns of numbers are recognised. A column of the name `verdict` stays in sight on narrow
    /// screens.
    ///
    /// ```
    /// use narscope_report::page::Table;
    ///
    /// let row = ["score", "", "97.6 ± 0.4 %"].map(str::to_owned).to_vec();
    /// let table = Table::new(&["measure", "note", "ours"], &[row]);
    /// let row = ["score", "97.6 ± 0.4 %"].map(str::to_owned).to_vec();
    /// let other = Table::new(&["measure", "ours"], &[row]);
    /// assert_eq!(table, other, "a column without a text is left out");
    /// ```
    pub fn new(columns: &[&str], rows: &[Vec<String>]) -> Self {
        let cells = |column: usize| rows.iter().map(move |row| row[column].as_str());
        let texts = |column: usize| cells(column).filter(|cell| !cell.is_empty());
        let filled: Vec<usize> =
            (0..columns.len()).filter(|&column| texts(column).next().is_some()).collect();
        let kind = |column: usize| match columns[column] {
            VERDICT => VERDICT,
            _ if texts(column).all(is_number) => "number",
            _ => "text",
        };
        let described = filled
            .iter()
            .map(|&column| Column { name: columns[column].to_owned(), kind: kind(column) });
        let columns = described.collect();
        let rows =
            rows.iter().map(|row| filled.iter().map(|&column| row[column].clone()).collect());
        Self { columns, rows: rows.collect() }
    }

    /// Measures next to the paper's.
    pub(super) fn of_comparisons<'a>(
        comparisons: impl IntoIterator<Item = &'a Comparison>,
        with_network: bool,
    ) -> Self {
        let rows = comparisons.into_iter().map(|comparison| {
            let network = if with_network { comparison.variant.as_str() } else { "" };
            vec![
                comparison.label.clone(),
                network.to_owned(),
                comparison.ours(),
                comparison.published(),
            ]
        });
        let rows: Vec<Vec<String>> = rows.collect();
        Self::new(&["measure", "network", "ours", "paper"], &rows)
    }

    /// The paper's claims and their verdicts.
    pub(super) fn of_claims(claims: &[ClaimResult]) -> Self {
        let rows = claims.iter().map(|claim| {
            vec![
                claim.claim.to_owned(),
                claim.place.to_owned(),
                protocol(claim).to_owned(),
                claim.seeds.len().to_string(),
                claim.parts[0].ours(),
                claim.verdict.words().to_owned(),
            ]
        });
        let columns = ["claim", "place", "protocol", "seeds", "mean and interval", VERDICT];
        Self::new(&columns, &rows.collect::<Vec<_>>())
    }

    /// What decides each claim, with the value of every seed.
    pub(super) fn of_parts(claims: &[ClaimResult]) -> Self {
        let parts = claims.iter().flat_map(|claim| claim.parts.iter().map(move |it| (claim, it)));
        let rows = parts.map(|(claim, part)| {
            vec![
                claim.id.replace('_', " "),
                protocol(claim).to_owned(),
                part.network.to_owned(),
                part.quantity.clone(),
                part.ours(),
                part.criterion.clone(),
                part.note.clone().unwrap_or_default(),
                values(part),
                part.verdict.words().to_owned(),
            ]
        });
        let columns = [
            "claim",
            "protocol",
            "network",
            "quantity",
            "mean and interval",
            "should be",
            "why",
            "every seed",
            VERDICT,
        ];
        Self::new(&columns, &rows.collect::<Vec<_>>())
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }
}

/// Whether a text begins with a number.
fn is_number(text: &str) -> bool {
    text.trim_start_matches(['+', '-', '−', '<', '≤', ' '])
        .starts_with(|it: char| it.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_columns_are_left_out_and_numbers_are_recognised() {
        let rows = [["a", "", "−0.5 %", "agrees"], ["b", "", "", ""]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        let table = Table::new(&["measure", "paper", "ours", "verdict"], &rows);
        let columns: Vec<(&str, &str)> =
            table.columns.iter().map(|it| (it.name.as_str(), it.kind)).collect();
        assert_eq!(columns, [("measure", "text"), ("ours", "number"), ("verdict", "verdict")]);
        assert_eq!(table.rows[0], ["a", "−0.5 %", "agrees"]);
    }
}
