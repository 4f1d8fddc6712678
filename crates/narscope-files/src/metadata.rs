//! What a file says about its arrays: version, algorithm, origin, names of nodes.
//!
//! A `.safetensors` file has it as strings in its header, a `.npz` file as JSON in the array `metadata`, and a
//! `.jsonl` file as keys of every line.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::error::{Misread, misread};
use crate::layout::VERSION;

/// Key of the version of the layout.
pub(crate) const VERSION_KEY: &str = "narscope_format";
/// Keys whose values are not text.
const TYPED: [&str; 4] = [VERSION_KEY, "source", "names", "directed"];

/// What a file says about its arrays.
///
/// ```
/// use narscope_files::metadata::Metadata;
///
/// let mut metadata = Metadata::new("bfs");
/// metadata.names = Some(vec![vec!["Bern".to_owned(), "Biel".to_owned()]]);
/// metadata.set("run", "runs/bfs");
/// assert_eq!(metadata.get("run"), Some("runs/bfs"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// Version of the layout; 1 for files without one.
    pub version: u32,
    /// Version of the program that wrote the file; empty if unknown.
    pub narscope: String,
    /// The algorithm; empty if unknown.
    pub algorithm: String,
    /// Where the samples come from: sampler options with their seed, or a file.
    pub source: Option<Value>,
    /// Names of the nodes of each sample.
    pub names: Option<Vec<Vec<String>>>,
    /// Whether the graphs are directed.
    pub directed: Option<bool>,
    /// Everything else, as text.
    other: BTreeMap<String, String>,
}

impl Metadata {
    /// Metadata of a new file.
    pub fn new(algorithm: &str) -> Self {
        let narscope = env!("CARGO_PKG_VERSION").to_owned();
        Self { version: VERSION, narscope, algorithm: algorithm.to_owned(), ..Self::unversioned() }
    }

    /// Metadata of a file that has none.
    pub(crate) fn unversioned() -> Self {
        Self {
            version: 1,
            narscope: String::new(),
            algorithm: String::new(),
            source: None,
            names: None,
            directed: None,
            other: BTreeMap::new(),
        }
    }

    /// Sets a value without a field of its own.
    pub fn set(&mut self, key: &str, value: impl Into<String>) {
        self.other.insert(key.to_owned(), value.into());
    }

    /// Removes a value without a field of its own.
    pub fn remove(&mut self, key: &str) {
        self.other.remove(key);
    }

    /// Returns a value without a field of its own.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.other.get(key).map(String::as_str)
    }

    /// All values as JSON.
    pub(crate) fn to_json(&self) -> Map<String, Value> {
        let Self { version, narscope, algorithm, source, names, directed, other } = self;
        let others = other.iter().map(|(key, value)| (key.clone(), json!(value)));
        let mut all: Map<String, Value> = others.collect();
        let mut set = |key: &str, value: Value| all.insert(key.to_owned(), value);
        if *version > 1 {
            set(VERSION_KEY, json!(version));
        }
        for (key, text) in [("narscope", narscope), ("algorithm", algorithm)] {
            if !text.is_empty() {
                set(key, json!(text));
            }
        }
        if let Some(source) = source {
            set("source", without_nulls(source.clone()));
        }
        if let Some(names) = names {
            set("names", json!(names));
        }
        if let Some(directed) = directed {
            set("directed", json!(directed));
        }
        all
    }

    /// All values as text: strings as they are, others as JSON.
    pub(crate) fn to_strings(&self) -> BTreeMap<String, String> {
        let text = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        self.to_json().into_iter().map(|(key, value)| (key, text(value))).collect()
    }

    /// Inverse of [`Self::to_strings`].
    pub(crate) fn from_strings(
        all: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, Misread> {
        let value = |(key, text): (String, String)| {
            if !TYPED.contains(&key.as_str()) {
                return Ok((key, Value::String(text)));
            }
            let parsed = serde_json::from_str(&text);
            let parsed =
                parsed.map_err(|_| misread(format!("JSON in {key} of its metadata"), text))?;
            Ok((key, parsed))
        };
        Self::from_json(all.into_iter().map(value).collect::<Result<_, Misread>>()?)
    }

    /// Inverse of [`Self::to_json`]. Unknown keys are kept.
    pub(crate) fn from_json(all: Map<String, Value>) -> Result<Self, Misread> {
        let mut metadata = Self::unversioned();
        for (key, value) in all {
            let wrong = |expected: &str| misread(format!("{expected} as {key}"), value.to_string());
            match key.as_str() {
                VERSION_KEY => metadata.version = known_version(&value)?,
                "narscope" | "algorithm" => {
                    let text = value.as_str().ok_or_else(|| wrong("text"))?.to_owned();
                    if key == "narscope" {
                        metadata.narscope = text;
                    } else {
                        metadata.algorithm = text;
                    }
                }
                "source" => metadata.source = Some(value),
                "names" => {
                    let names = serde_json::from_value(value.clone());
                    metadata.names = Some(names.map_err(|_| wrong("a list of names per sample"))?);
                }
                "directed" => {
                    metadata.directed =
                        Some(value.as_bool().ok_or_else(|| wrong("true or false"))?);
                }
                _ => {
                    let text = match value {
                        Value::String(text) => text,
                        other => other.to_string(),
                    };
                    metadata.other.insert(key, text);
                }
            }
        }
        Ok(metadata)
    }
}

