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

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use narscope_clrs::registry::closest;
use narscope_files::whole::{self, Existing};
use narscope_model::config::{Config, Draft};
use narscope_model::random::fnv;
use serde::Deserialize;
use toml::{Spanned, Table, Value};

use crate::{Error, Result};
use narscope_results::RunResult;

/// The axis whose values are names of [variants](self).
const VARIANT: &str = "variant";
/// How many bytes of a value stand in a path.
const LONG_NAME: usize = 160;
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
    pub kept: Option<RunResult>,
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
    only: Vec<Spanned<Table>>,
    #[serde(default)]
    exclude: Vec<Spanned<Table>>,
    #[serde(default)]
    resources: Resources,
}

/// A value of each axis.
type Combination<'a> = Vec<(&'a str, &'a Value)>;

/// What is wrong, and which part of the file it is about.
struct Problem {
    what: String,
    place: Place,
}

/// Where something is in a file.
enum Place {
    /// The first line with the first of these words, or with both if there is one.
    Words(Vec<String>),
    /// Behind so many bytes.
    Behind(usize),
    Unknown,
}

impl Problem {
    fn new(what: impl Into<String>, word: &str) -> Self {
        Self::of_words(what, vec![word.to_owned()])
    }

    fn of_words(what: impl Into<String>, words: Vec<String>) -> Self {
        Self { what: what.into(), place: Place::Words(words) }
    }
}

impl Sweep {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self> {
        let fail = |what: String, line| Error::File { what, line, path: path.to_owned() };
        let text = std::fs::read_to_string(path)
            .map_err(|error| fail(format!("the sweep cannot be read ({error})"), None))?;
        let mut sweep =
            Self::parse(&text).map_err(|Problem { what, place }| fail(what, place.line(&text)))?;
        sweep.find_kept()?;
        Ok(sweep)
    }

    /// Finds out which of its runs are among the results that were kept.
    fn find_kept(&mut self) -> Result<()> {
        let Some(path) = self.results.as_ref().filter(|path| path.exists()) else {
            return Ok(());
        };
        let mut runs: BTreeMap<String, &mut Planned> =
            self.runs.iter_mut().map(|run| (run.name.clone(), run)).collect();
        for kept in RunResult::read_file(path)? {
            let run = runs.get_mut(&kept.name);
            if let Some(run) = run.filter(|run| run.config == kept.config) {
                run.kept = Some(kept);
            }
        }
        Ok(())
    }

