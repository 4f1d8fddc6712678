//! Progress and messages on standard error; bars only on a terminal and after two seconds.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Silences progress and warnings.
pub(crate) fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Whether progress and warnings are silenced.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints a warning, unless `--quiet`.
pub(crate) fn warn(message: &str) {
    note(&format!("warning: {message}"));
}

/// Prints a message, unless `--quiet`.
pub(crate) fn note(message: &str) {
    if !is_quiet() {
        print(message);
    }
}

/// Prints a line to standard error. Ignores failures: a log on a full disk must not end a run.
pub(crate) fn print(message: &str) {
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// Progress bar that appears after two seconds.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
    shown: AtomicBool,
}

impl Progress {
    /// Creates a bar for `total` items called `what`.
    pub(crate) fn new(what: &str, total: usize) -> Self {
        let template =
            format!("{{bar:30}} {{pos}}/{{len}} {what}, {{per_sec}}, {{eta}} left  {{msg}}");
        let style = ProgressStyle::with_template(&template).expect("the template is well-formed");
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        bar.set_style(style);
        Self { bar, start: Instant::now(), shown: AtomicBool::new(false) }
    }

    /// Adds `by` finished items.
    pub(crate) fn advance(&self, by: usize) {
        self.bar.inc(by as u64);
        let slow = self.start.elapsed() > Duration::from_secs(2);
        if slow && !QUIET.load(Ordering::Relaxed) && !self.shown.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Sets the number of items finished earlier, which do not count towards the rate.
    pub(crate) fn start_at(&self, done: usize) {
        self.bar.set_position(done as u64);
        self.bar.reset_eta();
    }

    /// Prints a message above the bar.
    pub(crate) fn note(&self, message: &str) {
        self.bar.suspend(|| note(message));
    }

    /// Sets the text at the end of the bar.
    pub(crate) fn set_message(&self, message: &str) {
        self.bar.set_message(message.to_owned());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
