//! Plain data, from Rust to Python and back: dictionaries, lists, text, numbers.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use serde_json::{Map, Number, Value};

use crate::error::{Result, input_error};

/// What a type serialises to, as a Python object: structures are dictionaries in the order of their fields.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    value: &impl serde::Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value).expect("plain data is JSON");
    py.import("json")?.call_method1("loads", (text,))
}

/// What a type serialises to.
pub(crate) fn value(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("plain data is JSON")
}

/// The JSON value for a Python object; `name` is what an error calls it. Paths are text; NumPy's numbers and arrays are
/// numbers and lists.
pub(crate) fn from_python(name: &str, object: &Bound<'_, PyAny>) -> Result<Value> {
    if object.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(value) = object.cast::<PyBool>() {
        return Ok(Value::Bool(value.is_true()));
    }
    if object.is_instance_of::<PyInt>() {
        let small = object.extract::<i64>().map(Number::from);
        let number = small.or_else(|_| object.extract::<u64>().map(Number::from));
        return Ok(Value::Number(number.map_err(|_| {
            input_error(format!("{name} should be a number of at most 64 bits, found {object}"))
        })?));
    }
    if object.is_instance_of::<PyFloat>() {
        let number: f64 = object.extract()?;
        let finite = Number::from_f64(number);
        return Ok(Value::Number(finite.ok_or_else(|| {
            input_error(format!("{name} should be a finite number, found {number}"))
        })?));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::String(text.to_string()));
    }
    if let Ok(fields) = object.cast::<PyDict>() {
        let mut map = Map::new();
        for (key, value) in fields {
            map.insert(key.str()?.to_string(), from_python(name, &value)?);
        }
        return Ok(Value::Object(map));
    }
    if let Ok(path) = object.call_method0("__fspath__") {
        return from_python(name, &path);
    }
    // NumPy's scalars and arrays.
    if let Ok(plain) = object.call_method0("tolist") {
        return from_python(name, &plain);
    }
    if let Ok(items) = object.try_iter() {
        let items = items.map(|item| from_python(name, &item?)).collect::<Result<Vec<_>>>()?;
        return Ok(Value::Array(items));
    }
    Err(input_error(format!(
        "{name} should be text, a number, a truth value or a list of these, found {}",
        object.get_type().name()?
    )))
}
