//! A Python that has the reference installed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::Result;
use crate::run::{exists, run, target};

const REQUIREMENTS: &str = "tools/reference/requirements.txt";

/// Python in a virtual environment of our own, made when it is first needed.
pub(crate) fn python(script: &str) -> Result<Command> {
    let requirements = fs::read_to_string(REQUIREMENTS)
        .map_err(|error| format!("{REQUIREMENTS} could not be read: {error}"))?;
    let folder = target().join("reference-venv");
    let python: PathBuf =
        folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });

    // Written last: an installation that was interrupted starts again.
    let stamp = folder.join("installed-requirements.txt");
    if fs::read_to_string(&stamp).ok().as_ref() != Some(&requirements) {
        if !exists(Command::new("python3").arg("--version")) {
            return Err("python3 was not found: install Python 3.10 or newer, the reference \
                        is written in it"
                .to_owned());
        }
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let install = ["-m", "pip", "install", "--quiet", "--requirement", REQUIREMENTS];
        run(Command::new(&python).args(install))?;
        fs::write(&stamp, requirements)
            .map_err(|error| format!("{} could not be written: {error}", stamp.display()))?;
    }

    let mut command = Command::new(python);
    // Without bytecode, so that nothing is written beside the scripts.
    command.arg("-B").arg(format!("tools/reference/{script}"));
    Ok(command)
}
