//! Reports of runs.

use std::path::PathBuf;

use narscope::study::{Note, ReportOptions, output, report_runs};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::analyse::{Interruptible, sampling};
use crate::error::{self, input_error};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(report, module)?)
}

/// Writes the page about runs. Returns what it leaves out, in sentences.
#[pyfunction]
fn report(
    py: Python<'_>,
    runs: Vec<PathBuf>,
    out: PathBuf,
    settings: &Bound<'_, PyDict>,
    full: bool,
    algorithm: Option<String>,
    command: String,
) -> PyResult<Vec<String>> {
    let sampling = error::guard(|| {
        if runs.is_empty() {
            return Err(input_error("a report needs at least one run, found none"));
        }
        sampling(settings, full)
    })?;
    error::interruptible(py, move |stop| {
        let options = ReportOptions { algorithm, sampling, command };
        let mut left_out = vec![];
        let page = report_runs(&runs, &options, &Interruptible(stop), &mut |note| match note {
            Note::Run(_) => {}
            Note::Skipped(error) => left_out.push(error.to_string()),
            Note::NotCompared(error) => {
                left_out.push(format!("the runs are not compared with each other: {error}"));
            }
        })?;
        output::write_text(&out, &page)?;
        Ok(left_out)
    })
}
