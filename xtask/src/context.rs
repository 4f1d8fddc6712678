//! Who is measured, where and when: numbers of different machines should not be mixed up.

use std::fs;
use std::process::Command;
use std::thread;

use crate::Result;
use crate::run::{answer, built};

/// What Cargo built of this repository.
pub(crate) fn build() -> Result<String> {
    let version = answer(Command::new(built("narscope")).arg("--version"))?;
    let commit = answer(Command::new("git").args(["describe", "--always", "--dirty"]))?;
    Ok(format!("{version} ({commit})"))
}

/// This machine, today.
pub(crate) fn machine() -> Result<String> {
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("unknown CPU", |model| model.trim_start_matches([':', ' ', '\t']));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let date = answer(Command::new("date").arg("+%F"))?;
    Ok(format!("{cores} cores of {model}; {date}"))
}
