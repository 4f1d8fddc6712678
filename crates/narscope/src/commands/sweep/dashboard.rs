//! Progress bars of the runs of a sweep.

use std::collections::BTreeMap;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use narscope::sweep::file::Sweep as SweepFile;
use narscope::sweep::pool::{PoolObserver, ProcessEnd};
use serde::{Deserialize, Serialize};

use crate::advice;
use crate::estimate::in_time;
use crate::interrupt;
use crate::progress::{Occasion, is_log, is_quiet, log_is_due, note};

/// Progress of a run, which its process prints as a line of JSON.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ProgressReport {
    /// Number of training steps done.
    Step(u64),
    /// Number of test samples done, of all test samples of an algorithm.
    Test { samples: u64, of: u64 },
}

/// Progress bar of a running process.
struct RunBar {
    bar: ProgressBar,
    /// Training steps, once the process has reported any.
    steps: Option<Steps>,
    is_testing: bool,
}

/// Training steps of a running process.
#[derive(Clone, Copy)]
struct Steps {
    /// Done at its first report: an earlier process may have done some.
    first: u64,
    /// Done at its latest report.
    latest: u64,
}

/// A progress bar for each running process, and one for the sweep.
pub(super) struct Dashboard<'a> {
    sweep: &'a SweepFile,
    bars: MultiProgress,
    /// Training steps of the sweep, without those done before.
    total: ProgressBar,
    /// Bars by index of the run.
    running: BTreeMap<usize, RunBar>,
    done: usize,
    failed: usize,
}

impl<'a> Dashboard<'a> {
    pub(super) fn new(sweep: &'a SweepFile) -> Self {
        let hidden = is_quiet().then(ProgressDrawTarget::hidden);
        let bars =
            MultiProgress::with_draw_target(hidden.unwrap_or_else(ProgressDrawTarget::stderr));
        let steps = sweep.runs.iter().map(|run| run.config.train_steps as u64);
        let total = bars.add(ProgressBar::new(steps.fold(0, u64::saturating_add)));
        let style = ProgressStyle::with_template("{bar:30} {msg}{left}").expect("well-formed");
        let left = |state: &ProgressState, to: &mut dyn std::fmt::Write| {
            let (done, all) = (state.pos(), state.len().unwrap_or(0));
            let _ = write!(to, "{}", time_left(done, all, state.elapsed()));
        };
        total.set_style(style.with_key("left", left));
        let dashboard = Self { sweep, bars, total, running: BTreeMap::new(), done: 0, failed: 0 };
        dashboard.update_counts();
        dashboard
    }

    /// Prints a message above the bars.
    fn note(&self, message: &str) {
        self.bars.suspend(|| note(message));
    }

    /// The number of runs by state.
    fn counts(&self) -> String {
        let Self { sweep, done, failed, running, .. } = self;
        let (count, running) = (sweep.runs.len(), running.len());
        format!("{done} of {count} done, {running} running, {failed} failed")
    }

    fn update_counts(&self) {
        self.total.set_message(self.counts());
    }

    /// Prints a line to a log from time to time.
    fn log(&self) {
        if log_is_due(Occasion::Progress) {
            let (done, all) = (self.total.position(), self.total.length().unwrap_or(0));
            let left = time_left(done, all, self.total.elapsed());
            note(&format!("{}{left}", self.counts()));
        }
    }

    /// Takes steps off the total that will not be done here.
    fn skip_steps(&self, steps: u64) {
        self.total.set_length(self.total.length().unwrap_or(0).saturating_sub(steps));
    }

    /// Number of training steps of a run.
    fn train_steps(&self, index: usize) -> u64 {
        self.sweep.runs[index].config.train_steps as u64
    }
}

