//! `narscope sweep run`: all runs in a pool of processes, or one run in this process.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::bail;
use narscope::model::checkpoint;
use narscope::model::evaluation::Evaluation;
use narscope::model::run::{Observer, RunInfo};
use narscope::sweep::file::Sweep as SweepFile;
use narscope::sweep::pool::{EXIT_BUSY, EXIT_SAVED, Pool, Tally};
use narscope::sweep::run_state::mark_failed;
use narscope::sweep::{Error, RunOutcome, execute, submit};

use super::dashboard::{Dashboard, ProgressReport};
use crate::commands::train::TrainingProgress;
use crate::progress::{note, warn};
use crate::{advice, identity, interrupt, process};

#[derive(clap::Args)]
pub(super) struct RunOptions {
    /// Sweep file
    file: PathBuf,
    /// Number of runs at a time, each with an equal share of the threads [default: 1]; does all runs, also in a task
    /// of a scheduler
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Do only the run with this index, counted from 0 [default in a task of a scheduler: the task's index]
    #[arg(long)]
    index: Option<usize>,
    /// Number added to the index of a scheduler's task
    #[arg(long, alias = "index_offset", default_value_t = 0)]
    index_offset: usize,
    /// Number of runs of each task of a scheduler
    #[arg(long, alias = "tasks_per_job", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    tasks_per_job: u32,
    /// Print the progress of the run as JSON
    #[arg(long, hide = true)]
    report: bool,
}

impl RunOptions {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let sweep = SweepFile::read(&self.file)?;
        interrupt::save_before_exit();
        if let Some(index) = self.index {
            return self.one(&sweep, index, WhenBusy::Leave);
        }
        // A scheduler may set an index for a single job, too; --jobs overrides it.
        let task = if self.jobs.is_some() { None } else { submit::task_index()? };
        match task {
            Some(task) => self.task(&sweep, task),
            None => self.pool(&sweep),
        }
    }

    /// Does the runs of a task; a failed run does not stop the next one.
    fn task(&self, sweep: &SweepFile, task: usize) -> anyhow::Result<()> {
        let per_task = self.tasks_per_job as usize;
        let first = task.saturating_add(self.index_offset).saturating_mul(per_task);
        // An index without runs was meant for another sweep.
        sweep.run(first)?;
        let last = first.saturating_add(per_task).min(sweep.runs.len());
        let mut failed = 0;
        for index in first..last {
            if let Err(error) = self.one(sweep, index, WhenBusy::Wait) {
                warn(&advice::describe(&error));
                failed += 1;
            }
        }
        if failed > 0 {
            bail!("{failed} of {} runs failed", last - first);
        }
        Ok(())
    }

    /// Does one run, and marks it if it fails. Exits the process with [`EXIT_SAVED`] or [`EXIT_BUSY`] if the run can
    /// be started again.
    fn one(&self, sweep: &SweepFile, index: usize, when_busy: WhenBusy) -> anyhow::Result<()> {
        /// Interval between checks whether the other process has finished.
        const POLL_INTERVAL: Duration = Duration::from_secs(2);
        let run = sweep.run(index)?;
        let name = &run.name;
        let mut observer: Box<dyn Observer> = if self.report {
            Box::new(Reporter::default())
        } else {
            Box::new(TrainingProgress::new(run.config.train_steps))
        };
        loop {
            match execute(sweep, run, &mut *observer) {
                Ok(RunOutcome::Done) => note(&format!("{name}: done")),
                Ok(RunOutcome::AlreadyDone) => note(&format!("{name}: already done")),
                Ok(RunOutcome::Busy)
                    if when_busy == WhenBusy::Wait && !interrupt::is_requested() =>
                {
                    std::thread::sleep(POLL_INTERVAL);
                    continue;
                }
                Ok(RunOutcome::Busy) if when_busy == WhenBusy::Leave => {
                    warn(&format!("{name}: running in another process"));
                    std::process::exit(EXIT_BUSY);
                }
                Ok(RunOutcome::Saved { step }) => {
                    note(&format!("{name}: {}, saved after step {step}", interrupt::reason()));
                    std::process::exit(EXIT_SAVED);
                }
                Ok(RunOutcome::Busy) => std::process::exit(EXIT_SAVED),
                // The folder is not this run's: leave it unchanged.
                Err(error @ (Error::OtherRun(_) | Error::NotAFolder(_))) => {
                    return Err(error.into());
                }
                Err(error) => {
                    // The output of this process may be lost.
                    let why = advice::describe_sweep(&error);
                    mark_failed(&sweep.folder(run), &format!("error: {why}\n"))?;
                    return Err(error.into());
                }
            }
            return Ok(());
        }
    }

    fn pool(&self, sweep: &SweepFile) -> anyhow::Result<()> {
        let jobs = usize::from(self.jobs.unwrap_or(1));
        let pool = Pool {
            program: process::executable()?,
            jobs,
            threads: (rayon::current_num_threads() / jobs).max(1),
        };
        let mut dashboard = Dashboard::new(sweep);
        let Tally { done, failed, busy, left } = pool.run(sweep, &mut dashboard)?;
        drop(dashboard);
        // Standard output may be closed; the exit code has the outcome, too.
        let _ = writeln!(
            std::io::stdout(),
            "{done} done, {failed} failed, {busy} running elsewhere, {left} unfinished"
        );
        if interrupt::is_requested() {
            std::process::exit(interrupt::EXIT_CODE);
        }
        if failed > 0 {
            bail!(
                "{failed} runs failed: see `narscope sweep status {}` and log.txt in the folders of the runs",
                self.file.display()
            );
        }
        if left > 0 {
            std::process::exit(EXIT_SAVED);
        }
        if busy > 0 {
            std::process::exit(EXIT_BUSY);
        }
        Ok(())
    }
}

/// What to do with a run that another process is doing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WhenBusy {
    /// Skip it.
    Leave,
    /// Wait until it ends: it may be a task on a lost node, which this task replaces.
    Wait,
}

/// Prints the progress of a run for the pool that started this process.
#[derive(Default)]
struct Reporter {
    last_report: Option<Instant>,
    /// Whether the pool has ended.
    is_orphan: bool,
}

impl Reporter {
    /// Prints a report, at most one per interval.
    fn report(&mut self, report: &ProgressReport) {
        const INTERVAL: Duration = Duration::from_millis(500);
        if self.last_report.is_some_and(|last| last.elapsed() < INTERVAL) {
            return;
        }
        self.last_report = Some(Instant::now());
        let line = serde_json::to_string(report).expect("numbers are JSON");
        self.is_orphan = writeln!(std::io::stdout(), "{line}").is_err();
    }
}

impl Observer for Reporter {
    fn info(&self) -> RunInfo {
        identity::info()
    }

    fn stepped(&mut self, progress: &checkpoint::Progress, _: f64) {
        self.report(&ProgressReport::Step(progress.step as u64));
    }

    fn validated(&mut self, _: usize, _: &[Evaluation], _: bool) {}

    fn tested(&mut self, _: &str, samples: usize, of: usize) {
        self.report(&ProgressReport::Test { samples: samples as u64, of: of as u64 });
    }

    fn notice(&mut self, message: &str) {
        warn(message);
    }

    fn wants_to_stop(&mut self) -> bool {
        // The pool was killed; if it is started again, it starts this run, too.
        interrupt::is_requested() || self.is_orphan
    }
}
