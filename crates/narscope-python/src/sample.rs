//! Samples of an algorithm.

use narscope::clrs::options::{MAX_NODES, OptionName, Options};
use narscope::clrs::{Batch, Entry, Rng, Traces};
use narscope::files::memory;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{self, whole};
use crate::arrays::{DenseBatch, PyBatch, dense_bytes};
use crate::error::{self, Result, Stop};

/// Most samples of one call.
const MOST_SAMPLES: usize = u32::MAX as usize;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(sample, module)?)?;
    module.add_function(wrap_pyfunction!(option_help, module)?)
}

/// Draws samples and runs the algorithm on them.
#[pyfunction]
fn sample<'py>(
    py: Python<'py>,
    algorithm: &str,
    n: &Bound<'py, PyAny>,
    num: &Bound<'py, PyAny>,
    seed: &Bound<'py, PyAny>,
    options: &Bound<'py, PyDict>,
) -> PyResult<PyBatch<'py>> {
    let (entry, n, num, seed, options) = error::guard(|| {
        let entry = arguments::algorithm(algorithm)?;
        let n = whole("n", n, 1, MAX_NODES)?;
        let num = whole("num", num, 1, MOST_SAMPLES)?;
        Ok((entry, n, num, arguments::seed(seed)?, arguments::options(entry, options)?))
    })?;
    let dense = error::interruptible(py, |stop| {
        let what = || format!("{num} samples of {} with n = {n}", entry.name);
        memory::require(entry.estimated_bytes(n).saturating_mul(num), what)?;
        let batch = Batch::new(draw(entry, n, num, seed, &options, stop)?, 0);
        memory::require(dense_bytes(&batch), what)?;
        Ok(DenseBatch::of(&batch))
    })?;
    dense.into_python(py)
}

/// Draws samples, the same as in one go, and stops between parts of them if asked to.
fn draw(
    entry: &Entry,
    n: usize,
    num: usize,
    seed: u32,
    options: &Options,
    stop: &Stop,
) -> Result<Traces> {
    const PART: usize = 1024;
    let rng = &mut Rng::seeded(seed);
    if num <= PART || options.has_symmetry() {
        // Symmetries draw base graphs first, once.
        return Ok(entry.generate(rng, n, options, num)?);
    }
    let mut all = entry.generate(rng, n, options, PART)?;
    while all.len() < num && !stop.is_requested() {
        let part = entry.generate(rng, n, options, PART.min(num - all.len()))?;
        (0..part.len()).for_each(|i| all.push_from(&part, i));
    }
    Ok(all)
}

/// Name and help text of every sampler option.
#[pyfunction]
fn option_help() -> Vec<(&'static str, &'static str)> {
    OptionName::ALL.iter().map(|option| (option.name(), option.help())).collect()
}
