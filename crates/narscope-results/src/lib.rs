//! Scores of many runs: kept results, statistics, tables, published numbers, comparisons and verdicts.
//!
//! This crate computes and formats; `narscope-report` draws.
//!
//! | Module | Contents |
//! | --- | --- |
//! | [`run_result`] | results of finished runs, one line of JSON each |
//! | [`collect`] | scores from folders, results files and `.csv` files |
//! | [`statistics`] | summaries, intervals, tests of paired values, Holm, Welch |
//! | [`distribution`] | one number over many networks: modes, mixtures, what decides it |
//! | [`table`], [`mod@format`] | tables of scores, and how they are written |
//! | [`claims`] | the paper's claims, judged over seeds |
//! | [`published`] | the paper's numbers |
//! | [`comparison`], [`comparable`] | our measures next to the paper's, where they can be compared |
//! | [`run_comparison`] | several runs next to each other |
//! | [`kinds`] | do networks that differ in their seeds fall into two kinds? |
//! | [`variant`] | names of networks |
//!
//! Read a results file, make a table and test a variant against the baseline:
//!
//! ```
//! use narscope_results::{Format, Outcome, ScoreCollector, TableOptions, format};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use narscope_model::config::Config;
//! # use narscope_results::{RunResult, TestScore};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("results.jsonl");
//! # let runs = [(42, 1.0, 0.900), (43, 1.0, 0.903), (44, 1.0, 0.899), (42, 0.9, 0.951), (43, 0.9, 0.953), (44, 0.9, 0.949)];
//! # let runs = runs.map(|(seed, decay, score)| RunResult {
//! #     name: format!("decay={decay}/seed={seed}"),
//! #     version: "0.1.0".to_owned(),
//! #     config: Config { seed, decay, ..Config::default() },
//! #     test: vec![TestScore::new("bfs", score)],
//! #     validation: vec![],
//! # });
//! # RunResult::add_to_file(runs.to_vec(), &path)?;
//! let mut collector = ScoreCollector::default();
//! collector.read(&path, "triplet_gmpnn")?;
//! let tables = collector.finish()?.tables(&TableOptions::default())?;
//! println!("{}", format::write(&tables, Format::Text));
//!
//! let decay = tables[0].rows[0].cells[1].as_ref().expect("runs with decay");
//! let difference = decay.difference.as_ref().expect("seeds that the baseline has, too");
//! assert_eq!(difference.seeds, 3);
//! assert!(difference.corrected.unwrap() < 0.01, "paired t-test, adjusted by Holm's method");
//! assert_eq!(difference.outcome(), Outcome::Better);
//! # Ok(())
//! # }
//! ```

pub mod claims;
pub mod collect;
pub mod comparable;
pub mod comparison;
pub mod distribution;
mod error;
pub mod format;
pub mod kinds;
pub mod published;
pub mod run_comparison;
pub mod run_result;
pub mod statistics;
pub mod table;
pub mod variant;

pub use claims::{ClaimResult, Verdict};
pub use collect::{CollectedScores, LearningCurve, ScoreCollector};
pub use comparable::is_comparable;
pub use comparison::{AnswerGroup, Comparison, NetworkAnswers, comparisons, variants};
pub use error::{Error, Result};
pub use format::Format;
pub use kinds::Kinds;
pub use published::Published;
pub use run_comparison::RunComparison;
pub use run_result::{RunResult, TestScore, ValidationCurve};
pub use statistics::Summary;
pub use table::{
    AlgorithmRow, Cell, Difference, MeanScore, Outcome, RunScore, ShowPublished, Table,
    TableOptions, VariantColumn, tables,
};
pub use variant::{file_name, variant_name};
