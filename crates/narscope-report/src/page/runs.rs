//! The section that compares runs: settings, learning curves, scores, similarity of hidden states.

use narscope_results::run_comparison::RunComparison;

use super::{ExtraSection, NamedPicture, Table};
use crate::figures::compare;

impl ExtraSection {
    /// The section about several runs.
    pub fn comparing(comparison: &RunComparison) -> Self {
        let runs = &comparison.runs;
        let names: Vec<String> =
            runs.iter().map(|run| format!("{}: {}", run.label, run.name)).collect();
        let mut columns = vec!["setting"];
        columns.extend(runs.iter().map(|run| run.label.as_str()));
        let rows: Vec<Vec<String>> = comparison
            .settings
            .iter()
            .map(|it| std::iter::once(&it.key).chain(&it.values).cloned().collect())
            .collect();
        let pictures = compare::pictures(comparison).into_iter();
        Self {
            title: "How do these runs differ?".to_owned(),
            sentence: format!(
                "The same test samples of {} and the same random graphs for all runs. {}.",
                comparison.algorithm,
                names.join("; ")
            ),
            table: (!rows.is_empty()).then(|| Table::new(&columns, &rows)),
            pictures: pictures
                .map(|(name, picture)| NamedPicture { name: format!("runs-{name}"), picture })
                .collect(),
        }
    }
}
