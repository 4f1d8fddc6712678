//! `narscope sweep`: many runs from one file.

mod board;
mod plan;
mod run;
mod submit;

use std::io::Write as _;
use std::path::PathBuf;

use narscope::results::RunResult;
use narscope::sweep::Error;
use narscope::sweep::file::{Planned, Sweep as Runs};
use narscope::sweep::state::State;
use serde_json::json;

use run::RunOptions;
use submit::SubmitOptions;

/// Do many runs from one file: on this machine's cores, or through a cluster's scheduler
///
/// The file declares axes, and every combination of their values is a run in a folder of its own. Folders
/// are all that is remembered: the same command goes on where it stopped, here or elsewhere.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope sweep plan experiments/ablations.toml          what it would do, and for how long
  narscope sweep run experiments/ablations.toml --jobs 2
  narscope sweep status experiments/ablations.toml
  narscope sweep submit experiments/clrs30.toml --executor slurm --time 04:00:00 --dry-run
  narscope sweep collect experiments/ablations.toml       keep what came out, in a few KB per run
  narscope table runs/ablations                           what came out")]
pub(crate) struct Sweep {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Print the runs, and how long they take on this machine
    Plan {
        /// The file that declares them
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Do the runs that are not done
    Run(Box<RunOptions>),
    /// Print what has become of the runs
    Status {
        /// The file that declares them
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Keep what came of the runs that are done, a line each, in one small file
    Collect {
        /// The file that declares them
        file: PathBuf,
        /// File to add them to [default: `results` in the file that declares them]
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Hand the runs that are not done to a scheduler
    ///
    /// What it should give to each task is said by flags, or by [resources] in the file.
    Submit(Box<SubmitOptions>),
}

impl Sweep {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.what {
            What::Plan { file, json } => plan::plan(&Runs::read(&file)?, json),
            What::Status { file, json } => status(&Runs::read(&file)?, json),
            What::Collect { file, out } => collect(file, out),
            What::Run(options) => options.run(),
            What::Submit(options) => options.run(),
        }
    }
}

fn status(sweep: &Runs, as_json: bool) -> anyhow::Result<()> {
    let states: Vec<(&Planned, State)> =
        sweep.runs.iter().map(|run| (run, seen(sweep, run))).collect();
    let mut out = std::io::stdout().lock();
    if as_json {
        let rows: Vec<_> =
            states.iter().map(|(run, state)| json!({"name": run.name, "state": state})).collect();
        serde_json::to_writer_pretty(&mut out, &rows)?;
        writeln!(out)?;
        return Ok(());
    }
    let width = states.iter().map(|(run, _)| run.name.len()).max().unwrap_or(0);
    for (run, state) in &states {
        writeln!(out, "{:width$}  {}", run.name, in_words(run, state))?;
    }
    let count =
        |wanted: &dyn Fn(&State) -> bool| states.iter().filter(|(_, state)| wanted(state)).count();
    writeln!(
        out,
        "{} done, {} begun, {} failed, {} waiting",
        count(&|state| *state == State::Done),
        count(&|state| matches!(state, State::Begun { .. })),
        count(&|state| matches!(state, State::Failed { .. })),
        count(&|state| *state == State::Waiting),
    )?;
    Ok(())
}

/// What has become of a run; a folder that cannot be used is a failure.
fn seen(sweep: &Runs, run: &Planned) -> State {
    State::of(sweep, run).unwrap_or_else(|error| State::Failed { why: format!("error: {error}") })
}

fn collect(file: PathBuf, out: Option<PathBuf>) -> anyhow::Result<()> {
    let sweep = Runs::read(&file)?;
    let Some(out) = out.or_else(|| sweep.results.clone()) else {
        let what = "where should results go? Give --out FILE.jsonl, or `results` in this file";
        return Err(Error::File { what: what.to_owned(), line: None, path: file }.into());
    };
    let mut kept = vec![];
    for run in &sweep.runs {
        let folder = sweep.folder(run);
        if State::of_folder(folder.clone(), run).is_ok_and(|state| state == State::Done) {
            kept.extend(RunResult::from_run(&folder, &run.name)?);
        } else {
            kept.extend(run.kept.clone());
        }
    }
    let (done, total) = (kept.len(), sweep.runs.len());
    let all = RunResult::add_to_file(kept, &out)?;
    writeln!(
        std::io::stdout(),
        "{done} of {total} runs are done and in {}, which has {all}",
        out.display()
    )?;
    Ok(())
}

fn in_words(run: &Planned, state: &State) -> String {
    match state {
        State::Waiting => "waiting".to_owned(),
        State::Begun { step } if *step >= run.config.train_steps => {
            "begun, trained and not yet tested".to_owned()
        }
        State::Begun { step } => format!("begun, saved at step {step}"),
        State::Done => "done".to_owned(),
        State::Failed { why } => {
            let last = why.lines().rev().find(|line| line.starts_with("error:"));
            format!("failed: {}", last.unwrap_or_else(|| why.lines().last().unwrap_or_default()))
        }
    }
}
