//! Names of the folders of runs: a path component per axis.

use narscope_files::text::control_character;
use narscope_model::random::fnv;
use toml::Value;

use super::declaration::VARIANT;
use super::problem::Problem;

/// Maximum length of a value in a folder name, in bytes.
const MAX_LENGTH: usize = 160;
/// Axes whose values appear without `key=`.
const WITHOUT_KEY: [&str; 3] = ["algorithms", "processor_type", VARIANT];

/// The path component of a value of an axis.
pub(super) fn folder_name(key: &str, value: &Value) -> Result<String, Problem> {
    let value = plain(value);
    if value.chars().all(|letter| letter == '.') || control_character(&value).is_some() {
        let what =
            format!("{value:?} is not a valid folder name; values of {key} name folders of runs");
        return Err(Problem::new(what, key));
    }
    let mut value = value.replace(['/', '\\', ' '], "_");
    if value.len() > MAX_LENGTH {
        // A list of many algorithms, say: file systems limit the length of names.
        let hash = fnv(value.bytes());
        let start: String = value.chars().take(MAX_LENGTH / 4).collect();
        value = format!("{start}-{hash:016x}");
    }
    Ok(if WITHOUT_KEY.contains(&key) { value } else { format!("{key}={value}") })
}

/// A value as plain text; elements of a list are joined by `+`.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join("+"),
        other => other.to_string(),
    }
}
