//! Running other programs.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use crate::Result;

/// Cargo, the same one that runs this task.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// The folder that Cargo builds into.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| OsString::from("target")).into()
}

/// A program that Cargo built in release mode.
pub(crate) fn built(path: &str) -> PathBuf {
    target().join("release").join(Path::new(path).with_extension(env::consts::EXE_EXTENSION))
}

/// Says what it runs, and fails if that fails.
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

/// What a command prints, without the end of its last line.
pub(crate) fn answer(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("{command:?} could not be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} failed: {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

/// What could not be checked here, and why.
static SKIPPED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Goes on without a check, and remembers it.
pub(crate) fn skip(why: impl Into<String>) {
    let why = why.into();
    println!("{why}");
    SKIPPED.lock().expect("nobody panics here").push(why);
}

/// Says once more what was not checked, where it is not overlooked.
pub(crate) fn tell_skipped() {
    let skipped = SKIPPED.lock().expect("nobody panics here");
    if !skipped.is_empty() {
        println!("passed, but not everything was checked:");
        skipped.iter().for_each(|why| println!("- {why}"));
    }
}

/// Whether a command can be run at all.
pub(crate) fn exists(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Whether a program is there, or has been installed with Debian's packages by who may do that.
pub(crate) fn installed(program: &str, packages: &str) -> bool {
    let is_there = || exists(Command::new(program).arg("--version"));
    let is_root = || answer(Command::new("id").arg("-u")).is_ok_and(|user| user == "0");
    let apt = |words: &[&str]| run(Command::new("apt-get").args(words)).is_ok();
    let install = || {
        let mut words = vec!["install", "-y", "--no-install-recommends"];
        words.extend(packages.split(' '));
        // A machine may be new, and know of no packages yet.
        apt(&words) || (apt(&["update"]) && apt(&words))
    };
    is_there() || (is_root() && install() && is_there())
}