/// A value without the keys that have none, such as options of a sampler that were not given.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(all) => {
            let given = all.into_iter().filter(|(_, value)| !value.is_null());
            given.map(|(key, value)| (key, without_nulls(value))).collect()
        }
        other => other,
    }
}

/// Refuses versions of later programs.
fn known_version(value: &Value) -> Result<u32, Misread> {
    let version = value.as_u64().filter(|version| (1..=u64::from(VERSION)).contains(version));
    version.map(|version| version as u32).ok_or_else(|| {
        let expected =
            format!("version 1 or {VERSION} of the array layout, which this program reads");
        misread(expected, format!("version {value}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Metadata {
        let mut metadata = Metadata::new("bfs");
        metadata.source = Some(json!({ "seed": 1, "length": 16 }));
        metadata.names = Some(vec![vec!["Bern".to_owned(), "Zürich \"HB\"".to_owned()], vec![]]);
        metadata.directed = Some(false);
        metadata.set("config", "hidden_size = 4\n");
        metadata
    }

    #[test]
    fn both_encodings_are_read_back() {
        for metadata in [example(), Metadata::new("dfs"), Metadata::unversioned()] {
            assert_eq!(Metadata::from_json(metadata.to_json()).unwrap(), metadata);
            assert_eq!(Metadata::from_strings(metadata.to_strings()).unwrap(), metadata);
        }
    }

    #[test]
    fn text_is_stored_as_it_is_and_everything_else_as_json() {
        let strings = example().to_strings();
        assert_eq!(strings["algorithm"], "bfs");
        assert_eq!(strings["config"], "hidden_size = 4\n");
        assert_eq!(strings["narscope_format"], "2");
        assert_eq!(strings["directed"], "false");
        assert_eq!(strings["names"], r#"[["Bern","Zürich \"HB\""],[]]"#);
    }

    #[test]
    fn options_that_were_not_given_are_not_stored() {
        let mut metadata = Metadata::new("bfs");
        metadata.source = Some(json!({ "seed": 1, "options": { "p": null, "c": 0.5 } }));
        assert_eq!(metadata.to_json()["source"], json!({ "seed": 1, "options": { "c": 0.5 } }));
    }

    #[test]
    fn wrong_types_and_later_versions_are_refused() {
        let refused = |key: &str, value: &str| {
            let all = [(key.to_owned(), value.to_owned())];
            let Misread { expected, found } = Metadata::from_strings(all).unwrap_err();
            format!("expected {expected}, found {found}")
        };
        assert_eq!(
            refused("narscope_format", "3"),
            "expected version 1 or 2 of the array layout, which this program reads, found version 3"
        );
        assert!(refused("narscope_format", "0").ends_with("found version 0"));
        assert_eq!(
            refused("names", r#"["a"]"#),
            r#"expected a list of names per sample as names, found ["a"]"#
        );
        assert_eq!(refused("directed", "1"), "expected true or false as directed, found 1");
        assert_eq!(refused("source", "{"), "expected JSON in source of its metadata, found {");
    }
}
