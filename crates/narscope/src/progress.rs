//! Progress and messages on standard error: bars on a terminal, after two seconds; elsewhere, in the log
//! of a job, a line from time to time.

use std::fmt;
use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use narscope::files::text::escaped;

use crate::estimate::in_time;

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
///
/// Messages have names from files: their control characters, which could rewrite the terminal, are escaped.
pub(crate) fn print(message: &str) {
    let _ = writeln!(std::io::stderr(), "{}", escaped(message));
}

/// Why a line is to be printed to a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// Some work was done.
    Progress,
    /// There is something to report, such as a validation.
    News,
}

/// Decides when a log gets its next line: soon after news, and otherwise once in a while. A command of
/// a few seconds prints none.
#[derive(Clone, Copy, Debug, Default)]
struct LogPace {
    /// Time of the last line, or of the start.
    last: Duration,
}

impl LogPace {
    const BETWEEN_NEWS: Duration = Duration::from_secs(5);
    const BETWEEN_LINES: Duration = Duration::from_secs(30);

    /// Whether to print a line now; if so, it counts as printed.
    fn is_due(&mut self, now: Duration, occasion: Occasion) -> bool {
        let wait = match occasion {
            Occasion::News => Self::BETWEEN_NEWS,
            Occasion::Progress => Self::BETWEEN_LINES,
        };
        let is_due = now.saturating_sub(self.last) >= wait;
        if is_due {
            self.last = now;
        }
        is_due
    }
}

/// The log of this process, if standard error is one: when it started, and its pace. A command may
/// have many short bars one after the other, and one log.
static LOG: LazyLock<Option<(Instant, Mutex<LogPace>)>> = LazyLock::new(|| {
    let is_log = !std::io::stderr().is_terminal();
    is_log.then(|| (Instant::now(), Mutex::new(LogPace::default())))
});

/// Whether standard error is a log.
pub(crate) fn is_log() -> bool {
    LOG.is_some()
}

