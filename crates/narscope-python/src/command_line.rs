//! `narscope` on the PATH.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::error;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(command_line, module)?)
}

/// Runs the command line with these arguments, the first of which is the name of the program; returns its exit code.
#[pyfunction]
fn command_line(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    error::work(py, || Ok(narscope::run(arguments)))
}
