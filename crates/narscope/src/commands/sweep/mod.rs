//! `narscope sweep`: many runs from one file.

mod dashboard;
mod plan;
mod run;
mod submit;

use std::io::Write as _;
use std::path::PathBuf;

use narscope::results::RunResult;
use narscope::sweep::Error;
use narscope::sweep::file::{PlannedRun, Sweep as SweepFile};
use narscope::sweep::run_state::RunState;
use serde_json::json;

use run::RunOptions;
use submit::SubmitOptions;

use crate::advice::describe_sweep;

/// Do many runs declared by one file, on this machine or through a cluster's scheduler
///
/// The file declares axes; every combination of their values is a run in its own folder. The state of a run is
/// stored in its folder only, so that the same command continues where it stopped, here or on another machine.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope examples ablations.toml clrs30.toml     # write two sweep files
  narscope sweep plan ablations.toml               # list the runs and estimate their time
  narscope sweep run ablations.toml --jobs 2
  narscope sweep status ablations.toml
  narscope sweep submit clrs30.toml --executor slurm --time 04:00:00 --dry-run
  narscope sweep collect ablations.toml            # save the results, a few KB per run
  narscope table runs/ablations                    # print a table of the scores")]
pub(crate) struct Sweep {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// List the runs, with the time and memory that they need on this machine
    Plan {
        /// Sweep file
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Do the runs that are not done
    Run(Box<RunOptions>),
    /// Print the state of each run
    Status {
        /// Sweep file
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Save the results of finished runs in one small file, a line per run
    Collect {
        /// Sweep file
        file: PathBuf,
        /// Results file (.jsonl) to add them to [default: `results` of the sweep file]
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Submit the runs that are not done to a scheduler
    ///
    /// Resources of a task come from flags, or else from [resources] of the sweep file.
    Submit(Box<SubmitOptions>),
}

impl Sweep {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.action {
            Action::Plan { file, json } => plan::plan(&SweepFile::read(&file)?, json),
            Action::Status { file, json } => status(&SweepFile::read(&file)?, json),
            Action::Collect { file, out } => collect(file, out),
            Action::Run(options) => options.run(),
            Action::Submit(options) => options.run(),
        }
    }
}

fn status(sweep: &SweepFile, as_json: bool) -> anyhow::Result<()> {
    let states: Vec<(&PlannedRun, RunState)> =
        sweep.runs.iter().map(|run| (run, state(sweep, run))).collect();
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
    let count = |is_counted: &dyn Fn(&RunState) -> bool| {
        states.iter().filter(|(_, state)| is_counted(state)).count()
    };
    writeln!(
        out,
        "{} done, {} begun, {} failed, {} waiting",
        count(&|state| *state == RunState::Done),
        count(&|state| matches!(state, RunState::Begun { .. })),
        count(&|state| matches!(state, RunState::Failed { .. })),
        count(&|state| *state == RunState::Waiting),
    )?;
    Ok(())
}

/// State of a run; a folder that cannot be used counts as failed.
fn state(sweep: &SweepFile, run: &PlannedRun) -> RunState {
    RunState::of(sweep, run).unwrap_or_else(|error| RunState::Failed {
        why: format!("error: {}", describe_sweep(&error)),
    })
}

fn collect(file: PathBuf, out: Option<PathBuf>) -> anyhow::Result<()> {
    let sweep = SweepFile::read(&file)?;
    let Some(out) = out.or_else(|| sweep.results.clone()) else {
        let what = "no results file: give --out FILE.jsonl, or set `results` in this file";
        return Err(Error::File { what: what.to_owned(), line: None, path: file }.into());
    };
    let mut results = vec![];
    for run in &sweep.runs {
        let folder = sweep.folder(run);
        if RunState::of_folder(folder.clone(), run).is_ok_and(|state| state == RunState::Done) {
            results.extend(RunResult::from_run(&folder, &run.name)?);
        } else {
            results.extend(run.result.clone());
        }
    }
    let (done, total) = (results.len(), sweep.runs.len());
    let all = RunResult::add_to_file(results, &out)?;
    writeln!(
        std::io::stdout(),
        "{done} of {total} runs are done and saved; {} has {all} runs",
        out.display()
    )?;
    Ok(())
}

/// State of a run for the user.
fn in_words(run: &PlannedRun, state: &RunState) -> String {
    match state {
        RunState::Waiting => "waiting".to_owned(),
        RunState::Begun { step } if *step >= run.config.train_steps => {
            "begun, trained, not yet tested".to_owned()
        }
        RunState::Begun { step } => format!("begun, saved at step {step}"),
        RunState::Done => "done".to_owned(),
        RunState::Failed { why } => {
            let lines: Vec<&str> = why.lines().collect();
            let error = lines.iter().rposition(|line| line.starts_with("error:"));
            let Some(error) = error else {
                return format!("failed: {}", lines.last().unwrap_or(&""));
            };
            let hint = lines.get(error + 1).filter(|line| line.starts_with("hint:"));
            format!(
                "failed: {}{}",
                lines[error],
                hint.map_or(String::new(), |it| format!("; {it}"))
            )
        }
    }
}
