//! The content of a sweep file, and the runs that follow from it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use narscope_clrs::registry::closest;
use narscope_files::text::check_line;
use narscope_model::config::Draft;
use serde::Deserialize;
use toml::{Spanned, Table, Value};

use super::effect::without_effect;
use super::folder_name::{folder_name, plain};
use super::problem::{Position, Problem, has_word};
use super::{PlannedRun, Resources, filter};

/// The axis whose values are names of variants.
pub(super) const VARIANT: &str = "variant";

/// A sweep file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Declaration {
    pub(super) out: PathBuf,
    pub(super) results: Option<PathBuf>,
    preset: Option<String>,
    #[serde(default)]
    base: Table,
    axes: Table,
    #[serde(default)]
    variants: Table,
    #[serde(default)]
    only: Vec<Spanned<Table>>,
    #[serde(default)]
    exclude: Vec<Spanned<Table>>,
    #[serde(default)]
    pub(super) resources: Resources,
}

/// One value of each axis.
pub(super) type Combination<'a> = Vec<(&'a str, &'a Value)>;

impl Declaration {
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        // The message of the parser has the line.
        let this: Self = toml::from_str(text).map_err(|error| Problem {
            what: error.to_string().trim_end().to_owned(),
            position: Position::Unknown,
        })?;
        for (key, values) in &this.axes {
            if values.as_array().is_none_or(Vec::is_empty) {
                let what = format!("the axis {key} should be a list of values");
                return Err(Problem::new(what, key));
            }
        }
        if this.out.as_os_str().is_empty() {
            return Err(Problem::new("`out` should be a folder", "out"));
        }
        for (name, path) in [("out", Some(&this.out)), ("results", this.results.as_ref())] {
            let text = path.map(|path| path.to_string_lossy()).unwrap_or_default();
            check_line(name, &text).map_err(|what| Problem::new(what, name))?;
        }
        this.resources.check()?;
        Ok(this)
    }

    /// The run of every combination that the filters select, with unique names and configurations.
    pub(super) fn runs(&self) -> Result<Vec<PlannedRun>, Problem> {
        let mut runs: Vec<PlannedRun> = vec![];
        let mut names = BTreeSet::new();
        // By effective configuration, the first run that has it.
        let mut configs: BTreeMap<String, (usize, &Combination<'_>)> = BTreeMap::new();
        let combinations = combinations(&self.axes)?;
        for combination in &combinations {
            let matches =
                |table: &Spanned<Table>| filter::matches(table.get_ref(), combination, &self.axes);
            let is_selected = self.only.is_empty() || self.only.iter().any(matches);
            if !is_selected || self.exclude.iter().any(matches) {
                continue;
            }
            let run = self.run(combination)?;
            if !names.insert(run.name.clone()) {
                return Err(Problem::new(format!("{} is listed twice", run.name), "[axes]"));
            }
            let effective = run.config.effective().to_toml();
            if let Some((other, of_other)) = configs.get(&effective) {
                return Err(without_effect(&runs[*other], of_other, &run, combination));
            }
            configs.insert(effective, (runs.len(), combination));
            runs.push(run);
        }
        for table in self.only.iter().chain(&self.exclude) {
            let position = Position::Offset(table.span().start);
            filter::check(table.get_ref(), &self.axes)
                .map_err(|what| Problem { what, position })?;
        }
        if runs.is_empty() {
            return Err(Problem::new("`only` and `exclude` leave no runs", "[axes]"));
        }
        Ok(runs)
    }

    fn run(&self, combination: &Combination<'_>) -> Result<PlannedRun, Problem> {
        let problem =
            |error: narscope_model::NetError, word: &str| Problem::new(error.to_string(), word);
        let mut draft = match &self.preset {
            Some(name) => Draft::preset(name).map_err(|error| problem(error, name))?,
            None => Draft::default(),
        };
        let mut set = |key: &str, value: &Value| {
            let value = match value {
                // A single algorithm stands for a list of one.
                Value::String(_) if key == "algorithms" => Value::Array(vec![value.clone()]),
                other => other.clone(),
            };
            draft.set(key, value).map_err(|error| problem(error, key))
        };
        for (key, value) in &self.base {
            set(key, value)?;
        }
        for (key, value) in combination {
            if *key == VARIANT {
                for (key, value) in self.variant(value)? {
                    if self.axes.contains_key(key) {
                        let what = format!("{key} is both an axis and a key of a variant");
                        return Err(Problem::new(what, key));
                    }
                    set(key, value)?;
                }
            } else {
                set(key, value)?;
            }
        }
        let parts = combination.iter().map(|(key, value)| folder_name(key, value));
        let name = parts.collect::<Result<Vec<_>, _>>()?.join("/");
        let config = draft.finish().map_err(|error| {
            let message = error.to_string();
            let words = self.words_of(&message, combination);
            Problem::at_words(message, words)
        })?;
        Ok(PlannedRun { name, config, result: None })
    }

    /// What an error message is most likely about: a key of the variant, a key of all runs, or a value.
    fn words_of(&self, message: &str, combination: &Combination<'_>) -> Vec<String> {
        let variant = combination.iter().find(|(key, _)| *key == VARIANT);
        let variant = variant.map(|(_, value)| plain(value)).unwrap_or_default();
        let of_variant = || self.variants.get(&variant).and_then(Value::as_table).into_iter();
        let keys = self.base.keys().chain(self.axes.keys()).map(|key| vec![key.clone()]);
        let mut keys = of_variant()
            .flat_map(Table::keys)
            .map(|key| vec![key.clone(), variant.clone()])
            .chain(keys);
        if let Some(words) = keys.find(|words| has_word(message, &words[0])) {
            return words;
        }
        let values = of_variant().chain([&self.base]).flat_map(Table::values);
        let values = values.chain(combination.iter().map(|(_, value)| *value));
        let names = values.flat_map(strings).filter(|name| has_word(message, name));
        // The first one: a message may end with advice that names another value.
        names
            .min_by_key(|name| message.find(name))
            .map(|name| vec![name.to_owned()])
            .unwrap_or_default()
    }

    /// The keys of a variant.
    fn variant(&self, value: &Value) -> Result<&Table, Problem> {
        let name = plain(value);
        if let Some(other) = self.variants.get(&name).filter(|it| !it.is_table()) {
            let what =
                format!("the variant {name} should be a table of keys and values, found {other}");
            return Err(Problem::new(what, &name));
        }
        let found = self.variants.get(&name).and_then(Value::as_table);
        found.ok_or_else(|| {
            let closest = closest(&name, self.variants.keys().map(String::as_str));
            let closest = closest.map_or("the file has no [variants]".to_owned(), |closest| {
                format!("the closest name is \"{closest}\"")
            });
            Problem::new(format!("unknown variant \"{name}\"; {closest}"), &name)
        })
    }
}

/// Every combination of values; the last axis changes fastest.
fn combinations(axes: &Table) -> Result<Vec<Combination<'_>>, Problem> {
    /// Far more runs than are practical.
    const MAX_COMBINATIONS: usize = 100_000;
    let counts = axes.values().filter_map(Value::as_array).map(Vec::len);
    let count = counts.fold(1, usize::saturating_mul);
    if count > MAX_COMBINATIONS {
        let what =
            format!("the axes have more than {MAX_COMBINATIONS} combinations; use fewer values");
        return Err(Problem::new(what, "[axes]"));
    }
    let mut all: Vec<Combination<'_>> = vec![vec![]];
    for (key, values) in axes {
        let values = values.as_array().expect("axes were checked");
        let longer = all.iter().flat_map(|combination| {
            values.iter().map(|value| {
                let mut longer = combination.clone();
                longer.push((key.as_str(), value));
                longer
            })
        });
        all = longer.collect();
    }
    Ok(all)
}

/// All strings in a value.
fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(values) => values.iter().flat_map(strings).collect(),
        _ => vec![],
    }
}