impl PoolObserver for Dashboard<'_> {
    fn already_done(&mut self, runs: &[usize]) {
        self.done = runs.len();
        self.skip_steps(
            runs.iter().map(|index| self.train_steps(*index)).fold(0, u64::saturating_add),
        );
        self.total.reset_elapsed();
        self.update_counts();
    }

    fn started(&mut self, index: usize) {
        let bar = self.bars.add(ProgressBar::new(self.train_steps(index)));
        bar.set_style(style("steps"));
        bar.set_message(self.sweep.runs[index].name.clone());
        self.running.insert(index, RunBar { bar, steps: None, is_testing: false });
        self.update_counts();
    }

    fn progressed(&mut self, index: usize, line: &str) {
        self.log();
        let Ok(report) = serde_json::from_str(line) else { return };
        let Some(RunBar { bar, steps, is_testing }) = self.running.get_mut(&index) else { return };
        match report {
            ProgressReport::Step(step) => {
                bar.set_position(step);
                if let Some(Steps { latest, .. }) = steps {
                    self.total.inc(step.saturating_sub(*latest));
                    *latest = step;
                } else {
                    // Steps of earlier processes do not count towards the rate.
                    *steps = Some(Steps { first: step, latest: step });
                    bar.reset_eta();
                    self.skip_steps(step);
                }
            }
            ProgressReport::Test { samples, of } => {
                let starts = !std::mem::replace(is_testing, true);
                if starts {
                    bar.set_style(style("test samples"));
                }
                bar.set_length(of);
                bar.set_position(samples);
                if starts {
                    bar.reset_eta();
                }
            }
        }
    }

    fn ended(&mut self, index: usize, end: &ProcessEnd) {
        if let Some(RunBar { bar, steps, .. }) = self.running.remove(&index) {
            bar.finish_and_clear();
            let train_steps = self.train_steps(index);
            match (end, steps) {
                // The next attempt reports its steps from the start.
                (ProcessEnd::Retry(_), Some(Steps { first, latest })) => {
                    let position = self.total.position().saturating_sub(latest - first);
                    self.total.set_position(position);
                    self.total.inc_length(first);
                }
                (ProcessEnd::Done, Some(Steps { latest, .. })) => {
                    self.total.inc(train_steps.saturating_sub(latest));
                }
                (ProcessEnd::Saved | ProcessEnd::Retry(_), _) => {}
                (_, steps) => {
                    let done = steps.map_or(0, |steps| steps.latest);
                    self.skip_steps(train_steps.saturating_sub(done));
                }
            }
        }
        let name = &self.sweep.runs[index].name;
        match end {
            ProcessEnd::Done => {
                self.done += 1;
                if is_log() {
                    note(&format!("{name}: done"));
                }
            }
            ProcessEnd::Retry(why) => self.note(&format!("{name} failed; trying again:\n{why}")),
            ProcessEnd::Failed(why) => {
                self.failed += 1;
                self.note(&format!("{name} failed:\n{why}"));
            }
            ProcessEnd::NotStarted(error) => {
                self.failed += 1;
                let error = advice::describe_sweep(error);
                self.note(&format!("{name} cannot be started:\nerror: {error}"));
            }
            ProcessEnd::Saved => self.note(&format!("{name}: saved")),
            ProcessEnd::Busy => self.note(&format!("{name}: running in another process")),
        }
        self.update_counts();
    }

    fn should_stop(&mut self) -> bool {
        interrupt::is_requested()
    }
}

/// The time that is left, for the end of a line. Steps come in bursts with tests in between, so the rate
/// is the mean over the whole time.
fn time_left(done: u64, all: u64, elapsed: Duration) -> String {
    if done == 0 {
        return String::new();
    }
    let times = all.saturating_sub(done) as f64 / done as f64;
    let left = Duration::try_from_secs_f64(elapsed.as_secs_f64() * times);
    format!(", {} left", in_time(left.unwrap_or(Duration::MAX)))
}

/// Style of the bar of a run that counts `what`.
fn style(what: &str) -> ProgressStyle {
    let template = format!("{{bar:20}} {{pos}}/{{len}} {what}, {{per_sec}}, {{eta}} left  {{msg}}");
    ProgressStyle::with_template(&template).expect("well-formed")
}

impl Drop for Dashboard<'_> {
    fn drop(&mut self) {
        self.total.finish_and_clear();
    }
}
