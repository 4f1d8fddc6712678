//! The executable of this process; its age and peak memory from Linux's /proc, `None` on other systems.

use std::fs::read_to_string;
use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::Context as _;

static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();

/// Sets what [`executable`] returns, for command lines that are a part of another program.
pub(crate) fn set_executable(path: PathBuf) {
    // The first one stays: a process runs one command line.
    let _ = EXECUTABLE.set(path);
}

/// The executable that starts this command line in another process.
pub(crate) fn executable() -> anyhow::Result<PathBuf> {
    match EXECUTABLE.get() {
        Some(path) => Ok(path.clone()),
        None => std::env::current_exe().context("cannot find the path of this program"),
    }
}

/// Seconds since the process was started, which is before `main`; exact to a hundredth.
pub(crate) fn age() -> Option<f64> {
    /// Unit of the times in /proc: ticks per second.
    const TICKS: f64 = 100.0;
    let stat = read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name in parentheses, which may contain spaces.
    let (_, fields) = stat.rsplit_once(')')?;
    let started: f64 = fields.split_whitespace().nth(19)?.parse().ok()?;
    let uptime = read_to_string("/proc/uptime").ok()?;
    let uptime: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    Some((uptime - started / TICKS).max(0.0))
}

/// Peak resident memory of the process, in megabytes.
pub(crate) fn peak_memory_mb() -> Option<f64> {
    let status = read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1.024 / 1000.0)
}

/// Resets the peak of [`peak_memory_mb`] to the current use, where the system allows it.
pub(crate) fn reset_peak_memory() {
    // Failure is harmless: the peak then includes earlier work.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
