//! Context of a measurement: version, machine and date, so that results of different machines are
//! not mixed up.

use std::fs;
use std::process::Command;
use std::thread;

use crate::Result;
use crate::run::{output, release_binary};

/// Version and commit of the release build.
pub(crate) fn build() -> Result<String> {
    let version = output(Command::new(release_binary("narscope")).arg("--version"))?;
    let commit = output(Command::new("git").args(["describe", "--always", "--dirty"]))?;
    // The program knows its commit, but not whether there were changes.
    let version = version.split(" (").next().unwrap_or_default();
    Ok(format!("{version} ({commit})"))
}

/// Number of cores, CPU model and today's date.
pub(crate) fn machine() -> Result<String> {
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("unknown CPU", |model| model.trim_start_matches([':', ' ', '\t']));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let date = output(Command::new("date").arg("+%F"))?;
    Ok(format!("{cores} cores of {model}; {date}"))
}
