//! The extension module of the Python package narscope.
//!
//! Functions here check and convert what Python passes, call a library without the interpreter's lock, and convert what
//! comes back. What is pleasant to use is in `python/narscope`.

#![expect(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]

use pyo3::prelude::*;

mod algorithms;
mod analyse;
mod arguments;
mod arrays;
mod clrs;
mod command_line;
mod config;
mod dynamic;
mod error;
mod exception;
mod hooks;
mod json;
mod pool;
mod predict;
mod report;
mod run;
mod sample;
mod trace;
mod train;
mod weights;

/// What `narscope/__init__.py` builds on.
#[pymodule]
mod _narscope {
    use pyo3::prelude::*;

    use super::{
        algorithms, analyse, clrs, command_line, config, dynamic, pool, report, run, sample, trace,
        train, weights,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        algorithms::register(module)?;
        analyse::register(module)?;
        clrs::register(module)?;
        command_line::register(module)?;
        config::register(module)?;
        dynamic::register(module)?;
        pool::register(module)?;
        report::register(module)?;
        run::register(module)?;
        sample::register(module)?;
        trace::register(module)?;
        train::register(module)?;
        weights::register(module)
    }
}
