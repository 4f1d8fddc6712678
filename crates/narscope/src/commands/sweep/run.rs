//! Runs of a sweep: all of them in a few processes, or one of them in this one.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use narscope::model::checkpoint::Progress as Standing;
use narscope::model::evaluation::Evaluation;
use narscope::model::run::Observer;
use narscope::sweep::Error;
use narscope::sweep::file::Sweep as Runs;
use narscope::sweep::one::{self, Ending};
use narscope::sweep::pool::{BUSY, Pool, SAVED, Tally};
use narscope::sweep::state::mark_failed;
use narscope::sweep::submit;

use super::board::{Board, Said};
use crate::interrupt;
use crate::progress::{note, warn};

#[derive(clap::Args)]
pub(super) struct RunOptions {
    /// The file that declares them
    file: PathBuf,
    /// How many at a time, each with its share of the threads [default: 1]; all runs are done, whatever a
    /// scheduler says
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Do only the run of this place, counted from 0; a scheduler's array says it by itself
    #[arg(long)]
    index: Option<usize>,
    /// What is added to the number that a scheduler gives
    #[arg(long, alias = "index_offset", default_value_t = 0)]
    index_offset: usize,
    /// How many runs belong to each number that a scheduler gives
    #[arg(long, alias = "tasks_per_job", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    tasks_per_job: u32,
    /// Print how far the run is, as JSON
    #[arg(long, hide = true)]
    report: bool,
}

impl RunOptions {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let sweep = Runs::read(&self.file)?;
        interrupt::save_before_exit();
        if let Some(index) = self.index {
            return self.one(&sweep, index, WhenBusy::Leave);
        }
        // Some schedulers number a task that is the only one, too.
        let number = if self.jobs.is_some() { None } else { submit::number_of_task()? };
        match number {
            Some(number) => self.task(&sweep, number),
            None => self.pool(&sweep),
        }
    }

    /// Does the runs of a task, whatever becomes of those before.
    fn task(&self, sweep: &Runs, number: usize) -> anyhow::Result<()> {
        let per_task = self.tasks_per_job as usize;
        let first = number.saturating_add(self.index_offset).saturating_mul(per_task);
        // There is at least one, or whoever counted tasks has counted others.
        sweep.run(first)?;
        let last = first.saturating_add(per_task).min(sweep.runs.len());
        let mut failed = 0;
        for index in first..last {
            if let Err(error) = self.one(sweep, index, WhenBusy::Wait) {
                warn(&format!("{error:#}"));
                failed += 1;
            }
        }
        if failed > 0 {
            bail!("{failed} of {} runs failed", last - first);
        }
        Ok(())
    }

    /// Does one run, and writes down if it fails. What may be started again ends here.
    fn one(&self, sweep: &Runs, index: usize, when_busy: WhenBusy) -> anyhow::Result<()> {
        /// How long nobody looks whether somebody else has finished.
        const PATIENCE: Duration = Duration::from_secs(2);
        let run = sweep.run(index)?;
        let name = &run.name;
        let mut reporter = Reporter::new(self.report);
        loop {
            match one::run(sweep, run, &mut reporter) {
                Ok(Ending::Done) => note(&format!("{name}: done")),
                Ok(Ending::AlreadyDone) => note(&format!("{name}: done already")),
                Ok(Ending::Busy) if when_busy == WhenBusy::Wait && !interrupt::is_requested() => {
                    std::thread::sleep(PATIENCE);
                    continue;
                }
                Ok(Ending::Busy) if when_busy == WhenBusy::Leave => {
                    warn(&format!("{name}: another process is doing it"));
                    std::process::exit(BUSY);
                }
                Ok(Ending::Saved(step)) => {
                    note(&format!("{name}: saved after step {step}"));
                    std::process::exit(SAVED);
                }
                Ok(Ending::Busy) => std::process::exit(SAVED),
                // The folder is somebody else's.
                Err(error @ (Error::OtherRun(_) | Error::InTheWay(_))) => return Err(error.into()),
                Err(error) => {
                    // Whoever started this process may never learn what it said.
                    mark_failed(&sweep.folder(run), &format!("error: {error}\n"))?;
                    return Err(error.into());
                }
            }
            return Ok(());
        }
    }

    fn pool(&self, sweep: &Runs) -> anyhow::Result<()> {
        let jobs = usize::from(self.jobs.unwrap_or(1));
        let pool = Pool {
            program: std::env::current_exe().context("this program cannot be found")?,
            jobs,
            threads: (rayon::current_num_threads() / jobs).max(1),
        };
        let mut board = Board::new(sweep);
        let Tally { done, failed, busy, left } = pool.run(sweep, &mut board)?;
        drop(board);
        // Nobody may be left to read it; the exit code says it, too.
        let _ = writeln!(
            std::io::stdout(),
            "{done} done, {failed} failed, {busy} being done by others, {left} left"
        );
        if interrupt::is_requested() {
            std::process::exit(interrupt::EXIT_CODE);
        }
        if failed > 0 {
            bail!(
                "{failed} runs failed: see `narscope sweep status {}` and the log.txt of each",
                self.file.display()
            );
        }
        if left > 0 {
            std::process::exit(SAVED);
        }
        if busy > 0 {
            std::process::exit(BUSY);
        }
        Ok(())
    }
}

/// What to do about a run that another process is doing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WhenBusy {
    /// It is theirs.
    Leave,
    /// They may be a task whose node the scheduler has lost: this one takes over if they end.
    Wait,
}

/// Says how far a run is, to whoever started this process.
struct Reporter {
    is_wanted: bool,
    said: Option<Instant>,
    /// Whether whoever started this process is gone.
    is_alone: bool,
}

impl Reporter {
    fn new(is_wanted: bool) -> Self {
        Self { is_wanted, said: None, is_alone: false }
    }

    /// Says something, if nothing was said just before.
    fn say(&mut self, what: &Said) {
        const EVERY: Duration = Duration::from_millis(500);
        if !self.is_wanted || self.said.is_some_and(|said| said.elapsed() < EVERY) {
            return;
        }
        self.said = Some(Instant::now());
        let line = serde_json::to_string(what).expect("numbers are JSON");
        self.is_alone = writeln!(std::io::stdout(), "{line}").is_err();
    }
}

impl Observer for Reporter {
    fn stepped(&mut self, standing: &Standing, _: f64) {
        self.say(&Said::Step(standing.step as u64));
    }

    fn validated(&mut self, _: usize, _: &[Evaluation], _: bool) {}

    fn tested(&mut self, _: &str, samples: usize, of: usize) {
        self.say(&Said::Test { samples: samples as u64, of: of as u64 });
    }

    fn notice(&mut self, message: &str) {
        warn(message);
    }

    fn wants_to_stop(&mut self) -> bool {
        // A pool that was killed could not say so, and would start the same run again.
        interrupt::is_requested() || self.is_alone
    }
}
