//! The Python package: its wheel, and all its tests, run on the installed wheel.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::arguments::Arguments;
use crate::python::{environment, is_available, reference};
use crate::run::{run, skip, target};

/// Packages that the tests need, maturin among them.
const REQUIREMENTS: &str = "python/tests/requirements.txt";
const TESTS: &str = "python/tests";
const NOTEBOOKS: &str = "python/notebooks";

/// Builds the wheel, installs it in an environment of its own and runs everything that tests it.
pub(crate) fn check(_: &Arguments) -> Result {
    if !is_available() {
        skip("the Python package was not tested: there is no Python 3.11 or newer");
        return Ok(());
    }
    let python = environment("python-venv", REQUIREMENTS)?;
    // The profile of tests, whose dependencies are compiled already.
    install(&python, &build(&python, "dev")?)?;

    // Types and stubs are among the tests. They import the installed package: no folder is put on the path.
    run(pytest(&python).arg(TESTS))?;
    run(pytest(&python).args(["--doctest-modules", "--pyargs", "narscope"]))?;
    let reference_tests = format!("{TESTS}/clrs/reference_tests.py");
    run(Command::new(&python).arg(reference_tests).arg("--wheels").arg(target().join("wheels")))?;
    notebooks(&python)
}

/// Compares samples, scores and texts of `narscope.clrs` with dm-clrs, bit for bit.
pub(crate) fn parity(_: &Arguments) -> Result {
    let python = reference()?;
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "maturin", "pytest"]))?;
    install(&python, &build(&python, "dev")?)?;
    run(pytest(&python).arg(format!("{TESTS}/clrs/test_oracle.py")))
}

/// Builds a wheel and returns its path.
pub(crate) fn build(python: &Path, profile: &str) -> Result<PathBuf> {
    let folder = target().join("wheels").join(profile);
    // Only the new wheel is to be found.
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|error| format!("{} could not be removed: {error}", folder.display()))?;
    }
    let maturin = ["-m", "maturin", "build", "--profile", profile, "--out"];
    run(Command::new(python).args(maturin).arg(&folder))?;
    let wheels = list(&folder, "whl")?;
    let [wheel] = wheels.as_slice() else {
        return Err(format!("maturin should make one wheel, it made {wheels:?}"));
    };
    Ok(wheel.clone())
}

/// Installs a wheel in place of an earlier one.
pub(crate) fn install(python: &Path, wheel: &Path) -> Result {
    let pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"];
    run(Command::new(python).args(pip).arg(wheel))
}

fn pytest(python: &Path) -> Command {
    let mut command = Command::new(python);
    // The settings of the repository, also for the installed package, which is elsewhere.
    command.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "-c", "pyproject.toml"]);
    command.args(["--rootdir", "."]);
    command
}

/// Executes every notebook; an exception in a cell is a failure.
fn notebooks(python: &Path) -> Result {
    if !Path::new(NOTEBOOKS).exists() {
        return Ok(());
    }
    for notebook in list(Path::new(NOTEBOOKS), "ipynb")? {
        let convert =
            ["-m", "jupyter", "nbconvert", "--to", "notebook", "--execute", "--output-dir"];
        run(Command::new(python).args(convert).arg(target().join("notebooks")).arg(notebook))?;
    }
    Ok(())
}

/// Files of a folder with this extension, in order.
fn list(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let fail = |error| format!("{} could not be listed: {error}", folder.display());
    let mut files = vec![];
    for entry in fs::read_dir(folder).map_err(fail)? {
        files.push(entry.map_err(fail)?.path());
    }
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    Ok(files)
}
