//! `narscope sweep`: many runs from one file.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use narscope::files::whole::{self, Existing};
use narscope::model::checkpoint::Progress as Standing;
use narscope::model::config::Config;
use narscope::model::evaluate::Evaluation;
use narscope::model::run::Observer;
use narscope::sweep::Error;
use narscope::sweep::file::{Planned, Resources, Sweep as Runs};
use narscope::sweep::kept::Kept;
use narscope::sweep::one::{self, Ending};
use narscope::sweep::pool::{BUSY, End, Pool, SAVED, Tally, Watcher};
use narscope::sweep::state::{State, mark_failed};
use narscope::sweep::submit::{self, Jobs};
use serde_json::json;

use crate::estimate::{self, Training, in_time};
use crate::interrupt;
use crate::progress::{Progress, is_quiet, note, warn};

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

#[derive(clap::Args)]
struct RunOptions {
    /// The file that declares them
    file: PathBuf,
    /// How many at a time, each with its share of the threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Do only the run of this place, counted from 0; a scheduler's array says it by itself
    #[arg(long)]
    index: Option<usize>,
    /// What is added to the number that a scheduler gives
    #[arg(long, alias = "index_offset", default_value_t = 0)]
    index_offset: usize,
    /// How many runs belong to each number that a scheduler gives
    #[arg(long, alias = "tasks_per_job", default_value_t = 1)]
    tasks_per_job: usize,
    /// Print how far the run is, as JSON
    #[arg(long, hide = true)]
    report: bool,
}

#[derive(clap::Args)]
struct SubmitOptions {
    /// The file that declares them
    file: PathBuf,
    /// Who starts them
    #[arg(long)]
    executor: Executor,
    /// The partition
    #[arg(long)]
    partition: Option<String>,
    /// For how long a task may run, as the scheduler writes it
    #[arg(long)]
    time: Option<String>,
    /// Cores of a task [default: 2]
    #[arg(long)]
    cpus: Option<usize>,
    /// Memory of a task, as the scheduler writes it
    #[arg(long)]
    mem: Option<String>,
    /// How many runs a task does, one after the other [default: 1]
    #[arg(long, alias = "tasks_per_job")]
    tasks_per_job: Option<usize>,
    /// Print what would be submitted, and submit nothing
    #[arg(long, alias = "dry_run")]
    dry_run: bool,
}

#[derive(Clone, Copy, clap::ValueEnum, PartialEq, Eq)]
enum Executor {
    /// Job arrays through sbatch
    Slurm,
    /// A task array through `HyperQueue`'s hq
    Hq,
    /// The manifest of a Kubernetes Indexed Job, printed, whose image is yours to fill in
    K8s,
}

impl Sweep {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.what {
            What::Plan { file, json } => plan(&Runs::read(&file)?, json),
            What::Status { file, json } => status(&Runs::read(&file)?, json),
            What::Collect { file, out } => collect(&Runs::read(&file)?, out),
            What::Run(options) => options.run(),
            What::Submit(options) => options.run(),
        }
    }
}

