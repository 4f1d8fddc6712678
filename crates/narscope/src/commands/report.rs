//! `narscope report`: the answers of all analyses of runs on one page.

use std::io::Write as _;
use std::path::PathBuf;

use narscope::study::{self, Note, ReportOptions, output};

use crate::interrupt;
use crate::progress::note;
use crate::sampling::{PROGRESS, SamplingOptions, skipped};

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
        let options =
            ReportOptions { algorithm, sampling: sampling.sampling()?, command: command() };
        interrupt::save_before_exit();
        let several = runs.len() > 1;
        let written = study::report_runs(&runs, &options, &PROGRESS, &mut |said| match said {
            Note::Run(run) if several => note(&format!("{}", run.display())),
            Note::Run(_) => {}
            Note::Skipped(error) => skipped(&error),
            Note::NotCompared(error) => {
                note(&format!("the runs are not compared with each other: {error}"));
            }
        });
        PROGRESS.clear();
        let page = match written {
            Err(study::Error::Interrupted) => std::process::exit(interrupt::EXIT_CODE),
            written => written?,
        };
        let out = out.unwrap_or_else(|| runs[0].join("report.html"));
        output::write_text(&out, &page)?;
        let megabytes = page.len() as f64 / 1e6;
        writeln!(std::io::stdout(), "{}: {megabytes:.1} MB", out.display())?;
        Ok(())
    }
}

/// This command, as it was typed.
pub(crate) fn command() -> String {
    let words = std::env::args_os().map(|it| it.to_string_lossy().into_owned());
    words.collect::<Vec<_>>().join(" ")
}
