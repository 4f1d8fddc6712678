//! `[[only]]` and `[[exclude]]`: tables that select combinations.

use toml::{Table, Value};

use super::declaration::Combination;

/// Checks that every key of a filter is an axis, and every value a value of it.
pub(super) fn check(filter: &Table, axes: &Table) -> Result<(), String> {
    for (key, selected) in filter {
        let Some(values) = axes.get(key).and_then(Value::as_array) else {
            let axes: Vec<&str> = axes.keys().map(String::as_str).collect();
            return Err(format!("{key} is not an axis; the axes are {}", axes.join(", ")));
        };
        let is_value = |selected: &&Value| values.iter().any(|value| is_same(value, selected));
        let several = selected.as_array().filter(|_| !is_value(&selected));
        let missing = match several {
            Some(several) => several.iter().find(|selected| !is_value(selected)),
            None => Some(selected).filter(|selected| !is_value(selected)),
        };
        if let Some(missing) = missing {
            return Err(format!("the axis {key} has no value {missing}"));
        }
    }
    Ok(())
}

/// Whether a combination has, for every key of a filter, its value or one of a list of values. A list that is
/// itself a value of the axis counts as one value.
pub(super) fn matches(filter: &Table, combination: &Combination<'_>, axes: &Table) -> bool {
    filter.iter().all(|(key, selected)| {
        let values = axes.get(key).and_then(Value::as_array);
        let is_value = values.is_some_and(|values| values.contains(selected));
        let several = selected.as_array().filter(|_| !is_value);
        combination.iter().filter(|(other, _)| other == key).any(|(_, value)| match several {
            Some(several) => several.iter().any(|selected| is_same(value, selected)),
            None => is_same(value, selected),
        })
    })
}

/// Whether two values are equal; 1 and 1.0 are.
fn is_same(a: &Value, b: &Value) -> bool {
    let number = |value: &Value| value.as_float().or(value.as_integer().map(|it| it as f64));
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}
