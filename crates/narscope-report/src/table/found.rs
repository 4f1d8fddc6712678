//! Scores of runs, wherever they are.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::{Path, PathBuf};

use narscope_model::aggregate::Aggregation;
use narscope_model::config::Config;
use narscope_sweep::kept::{Curve, Kept};
use serde::Deserialize;

use super::Score;
use crate::paper::{decayed, variant};
use crate::{Error, Result};

/// Runs, and where each came from.
#[derive(Debug, Default)]
pub struct Found {
    runs: Vec<FoundRun>,
}

/// Everything that is known of a run.
#[derive(Debug)]
struct FoundRun {
    origin: PathBuf,
    processor: String,
    variant: String,
    seed: u32,
    /// What else may differ between runs: keys and values, as far as they are known.
    settings: BTreeMap<String, String>,
    scores: Vec<(String, f64)>,
    curves: Vec<Curve>,
}

/// How one run learned one algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// The processor of the network.
    pub processor: String,
    /// What differs from the processor as it is: nothing for the baseline.
    pub variant: String,
    /// Validation scores.
    pub curve: Curve,
}

/// The key of how long a network was trained, which titles say.
const STEPS: &str = "train_steps";
/// The key of what a network learns: alone, or what else.
const ALGORITHMS: &str = "algorithms";
/// A network of one algorithm.
const ALONE: &str = "one";
/// Keys that make a table or a seed of their own, or that variants are named after.
const ELSEWHERE: [&str; 7] =
    [ALGORITHMS, "processor_type", "seed", "aggregator", TEMPERATURE, "decay", "decay_towards"];
/// The key of how sharp a softmax is.
const TEMPERATURE: &str = "temperature";

/// All that was found.
#[derive(Debug)]
pub struct Everything {
    /// The scores.
    pub scores: Vec<Score>,
    /// How they came about, as far as that is known.
    pub learned: Vec<Learned>,
    /// By processor, what baselines are like in what differs between its networks.
    pub baselines: BTreeMap<String, String>,
}

/// What is wrong with a file or a folder.
fn wrong(what: &str, path: &Path, why: &dyn Display) -> Error {
    Error::Scores(format!("{what} {}: {why}", path.display()))
}

impl Found {
    /// Adds all runs in a folder, however deep, those that were kept in a `.jsonl` file, or the scores of a
    /// `.csv` file. `processor` is that of `.csv` files which do not say.
    pub fn read(&mut self, path: &Path, processor: &str) -> Result<()> {
        let ending = path.extension().and_then(|ending| ending.to_str());
        match ending {
            _ if path.is_dir() => self.search(path),
            Some("csv") => self.read_csv(path, processor),
            Some("jsonl") => {
                let runs = Kept::read(path)?;
                self.runs.extend(runs.into_iter().map(|run| FoundRun::new(run, path)));
                Ok(())
            }
            _ => {
                let found = if path.exists() { "is none of these" } else { "does not exist" };
                Err(Error::Scores(format!(
                    "a folder of runs, a .jsonl file of `narscope sweep collect` or a .csv file is needed: {} {found}",
                    path.display()
                )))
            }
        }
    }

    /// All scores, and how they came about as far as that is known. Networks that differ in anything have
    /// variants of their own: what baselines have goes without saying.
    pub fn finish(mut self) -> Result<Everything> {
        let baselines = self.tell_apart();
        let mut origins: BTreeMap<(String, String, String, u32), PathBuf> = BTreeMap::new();
        let (mut scores, mut learned) = (vec![], vec![]);
        for run in self.runs {
            let FoundRun { origin, processor, variant, seed, settings, curves, .. } = run;
            let steps = settings.get(STEPS).and_then(|steps| steps.parse().ok());
            for (algorithm, score) in run.scores {
                let key = (algorithm.clone(), processor.clone(), variant.clone(), seed);
                if let Some(first) = origins.insert(key, origin.clone()) {
                    let what = format!("{algorithm}, {processor} {variant}, seed {seed}");
                    let (what, place) = (what.replace(" ,", ","), first.display());
                    return Err(Error::Scores(if first == origin {
                        format!("{what} is there twice, in {place}: take one of both out of it")
                    } else {
                        let other = origin.display();
                        format!(
                            "{what} is there twice, in {place} and in {other}: ask for one of them"
                        )
                    }));
                }
                let (processor, variant) = (processor.clone(), variant.clone());
                scores.push(Score { algorithm, processor, variant, seed, steps, score });
            }
            learned.extend(curves.into_iter().map(|curve| Learned {
                processor: processor.clone(),
                variant: variant.clone(),
                curve,
            }));
        }
        Ok(Everything { scores, learned, baselines })
    }

