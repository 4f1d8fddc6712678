//! The extension module of the Python package narscope.

use pyo3::prelude::*;

/// What `narscope/__init__.py` builds on.
#[pymodule]
mod _narscope {
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
