//! Drafts: configurations while they are put together from presets, files and flags.

use narscope_clrs::registry;
use serde::Deserialize as _;
use toml::{Table, Value};

use super::Config;
use crate::{Error, Result};

/// Named groups of settings: the keys that differ from the defaults.
pub const PRESETS: &[(&str, &str)] = &[
    // Our defaults are the reference's.
    ("clrs", ""),
    // Defaults of the older reference version that the paper's code is based on.
    (
        "paper",
        "random_pos = false
         enforce_permutations = false
         grad_clip_max_norm = 0.0
         encoder_init = 'default'
         train_steps = 30000
         eval_every = 500",
    ),
];

/// The keys that are set so far. Keys that are not set get their defaults in [`Draft::finish`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft(Table);

impl Draft {
    /// The settings of a preset.
    pub fn preset(name: &str) -> Result<Self> {
        let (_, settings) = registry::find("preset", PRESETS, |(known, _)| known, name)?;
        Ok(Self(settings.parse().expect("presets are TOML")))
    }

    /// Parses TOML. A `preset` key stands for the settings of that preset.
    pub fn parse(text: &str) -> Result<Self> {
        let mut table: Table = text.parse().map_err(|error| Error::Config(format!("{error}")))?;
        // The file of a run records the version that wrote it.
        table.remove("version");
        let mut draft = match table.remove("preset") {
            Some(Value::String(name)) => Self::preset(&name)?,
            Some(other) => {
                return Err(Error::Config(format!("preset should be a name, found {other}")));
            }
            None => Self::default(),
        };
        for (key, value) in table {
            draft.set(&key, value)?;
        }
        Ok(draft)
    }

    /// Sets a key; overrides an earlier value.
    pub fn set(&mut self, key: &str, value: Value) -> Result<()> {
        registry::find("key", Config::KEYS, |known| known.name, key)?;
        self.0.insert(key.to_owned(), value);
        Ok(())
    }

    /// Sets a key from the text of a command-line flag; lists are comma-separated.
    pub fn set_text(&mut self, key: &str, text: &str) -> Result<()> {
        let value = match with_every_key().get(key) {
            Some(Value::Array(items)) => {
                let whole = matches!(items.first(), Some(Value::Integer(_)));
                let items = text.split(',').filter(|item| !item.is_empty());
                let items = items.map(|item| if whole { number(item.trim()) } else { item.into() });
                Value::Array(items.collect())
            }
            Some(Value::String(_)) => text.into(),
            Some(Value::Float(_)) => match number(text) {
                // An integer is accepted where a float is expected.
                Value::Integer(whole) => Value::Float(whole as f64),
                other => other,
            },
            _ => number(text),
        };
        self.set(key, value)
    }

    /// The keys that are set.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Merges two drafts: keys of `other` override those of `self`.
    #[must_use]
    pub fn overridden_by(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The checked configuration, with defaults for keys that are not set.
    pub fn finish(self) -> Result<Config> {
        let mut table = Table::new();
        for (key, value) in self.0 {
            // An integer is accepted where a float is expected.
            let default = Table::try_from(Config::default()).expect("a table");
            let value = match (default.get(&key), value) {
                (Some(Value::Float(_)), Value::Integer(whole)) => Value::Float(whole as f64),
                (_, value) => value,
            };
            // One key at a time, so that the message names it.
            Config::deserialize(Table::from_iter([(key.clone(), value.clone())])).map_err(
                |error| {
                    let message = error.message();
                    Error::Config(format!("{key}: {message} (found {value})"))
                },
            )?;
            table.insert(key, value);
        }
        let config = Config::deserialize(table).expect("every key was deserialised above");
        config.check()?;
        Ok(config)
    }
}

/// A configuration in which every key has a value, which tells its type.
fn with_every_key() -> Table {
    let config = Config {
        data_seed: Some(0),
        init_from: Some(String::new()),
        init_parts: vec![],
        ..Config::default()
    };
    Table::try_from(config).expect("a configuration is a table")
}

/// Parses an integer, a float or a boolean; any other text stays text.
fn number(text: &str) -> Value {
    let whole = text.parse().map(Value::Integer);
    let real = || text.parse().map(Value::Float);
    let truth = || text.parse().map(Value::Boolean);
    whole.or_else(|_| real()).or_else(|_| truth()).unwrap_or_else(|_| text.into())
}
