//! Runs other programs.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use crate::Result;

/// What is tested: the workspace with the features of dependencies that wheels and example crates have, too. Tasks
/// that need the binary build the same selection, as any other would compile Burn again.
pub(crate) const TESTED: [&str; 3] = ["--workspace", "--exclude", "narscope-benches"];

/// Returns a command for the Cargo that runs this task.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// Returns Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| OsString::from("target")).into()
}

/// Returns the path of a program that Cargo built in release mode.
pub(crate) fn release_binary(path: &str) -> PathBuf {
    target().join("release").join(Path::new(path).with_extension(env::consts::EXE_EXTENSION))
}

/// Builds what is tested and returns the path of the program among it.
pub(crate) fn tested_binary() -> Result<PathBuf> {
    run(cargo(&["test", "--no-run"]).args(TESTED))?;
    Ok(target().join("debug/narscope"))
}

/// Prints a command and runs it. Fails if the command fails.
pub(crate) fn run(command: &mut Command) -> Result {
    let words: Vec<_> = std::iter::once(command.get_program()).chain(command.get_args()).collect();
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let line = words.join(" ");
    eprintln!("> {line}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}` failed: {status}")),
        Err(error) => Err(format!("`{line}` could not be started: {error}")),
    }
}

/// Runs a command and returns its standard output without trailing white space.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("{command:?} could not be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} failed: {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

/// Messages of the checks that were skipped.
static SKIPPED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Prints why a check is skipped and stores the message for [`report_skipped`].
pub(crate) fn skip(reason: impl Into<String>) {
    let reason = reason.into();
    println!("{reason}");
    SKIPPED.lock().expect("no thread panics while it holds the lock").push(reason);
}

/// Lists all skipped checks, at the end of the run.
pub(crate) fn report_skipped() {
    let skipped = SKIPPED.lock().expect("no thread panics while it holds the lock");
    if !skipped.is_empty() {
        println!("passed, but some checks were skipped:");
        skipped.iter().for_each(|reason| println!("- {reason}"));
    }
}

/// Runs a command without output and returns whether it succeeds.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Returns whether a program is available. If it is missing and the user is root, its Debian
/// packages are installed first.
pub(crate) fn ensure_installed(program: &str, packages: &str) -> bool {
    let is_available = || succeeds(Command::new(program).arg("--version"));
    let is_root = || output(Command::new("id").arg("-u")).is_ok_and(|user| user == "0");
    let apt = |words: &[&str]| run(Command::new("apt-get").args(words)).is_ok();
    let install = || {
        let mut words = vec!["install", "-y", "--no-install-recommends"];
        words.extend(packages.split(' '));
        // A new machine may not have package lists yet.
        apt(&words) || (apt(&["update"]) && apt(&words))
    };
    is_available() || (is_root() && install() && is_available())
}
