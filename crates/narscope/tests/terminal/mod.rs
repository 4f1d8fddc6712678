//! Runs the `narscope` binary for tests.

use std::path::Path;
use std::process::{Command, Output};

/// The binary with arguments split at spaces, to run in a folder.
pub(crate) fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("narscope"));
    command.current_dir(folder).args(arguments.split_whitespace());
    // The tests may themselves run in a task of a scheduler or in a narrow terminal.
    for variable in [
        "HQ_TASK_ID",
        "JOB_COMPLETION_INDEX",
        "SLURM_ARRAY_TASK_ID",
        "SLURM_CPUS_PER_TASK",
        "PBS_ARRAY_INDEX",
        "SGE_TASK_ID",
        "COLUMNS",
    ] {
        command.env_remove(variable);
    }
    command
}

/// Runs the binary and returns its output.
pub(crate) fn narscope(folder: &Path, arguments: &str) -> Output {
    command(folder, arguments).output().unwrap()
}

/// Runs a command that must succeed and returns its standard output.
#[track_caller]
pub(crate) fn succeeds(folder: &Path, arguments: &str) -> String {
    let output = narscope(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must fail and returns its error message.
#[allow(dead_code, reason = "not every test binary has failing commands")]
#[track_caller]
pub(crate) fn fails(folder: &Path, arguments: &str) -> String {
    fails_with(folder, arguments, 1)
}

/// Runs a command that must fail as wrong usage and returns its error message.
#[allow(dead_code, reason = "not every test binary has usage errors")]
#[track_caller]
pub(crate) fn fails_as_usage(folder: &Path, arguments: &str) -> String {
    fails_with(folder, arguments, 2)
}

#[track_caller]
fn fails_with(folder: &Path, arguments: &str, code: i32) -> String {
    let output = narscope(folder, arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments}: {output:?}");
    assert!(
        output.stdout.is_empty(),
        "{arguments}: a failing command prints nothing to standard output"
    );
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(!errors.contains("panicked"), "{arguments}: {errors}");
    errors.trim_end().trim_start_matches("error: ").to_owned()
}

/// The metrics of a run, line by line, without what depends on the clock.
#[allow(dead_code, reason = "not every test binary trains")]
pub(crate) fn metrics_without_times(run: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let lines = text.lines().map(|line| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        let fields = line.as_object_mut().unwrap();
        for timed in ["seconds", "steps_per_second", "samples_per_second", "check"] {
            fields.remove(timed);
        }
        line
    });
    lines.collect()
}
