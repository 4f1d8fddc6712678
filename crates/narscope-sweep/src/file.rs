//! Files that declare runs.
//!
//! ```toml
//! out = "runs/ablations"        # where runs go
//! results = "ablations.jsonl"   # what is kept of them; runs in here are done
//! preset = "paper"              # what they start from
//! [base]                        # keys of all runs
//! train_steps = 2000
//! [axes]                        # every combination is a run; the last axis changes fastest
//! seed = [42, 43, 44]
//! algorithms = ["bellman_ford", ["bfs", "dfs"]]
//! variant = ["baseline", "decay"]
//! [variants]                    # names for several keys at once
//! baseline = {}
//! decay = { decay = 0.9 }
//! [[exclude]]                   # but for these; [[only]] the other way round
//! algorithms = "bellman_ford"
//! variant = "decay"
//! [resources]                   # what a scheduler gives to each task, if flags say nothing else
//! time = "04:00:00"
//! cpus = 4
//! ```

use std::io::Write as _;
use std::path::{Path, PathBuf};

use narscope_files::whole::{self, Existing};
use narscope_model::config::{Config, Draft};
use narscope_model::random::fnv;
use serde::Deserialize;
use toml::{Table, Value};

use crate::kept::Kept;
use crate::{Error, Result};

/// The axis whose values are names of [variants](self).
const VARIANT: &str = "variant";
/// Axes whose values need no name before them in a path.
const OBVIOUS: [&str; 3] = ["algorithms", "processor_type", VARIANT];

/// Runs that a file declares.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// Where they go.
    pub out: PathBuf,
    /// Where what is kept of them goes.
    pub results: Option<PathBuf>,
    /// What each needs of a scheduler.
    pub resources: Resources,
    /// All of them, in order.
    pub runs: Vec<Planned>,
    text: String,
}

/// A run to come.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// Its folder, inside the sweep's.
    pub name: String,
    /// What it does.
    pub config: Config,
    /// What was kept of it, if it is among the results.
    pub kept: Option<Kept>,
}

/// What a task of a scheduler needs; what is not said is the scheduler's to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Resources {
    /// The partition or queue.
    pub partition: Option<String>,
    /// For how long a task may run, as the scheduler writes it.
    pub time: Option<String>,
    /// Cores.
    pub cpus: Option<usize>,
    /// Memory, as the scheduler writes it.
    pub mem: Option<String>,
    /// How many runs a task does, one after the other.
    pub tasks_per_job: Option<usize>,
}

