//! Signals: exit at once or, where work can be saved, at the next point where it can.
//!
//! A second Ctrl-C exits at once. Schedulers may send SIGTERM several times, and SIGUSR1 shortly
//! before the time limit; repeats of those are ignored.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Exit code after an interruption.
pub(crate) const EXIT_CODE: i32 = 130;

/// Whether the running command saves its work before it exits.
static SAVES: AtomicBool = AtomicBool::new(false);
/// The signal that has asked the command to stop; zero: none.
static REQUESTED: AtomicI32 = AtomicI32::new(0);
/// Ctrl-C, also on systems without signals.
const SIGINT: i32 = 2;

/// Installs the handlers.
pub(crate) fn install() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if !SAVES.load(Ordering::Relaxed) || REQUESTED.swap(SIGINT, Ordering::Relaxed) != 0 {
            exit_now();
        }
    })?;
    #[cfg(unix)]
    handle_scheduler_signals()?;
    Ok(())
}

#[cfg(unix)]
fn handle_scheduler_signals() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGTERM, SIGUSR1};
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGUSR1])?;
    if !is_ignored(SIGHUP) {
        signals.add_signal(SIGHUP)?;
    }
    std::thread::spawn(move || {
        for signal in signals.forever() {
            // SIGUSR1 only asks to save: a command that saves nothing continues.
            if signal != SIGUSR1 && !SAVES.load(Ordering::Relaxed) {
                exit_now();
            }
            REQUESTED.store(signal, Ordering::Relaxed);
        }
    });
    Ok(())
}

/// Whether the parent process made this one ignore a signal, as `nohup` does. `false` on systems
/// without /proc.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Exits at once; removes partially written files.
pub(crate) fn exit_now() -> ! {
    narscope::files::atomic::remove_unfinished();
    std::process::exit(EXIT_CODE);
}

/// From now on a signal sets [`is_requested`] instead of ending the process.
pub(crate) fn save_before_exit() {
    SAVES.store(true, Ordering::Relaxed);
}

/// Whether a signal has asked the command to stop.
pub(crate) fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed) != 0
}

/// What asked the command to stop, for messages.
pub(crate) fn reason() -> &'static str {
    match REQUESTED.load(Ordering::Relaxed) {
        0 => "stopped",
        SIGINT => "interrupted",
        #[cfg(unix)]
        signal_hook::consts::SIGTERM => "stopped by SIGTERM",
        #[cfg(unix)]
        signal_hook::consts::SIGUSR1 => "stopped by SIGUSR1",
        _ => "stopped by SIGHUP",
    }
}
