//! Progress on standard error: only on a terminal, and only for what takes longer than two seconds.

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

/// Tells the user something that is not an error.
pub(crate) fn warn(message: &str) {
    note(&format!("warning: {message}"));
}

/// Tells the user what happened, in words that are not a warning.
pub(crate) fn note(message: &str) {
    if !is_quiet() {
        tell(message);
    }
}

/// Tells the user something. A log on a full disk is no reason to lose the work.
pub(crate) fn tell(message: &str) {
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// A bar that appears when the work turns out to take a while.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
    shown: AtomicBool,
}

impl Progress {
    /// A bar for `total` of `what`.
    pub(crate) fn new(what: &str, total: usize) -> Self {
        let template =
            format!("{{bar:30}} {{pos}}/{{len}} {what}, {{per_sec}}, {{eta}} left  {{msg}}");
        let style = ProgressStyle::with_template(&template).expect("the template is well-formed");
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        bar.set_style(style);
        Self { bar, start: Instant::now(), shown: AtomicBool::new(false) }
    }

    /// So much more is done.
    pub(crate) fn advance(&self, by: usize) {
        self.bar.inc(by as u64);
        let slow = self.start.elapsed() > Duration::from_secs(2);
        if slow && !QUIET.load(Ordering::Relaxed) && !self.shown.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// So much was done before the bar was made, which says nothing of the rate.
    pub(crate) fn start_at(&self, done: usize) {
        self.bar.set_position(done as u64);
        self.bar.reset_eta();
    }

    /// Leaves a line behind, above the bar if there is one.
    pub(crate) fn line(&self, message: &str) {
        self.bar.suspend(|| note(message));
    }

    /// Says what is going on now.
    pub(crate) fn say(&self, message: &str) {
        self.bar.set_message(message.to_owned());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
