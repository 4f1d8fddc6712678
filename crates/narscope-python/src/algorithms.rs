//! The algorithms, with their specs.

use narscope::clrs::{Category, Entry, OptionName, Probe, algorithms};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;

use crate::{arguments, error, json};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(algorithm_specs, module)?)?;
    module.add_function(wrap_pyfunction!(algorithm_options, module)?)
}

/// What is told of an algorithm.
#[derive(Serialize)]
struct Spec {
    name: &'static str,
    summary: &'static str,
    category: Category,
    in_clrs_30: bool,
    probes: &'static [Probe],
}

impl Spec {
    fn of(entry: &'static Entry) -> Self {
        Self {
            name: entry.name,
            summary: entry.summary,
            category: entry.category,
            in_clrs_30: entry.in_clrs_30,
            probes: entry.probes,
        }
    }
}

/// Name, summary, category and probes of every algorithm, also of registered ones.
#[pyfunction]
fn algorithm_specs(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    error::guard(|| {
        let specs = PyDict::new(py);
        for entry in algorithms::all() {
            specs.set_item(entry.name, json::to_python(py, &Spec::of(entry))?)?;
        }
        Ok(specs)
    })
}

/// Names of the options that the sampler of an algorithm takes, with some family or symmetry.
#[pyfunction]
fn algorithm_options(py: Python<'_>, algorithm: &str) -> PyResult<Vec<&'static str>> {
    error::work(py, || {
        let options = arguments::algorithm(algorithm)?.possible_options();
        Ok(options.into_iter().map(OptionName::name).collect())
    })
}
