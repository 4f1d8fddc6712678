//! The command line as tests call it.

use std::path::Path;
use std::process::{Command, Output};

pub(crate) fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("narscope"));
    command.current_dir(folder).args(arguments.split_whitespace());
    // Whoever runs the tests may be a task of a scheduler, in a narrow terminal.
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

pub(crate) fn narscope(folder: &Path, arguments: &str) -> Output {
    command(folder, arguments).output().unwrap()
}

/// What a command prints that succeeds.
#[track_caller]
pub(crate) fn succeeds(folder: &Path, arguments: &str) -> String {
    let output = narscope(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// The sentence that a failing command ends with.
#[allow(dead_code, reason = "some tests have nothing that fails")]
#[track_caller]
pub(crate) fn fails(folder: &Path, arguments: &str) -> String {
    ends(folder, arguments, 1)
}

/// The sentence that a command ends with that makes no sense.
#[allow(dead_code, reason = "few commands can be so wrong without clap's noticing")]
#[track_caller]
pub(crate) fn makes_no_sense(folder: &Path, arguments: &str) -> String {
    ends(folder, arguments, 2)
}

#[track_caller]
fn ends(folder: &Path, arguments: &str, code: i32) -> String {
    let output = narscope(folder, arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments}: {output:?}");
    assert!(output.stdout.is_empty(), "{arguments}: results go to stdout, errors do not");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(!errors.contains("panicked"), "{arguments}: {errors}");
    errors.trim_end().trim_start_matches("error: ").to_owned()
}
