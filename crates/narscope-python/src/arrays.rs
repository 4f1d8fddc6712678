//! NumPy arrays from vectors, without a copy.

use numpy::{IntoPyArray as _, PyArrayDyn, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyAny;

/// A vector as an array of this shape; the array owns the vector's memory.
///
/// # Panics
/// If the shape has another number of elements.
pub(crate) fn array<'py, T: numpy::Element>(
    py: Python<'py>,
    values: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    assert_eq!(values.len(), shape.iter().product::<usize>(), "elements of shape {shape:?}");
    let array: Bound<'py, PyArrayDyn<T>> = values.into_pyarray(py).reshape(shape.to_vec())?;
    Ok(array.into_any())
}