fn plan(sweep: &Runs, as_json: bool) -> anyhow::Result<()> {
    // Variants of a network take about as long as each other: one of each kind is tried.
    let mut speeds: BTreeMap<(Vec<String>, String), Training> = BTreeMap::new();
    let mut left = Duration::ZERO;
    let mut rows = vec![];
    let progress = Progress::new("runs looked at", sweep.runs.len());
    for run in &sweep.runs {
        let Config { algorithms, processor_type, train_steps, .. } = &run.config;
        let kind = (algorithms.clone(), processor_type.clone());
        let speed = match speeds.get(&kind) {
            Some(speed) => *speed,
            None => estimate::training(&run.config)?,
        };
        speeds.insert(kind, speed);
        let state = seen(sweep, run);
        let steps = match state {
            State::Done => 0,
            State::Begun { step } => train_steps.saturating_sub(step),
            State::Waiting | State::Failed { .. } => *train_steps,
        };
        let time = speed.update * steps as u32;
        left += time;
        rows.push((run, state, time, speed.memory_mb));
        progress.advance(1);
    }
    drop(progress);
    let mut out = std::io::stdout().lock();
    if as_json {
        let rows: Vec<_> = rows
            .iter()
            .enumerate()
            .map(|(index, (run, state, time, memory))| {
                json!({
                    "index": index, "name": run.name, "state": state, "seconds_left": time.as_secs_f64(),
                    "memory_mb": memory, "config": run.config,
                })
            })
            .collect();
        serde_json::to_writer_pretty(&mut out, &rows)?;
        writeln!(out)?;
        return Ok(());
    }
    let width = rows.iter().map(|(run, ..)| run.name.len()).max().unwrap_or(0);
    for (index, (run, state, time, memory)) in rows.iter().enumerate() {
        let (name, state, time) = (&run.name, in_words(state), in_time(*time));
        writeln!(out, "{index:>5}  {name:width$}  {time:>7} left, {memory:.0} MB  {state}")?;
    }
    let (count, out_folder) = (rows.len(), sweep.out.display());
    writeln!(
        out,
        "{count} runs into {out_folder}, {} left, one after the other on this machine",
        in_time(left)
    )?;
    Ok(())
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
        writeln!(out, "{:width$}  {}", run.name, in_words(state))?;
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

fn collect(sweep: &Runs, out: Option<PathBuf>) -> anyhow::Result<()> {
    let Some(out) = out.or_else(|| sweep.results.clone()) else {
        bail!("where should results go? Give --out FILE.jsonl, or `results` in the sweep's file");
    };
    let mut kept = vec![];
    for run in sweep.runs.iter().filter(|run| !run.is_kept) {
        if seen(sweep, run) == State::Done {
            kept.extend(Kept::of(&sweep.folder(run), &run.name)?);
        }
    }
    let (new, total) = (kept.len(), sweep.runs.len());
    let all = Kept::add(kept, &out)?;
    writeln!(
        std::io::stdout(),
        "{new} runs added to {}, which has {all} now; the sweep has {total}",
        out.display()
    )?;
    Ok(())
}

fn in_words(state: &State) -> String {
    match state {
        State::Waiting => "waiting".to_owned(),
        State::Begun { step } => format!("begun, saved at step {step}"),
        State::Done => "done".to_owned(),
        State::Failed { why } => {
            let last = why.lines().rev().find(|line| line.starts_with("error:"));
            format!("failed: {}", last.unwrap_or_else(|| why.lines().last().unwrap_or_default()))
        }
    }
}

impl RunOptions {
    fn run(self) -> anyhow::Result<()> {
        let sweep = Runs::read(&self.file)?;
        interrupt::save_first();
        let per_task = self.tasks_per_job.max(1);
        match (self.index, submit::number_of_task()) {
            (Some(index), _) => self.one(&sweep, index, WhenBusy::Leave),
            (None, Some(number)) => {
                let first = (number + self.index_offset) * per_task;
                let last = (first + per_task).min(sweep.runs.len().max(first + 1));
                let mut failed = vec![];
                for index in first..last {
                    if let Err(error) = self.one(&sweep, index, WhenBusy::Wait) {
                        warn(&format!("{error:#}"));
                        failed.push(index);
                    }
                }
                match failed.len() {
                    0 => Ok(()),
                    count => bail!("{count} of {} runs failed", last - first),
                }
            }
            (None, None) => self.pool(&sweep),
        }
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
                Ok(Ending::Busy) if when_busy == WhenBusy::Wait && !interrupt::is_wanted() => {
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
                Err(error @ Error::OtherRun(_)) => return Err(error.into()),
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
        let jobs = usize::from(self.jobs);
        let pool = Pool {
            program: std::env::current_exe().context("this program cannot be found")?,
            jobs,
            threads: (rayon::current_num_threads() / jobs).max(1),
        };
        let mut board = Board::new(sweep);
        let Tally { done, failed, busy, left } = pool.run(sweep, &mut board)?;
        drop(board);
        writeln!(
            std::io::stdout(),
            "{done} done, {failed} failed, {busy} done by others, {left} left"
        )?;
        if interrupt::is_wanted() {
            std::process::exit(interrupt::EXIT_CODE);
        }
        if failed > 0 {
            bail!(
                "{failed} runs failed: see `narscope sweep status {}` and the log.txt of each",
                self.file.display()
            );
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
}

impl Reporter {
    fn new(is_wanted: bool) -> Self {
        Self { is_wanted, said: None }
    }
}

impl Observer for Reporter {
    fn stepped(&mut self, standing: &Standing, loss: f64) {
        const EVERY: Duration = Duration::from_millis(500);
        if !self.is_wanted || self.said.is_some_and(|said| said.elapsed() < EVERY) {
            return;
        }
        self.said = Some(Instant::now());
        // Nobody may be left to hear it.
        let _ = writeln!(std::io::stdout(), "{}", json!({"step": standing.step, "loss": loss}));
    }

    fn validated(&mut self, _: usize, _: &[Evaluation], _: bool) {}

    fn notice(&mut self, message: &str) {
        warn(message);
    }

    fn wants_to_stop(&mut self) -> bool {
        interrupt::is_wanted()
    }
}

/// Shows what runs and how far it is: a bar for each, and one for all.
struct Board<'a> {
    sweep: &'a Runs,
    bars: MultiProgress,
    all: ProgressBar,
    running: BTreeMap<usize, ProgressBar>,
    done: usize,
    failed: usize,
}

impl<'a> Board<'a> {
    fn new(sweep: &'a Runs) -> Self {
        let hidden = is_quiet().then(ProgressDrawTarget::hidden);
        let bars =
            MultiProgress::with_draw_target(hidden.unwrap_or_else(ProgressDrawTarget::stderr));
        let steps: usize = sweep.runs.iter().map(|run| run.config.train_steps).sum();
        let all = bars.add(ProgressBar::new(steps as u64));
        let style = ProgressStyle::with_template("{bar:30} {msg}{left}").expect("well-formed");
        let left = |state: &ProgressState, to: &mut dyn std::fmt::Write| {
            // Nobody knows before something has happened.
            if state.per_sec() > 0.0 {
                let _ = write!(to, ", {} left", in_time(state.eta()));
            }
        };
        all.set_style(style.with_key("left", left));
        let board = Self { sweep, bars, all, running: BTreeMap::new(), done: 0, failed: 0 };
        board.count();
        board
    }

    fn say(&self, message: &str) {
        self.bars.suspend(|| note(message));
    }

    /// Says how many runs are over.
    fn count(&self) {
        let Self { sweep, done, failed, running, .. } = self;
        let (all, running) = (sweep.runs.len(), running.len());
        self.all.set_message(format!("{done} of {all} done, {running} running, {failed} failed"));
    }

    fn steps(&self, index: usize) -> u64 {
        self.sweep.runs[index].config.train_steps as u64
    }
}

impl Watcher for Board<'_> {
    fn finds_done(&mut self, runs: &[usize]) {
        self.done = runs.len();
        self.all.set_position(runs.iter().map(|index| self.steps(*index)).sum());
        self.all.reset_eta();
        self.count();
    }

    fn begins(&mut self, index: usize) {
        let bar = self.bars.add(ProgressBar::new(self.steps(index)));
        let template = "{bar:20} {pos}/{len} steps, {per_sec}, {eta} left  {msg}";
        bar.set_style(ProgressStyle::with_template(template).expect("well-formed"));
        bar.set_message(self.sweep.runs[index].name.clone());
        self.running.insert(index, bar);
        self.count();
    }

    fn hears(&mut self, index: usize, line: &str) {
        let said: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        if let (Some(bar), Some(step)) = (self.running.get(&index), said["step"].as_u64()) {
            let before = bar.position();
            bar.set_position(step);
            self.all.inc(step.saturating_sub(before));
            if before == 0 {
                // What was done before does not count for the rate.
                bar.reset_eta();
                self.all.reset_eta();
            }
        }
    }

    fn ends(&mut self, index: usize, end: &End) {
        let steps = self.steps(index);
        if let Some(bar) = self.running.remove(&index) {
            let before = bar.position();
            bar.finish_and_clear();
            match end {
                // It says anew how far it is.
                End::Again(_) => self.all.set_position(self.all.position().saturating_sub(before)),
                End::Saved => {}
                End::Done | End::Failed(_) | End::Busy => {
                    self.all.inc(steps.saturating_sub(before));
                }
            }
        }
        let name = &self.sweep.runs[index].name;
        match end {
            End::Done => self.done += 1,
            End::Again(why) => self.say(&format!("{name} failed and is tried again:\n{why}")),
            End::Failed(why) => {
                self.failed += 1;
                self.say(&format!("{name} failed:\n{why}"));
            }
            End::Saved => self.say(&format!("{name}: saved")),
            End::Busy => self.say(&format!("{name}: another process is doing it")),
        }
        self.count();
    }

    fn wants_to_stop(&mut self) -> bool {
        interrupt::is_wanted()
    }
}

impl Drop for Board<'_> {
    fn drop(&mut self) {
        self.all.finish_and_clear();
    }
}

impl SubmitOptions {
    fn run(self) -> anyhow::Result<()> {
        let sweep = Runs::read(&self.file)?;
        let absolute = |path: &Path| {
            std::path::absolute(path).with_context(|| format!("{} has no place", path.display()))
        };
        let of_file = sweep.resources.clone();
        let is_left = |index: &usize| seen(&sweep, &sweep.runs[*index]) != State::Done;
        // A look at scripts leaves nothing behind.
        let file = if self.dry_run || self.executor == Executor::K8s {
            self.file
        } else {
            sweep.pinned()?
        };
        let jobs = Jobs {
            program: std::env::current_exe().context("this program cannot be found")?,
            file: absolute(&file)?,
            folder: absolute(Path::new("."))?,
            logs: absolute(&sweep.out.join("logs"))?,
            left: (0..sweep.runs.len()).filter(is_left).collect(),
            resources: Resources {
                partition: self.partition.or(of_file.partition),
                time: self.time.or(of_file.time),
                cpus: self.cpus.or(of_file.cpus),
                mem: self.mem.or(of_file.mem),
                tasks_per_job: self.tasks_per_job.or(of_file.tasks_per_job),
            },
        };
        let mut out = std::io::stdout().lock();
        if jobs.left.is_empty() {
            writeln!(out, "all {} runs are done", sweep.runs.len())?;
            return Ok(());
        }
        let prepare = || {
            std::fs::create_dir_all(&jobs.logs)
                .with_context(|| format!("the folder {} cannot be made", jobs.logs.display()))
        };
        match self.executor {
            Executor::K8s => write!(out, "{}", jobs.kubernetes())?,
            Executor::Hq => {
                for chunk in jobs.chunks(usize::MAX) {
                    let words = jobs.hyperqueue(&chunk);
                    if self.dry_run {
                        writeln!(out, "{}", submit::shell(&words))?;
                        continue;
                    }
                    prepare()?;
                    writeln!(out, "{}", submit::hand_over(&words, "HyperQueue")?)?;
                }
            }
            Executor::Slurm => {
                for chunk in jobs.chunks(submit::most_of_slurm()) {
                    let script = jobs.slurm(&chunk);
                    if self.dry_run {
                        write!(out, "{script}")?;
                        continue;
                    }
                    prepare()?;
                    let file = jobs.logs.join(format!("submit-{}.sh", chunk.offset));
                    whole::write(&file, Existing::Replace, |to| to.write_all(script.as_bytes()))?;
                    let job = submit::sbatch(&file)?;
                    writeln!(out, "job {job}: {} tasks", chunk.tasks.len())?;
                }
            }
        }
        Ok(())
    }
}
