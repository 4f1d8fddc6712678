//! Keys in which the configurations of runs differ.

use narscope_model::config::{Aggregation, Config};
use serde::Serialize;

use crate::variant::variant_name;

/// A key in which runs differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SettingDifference {
    /// The key.
    pub key: String,
    /// Its value in every run.
    pub values: Vec<String>,
    /// Whether it has an effect in every run, see [`Config::without_effect`].
    pub has_effect: Vec<bool>,
}

/// Keys that the name of a variant has, and the seed, which it has not.
const NAMED: [&str; 5] = ["seed", "processor_type", "aggregator", "decay", "decay_towards"];

/// The keys in which configurations differ, in the order of [`Config::KEYS`].
pub fn setting_differences(configs: &[&Config]) -> Vec<SettingDifference> {
    let tables: Vec<serde_json::Value> = configs
        .iter()
        .map(|config| serde_json::to_value(config).expect("a configuration is JSON"))
        .collect();
    let ignored: Vec<Vec<&str>> = configs
        .iter()
        .map(|config| config.without_effect().iter().map(|ignored| ignored.key).collect())
        .collect();
    let keys = Config::KEYS.iter().map(|key| key.name);
    let differs = |key: &&str| tables.iter().any(|table| table[*key] != tables[0][*key]);
    keys.filter(differs)
        .map(|key| SettingDifference {
            key: key.to_owned(),
            values: tables.iter().map(|table| text(&table[key])).collect(),
            has_effect: ignored.iter().map(|ignored| !ignored.contains(&key)).collect(),
        })
        .collect()
}

/// Names of the networks without their seeds. Two have the same name if they differ in nothing but the seed
/// and keys without effect.
pub fn variants_of(configs: &[&Config]) -> Vec<String> {
    let differences = setting_differences(configs);
    let more = |index: usize| {
        // Softmax is named with its temperature, unless it is used for evaluation only.
        let named_temperature = configs[index].aggregator == Aggregation::Softmax;
        let is_named =
            move |key: &str| NAMED.contains(&key) || (key == "temperature" && named_temperature);
        let others = differences.iter().filter(move |it| !is_named(&it.key));
        others.filter(move |it| it.has_effect[index]).map(move |it| (&it.key, &it.values[index]))
    };
    let name = |(index, config): (usize, &&Config)| {
        let more = more(index).map(|(key, value)| format!(", {key} {value}"));
        variant_name(config) + &more.collect::<String>()
    };
    configs.iter().enumerate().map(name).collect()
}

/// A value as in a file, without quotes.
fn text(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "not set".to_owned(),
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_keys_that_differ_are_listed_and_those_without_effect_are_marked() {
        let one = Config { decay: 0.9, ..Config::default() };
        let other = Config { temperature: 0.5, train_lengths: vec![4, 5], ..Config::default() };
        let found = setting_differences(&[&one, &other]);
        let keys: Vec<&str> = found.iter().map(|it| it.key.as_str()).collect();
        assert_eq!(keys, ["train_lengths", "temperature", "decay"]);
        assert_eq!(found[0].values, ["4, 7, 11, 13, 16", "4, 5"]);
        assert_eq!(found[1].has_effect, [false, false], "neither aggregates with softmax");
        assert_eq!(found[2].has_effect, [true, true]);
    }

    #[test]
    fn runs_that_differ_in_their_seed_only_have_one_name() {
        let config = |seed: u32, hidden_size: usize, temperature: f64| Config {
            seed,
            hidden_size,
            temperature,
            ..Config::default()
        };
        let all = [config(1, 8, 0.1), config(2, 8, 0.2), config(1, 4, 0.1)];
        let names = variants_of(&all.iter().collect::<Vec<_>>());
        assert_eq!(names[0], "triplet_gmpnn, hidden_size 8");
        assert_eq!(names[1], names[0], "temperature has no effect");
        assert_eq!(names[2], "triplet_gmpnn, hidden_size 4");
    }
}