    fn parse(whole: &str) -> Result<Self, Problem> {
        // The reader's own message says where it is.
        let text: Text = toml::from_str(whole).map_err(|error| Problem {
            what: error.to_string().trim_end().to_owned(),
            place: Place::Unknown,
        })?;
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
        let mut runs: Vec<Planned> = vec![];
        let (mut names, mut configs) = (BTreeSet::new(), BTreeMap::new());
        for combination in &combinations(&text.axes)? {
            let fits = |filter: &Spanned<Table>| text.fits(filter.get_ref(), combination);
            let is_wanted = text.only.is_empty() || text.only.iter().any(fits);
            if !is_wanted || text.exclude.iter().any(fits) {
                continue;
            }
            let run = text.run(combination)?;
            if !names.insert(run.name.clone()) {
                return Err(Problem::new(format!("{} is there twice", run.name), "[axes]"));
            }
            if let Some(same) = configs.insert(run.config.to_toml(), run.name.clone()) {
                let what = format!("{same} and {} are the same run", run.name);
                return Err(Problem::new(what, "[axes]"));
            }
            runs.push(run);
        }
        for filter in text.only.iter().chain(&text.exclude) {
            let place = Place::Behind(filter.span().start);
            text.check_filter(filter.get_ref()).map_err(|what| Problem { what, place })?;
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
            |error: narscope_model::NetError, word: &str| Problem::new(error.to_string(), word);
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
        let config = draft.finish().map_err(|error| {
            let said = error.to_string();
            let words = self.words_of(&said, combination);
            Problem::of_words(said, words)
        })?;
        Ok(Planned { name, config, kept: None })
    }

    /// What an error is most likely about: a key of the variant, one of all runs, or a name among the values.
    fn words_of(&self, said: &str, combination: &Combination<'_>) -> Vec<String> {
        let variant = combination.iter().find(|(key, _)| *key == VARIANT);
        let variant = variant.map(|(_, value)| plain(value)).unwrap_or_default();
        let of_variant = || self.variants.get(&variant).and_then(Value::as_table).into_iter();
        let keys = self.base.keys().chain(self.axes.keys()).map(|key| vec![key.clone()]);
        let mut keys = of_variant()
            .flat_map(Table::keys)
            .map(|key| vec![key.clone(), variant.clone()])
            .chain(keys);
        if let Some(words) = keys.find(|words| has_word(said, &words[0])) {
            return words;
        }
        let values = of_variant().chain([&self.base]).flat_map(Table::values);
        let values = values.chain(combination.iter().map(|(_, value)| *value));
        let names = values.flat_map(texts).filter(|name| has_word(said, name));
        // Advice may name another value, and comes last.
        names
            .min_by_key(|name| said.find(name))
            .map(|name| vec![name.to_owned()])
            .unwrap_or_default()
    }

    /// Whether every value that is to be picked out is one of an axis.
    fn check_filter(&self, filter: &Table) -> Result<(), String> {
        for (key, wanted) in filter {
            let Some(values) = self.axes.get(key).and_then(Value::as_array) else {
                let axes: Vec<&str> = self.axes.keys().map(String::as_str).collect();
                return Err(format!("{key} is no axis; there are {}", axes.join(", ")));
            };
            let is_there = |wanted: &&Value| values.iter().any(|value| is_same(value, wanted));
            let several = wanted.as_array().filter(|_| !is_there(&wanted));
            let missing = match several {
                Some(several) => several.iter().find(|wanted| !is_there(wanted)),
                None => Some(wanted).filter(|wanted| !is_there(wanted)),
            };
            if let Some(missing) = missing {
                return Err(format!("no run has {key} = {missing}, which is to be picked out"));
            }
        }
        Ok(())
    }

    /// Whether a combination has all values of a filter, or one of several. A list that is itself a value
    /// of an axis is not several.
    fn fits(&self, filter: &Table, combination: &Combination<'_>) -> bool {
        filter.iter().all(|(key, wanted)| {
            let values = self.axes.get(key).and_then(Value::as_array);
            let is_one = values.is_some_and(|values| values.contains(wanted));
            let several = wanted.as_array().filter(|_| !is_one);
            combination.iter().filter(|(other, _)| other == key).any(|(_, value)| match several {
                Some(several) => several.iter().any(|wanted| is_same(value, wanted)),
                None => is_same(value, wanted),
            })
        })
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
            let closest = closest(&name, known());
            let closest = closest.map_or("there are none".to_owned(), |closest| {
                format!("the closest name is \"{closest}\"")
            });
            Problem::new(format!("unknown variant \"{name}\"; {closest}"), &name)
        })
    }
}

/// Every combination of values, the last axis changing fastest.
fn combinations(axes: &Table) -> Result<Vec<Combination<'_>>, Problem> {
    /// Far more than anybody can run.
    const MOST: usize = 100_000;
    let counts = axes.values().filter_map(Value::as_array).map(Vec::len);
    let count = counts.fold(1, usize::saturating_mul);
    if count > MOST {
        let what = format!("the axes make more than {MOST} runs: take fewer values");
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

/// Whether two values are the same, however a number is written.
fn is_same(a: &Value, b: &Value) -> bool {
    let number = |value: &Value| value.as_float().or(value.as_integer().map(|it| it as f64));
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

/// All texts of a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        _ => vec![],
    }
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
    let mut value = value.replace(['/', '\\', ' '], "_");
    if value.len() > LONG_NAME {
        // Many algorithms, say: names of folders end somewhere.
        let hash = fnv(value.bytes());
        let begun: String = value.chars().take(LONG_NAME / 4).collect();
        value = format!("{begun}-{hash:016x}");
    }
    Ok(if OBVIOUS.contains(&key) { value } else { format!("{key}={value}") })
}

/// Whether a text has a word, and not only as a part of another.
fn has_word(text: &str, word: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + word.len()..].chars().next();
        !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
    })
}