    /// Adds to the variants of runs what differs from the baseline of the same processor, and returns by
    /// processor what that is like where there are others.
    ///
    /// A baseline has what the defaults have, or else the least that there is: it does not change as more
    /// runs are done.
    fn tell_apart(&mut self) -> BTreeMap<String, String> {
        let defaults = settings(&Config::default());
        let mut values: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
        for run in &self.runs {
            for (key, value) in &run.settings {
                let of_key = values.entry((run.processor.clone(), key.clone())).or_default();
                of_key.insert(value.clone());
            }
        }
        let mut usual = BTreeMap::new();
        let mut baselines: BTreeMap<String, String> = BTreeMap::new();
        for ((processor, key), values) in values {
            let default = defaults.get(&key).filter(|default| values.contains(*default));
            let least = values.iter().min_by(|a, b| by_size(a, b)).expect("a run has one");
            let chosen = default.unwrap_or(least).clone();
            if values.len() > 1 {
                let all = baselines.entry(processor.clone()).or_default();
                let between = if all.is_empty() { "" } else { ", " };
                all.extend([between, &key, " ", &chosen]);
            }
            usual.insert((processor, key), chosen);
        }
        for run in &mut self.runs {
            for (key, value) in &run.settings {
                if usual[&(run.processor.clone(), key.clone())] != *value {
                    let between = if run.variant.is_empty() { "" } else { " + " };
                    run.variant.extend([between, key, " ", value]);
                }
            }
        }
        baselines
    }

    /// All runs in a folder and in those inside it.
    fn search(&mut self, folder: &Path) -> Result<()> {
        if folder.join("config.toml").is_file() {
            // One without test scores is not done.
            let run = Kept::of(folder, "")?;
            self.runs.extend(run.map(|run| FoundRun::new(run, folder)));
            return Ok(());
        }
        let cannot = |error: std::io::Error| wrong("cannot read the folder", folder, &error);
        let mut inside = vec![];
        for entry in std::fs::read_dir(folder).map_err(cannot)? {
            inside.push(entry.map_err(cannot)?.path());
        }
        inside.sort();
        inside.iter().filter(|path| path.is_dir()).try_for_each(|path| self.search(path))
    }

    fn read_csv(&mut self, path: &Path, processor: &str) -> Result<()> {
        #[derive(Deserialize)]
        struct Line {
            algorithm: String,
            seed: u32,
            test_score: f64,
            processor: Option<String>,
            decay: Option<f64>,
            softmax: Option<String>,
            train_steps: Option<usize>,
        }
        let cannot = |error: csv::Error| wrong("wanted scores in", path, &error);
        let mut reader = csv::Reader::from_path(path).map_err(cannot)?;
        for (place, line) in reader.deserialize().enumerate() {
            let line: Line = line.map_err(cannot)?;
            // The first line has the names.
            let odd = |what: String| {
                wrong("wanted scores in", path, &format!("line {}: {what}", place + 2))
            };
            if !(0.0..=1.0).contains(&line.test_score) {
                return Err(odd(format!(
                    "test_score should be from 0 to 1, found {}",
                    line.test_score
                )));
            }
            if let Some(decay) = line.decay.filter(|decay| !(0.0..=1.0).contains(decay)) {
                return Err(odd(format!("decay should be from 0 to 1, found {decay}")));
            }
            let softmax = match line.softmax.as_deref().map(str::to_ascii_lowercase).as_deref() {
                Some("true") => true,
                Some("false" | "") | None => false,
                Some(other) => {
                    return Err(odd(format!("softmax should be True or False, found {other}")));
                }
            };
            let decay = line.decay.filter(|decay| *decay != 1.0).map(decayed);
            let parts = [softmax.then(|| "softmax".to_owned()), decay];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            let steps = line.train_steps.map(|steps| (STEPS.to_owned(), steps.to_string()));
            self.runs.push(FoundRun {
                origin: path.to_owned(),
                processor: line.processor.unwrap_or_else(|| processor.to_owned()),
                variant: parts.join(" + "),
                seed: line.seed,
                settings: steps.into_iter().collect(),
                scores: vec![(line.algorithm, line.test_score)],
                curves: vec![],
            });
        }
        Ok(())
    }
}

impl FoundRun {
    fn new(run: Kept, origin: &Path) -> Self {
        let processor = run.config.processor_type.clone();
        let variant = variant(&run.config);
        let variant = variant.strip_prefix(&processor).unwrap_or(&variant);
        Self {
            origin: origin.to_owned(),
            variant: variant.trim_start_matches(" + ").to_owned(),
            processor,
            seed: run.config.seed,
            settings: settings(&run.config),
            scores: run.test.into_iter().map(|it| (it.algorithm, it.score)).collect(),
            curves: run.validation,
        }
    }
}

