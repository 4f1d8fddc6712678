//! What `narscope.clrs` builds on: samples and networks in the layout of the reference.

use pyo3::prelude::*;

mod dense;
mod network;
mod sampler;
mod specs;
mod tracing;

pub(crate) fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = PyModule::new(parent.py(), "clrs")?;
    module.add_class::<network::Network>()?;
    module.add_class::<sampler::Dataset>()?;
    module.add_class::<sampler::Sampler>()?;
    module.add_function(wrap_pyfunction!(specs::accepted_options, &module)?)?;
    module.add_function(wrap_pyfunction!(specs::algorithm_specs, &module)?)?;
    module.add_function(wrap_pyfunction!(specs::splits, &module)?)?;
    module.add_function(wrap_pyfunction!(tracing::trace, &module)?)?;
    parent.add_submodule(&module)
}
