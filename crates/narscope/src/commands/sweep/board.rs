//! Shows a user how runs of a sweep come along.

use std::collections::BTreeMap;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use narscope::sweep::file::Sweep as Runs;
use narscope::sweep::pool::{End, Watcher};

use crate::estimate::in_time;
use crate::interrupt;
use crate::progress::{is_quiet, note};

/// A bar for each run that goes on, and one for all.
pub(super) struct Board<'a> {
    sweep: &'a Runs,
    bars: MultiProgress,
    all: ProgressBar,
    running: BTreeMap<usize, ProgressBar>,
    done: usize,
    failed: usize,
}

impl<'a> Board<'a> {
    pub(super) fn new(sweep: &'a Runs) -> Self {
        let hidden = is_quiet().then(ProgressDrawTarget::hidden);
        let bars =
            MultiProgress::with_draw_target(hidden.unwrap_or_else(ProgressDrawTarget::stderr));
        let steps = sweep.runs.iter().map(|run| run.config.train_steps as u64);
        let all = bars.add(ProgressBar::new(steps.fold(0, u64::saturating_add)));
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
