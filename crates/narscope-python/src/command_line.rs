//! `narscope` on the PATH.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;

use crate::error;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(command_line, module)?)
}

/// Runs the command line with these arguments, the first of which is the name of the program; returns its exit code.
/// `executable` starts it in other processes.
#[pyfunction]
fn command_line(py: Python<'_>, executable: PathBuf, arguments: Vec<OsString>) -> PyResult<u8> {
    // Not on our threads: the command line has its own.
    py.detach(|| error::guard(|| Ok(narscope::main_of(executable, arguments))))
}