impl Resources {
    fn check(&self) -> Result<(), Problem> {
        let numbers = [("cpus", self.cpus), ("tasks_per_job", self.tasks_per_job)];
        match numbers.iter().find(|(_, number)| *number == Some(0)) {
            Some((name, _)) => Err(Problem::new(format!("{name} should be at least 1"), name)),
            None => Ok(()),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    out: PathBuf,
    results: Option<PathBuf>,
    preset: Option<String>,
    #[serde(default)]
    base: Table,
    axes: Table,
    #[serde(default)]
    variants: Table,
    #[serde(default)]
    only: Vec<Table>,
    #[serde(default)]
    exclude: Vec<Table>,
    #[serde(default)]
    resources: Resources,
}

/// A value of each axis.
type Combination<'a> = Vec<(&'a str, &'a Value)>;

/// What is wrong, and which word of the file it is about.
struct Problem {
    what: String,
    word: String,
}

impl Problem {
    fn new(what: impl Into<String>, word: &str) -> Self {
        Self { what: what.into(), word: word.to_owned() }
    }
}

impl Sweep {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self> {
        let fail = |what: String, line| Error::File { what, line, path: path.to_owned() };
        let text = std::fs::read_to_string(path)
            .map_err(|error| fail(format!("the sweep cannot be read ({error})"), None))?;
        let mut sweep = Self::parse(&text)
            .map_err(|Problem { what, word }| fail(what, line_of(&text, &word)))?;
        sweep.find_kept()?;
        Ok(sweep)
    }

    /// Finds out which of its runs are among the results that were kept.
    fn find_kept(&mut self) -> Result<()> {
        let Some(path) = self.results.as_ref().filter(|path| path.exists()) else {
            return Ok(());
        };
        for kept in Kept::read(path)? {
            let run = self.runs.iter_mut().find(|run| run.name == kept.name);
            if let Some(run) = run.filter(|run| run.config == kept.config) {
                run.kept = Some(kept);
            }
        }
        Ok(())
    }

    fn parse(whole: &str) -> Result<Self, Problem> {
        // The reader's own message says where it is.
        let text: Text = toml::from_str(whole)
            .map_err(|error| Problem::new(error.to_string().trim_end(), "\n"))?;
        for (key, values) in &text.axes {
            if values.as_array().is_none_or(Vec::is_empty) {
                return Err(Problem::new(
                    format!("the axis {key} should be a list of values"),
                    key,
                ));
            }
        }
        if text.out.as_os_str().is_empty() {
            return Err(Problem::new("`out` should be a folder", "out"));
        }
        text.resources.check()?;
        for filter in text.only.iter().chain(&text.exclude) {
            if let Some(key) = filter.keys().find(|key| !text.axes.contains_key(*key)) {
                let axes: Vec<&str> = text.axes.keys().map(String::as_str).collect();
                let what = format!("{key} is no axis; there are {}", axes.join(", "));
                return Err(Problem::new(what, key));
            }
        }
        let combinations = combinations(&text.axes);
        let mut runs: Vec<Planned> = vec![];
        for combination in &combinations {
            let fits = |filter: &Table| fits(filter, combination);
            let is_wanted = text.only.is_empty() || text.only.iter().any(fits);
            if !is_wanted || text.exclude.iter().any(fits) {
                continue;
            }
            let run = text.run(combination)?;
            if let Some(same) = runs.iter().find(|other| other.name == run.name) {
                return Err(Problem::new(format!("{} is there twice", same.name), "[axes]"));
            }
            if let Some(same) = runs.iter().find(|other| other.config == run.config) {
                let what = format!("{} and {} are the same run", same.name, run.name);
                return Err(Problem::new(what, "[axes]"));
            }
            runs.push(run);
        }
        for filter in text.only.iter().chain(&text.exclude) {
            if !combinations.iter().any(|combination| fits(filter, combination)) {
                let wanted: Vec<String> =
                    filter.iter().map(|(key, value)| format!("{key} = {value}")).collect();
                let what = format!("no run has {}, which is to be picked out", wanted.join(", "));
                return Err(Problem::new(what, ""));
            }
        }
        if runs.is_empty() {
            return Err(Problem::new("no run is left by `only` and `exclude`", "[axes]"));
        }
        let Text { out, results, resources, .. } = text;
        Ok(Self { out, results, resources, runs, text: whole.to_owned() })
    }

    /// A copy of the file, among the runs, which nobody will change: processes that are started later find
    /// their runs by their places in it.
    pub fn pinned(&self) -> Result<PathBuf> {
        std::fs::create_dir_all(&self.out).map_err(Error::io("make the folder", &self.out))?;
        let path = self.out.join(format!("sweep-{:016x}.toml", fnv(self.text.bytes())));
        whole::write(&path, Existing::Replace, |file| file.write_all(self.text.as_bytes()))?;
        Ok(path)
    }

    /// One of its runs.
    pub fn run(&self, index: usize) -> Result<&Planned> {
        let count = self.runs.len();
        self.runs.get(index).ok_or(Error::NoSuchRun { index, count })
    }

    /// The folder of a run.
    pub fn folder(&self, run: &Planned) -> PathBuf {
        self.out.join(&run.name)
    }
}

impl Text {
    fn run(&self, combination: &Combination<'_>) -> Result<Planned, Problem> {
        let wrong =
            |error: narscope_model::Error, word: &str| Problem::new(error.to_string(), word);
        let mut draft = match &self.preset {
            Some(name) => Draft::preset(name).map_err(|error| wrong(error, name))?,
            None => Draft::default(),
        };
        let mut set = |key: &str, value: &Value| {
            let value = match value {
                // One algorithm is a fine list of algorithms.
                Value::String(_) if key == "algorithms" => Value::Array(vec![value.clone()]),
                other => other.clone(),
            };
            draft.set(key, value).map_err(|error| wrong(error, key))
        };
        for (key, value) in &self.base {
            set(key, value)?;
        }
        for (key, value) in combination {
            if *key == VARIANT {
                for (key, value) in self.variant(value)? {
                    if self.axes.contains_key(key) {
                        return Err(Problem::new(
                            format!("{key} is an axis and in a variant"),
                            key,
                        ));
                    }
                    set(key, value)?;
                }
            } else {
                set(key, value)?;
            }
        }
        let parts = combination.iter().map(|(key, value)| part(key, value));
        let name = parts.collect::<Result<Vec<_>, _>>()?.join("/");
        // The word that an error is about is most likely one of the keys, or a name among the values.
        let config = draft.finish().map_err(|error| {
            let said = error.to_string();
            let keys = self.base.keys().chain(self.axes.keys()).cloned();
            let values = combination.iter().filter(|(_, value)| value.is_str());
            let mut words = keys.chain(values.map(|(_, value)| plain(value)));
            Problem::new(said.clone(), &words.find(|word| said.contains(word)).unwrap_or_default())
        })?;
        Ok(Planned { name, config, kept: None })
    }

    fn variant(&self, value: &Value) -> Result<&Table, Problem> {
        let name = plain(value);
        let known = || self.variants.keys().map(String::as_str);
        if let Some(other) = self.variants.get(&name).filter(|it| !it.is_table()) {
            let what = format!("the variant {name} should be keys and values, found {other}");
            return Err(Problem::new(what, &name));
        }
        let found = self.variants.get(&name).and_then(Value::as_table);
        found.ok_or_else(|| {
            let similar = |a: &&str| strsim::jaro_winkler(a, &name);
            let closest = known().max_by(|a, b| similar(a).total_cmp(&similar(b)));
            let closest = closest.map_or("there are none".to_owned(), |closest| {
                format!("the closest name is \"{closest}\"")
            });
            Problem::new(format!("unknown variant \"{name}\"; {closest}"), &name)
        })
    }
}

/// Every combination of values, the last axis changing fastest.
fn combinations(axes: &Table) -> Vec<Combination<'_>> {
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
    all
}

/// Whether a combination has all values of a filter, or one of several.
fn fits(filter: &Table, combination: &Combination<'_>) -> bool {
    filter.iter().all(|(key, wanted)| {
        combination.iter().filter(|(other, _)| other == key).any(|(_, value)| {
            *value == wanted || wanted.as_array().is_some_and(|several| several.contains(value))
        })
    })
}

/// A value as one would say it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join("+"),
        other => other.to_string(),
    }
}

