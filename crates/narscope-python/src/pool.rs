//! The threads that work runs on.
//!
//! Rayon's global pool does not survive a fork, which the data loaders of PyTorch use: a forked process waits for
//! threads that it does not have. Each process has a pool of its own here.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::arguments::whole;
use crate::error::{self, Result, input_error};

/// Most threads of a pool, as on the command line.
const MOST_THREADS: usize = 1024;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(set_threads, module)?)?;
    module.add_function(wrap_pyfunction!(threads, module)?)
}

/// A pool and the process that its threads run in.
struct Owned {
    process: u32,
    /// As asked for; zero: as many as there are cores.
    wanted: usize,
    pool: Arc<ThreadPool>,
}

static POOL: Mutex<Option<Owned>> = Mutex::new(None);

/// The pool of this process.
pub(crate) fn pool() -> Result<Arc<ThreadPool>> {
    let mut current = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let wanted = match &*current {
        Some(owned) if owned.process == std::process::id() => return Ok(owned.pool.clone()),
        Some(inherited) => inherited.wanted,
        None => 0,
    };
    let pool = replace(&mut current, wanted)?;
    Ok(pool)
}

/// Puts a new pool in the place of the current one.
fn replace(current: &mut Option<Owned>, wanted: usize) -> Result<Arc<ThreadPool>> {
    let pool = ThreadPoolBuilder::new().num_threads(wanted).build();
    let pool = pool.map_err(|error| input_error(format!("threads cannot be started: {error}")))?;
    let pool = Arc::new(pool);
    let process = std::process::id();
    let old = current.replace(Owned { process, wanted, pool: pool.clone() });
    // To end a pool is to signal its threads, which a forked process does not have.
    std::mem::forget(old.filter(|old| old.process != process));
    Ok(pool)
}

/// Sets the number of threads; 0: as many as there are cores.
#[pyfunction]
fn set_threads(number: &Bound<'_, PyAny>) -> PyResult<()> {
    error::guard(|| {
        let wanted = whole("number", number, 0, MOST_THREADS)?;
        let mut current = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        replace(&mut current, wanted)?;
        Ok(())
    })
}

/// The number of threads.
#[pyfunction]
fn threads() -> PyResult<usize> {
    error::guard(|| Ok(pool()?.current_num_threads()))
}
