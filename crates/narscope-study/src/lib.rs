//! Studies: the networks and samples of a paper in one file, trained, analysed, compared and reported.
//!
//! A [`Study`] is read from a file that lists networks, their training and the samples of their analyses. An
//! [`Execution`] trains what is missing, computes the answers that are not cached, and returns the answers of all
//! networks, from which [`narscope_report::page::Report`] makes a report and [`output::write`] its files. Every network
//! is loaded once, every comparison computed once, every picture drawn once.
//!
//! [`compare_runs`] puts any runs next to each other, [`report_runs`] all analyses of them on a page; [`measure_networks`] measures hundreds of them.
//!
//! This crate prints nothing: an [`Observer`] receives progress and may interrupt, and errors carry data.

mod compare;
mod error;
mod execution;
mod file;
mod kinds;
mod label;
pub mod output;
mod plan;
mod pretrained;
mod run_report;

pub use compare::{CompareOptions, compare_runs};
pub use error::{Error, Result};
pub use execution::{Execution, Observer, Only, Settings};
pub use file::{Network, Study};
pub use kinds::{FoundRun, FoundRuns, measure_networks};
pub use label::distinguish;
pub use plan::{Plan, RemainingSamples, RemainingTraining};
pub use pretrained::Pretrained;
pub use run_report::{Note, ReportOptions, about, report_runs};
