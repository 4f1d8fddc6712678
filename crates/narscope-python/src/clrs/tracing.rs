//! Running an algorithm on inputs that Python passes.

use narscope::clrs::batch::Batch;
use narscope::clrs::{Stage, algorithms};
use numpy::PyReadonlyArrayDyn;
use pyo3::prelude::*;

use super::dense::{Arrays, Dense, Given};
use crate::error::{guard, work};

/// Runs an algorithm. `inputs` are its input probes in order, each with a batch axis of one.
#[pyfunction]
pub(super) fn trace<'py>(
    py: Python<'py>,
    algorithm: &str,
    inputs: Vec<PyReadonlyArrayDyn<'py, f64>>,
) -> PyResult<Arrays<'py>> {
    let entry = guard(|| Ok(algorithms::find(algorithm)?))?;
    let probes: Vec<_> =
        entry.probes.iter().filter(|probe| probe.stage == Stage::Input).cloned().collect();
    let inputs: Vec<_> = inputs.into_iter().map(Some).collect();
    let given = guard(|| Given::read(&probes, &inputs, &[0.0]))?;
    drop(inputs);
    let dense = work(py, || {
        let traces = given.into_traces(&probes)?;
        let run = entry.replay(traces.nodes, &traces.columns, 0)?;
        Ok(Dense::of(&Batch::new(run, 0)))
    })?;
    dense.into_arrays(py)
}
