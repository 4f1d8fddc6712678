//! `narscope report`: the answers of all analyses of runs on one page.

use std::io::Write as _;
use std::path::PathBuf;

use narscope::analysis::analysed::AnalysedModel;
use narscope::analysis::analyses::{self, Entry};
use narscope::analysis::answers::CachedAnswers;
use narscope::analysis::sampling::Sampling;
use narscope::clrs::options::Direction;
use narscope::model::run::Which;
use narscope::report::page::{About, ExtraSection, Report as Page};
use narscope::results::run_comparison::RunComparison;
use narscope::results::{NetworkAnswers, variant_name};
use narscope::study::{self, CompareOptions, compare_runs, distinguish, output};

use crate::interrupt;
use crate::progress::note;
use crate::sampling::{PROGRESS, SamplingOptions, skipped, with_progress};

/// Write one HTML page with the answers and figures of all analyses, next to the paper's numbers
///
/// The page is a single file that loads nothing else. Runs that differ only in their seed are
/// averaged, with their spread. Analyses without a cached answer run first.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope report runs/bf                           # writes runs/bf/report.html
  narscope report runs/linear-4? runs/softmax-42 --out paper.html")]
pub(crate) struct Report {
    /// Folders of runs
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// File to write [default: report.html in the folder of the first run]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Algorithm to analyse, for runs of several
    #[arg(long)]
    algorithm: Option<String>,
    #[command(flatten)]
    sampling: SamplingOptions,
}

impl Report {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { runs, out, algorithm, sampling } = self;
        let sampling = sampling.sampling()?;
        interrupt::save_before_exit();
        let mut networks = vec![];
        for run in &runs {
            if runs.len() > 1 {
                note(&format!("{}", run.display()));
            }
            let model = AnalysedModel::open(run, Which::Best, algorithm.as_deref())?;
            let entries: Vec<&Entry> =
                analyses::for_algorithms(model.config().algorithms.len()).collect();
            let cached = CachedAnswers::new(run, &model, sampling, &PROGRESS);
            let answers =
                with_progress(|| cached.answer_all(&entries, &mut |error| skipped(&error)))?;
            let mut variant = variant_name(model.config());
            // The paper's numbers are all of Bellman-Ford.
            let algorithm = model.spec().entry.name;
            if algorithm != "bellman_ford" {
                variant = format!("{variant} on {algorithm}");
            }
            let (seed, config) = (model.config().seed, model.config().clone());
            let sampling = Some(sampling);
            networks.push(NetworkAnswers { variant, seed, config, sampling, answers });
        }
        distinguish(&mut networks)?;
        let comparison = compare(&runs, algorithm, sampling)?;
        let report =
            Page::new(&networks)?.with_extra(comparison.iter().map(ExtraSection::comparing));
        let title = format!("Hidden states of {}", report.variants().join(", "));
        let folders: Vec<String> = runs.iter().map(|run| run.display().to_string()).collect();
        let page = report.page(&about(title, &folders.join(" "), sampling))?;
        let out = out.unwrap_or_else(|| runs[0].join("report.html"));
        output::write_text(&out, &page)?;
        let megabytes = page.len() as f64 / 1e6;
        writeln!(std::io::stdout(), "{}: {megabytes:.1} MB", out.display())?;
        Ok(())
    }
}

/// Compares several runs, if they have an algorithm in common.
fn compare(
    runs: &[PathBuf],
    algorithm: Option<String>,
    sampling: Sampling,
) -> anyhow::Result<Option<RunComparison>> {
    if runs.len() < 2 {
        return Ok(None);
    }
    let options = CompareOptions {
        algorithm,
        nodes: sampling.length,
        seed: sampling.seed,
        ..CompareOptions::default()
    };
    let compared = compare_runs(runs, &options, &PROGRESS);
    PROGRESS.clear();
    match compared {
        Ok(comparison) => Ok(Some(comparison)),
        Err(study::Error::Interrupted) => std::process::exit(interrupt::EXIT_CODE),
        Err(error) => {
            note(&format!("the runs are not compared with each other: {error}"));
            Ok(None)
        }
    }
}

/// Describes a page: its title, this command, the runs to explore and its samples.
pub(crate) fn about(title: String, runs: &str, sampling: Sampling) -> About {
    let command = std::env::args_os().map(|it| it.to_string_lossy().into_owned());
    let command: Vec<String> = command.collect();
    let direction = match sampling.direction {
        Some(Direction::Directed) => "directed ",
        _ => "",
    };
    About {
        title,
        command: command.join(" "),
        explore: format!("narscope explore {runs}"),
        version: format!("narscope {}", env!("CARGO_PKG_VERSION")),
        size: format!("{} {direction}graphs of {} nodes", sampling.graphs, sampling.length),
    }
}