/// A value as a part of a path.
fn part(key: &str, value: &Value) -> Result<String, Problem> {
    let value = plain(value);
    if value.chars().all(|letter| letter == '.') || value.contains('\0') {
        let what =
            format!("\"{value}\" cannot be the name of a folder, and runs of {key} need one");
        return Err(Problem::new(what, key));
    }
    let value = value.replace(['/', '\\', ' '], "_");
    Ok(if OBVIOUS.contains(&key) { value } else { format!("{key}={value}") })
}

/// The first line with a word, counted from 1.
fn line_of(text: &str, word: &str) -> Option<usize> {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let has = |line: &str| {
        line.match_indices(word).any(|(start, _)| {
            let before = line[..start].chars().next_back();
            let after = line[start + word.len()..].chars().next();
            !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
        })
    };
    let is_known = !word.is_empty() && !word.contains('\n');
    is_known.then(|| text.lines().position(has)).flatten().map(|line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
out = "runs/x"
[base]
train_steps = 20
[axes]
seed = [1, 2]
algorithms = ["bfs", ["dfs", "dijkstra"]]
variant = ["plain", "slow"]
[variants]
plain = {}
slow = { decay = 0.9, learning_rate = 0.1 }
[[exclude]]
seed = 2
variant = ["slow"]
"#;

    fn refused(text: &str) -> (String, Option<usize>) {
        match Sweep::parse(text) {
            Err(Problem { what, word }) => (what, line_of(text, &word)),
            Ok(sweep) => panic!("{sweep:?}"),
        }
    }

    #[test]
    fn every_combination_but_those_excluded_is_a_run_in_a_folder_of_its_own() {
        let Ok(sweep) = Sweep::parse(FILE) else { panic!("it is fine") };
        let names: Vec<&str> = sweep.runs.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "seed=1/bfs/plain",
                "seed=1/bfs/slow",
                "seed=1/dfs+dijkstra/plain",
                "seed=1/dfs+dijkstra/slow",
                "seed=2/bfs/plain",
                "seed=2/dfs+dijkstra/plain",
            ]
        );
        let slow = &sweep.runs[3].config;
        assert_eq!((slow.decay, slow.learning_rate, slow.train_steps), (0.9, 0.1, 20));
        assert_eq!(slow.algorithms, ["dfs", "dijkstra"]);
    }

    #[test]
    fn mistakes_are_named_with_their_line_and_the_closest_name() {
        let (what, line) = refused(&FILE.replace("train_steps", "train_step"));
        assert_eq!(what, r#"unknown key "train_step"; the closest name is "train_steps""#);
        assert_eq!(line, Some(4));
        let (what, line) = refused(&FILE.replace("\"bfs\"", "\"bsf\""));
        assert!(what.contains(r#"the closest name is "bfs""#), "{what}");
        assert_eq!(line, Some(7));
        let (what, line) = refused(&FILE.replace("\"slow\"]\n[variants]", "\"solw\"]\n[variants]"));
        assert_eq!(what, r#"unknown variant "solw"; the closest name is "slow""#);
        assert_eq!(line, Some(8));
        let (what, line) = refused(&FILE.replace("train_steps = 20", "hidden_size = 0"));
        assert!(what.contains("hidden_size") && line == Some(4), "{what}, line {line:?}");
        let (what, _) = refused(&FILE.replace("[axes]\nseed = [1, 2]", "[axes]\nseed = 1"));
        assert_eq!(what, "the axis seed should be a list of values");
        let (what, _) = refused(&FILE.replace("seed = 2\nvariant", "sed = 2\nvariant"));
        assert_eq!(what, "sed is no axis; there are seed, algorithms, variant");
        let (what, _) = refused(&FILE.replace("seed = [1, 2]", "seed = [1, 1]"));
        assert_eq!(what, "seed=1/bfs/plain is there twice");
        let (what, line) = refused(&FILE.replace("[\"slow\"]", "[\"solw\"]"));
        assert_eq!(what, r#"no run has seed = 2, variant = ["solw"], which is to be picked out"#);
        assert_eq!(line, None);
        let dots = FILE.replace("\"plain\"", "\"..\"").replace("plain = {}", "\"..\" = {}");
        let (what, _) = refused(&dots);
        assert!(what.contains("cannot be the name of a folder"), "{what}");
        let (what, line) = refused(&FILE.replace("plain = {}", "plain = 3"));
        assert_eq!(what, "the variant plain should be keys and values, found 3");
        assert_eq!(line, Some(8));
        let (what, _) = refused(&FILE.replace("decay = 0.9", "seed = 7"));
        assert_eq!(what, "seed is an axis and in a variant");
        let (what, _) = refused(&FILE.replace("seed = [1, 2]", "decay = [1, 1.0]\nseed = [1, 2]"));
        assert!(what.contains("are the same run") || what.contains("in a variant"), "{what}");
        let (what, line) = refused(&(FILE.to_owned() + "[resources]\ncpus = 0\n"));
        assert_eq!((what.as_str(), line), ("cpus should be at least 1", Some(16)));
        let (what, _) = refused("axes = 3");
        assert!(what.contains("line 1"), "{what}");
    }
}