/// Whether standard error is a log that is to get a line now.
pub(crate) fn log_is_due(occasion: Occasion) -> bool {
    let Some((start, pace)) = &*LOG else { return false };
    !is_quiet() && locked(pace).is_due(start.elapsed(), occasion)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Progress of a command: a bar that appears after two seconds, or lines in a log.
pub(crate) struct Progress {
    what: String,
    total: usize,
    done: AtomicUsize,
    /// Finished earlier, by another process.
    before: AtomicUsize,
    message: Mutex<String>,
    bar: ProgressBar,
    start: Instant,
    shown: AtomicBool,
}

impl Progress {
    /// Progress over `total` items called `what`.
    pub(crate) fn new(what: &str, total: usize) -> Self {
        let template =
            format!("{{bar:30}} {{pos}}/{{len}} {what}, {{rate}}, {{eta}} left  {{msg}}");
        let style = ProgressStyle::with_template(&template).expect("the template is well-formed");
        let style = style.with_key("rate", |state: &ProgressState, out: &mut dyn fmt::Write| {
            // A bar cannot fail.
            let _ = out.write_str(&per_second(state.per_sec()));
        });
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        bar.set_style(style);
        // Starts the clock of the log.
        is_log();
        Self {
            what: what.to_owned(),
            total,
            done: AtomicUsize::new(0),
            before: AtomicUsize::new(0),
            message: Mutex::new(String::new()),
            bar,
            start: Instant::now(),
            shown: AtomicBool::new(false),
        }
    }

    /// Adds `by` finished items.
    pub(crate) fn advance(&self, by: usize) {
        self.done.fetch_add(by, Ordering::Relaxed);
        self.bar.inc(by as u64);
        if is_log() {
            self.log(Occasion::Progress);
            return;
        }
        let slow = self.start.elapsed() > Duration::from_secs(2);
        if slow && !is_quiet() && !self.shown.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Sets the number of items finished earlier, which do not count towards the rate.
    pub(crate) fn start_at(&self, done: usize) {
        self.done.store(done, Ordering::Relaxed);
        self.before.store(done, Ordering::Relaxed);
        self.bar.set_position(done as u64);
        self.bar.reset_eta();
    }

    /// Reports news: as a message above the bar, or in a log as the line that is due.
    pub(crate) fn news(&self, message: &str) {
        if is_log() {
            self.log(Occasion::News);
        } else {
            self.bar.suspend(|| note(message));
        }
    }

    /// Sets the text at the end of the bar, or in the line of a log.
    pub(crate) fn set_message(&self, message: &str) {
        message.clone_into(&mut locked(&self.message));
        self.bar.set_message(message.to_owned());
    }

    fn log(&self, occasion: Occasion) {
        if log_is_due(occasion) {
            let done = self.done.load(Ordering::Relaxed);
            let before = self.before.load(Ordering::Relaxed);
            let (message, elapsed) = (locked(&self.message).clone(), self.start.elapsed());
            print(&log_line(&self.what, (before, done, self.total), &message, elapsed));
        }
    }
}

/// A rate, with a decimal if it is small.
fn per_second(rate: f64) -> String {
    if rate < 10.0 { format!("{rate:.1}/s") } else { format!("{rate:.0}/s") }
}

/// A line of a log, for example `steps 1200/2000 (60 %), loss 0.0123, 85/s, 9 s left`. The rate is the
/// mean over the work since `before`, which took `elapsed`.
fn log_line(
    what: &str,
    (before, done, total): (usize, usize, usize),
    message: &str,
    elapsed: Duration,
) -> String {
    let share = 100 * done / total.max(1);
    let mut parts = vec![format!("{what} {done}/{total} ({share} %)")];
    if !message.is_empty() {
        parts.push(message.to_owned());
    }
    let rate = done.saturating_sub(before) as f64 / elapsed.as_secs_f64().max(1e-9);
    if rate > 0.0 {
        parts.push(per_second(rate));
        let left = Duration::try_from_secs_f64(total.saturating_sub(done) as f64 / rate);
        parts.push(format!("{} left", in_time(left.unwrap_or(Duration::MAX))));
    }
    parts.join(", ")
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_gets_a_line_per_30_seconds_and_news_after_five() {
        let mut pace = LogPace::default();
        let mut printed = vec![];
        // Progress every second, news every three seconds until a minute has passed.
        for second in 1..=100 {
            let is_news = second <= 60 && second % 3 == 0;
            let occasion = if is_news { Occasion::News } else { Occasion::Progress };
            if pace.is_due(Duration::from_secs(second), occasion) {
                printed.push(second);
            }
        }
        assert_eq!(printed, [6, 12, 18, 24, 30, 36, 42, 48, 54, 60, 90]);
    }

    #[test]
    fn a_command_of_a_few_seconds_prints_nothing() {
        let mut pace = LogPace::default();
        let news = (0..5000).any(|ms| pace.is_due(Duration::from_millis(ms), Occasion::News));
        assert!(!news);
    }

    #[test]
    fn a_line_tells_what_is_done_how_fast_and_how_long_it_takes() {
        let line = |counts, message, seconds| {
            log_line("steps", counts, message, Duration::from_secs(seconds))
        };
        assert_eq!(
            line((0, 1200, 2000), "loss 0.0123, validation bfs 0.9871", 14),
            "steps 1200/2000 (60 %), loss 0.0123, validation bfs 0.9871, 86/s, 10 s left"
        );
        // What an earlier process did does not count towards the rate.
        assert_eq!(line((1000, 1010, 2000), "", 10), "steps 1010/2000 (50 %), 1.0/s, 16 min left");
        assert_eq!(line((7, 7, 9), "", 10), "steps 7/9 (77 %)");
        assert_eq!(line((0, 0, 0), "", 0), "steps 0/0 (0 %)");
    }
}
