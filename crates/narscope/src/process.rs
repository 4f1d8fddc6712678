//! What the system knows of this process: Linux says it in files, other systems are not asked.

use std::fs::read_to_string;

/// Seconds since the process was started, which is before `main`; exact to a hundredth.
pub(crate) fn age() -> Option<f64> {
    /// Ticks per second of all times that Linux tells programs.
    const TICKS: f64 = 100.0;
    let stat = read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name in parentheses, which may have spaces in it.
    let (_, fields) = stat.rsplit_once(')')?;
    let started: f64 = fields.split_whitespace().nth(19)?.parse().ok()?;
    let uptime = read_to_string("/proc/uptime").ok()?;
    let uptime: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    Some((uptime - started / TICKS).max(0.0))
}

/// The most memory that the process has had so far, in megabytes.
pub(crate) fn peak_memory_mb() -> Option<f64> {
    let status = read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1.024 / 1000.0)
}

/// From now on, the peak is that of what follows.
pub(crate) fn forget_peak_memory() {
    // Where it cannot be forgotten, it stays.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
