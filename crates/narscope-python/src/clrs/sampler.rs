//! Samplers and splits of the benchmark.

use std::sync::{Mutex, MutexGuard, PoisonError};

use narscope::clrs::batch::Batch;
use narscope::clrs::{Edition, Split, Traces, algorithms, sampler};
use pyo3::prelude::*;

use super::dense::{Arrays, Dense};
use super::specs::options;
use crate::error::{input_error, work};

/// Draws batches of one algorithm.
///
/// Behind a lock, so that threads of Python can share it, also without the interpreter's lock.
#[pyclass(module = "narscope._narscope.clrs", frozen)]
pub(super) struct Sampler(Mutex<sampler::Sampler>);

#[pymethods]
impl Sampler {
    /// A fixed set of samples, or an endless stream if `num_samples` is negative.
    #[new]
    fn new(
        py: Python<'_>,
        algorithm: &str,
        num_samples: i64,
        length: usize,
        seed: u32,
        track_max_steps: bool,
        settings: &str,
    ) -> PyResult<Self> {
        let sampler = work(py, || {
            let (entry, options) = (algorithms::find(algorithm)?, options(settings)?);
            Ok(match usize::try_from(num_samples) {
                Ok(samples) => sampler::Sampler::fixed(entry, length, seed, options, samples)?,
                Err(_) => sampler::Sampler::endless(entry, length, seed, options, track_max_steps)?,
            })
        })?;
        Ok(Self(Mutex::new(sampler)))
    }

    /// The next batch, or the whole fixed set.
    fn next<'py>(&self, py: Python<'py>, batch_size: Option<usize>) -> PyResult<Arrays<'py>> {
        let dense = work(py, || {
            let mut sampler = locked(&self.0);
            let batch = match batch_size {
                Some(0) => return Err(input_error("batch_size must be at least 1, found 0")),
                Some(size) => sampler.next_batch(size)?,
                None => sampler.all().ok_or_else(|| {
                    input_error("a sampler with num_samples = -1 needs a batch_size")
                })?,
            };
            Ok(Dense::of(&batch))
        })?;
        dense.into_arrays(py)
    }
}

/// A split of the benchmark, kept as traces: its dense arrays may not fit into memory.
#[pyclass(module = "narscope._narscope.clrs", frozen)]
pub(super) struct Dataset {
    traces: Traces,
    /// The number of steps that all its batches are padded to.
    steps: usize,
}

#[pymethods]
impl Dataset {
    #[new]
    fn new(py: Python<'_>, algorithm: &str, split: &str) -> PyResult<Self> {
        let traces = work(py, || {
            let split: Split = split.parse()?;
            Ok(split.generate(algorithms::find(algorithm)?, Edition::Current)?)
        })?;
        Ok(Self { steps: traces.longest(), traces })
    }

    fn __len__(&self) -> usize {
        self.traces.len()
    }

    /// The samples with these indices.
    fn batch<'py>(&self, py: Python<'py>, samples: Vec<usize>) -> PyResult<Arrays<'py>> {
        let dense = work(py, || {
            if let Some(missing) = samples.iter().find(|&&i| i >= self.traces.len()) {
                let count = self.traces.len();
                return Err(input_error(format!(
                    "sample {missing} does not exist: there are {count}"
                )));
            }
            Ok(Dense::of(&Batch::new(self.traces.select(&samples), self.steps)))
        })?;
        dense.into_arrays(py)
    }
}

/// The value behind a lock. After a panic it may be in the middle of a batch, but it is still valid.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
