//! Age and peak memory of this process, from Linux's /proc; `None` on other systems.

use std::fs::read_to_string;

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
