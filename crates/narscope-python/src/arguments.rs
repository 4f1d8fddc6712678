//! Arguments of Python functions, checked with sentences that name them.

use narscope::clrs::options::{Direction, OptionName, Options};
use narscope::clrs::{Entry, algorithms, registry};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value};

use crate::error::{Result, input_error};
use crate::json;

/// The algorithm of this name.
pub(crate) fn algorithm(name: &str) -> Result<&'static Entry> {
    Ok(algorithms::find(name)?)
}

/// A whole number in a range, both ends included.
pub(crate) fn whole(
    name: &str,
    value: &Bound<'_, PyAny>,
    least: usize,
    most: usize,
) -> Result<usize> {
    let wrong = || {
        let found = value.repr().map_or_else(|_| "something else".to_owned(), |it| it.to_string());
        input_error(format!(
            "{name} should be a whole number from {least} to {most}, found {found}"
        ))
    };
    // NumPy's integers have an index, too.
    let number: usize =
        value.call_method0("__index__").and_then(|it| it.extract()).map_err(|_| wrong())?;
    if (least..=most).contains(&number) { Ok(number) } else { Err(wrong()) }
}

/// A seed.
pub(crate) fn seed(value: &Bound<'_, PyAny>) -> Result<u32> {
    Ok(whole("seed", value, 0, u32::MAX as usize)? as u32)
}

/// The options of an algorithm's sampler. An option that it does not have is an error.
pub(crate) fn options(entry: &Entry, given: &Bound<'_, PyDict>) -> Result<Options> {
    let options = unchecked_options(given)?;
    let ignored = entry.ignored(&options);
    if let Some(name) = ignored.first() {
        let known: Vec<&str> = entry.options(&options).iter().map(|it| it.name()).collect();
        let known = known.join(", ");
        return Err(input_error(format!(
            "{} has no option {name} here; its options are {known}",
            entry.name
        )));
    }
    Ok(options)
}

/// Sampler options, of whatever algorithm.
pub(crate) fn unchecked_options(given: &Bound<'_, PyDict>) -> Result<Options> {
    let mut map = Map::new();
    for (name, value) in given {
        let name: String = name.extract()?;
        let value = json::from_python(&name, &value)?;
        match (name.as_str(), value) {
            (_, Value::Null) => {}
            ("directed", Value::Bool(is_directed)) => {
                let direction =
                    if is_directed { Direction::Directed } else { Direction::Undirected };
                map.insert("direction".to_owned(), json::value(&direction));
            }
            // One probability, as a list of one.
            ("p", probability @ Value::Number(_)) => {
                map.insert(name, Value::Array(vec![probability]));
            }
            (_, value) => {
                registry::find("option", OptionName::ALL, |known| known.name(), &name)?;
                map.insert(name, value);
            }
        }
    }
    // One at a time, so that the message names it.
    for (name, value) in &map {
        let one = Map::from_iter([(name.clone(), value.clone())]);
        serde_json::from_value::<Options>(one.into())
            .map_err(|error| input_error(format!("{name}: {error} (found {value})")))?;
    }
    Ok(serde_json::from_value(map.into()).expect("every option was read above"))
}