/// What tells networks apart that are of the same variant.
fn settings(config: &Config) -> BTreeMap<String, String> {
    let settings = serde_json::to_value(config).expect("a configuration is JSON");
    let settings = settings.as_object().cloned().unwrap_or_default().into_iter();
    // A softmax that is only used to evaluate is not in the name of a variant.
    let only_evaluates = config.aggregator != Aggregation::Softmax
        && config.eval_aggregator == Some(Aggregation::Softmax);
    let is_wanted = |key: &str| !ELSEWHERE.contains(&key) || (key == TEMPERATURE && only_evaluates);
    let settings = settings.filter(|(key, _)| is_wanted(key));
    let plain = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    let together = match config.algorithms.as_slice() {
        [_] => ALONE.to_owned(),
        all => all.join(", "),
    };
    settings
        .map(|(key, value)| (key, plain(value)))
        .chain([(ALGORITHMS.to_owned(), together)])
        .collect()
}

/// Numbers by their size, all else by its letters.
fn by_size(a: &str, b: &str) -> Ordering {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => a.total_cmp(&b),
        _ => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use narscope_sweep::kept::Tested;

    use super::*;

    fn run(config: Config) -> FoundRun {
        let test = Tested { algorithm: "bfs".to_owned(), score: 0.5, more: serde_json::Map::new() };
        let kept = Kept {
            name: String::new(),
            version: String::new(),
            config,
            test: vec![test],
            validation: vec![],
        };
        FoundRun::new(kept, Path::new("here"))
    }

    #[test]
    fn networks_that_differ_in_anything_are_never_averaged() {
        let config = |seed: u32, hidden_size: usize, decay: f64| Config {
            seed,
            hidden_size,
            decay,
            ..Config::default()
        };
        let runs = [config(1, 8, 1.0), config(2, 8, 0.9), config(1, 16, 1.0), config(2, 16, 0.9)];
        let runs = runs.into_iter().chain([config(3, 8, 1.0)]).map(run).collect();
        let Everything { scores, baselines, .. } = Found { runs }.finish().unwrap();
        let variants: Vec<&str> = scores.iter().map(|score| score.variant.as_str()).collect();
        assert_eq!(variants, ["", "decay", "hidden_size 16", "decay + hidden_size 16", ""]);
        assert_eq!(baselines["triplet_gmpnn"], "hidden_size 8", "128 is none of them");
    }

    #[test]
    fn networks_with_other_aggregators_are_no_baselines() {
        let config = |seed: u32, aggregator: Aggregation, eval_aggregator: Option<Aggregation>| {
            Config { seed, aggregator, eval_aggregator, ..Config::default() }
        };
        let softer =
            Config { temperature: 0.5, ..config(1, Aggregation::Max, Some(Aggregation::Softmax)) };
        let runs = [
            config(1, Aggregation::Max, None),
            config(1, Aggregation::Mean, None),
            config(1, Aggregation::Max, Some(Aggregation::Softmax)),
            softer,
        ];
        let runs = runs.into_iter().map(run).collect();
        let Everything { scores, .. } = Found { runs }.finish().unwrap();
        let variants: Vec<&str> = scores.iter().map(|score| score.variant.as_str()).collect();
        let evaluated = "eval_aggregator softmax";
        let softer = format!("{evaluated} + temperature 0.5");
        assert_eq!(variants, ["", "mean", evaluated, &softer]);
    }

    #[test]
    fn what_is_the_default_is_the_baseline_however_few_have_it() {
        let config = |seed: u32, learn_temperature: bool| Config {
            seed,
            aggregator: Aggregation::Softmax,
            temperature: 0.5,
            learn_temperature,
            ..Config::default()
        };
        let both =
            Config { algorithms: vec!["bfs".to_owned(), "dfs".to_owned()], ..config(9, false) };
        let runs = [config(1, true), config(2, true), config(3, false), both];
        let runs = runs.into_iter().map(run).collect();
        let Everything { scores, baselines, .. } = Found { runs }.finish().unwrap();
        let variants: Vec<&str> = scores.iter().map(|score| score.variant.as_str()).collect();
        let learnt = "softmax 0.5 + learn_temperature true";
        let together = "softmax 0.5 + algorithms bfs, dfs";
        assert_eq!(variants, [learnt, learnt, "softmax 0.5", together]);
        assert_eq!(baselines["triplet_gmpnn"], "algorithms one, learn_temperature false");
    }

    #[test]
    fn a_run_that_is_there_twice_is_refused() {
        let runs = vec![run(Config::default()), run(Config::default())];
        let error = Found { runs }.finish().unwrap_err().to_string();
        assert!(error.contains("is there twice, in here: take one"), "{error}");
    }
}
