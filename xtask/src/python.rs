//! Python, with packages in virtual environments of its own.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::Result;
use crate::run::{output, run, succeeds, target};

const REQUIREMENTS: &str = "tools/reference/requirements.txt";

/// The oldest Python that the packages of the tests run on. The wheel itself runs on 3.10, too.
const OLDEST: (u32, u32) = (3, 11);

/// Returns whether there is a Python that is new enough.
pub(crate) fn is_available() -> bool {
    let version = "import sys; print(*sys.version_info[:2])";
    let Ok(version) = output(Command::new("python3").args(["-c", version])) else { return false };
    let mut parts = version.split(' ').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= OLDEST
}

/// Returns the interpreter of a virtual environment with the packages of a requirements file. The environment is
/// created on first use, and again when the file changes.
pub(crate) fn environment(name: &str, requirements_file: &str) -> Result<PathBuf> {
    let requirements = fs::read_to_string(requirements_file)
        .map_err(|error| format!("{requirements_file} could not be read: {error}"))?;
    let folder = target().join(name);
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });

    // Written last, so that an interrupted installation is repeated.
    let stamp = folder.join("installed-requirements.txt");
    if fs::read_to_string(&stamp).ok().as_ref() != Some(&requirements) {
        if !succeeds(Command::new("python3").arg("--version")) {
            return Err("python3 was not found: install Python 3.11 or newer".to_owned());
        }
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let install = ["-m", "pip", "install", "--quiet", "--requirement", requirements_file];
        run(Command::new(&python).args(install))?;
        fs::write(&stamp, requirements)
            .map_err(|error| format!("{} could not be written: {error}", stamp.display()))?;
    }
    Ok(python)
}

/// Returns the interpreter of the environment with the reference, dm-clrs.
pub(crate) fn reference() -> Result<PathBuf> {
    environment("reference-venv", REQUIREMENTS)
}

/// Returns a command that runs a script of `tools/reference` in the environment with the reference.
pub(crate) fn python(script: &str) -> Result<Command> {
    let mut command = Command::new(reference()?);
    // `-B`: write no bytecode files next to the scripts.
    command.arg("-B").arg(format!("tools/reference/{script}"));
    Ok(command)
}
