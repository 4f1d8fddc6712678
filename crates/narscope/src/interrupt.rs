//! Being told to stop: at once, or, for work that can be saved, at the next good moment.
//!
//! Who presses Ctrl-C twice does not want to wait. Schedulers are different: they may send SIGTERM several
//! times, and SIGUSR1 when time is nearly over, and mean the same each time.

use std::sync::atomic::{AtomicBool, Ordering};

/// What a process returns that was told to stop.
pub(crate) const EXIT_CODE: i32 = 130;

static SAVES: AtomicBool = AtomicBool::new(false);
static WANTED: AtomicBool = AtomicBool::new(false);

/// Installs the handlers.
pub(crate) fn install() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if !SAVES.load(Ordering::Relaxed) || WANTED.swap(true, Ordering::Relaxed) {
            leave();
        }
    })?;
    #[cfg(unix)]
    listen_to_schedulers()?;
    Ok(())
}

#[cfg(unix)]
fn listen_to_schedulers() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGTERM, SIGUSR1};
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGUSR1])?;
    if !is_ignored(SIGHUP) {
        signals.add_signal(SIGHUP)?;
    }
    std::thread::spawn(move || {
        for signal in signals.forever() {
            // SIGUSR1 only ever asks to save; what cannot be saved goes on.
            if signal != SIGUSR1 && !SAVES.load(Ordering::Relaxed) {
                leave();
            }
            WANTED.store(true, Ordering::Relaxed);
        }
    });
    Ok(())
}

/// Whether whoever started this process wants it not to hear a signal, as `nohup` does. Where the system does
/// not say so, nobody does.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Ends at once, and leaves no half-written file.
pub(crate) fn leave() -> ! {
    narscope::files::whole::abandon();
    std::process::exit(EXIT_CODE);
}

/// From now on, work is saved when the user wants to stop.
pub(crate) fn save_first() {
    SAVES.store(true, Ordering::Relaxed);
}

/// Whether the user wants to stop.
pub(crate) fn is_wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}
