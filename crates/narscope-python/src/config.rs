//! Configurations from keyword arguments.

use std::path::PathBuf;

use narscope::model::config::{ALIASES, Config, Draft, key_of};
use narscope::model::config_file;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use toml::{Table, Value};

use crate::error::{Result, input_error};
use crate::json;

/// A name that only Python has: on the command line, `bench --steps` is something else.
const STEPS: (&str, &str) = ("train_steps", "steps");

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(config_help, module)?)
}

/// What keyword arguments set. `preset` and `files` come first; keys override them, `None` leaves a key as it is.
pub(crate) fn draft(
    keys: &Bound<'_, PyDict>,
    preset: Option<&str>,
    files: &[PathBuf],
) -> Result<Draft> {
    let mut draft = preset.map_or_else(|| Ok(Draft::default()), Draft::preset)?;
    for file in files {
        draft = draft.overridden_by(config_file::read(file)?);
    }
    let defaults = Table::try_from(Config::default()).expect("a configuration is a table");
    for (name, value) in keys {
        let name: String = name.extract()?;
        let value = json::from_python(&name, &value)?;
        if value.is_null() {
            continue;
        }
        let key = if name == STEPS.1 { STEPS.0 } else { key_of(&name) };
        let value = Value::try_from(&value)
            .map_err(|_| input_error(format!("{name} cannot have the value {value}")))?;
        let value = match (defaults.get(key), value) {
            (Some(Value::Array(_)), list @ Value::Array(_)) => list,
            // A single algorithm, length or part.
            (Some(Value::Array(_)), one) => Value::Array(vec![one]),
            (_, value) => value,
        };
        draft.set(key, value)?;
    }
    Ok(draft)
}

/// Name and help text of every key, with its other names.
#[pyfunction]
fn config_help() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    let others = |name: &str| {
        let aliases = ALIASES.iter().filter(|(key, _)| *key == name);
        let own = (name == STEPS.0).then_some(STEPS.1);
        aliases.flat_map(|(_, others)| others.iter().copied()).chain(own).collect()
    };
    Config::KEYS.iter().map(|key| (key.name, key.help, others(key.name))).collect()
}
