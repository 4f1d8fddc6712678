//! The report of any runs: the answers of all analyses on one page.

use std::path::{Path, PathBuf};

use narscope_analysis::analysed::AnalysedModel;
use narscope_analysis::analyses::{self, Entry};
use narscope_analysis::answers::CachedAnswers;
use narscope_analysis::context::Progress;
use narscope_analysis::sampling::Sampling;
use narscope_clrs::options::Direction;
use narscope_model::run::Which;
use narscope_report::page::{About, ExtraSection, Report};
use narscope_results::run_comparison::RunComparison;
use narscope_results::{NetworkAnswers, variant_name};

use crate::{CompareOptions, Error, Result, compare_runs, distinguish};

/// What is reported.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportOptions {
    /// Algorithm to analyse, for runs of several.
    pub algorithm: Option<String>,
    /// Samples of the analyses.
    pub sampling: Sampling,
    /// The command that makes the page, which the page states.
    pub command: String,
}

/// Something that a report leaves out, or starts with.
#[derive(Debug)]
pub enum Note<'a> {
    /// The analyses of a run start.
    Run(&'a Path),
    /// An analysis does not apply.
    Skipped(narscope_analysis::Error),
    /// Several runs cannot be compared with each other.
    NotCompared(Error),
}

/// The page about runs. Runs that differ only in their seed are averaged. Analyses without a cached answer run first.
///
/// # Errors
/// If there is no run, a run cannot be opened, or two runs have the same settings and seed.
pub fn report_runs(
    runs: &[PathBuf],
    options: &ReportOptions,
    progress: &dyn Progress,
    note: &mut dyn FnMut(Note<'_>),
) -> Result<String> {
    let mut networks = vec![];
    for run in runs {
        note(Note::Run(run));
        networks.push(answer_run(run, options, progress, note)?);
    }
    distinguish(&mut networks)?;
    let comparison = compare(runs, options, progress, note)?;
    let report = Report::new(&networks)?.with_extra(comparison.iter().map(ExtraSection::comparing));
    let title = format!("Hidden states of {}", report.variants().join(", "));
    let folders: Vec<String> = runs.iter().map(|run| run.display().to_string()).collect();
    let about = about(title, options.command.clone(), &folders.join(" "), &options.sampling);
    Ok(report.page(&about)?)
}

/// The answers of all analyses that apply to a run.
fn answer_run(
    run: &Path,
    options: &ReportOptions,
    progress: &dyn Progress,
    note: &mut dyn FnMut(Note<'_>),
) -> Result<NetworkAnswers> {
    let ReportOptions { algorithm, sampling, .. } = options;
    let model = AnalysedModel::open(run, Which::Best, algorithm.as_deref())?;
    let entries: Vec<&Entry> = analyses::for_algorithms(model.config().algorithms.len()).collect();
    let cached = CachedAnswers::new(run, &model, *sampling, progress);
    let answers = cached.answer_all(&entries, &mut |error| note(Note::Skipped(error)))?;
    let mut variant = variant_name(model.config());
    // The paper's numbers are all of Bellman-Ford.
    let algorithm = model.spec().entry.name;
    if algorithm != "bellman_ford" {
        variant = format!("{variant} on {algorithm}");
    }
    let (seed, config) = (model.config().seed, model.config().clone());
    Ok(NetworkAnswers { variant, seed, config, sampling: Some(*sampling), answers })
}

/// Compares several runs, if they have an algorithm in common.
fn compare(
    runs: &[PathBuf],
    options: &ReportOptions,
    progress: &dyn Progress,
    note: &mut dyn FnMut(Note<'_>),
) -> Result<Option<RunComparison>> {
    if runs.len() < 2 {
        return Ok(None);
    }
    let compared = CompareOptions {
        algorithm: options.algorithm.clone(),
        nodes: options.sampling.length,
        seed: options.sampling.seed,
        ..CompareOptions::default()
    };
    match compare_runs(runs, &compared, progress) {
        Ok(comparison) => Ok(Some(comparison)),
        Err(Error::Interrupted) => Err(Error::Interrupted),
        Err(error) => {
            note(Note::NotCompared(error));
            Ok(None)
        }
    }
}

/// Describes a page: its title, the command that makes it, the runs to explore, and its samples.
pub fn about(title: String, command: String, runs: &str, sampling: &Sampling) -> About {
    let direction = match sampling.direction {
        Some(Direction::Directed) => "directed ",
        _ => "",
    };
    About {
        title,
        command,
        explore: format!("narscope explore {runs}"),
        version: format!("narscope {}", env!("CARGO_PKG_VERSION")),
        size: format!("{} {direction}graphs of {} nodes", sampling.graphs, sampling.length),
    }
}
