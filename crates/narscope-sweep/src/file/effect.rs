//! Axes that change nothing: two runs would train the same network.

use toml::Value;

use super::PlannedRun;
use super::declaration::{Combination, VARIANT};
use super::problem::Problem;

/// Says why two runs with the same effective configuration are the same: which axis changes nothing, and
/// which key makes it so.
pub(super) fn without_effect(
    one: &PlannedRun,
    of_one: &Combination<'_>,
    other: &PlannedRun,
    of_other: &Combination<'_>,
) -> Problem {
    let runs = format!("{} and {}", one.name, other.name);
    let differs = |((key, a), (_, b)): (&(&str, &Value), &(&str, &Value))| {
        (a != b).then(|| (*key).to_owned())
    };
    let axes: Vec<String> = of_one.iter().zip(of_other).filter_map(differs).collect();
    let axis = axes.first().map_or("[axes]", String::as_str);
    let keys: Vec<String> = different_keys(one, other);
    let ignored = one.config.without_effect();
    let reasons: Vec<String> = keys
        .iter()
        .filter_map(|key| ignored.iter().find(|ignored| ignored.key == key))
        .map(|ignored| {
            let (key, because_of) = (ignored.key, ignored.because_of);
            let value = value_of(one, because_of);
            format!("{key} needs {}, but {because_of} is {value}", ignored.needs)
        })
        .collect();
    if reasons.is_empty() {
        return Problem::new(format!("{runs} have the same configuration"), axis);
    }
    let plural = if axes.len() == 1 { "axis" } else { "axes" };
    let changes = if axes.len() == 1 { "changes" } else { "change" };
    let what = format!(
        "the {plural} {} {changes} nothing between {runs}: {}; they would train the same network \
         (remove the values, or leave combinations out with [[exclude]])",
        axes.join(" and "),
        reasons.join(", and "),
    );
    // The line of a variant is more telling than that of the axis.
    let words = match of_other.iter().find(|(key, _)| *key == VARIANT && axis == VARIANT) {
        Some((_, Value::String(name))) => vec![keys[0].clone(), name.clone()],
        _ => vec![axis.to_owned()],
    };
    Problem::at_words(what, words)
}

/// Keys in which the configurations of two runs differ.
fn different_keys(one: &PlannedRun, other: &PlannedRun) -> Vec<String> {
    let [one, other] = [one, other].map(|run| toml::Table::try_from(&run.config).expect("a table"));
    one.into_iter()
        .filter(|(key, value)| other.get(key) != Some(value))
        .map(|(key, _)| key)
        .collect()
}

/// The value of a key in the configuration of a run.
fn value_of(run: &PlannedRun, key: &str) -> String {
    let config = toml::Table::try_from(&run.config).expect("a table");
    match config.get(key) {
        Some(Value::Array(items)) => {
            let items =
                items.iter().map(|item| item.as_str().map_or(item.to_string(), str::to_owned));
            items.collect::<Vec<_>>().join(", ")
        }
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => "not set".to_owned(),
    }
}