impl Place {
    /// The line, counted from 1.
    fn line(&self, text: &str) -> Option<usize> {
        let line = match self {
            Self::Unknown => None,
            Self::Behind(bytes) => Some(text[..*bytes].matches('\n').count()),
            Self::Words(words) => {
                let lines = || text.lines().enumerate();
                let mut said = lines().filter(|(_, line)| !line.trim_start().starts_with('#'));
                let mut first = said.clone();
                let has = |line: &str, word: &String| !word.is_empty() && has_word(line, word);
                let both = said.find(|(_, line)| words.iter().all(|word| has(line, word)));
                let first =
                    first.find(|(_, line)| words.iter().take(1).any(|word| has(line, word)));
                both.filter(|_| !words.is_empty()).or(first).map(|(line, _)| line)
            }
        };
        line.map(|line| line + 1)
    }
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
            Err(Problem { what, place }) => (what, place.line(text)),
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
        let (what, line) = refused(&FILE.replace("\"dijkstra\"", "\"dikstra\""));
        assert!(what.contains("dikstra"), "{what}");
        assert_eq!(line, Some(7), "in a list");
        let base =
            "out = 'x'\n[base]\nprocessor_type = 'mpn'\nalgorithms = ['bfs']\n[axes]\nseed = [1]\n";
        let (what, line) = refused(base);
        assert!(what.contains(r#"the closest name is "mpnn""#), "{what}");
        assert_eq!(line, Some(3), "for all runs");
        let (what, line) = refused(&FILE.replace("decay = 0.9", "processor_type = 'pgnn'"));
        assert!(what.contains("pgnn") && line == Some(11), "{what}, line {line:?}, in a variant");
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
        assert_eq!(what, r#"no run has variant = "solw", which is to be picked out"#);
        assert_eq!(line, Some(12));
        let (what, _) = refused(&FILE.replace("seed = 2\n", "seed = [2, 3]\n"));
        assert_eq!(what, "no run has seed = 3, which is to be picked out");
        let dots = FILE.replace("\"plain\"", "\"..\"").replace("plain = {}", "\"..\" = {}");
        let (what, _) = refused(&dots);
        assert!(what.contains("cannot be the name of a folder"), "{what}");
        let (what, line) = refused(&FILE.replace("plain = {}", "plain = 3"));
        assert_eq!(what, "the variant plain should be keys and values, found 3");
        assert_eq!(line, Some(8));
        let (what, _) = refused(&FILE.replace("decay = 0.9", "seed = 7"));
        assert_eq!(what, "seed is an axis and in a variant");
        let twice = "out = 'x'\n[base]\nalgorithms = ['bfs']\n[axes]\ndecay = [1, 1.0]\n";
        assert_eq!(refused(twice).0, "decay=1 and decay=1.0 are the same run");
        let (what, line) = refused(&(FILE.to_owned() + "[resources]\ncpus = 0\n"));
        assert_eq!((what.as_str(), line), ("cpus should be at least 1", Some(16)));
        let (what, _) = refused("axes = 3");
        assert!(what.contains("line 1"), "{what}");
        let many = format!("seed = {:?}", (0..30_000).collect::<Vec<_>>());
        let (what, _) = refused(&FILE.replace("seed = [1, 2]", &many).replace("seed = 2", ""));
        assert_eq!(what, "the axes make more than 100000 runs: take fewer values".to_owned());
    }

    #[test]
    fn a_mistake_in_a_variant_is_found_on_its_line() {
        let odd = format!("# about decay{FILE}").replace("decay = 0.9", "decay = 1.5");
        let (what, line) = refused(&odd);
        assert!(what.contains("decay"), "{what}");
        assert_eq!(line, Some(11));
    }

    #[test]
    fn a_list_that_is_a_value_is_picked_out_as_such_and_numbers_however_they_are_written() {
        let names = |text: &str| -> Vec<String> {
            let Ok(sweep) = Sweep::parse(text) else { panic!("it is fine") };
            sweep.runs.into_iter().map(|run| run.name).collect()
        };
        let plain = "out = 'x'\n[axes]\nalgorithms = ['bfs', 'dfs', ['bfs', 'dfs']]\n";
        let both = format!("{plain}[[exclude]]\nalgorithms = ['bfs', 'dfs']\n");
        assert_eq!(names(&both), ["bfs", "dfs"]);
        let decays = "out = 'x'\n[base]\nalgorithms = ['bfs']\n[axes]\ndecay = [1.0, 0.9]\n";
        assert_eq!(names(&format!("{decays}[[only]]\ndecay = 1\n")), ["decay=1.0"]);
    }

    #[test]
    fn folders_of_many_algorithms_have_names_that_systems_take() {
        let all: Vec<&str> = narscope_clrs::algorithms::ALL.iter().map(|it| it.name).collect();
        let text = format!("out = 'x'\n[axes]\nalgorithms = [{all:?}, {:?}]\n", &all[1..]);
        let Ok(sweep) = Sweep::parse(&text) else { panic!("it is fine") };
        let [one, other] = &sweep.runs[..] else { panic!("two runs") };
        assert!(one.name.len() < 200 && one.name != other.name, "{} {}", one.name, other.name);
    }
}
