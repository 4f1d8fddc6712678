//! Shows a user how runs of a sweep come along.

use std::collections::BTreeMap;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use narscope::sweep::file::Sweep as Runs;
use narscope::sweep::pool::{End, Watcher};
use serde::{Deserialize, Serialize};

use crate::estimate::in_time;
use crate::interrupt;
use crate::progress::{is_quiet, note};

/// What a run says of itself, a line of JSON each time.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Said {
    /// So many steps are done.
    Step(u64),
    /// So many samples of an algorithm's test are done.
    Test { samples: u64, of: u64 },
}

/// The bar of a run that goes on.
struct Line {
    bar: ProgressBar,
    /// How many steps were done when it was first heard of, and how many are done now.
    steps: Option<(u64, u64)>,
    is_testing: bool,
}

/// A bar for each run that goes on, and one for all.
pub(super) struct Board<'a> {
    sweep: &'a Runs,
    bars: MultiProgress,
    /// Steps that are done here, of those that were left.
    all: ProgressBar,
    running: BTreeMap<usize, Line>,
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
            // Steps come in bursts, with tests between them: the rate is that of the whole time. Nobody
            // knows it before something has happened.
            let (done, all) = (state.pos(), state.len().unwrap_or(0));
            if done > 0 {
                let times = all.saturating_sub(done) as f64 / done as f64;
                let left = Duration::try_from_secs_f64(state.elapsed().as_secs_f64() * times);
                let _ = write!(to, ", {} left", in_time(left.unwrap_or(Duration::MAX)));
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

    /// So many steps need not be done.
    fn spare(&self, steps: u64) {
        self.all.set_length(self.all.length().unwrap_or(0).saturating_sub(steps));
    }

    fn steps(&self, index: usize) -> u64 {
        self.sweep.runs[index].config.train_steps as u64
    }
}

impl Watcher for Board<'_> {
    fn finds_done(&mut self, runs: &[usize]) {
        self.done = runs.len();
        self.spare(runs.iter().map(|index| self.steps(*index)).fold(0, u64::saturating_add));
        self.all.reset_elapsed();
        self.count();
    }

    fn begins(&mut self, index: usize) {
        let bar = self.bars.add(ProgressBar::new(self.steps(index)));
        bar.set_style(style("steps"));
        bar.set_message(self.sweep.runs[index].name.clone());
        self.running.insert(index, Line { bar, steps: None, is_testing: false });
        self.count();
    }

    fn hears(&mut self, index: usize, line: &str) {
        let Ok(said) = serde_json::from_str(line) else { return };
        let Some(Line { bar, steps, is_testing }) = self.running.get_mut(&index) else { return };
        match said {
            Said::Step(step) => {
                bar.set_position(step);
                if let Some((_, now)) = steps {
                    self.all.inc(step.saturating_sub(*now));
                    *now = step;
                } else {
                    // What was done before does not count for the rate.
                    *steps = Some((step, step));
                    bar.reset_eta();
                    self.spare(step);
                }
            }
            Said::Test { samples, of } => {
                let begins = !std::mem::replace(is_testing, true);
                if begins {
                    bar.set_style(style("test samples"));
                }
                bar.set_length(of);
                bar.set_position(samples);
                if begins {
                    bar.reset_eta();
                }
            }
        }
    }

    fn ends(&mut self, index: usize, end: &End) {
        if let Some(Line { bar, steps, .. }) = self.running.remove(&index) {
            bar.finish_and_clear();
            let all = self.steps(index);
            match (end, steps) {
                // It says anew how far it is.
                (End::Again(_), Some((before, now))) => {
                    self.all.set_position(self.all.position().saturating_sub(now - before));
                    self.all.inc_length(before);
                }
                (End::Done, Some((_, now))) => self.all.inc(all.saturating_sub(now)),
                (End::Done | End::Failed(_) | End::Busy, _) => {
                    self.spare(all.saturating_sub(steps.map_or(0, |(_, now)| now)));
                }
                (End::Saved | End::Again(_), _) => {}
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
        interrupt::is_requested()
    }
}

/// How the bar of a run looks.
fn style(what: &str) -> ProgressStyle {
    let template = format!("{{bar:20}} {{pos}}/{{len}} {what}, {{per_sec}}, {{eta}} left  {{msg}}");
    ProgressStyle::with_template(&template).expect("well-formed")
}

impl Drop for Board<'_> {
    fn drop(&mut self) {
        self.all.finish_and_clear();
    }
}
