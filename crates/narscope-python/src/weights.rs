//! Weights under the names of the reference.

use std::path::PathBuf;

use narscope::files::arrays::Array;
use narscope::model::generic::net::Net;
use narscope::model::run::Run as RunFolder;
use narscope::model::{Spec, haiku};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{array, single_floats};
use crate::error::{self, Result};
use crate::run::Run;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(from_clrs, module)?)?;
    module.add_function(wrap_pyfunction!(to_clrs, module)?)
}

/// Makes a run from arrays under the names of the reference.
#[pyfunction]
fn from_clrs(
    py: Python<'_>,
    parameters: &Bound<'_, PyDict>,
    out: PathBuf,
    keys: &Bound<'_, PyDict>,
    preset: Option<&str>,
) -> PyResult<()> {
    let (config, arrays) = error::guard(|| {
        let config = crate::config::draft(keys, preset, &[])?.finish()?;
        let read = |(name, values): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let name: String = name.extract()?;
            let values = single_floats(&name, &values)?;
            let shape = values.as_array().shape().to_vec();
            let data = values.as_slice().map_err(PyErr::from)?.to_vec();
            Ok((name, Array { shape, data }))
        };
        let arrays = parameters.iter().map(read).collect::<Result<Vec<_>>>()?;
        Ok((config, arrays))
    })?;
    error::work(py, || {
        let shapes = arrays.iter().map(|(name, array)| (name.clone(), array.shape.clone()));
        let shapes: Vec<_> = shapes.collect();
        haiku::check_processor(&config, &shapes)?;
        let declarations = Net::declarations(&config, &Spec::all(&config)?);
        haiku::check(&declarations, &shapes)?;
        let weights = haiku::import(&declarations, &arrays)?;
        RunFolder::install(&out, config, weights)?;
        Ok(())
    })
}

/// The weights of a run under the names of the reference.
#[pyfunction]
fn to_clrs<'py>(py: Python<'py>, run: &Run) -> PyResult<Bound<'py, PyDict>> {
    let model = run.model();
    let parameters = PyDict::new(py);
    error::guard(|| {
        let declarations = Net::declarations(model.config(), model.specs());
        for (name, shape, values) in haiku::export(&declarations, model.weights()) {
            parameters.set_item(name, array(py, values.to_vec(), shape)?)?;
        }
        Ok(())
    })?;
    Ok(parameters)
}
