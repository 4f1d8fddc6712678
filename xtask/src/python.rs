//! Python with the reference installed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::Result;
use crate::run::{run, succeeds, target};

const REQUIREMENTS: &str = "tools/reference/requirements.txt";

/// Returns a command that runs a script of `tools/reference` in a virtual environment. The
/// environment is created on first use.
pub(crate) fn python(script: &str) -> Result<Command> {
    let requirements = fs::read_to_string(REQUIREMENTS)
        .map_err(|error| format!("{REQUIREMENTS} could not be read: {error}"))?;
    let folder = target().join("reference-venv");
    let python: PathBuf =
        folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });

    // Written last, so that an interrupted installation is repeated.
    let stamp = folder.join("installed-requirements.txt");
    if fs::read_to_string(&stamp).ok().as_ref() != Some(&requirements) {
        if !succeeds(Command::new("python3").arg("--version")) {
            return Err("python3 was not found: install Python 3.10 or newer to run the reference"
                .to_owned());
        }
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let install = ["-m", "pip", "install", "--quiet", "--requirement", REQUIREMENTS];
        run(Command::new(&python).args(install))?;
        fs::write(&stamp, requirements)
            .map_err(|error| format!("{} could not be written: {error}", stamp.display()))?;
    }

    let mut command = Command::new(python);
    // `-B`: write no bytecode files next to the scripts.
    command.arg("-B").arg(format!("tools/reference/{script}"));
    Ok(command)
}
