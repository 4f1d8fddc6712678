//! Hidden states that Python reads and changes while a network runs.

use std::sync::atomic::{AtomicUsize, Ordering};

use narscope::model::rollout::{States, StepHook};
use numpy::IntoPyArray as _;
use pyo3::prelude::*;

use crate::arrays::{array, single_floats};
use crate::error::{Result, Stop, input_error};

/// A function of Python that is called after every step, if there is one.
pub(crate) struct Hook<'a> {
    function: Option<Py<PyAny>>,
    /// Index of the first sample of the batch that runs.
    pub(crate) offset: &'a AtomicUsize,
    stop: &'a Stop,
}

impl<'a> Hook<'a> {
    pub(crate) fn new(
        function: Option<Py<PyAny>>,
        offset: &'a AtomicUsize,
        stop: &'a Stop,
    ) -> Self {
        Self { function, offset, stop }
    }
}

impl StepHook for Hook<'_> {
    fn after_step(&mut self, step: usize, samples: &[usize], states: &mut States<'_>) {
        let Some(function) = self.function.as_ref().filter(|_| !self.stop.is_requested()) else {
            return;
        };
        let offset = self.offset.load(Ordering::Relaxed);
        let called = Python::attach(|py| call(py, function, step, offset, samples, states));
        if let Err(error) = called {
            self.stop.because_of(error.into());
        }
    }

    fn is_idle(&self) -> bool {
        self.function.is_none()
    }
}

/// Calls the function with the step, the states `[samples that run, n, H]` and the indices of these samples, in
/// increasing order; what it returns, if anything, replaces the states.
fn call(
    py: Python<'_>,
    function: &Py<PyAny>,
    step: usize,
    offset: usize,
    samples: &[usize],
    states: &mut States<'_>,
) -> Result<()> {
    // Rows are sorted by their number of steps; people expect the order of the batch.
    let mut rows: Vec<usize> = (0..samples.len()).collect();
    rows.sort_by_key(|&row| samples[row]);
    let size = states.nodes * states.hidden;
    let shape = [rows.len(), states.nodes, states.hidden];
    let row_values = |row: &usize| states.values[row * size..][..size].iter().copied();
    let values: Vec<f32> = rows.iter().flat_map(row_values).collect();
    let indices: Vec<i64> = rows.iter().map(|&row| (offset + samples[row]) as i64).collect();
    let given = array(py, values, &shape)?;
    let changed = function.call1(py, (step, given, indices.into_pyarray(py)))?;
    if changed.is_none(py) {
        return Ok(());
    }
    let changed = single_floats("what a hook returns", changed.bind(py))?;
    let found = changed.as_array().shape().to_vec();
    if found != shape {
        return Err(input_error(format!(
            "a hook should return states of shape {shape:?} (samples, nodes, units) or None, found {found:?}"
        )));
    }
    let values = changed.as_slice().map_err(PyErr::from)?;
    for (&row, values) in rows.iter().zip(values.chunks_exact(size)) {
        states.values[row * size..][..size].copy_from_slice(values);
    }
    Ok(())
}
