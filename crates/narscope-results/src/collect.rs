//! Collects scores from folders of runs, results files and `.csv` files.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use narscope_model::config::{Aggregation, Config};
use serde::Deserialize;

use crate::run_result::{RunResult, ValidationCurve};
use crate::statistics::Summary;
use crate::table::{RunScore, Table, tables};
use crate::variant::{decay_name, variant_name};
use crate::{Error, Result};

/// Collects runs from several places, then names their variants.
///
/// ```no_run
/// use narscope_results::ScoreCollector;
///
/// # fn main() -> narscope_results::Result<()> {
/// let mut collector = ScoreCollector::default();
/// collector.read("runs".as_ref(), "triplet_gmpnn")?;
/// collector.read("experiments/results/ablations/results.jsonl".as_ref(), "triplet_gmpnn")?;
/// let tables = collector.finish()?.tables();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct ScoreCollector {
    runs: Vec<CollectedRun>,
}

/// A run and where it was found.
#[derive(Debug)]
struct CollectedRun {
    origin: PathBuf,
    processor: String,
    variant: String,
    seed: u32,
    /// Other settings that may differ between runs, as far as known.
    settings: BTreeMap<String, String>,
    scores: Vec<(String, f64)>,
    curves: Vec<ValidationCurve>,
}

/// Validation scores of one run on one algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct LearningCurve {
    /// The processor of the network.
    pub processor: String,
    /// What differs from the baseline; empty for the baseline.
    pub variant: String,
    /// Validation scores.
    pub curve: ValidationCurve,
}

impl LearningCurve {
    /// Summarises the scores of several runs at every step that all of them have.
    pub fn summaries(curves: &[&Self]) -> Vec<(usize, Summary)> {
        let mut by_step: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for (step, score) in curves.iter().flat_map(|it| &it.curve.points) {
            by_step.entry(*step).or_default().push(*score);
        }
        by_step.retain(|_, scores| scores.len() == curves.len());
        by_step.iter().map(|(&step, scores)| (step, Summary::of(scores))).collect()
    }
}

/// Key of the number of training steps, which titles of tables have.
const TRAIN_STEPS: &str = "train_steps";
/// Key of the algorithms that a network is trained on.
const ALGORITHMS: &str = "algorithms";
/// Value of [`ALGORITHMS`] for networks of a single algorithm.
const SINGLE_ALGORITHM: &str = "one";
/// Key of the temperature of the softmax aggregator.
const TEMPERATURE: &str = "temperature";
/// Keys that are not settings: they define the table, the seed or the name of the variant.
const NO_SETTINGS: [&str; 7] =
    [ALGORITHMS, "processor_type", "seed", "aggregator", TEMPERATURE, "decay", "decay_towards"];

/// Everything that was collected.
#[derive(Debug)]
pub struct CollectedScores {
    /// Test scores.
    pub scores: Vec<RunScore>,
    /// Validation scores, as far as known.
    pub learning_curves: Vec<LearningCurve>,
    /// Per processor, the settings of the baseline that other networks change.
    pub baselines: BTreeMap<String, String>,
}

impl CollectedScores {
    /// Builds a table per processor, each with the settings of its baseline.
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = tables(&self.scores);
        for table in &mut tables {
            table.baseline = self.baselines.get(&table.processor).cloned();
        }
        tables
    }
}

impl ScoreCollector {
    /// Reads all runs in a folder and its subfolders, the runs of a `.jsonl` results file, or the scores
    /// of a `.csv` file. `processor` applies to `.csv` files without such a column.
    pub fn read(&mut self, path: &Path, processor: &str) -> Result<()> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension {
            _ if path.is_dir() => self.read_folder(path),
            Some("csv") => self.read_csv(path, processor),
            Some("jsonl") => {
                let runs = RunResult::read_file(path)?;
                self.runs.extend(runs.into_iter().map(|run| CollectedRun::new(run, path)));
                Ok(())
            }
            _ => Err(Error::NoScores { path: path.to_owned(), exists: path.exists() }),
        }
    }

    /// Returns all scores. Networks with different settings get different variants.
    pub fn finish(mut self) -> Result<CollectedScores> {
        let baselines = self.name_variants();
        let mut origins: BTreeMap<(String, String, String, u32), PathBuf> = BTreeMap::new();
        let (mut scores, mut learning_curves) = (vec![], vec![]);
        for run in self.runs {
            let CollectedRun { origin, processor, variant, seed, settings, curves, .. } = run;
            let steps = settings.get(TRAIN_STEPS).and_then(|steps| steps.parse().ok());
            for (algorithm, score) in run.scores {
                let key = (algorithm.clone(), processor.clone(), variant.clone(), seed);
                if let Some(first) = origins.insert(key, origin.clone()) {
                    let run = format!("{algorithm}, {processor} {variant}, seed {seed}");
                    let run = run.replace(" ,", ",");
                    return Err(Error::Duplicate { run, first, second: origin });
                }
                let (processor, variant) = (processor.clone(), variant.clone());
                scores.push(RunScore { algorithm, processor, variant, seed, steps, score });
            }
            learning_curves.extend(curves.into_iter().map(|curve| LearningCurve {
                processor: processor.clone(),
                variant: variant.clone(),
                curve,
            }));
        }
        Ok(CollectedScores { scores, learning_curves, baselines })
    }

    /// Adds to the variant of each run the settings that differ from the baseline of its processor.
    /// Returns per processor the settings of the baseline that differ between its runs.
    ///
    /// A baseline has the default of each setting if any run has it, or else the smallest value. So it
    /// does not change as more runs are added.
    fn name_variants(&mut self) -> BTreeMap<String, String> {
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
            let smallest = values.iter().min_by(|a, b| by_value(a, b)).expect("a run has one");
            let chosen = default.unwrap_or(smallest).clone();
            if values.len() > 1 {
                let settings = baselines.entry(processor.clone()).or_default();
                let separator = if settings.is_empty() { "" } else { ", " };
                settings.extend([separator, &key, " ", &chosen]);
            }
            usual.insert((processor, key), chosen);
        }
        for run in &mut self.runs {
            for (key, value) in &run.settings {
                if usual[&(run.processor.clone(), key.clone())] != *value {
                    let separator = if run.variant.is_empty() { "" } else { " + " };
                    run.variant.extend([separator, key, " ", value]);
                }
            }
        }
        baselines
    }

    /// Reads all runs in a folder and its subfolders.
    fn read_folder(&mut self, folder: &Path) -> Result<()> {
        if folder.join("config.toml").is_file() {
            // A run without test scores is not finished.
            let run = RunResult::from_run(folder, "")?;
            self.runs.extend(run.map(|run| CollectedRun::new(run, folder)));
            return Ok(());
        }
        let mut entries = vec![];
        let read = || Error::io("read the folder", folder);
        for entry in std::fs::read_dir(folder).map_err(read())? {
            entries.push(entry.map_err(read())?.path());
        }
        entries.sort();
        entries.iter().filter(|path| path.is_dir()).try_for_each(|path| self.read_folder(path))
    }

    fn read_csv(&mut self, path: &Path, processor: &str) -> Result<()> {
        let invalid = |what: String| Error::NotScores { path: path.to_owned(), what };
        let cannot_read = |error: csv::Error| invalid(error.to_string());
        let mut reader = csv::Reader::from_path(path).map_err(cannot_read)?;
        for (index, record) in reader.deserialize().enumerate() {
            let record: CsvRecord = record.map_err(cannot_read)?;
            // Line 1 has the names of the columns.
            let run = record.into_run(path, processor);
            let run = run.map_err(|what| invalid(format!("line {}, {what}", index + 2)))?;
            self.runs.push(run);
        }
        Ok(())
    }
}

/// A line of a `.csv` file of scores.
#[derive(Deserialize)]
struct CsvRecord {
    algorithm: String,
    seed: u32,
    test_score: f64,
    processor: Option<String>,
    decay: Option<f64>,
    softmax: Option<String>,
    train_steps: Option<usize>,
}

impl CsvRecord {
    /// Checks the values; the error says what is wrong.
    fn into_run(self, path: &Path, processor: &str) -> Result<CollectedRun, String> {
        if !(0.0..=1.0).contains(&self.test_score) {
            return Err(format!("test_score: expected 0 to 1, found {}", self.test_score));
        }
        if let Some(decay) = self.decay.filter(|decay| !(0.0..=1.0).contains(decay)) {
            return Err(format!("decay: expected 0 to 1, found {decay}"));
        }
        let softmax = match self.softmax.as_deref().map(str::to_ascii_lowercase).as_deref() {
            Some("true") => true,
            Some("false" | "") | None => false,
            Some(other) => {
                return Err(format!("softmax: expected True or False, found {other}"));
            }
        };
        let decay = self.decay.filter(|decay| *decay != 1.0).map(decay_name);
        let parts = [softmax.then(|| "softmax".to_owned()), decay];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let steps = self.train_steps.map(|steps| (TRAIN_STEPS.to_owned(), steps.to_string()));
        Ok(CollectedRun {
            origin: path.to_owned(),
            processor: self.processor.unwrap_or_else(|| processor.to_owned()),
            variant: parts.join(" + "),
            seed: self.seed,
            settings: steps.into_iter().collect(),
            scores: vec![(self.algorithm, self.test_score)],
            curves: vec![],
        })
    }
}

impl CollectedRun {
    fn new(run: RunResult, origin: &Path) -> Self {
        let processor = run.config.processor_type.clone();
        let variant = variant_name(&run.config);
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

/// Settings in which networks with the same [`variant_name`] may differ.
fn settings(config: &Config) -> BTreeMap<String, String> {
    let settings = serde_json::to_value(config).expect("a configuration is JSON");
    let settings = settings.as_object().cloned().unwrap_or_default().into_iter();
    // The name of a variant does not have a softmax that is used for evaluation only.
    let only_evaluates = config.aggregator != Aggregation::Softmax
        && config.eval_aggregator == Some(Aggregation::Softmax);
    let is_setting =
        |key: &str| !NO_SETTINGS.contains(&key) || (key == TEMPERATURE && only_evaluates);
    let settings = settings.filter(|(key, _)| is_setting(key));
    let text = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    let algorithms = match config.algorithms.as_slice() {
        [_] => SINGLE_ALGORITHM.to_owned(),
        all => all.join(", "),
    };
    settings
        .map(|(key, value)| (key, text(value)))
        .chain([(ALGORITHMS.to_owned(), algorithms)])
        .collect()
}

/// Compares two settings, as numbers if both are numbers.
fn by_value(a: &str, b: &str) -> Ordering {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => a.total_cmp(&b),
        _ => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_result::TestScore;

    fn run(config: Config) -> CollectedRun {
        let result = RunResult {
            name: String::new(),
            version: String::new(),
            config,
            test: vec![TestScore::new("bfs", 0.5)],
            validation: vec![],
        };
        CollectedRun::new(result, Path::new("here"))
    }

    #[test]
    fn networks_with_different_settings_are_never_averaged() {
        let config = |seed: u32, hidden_size: usize, decay: f64| Config {
            seed,
            hidden_size,
            decay,
            ..Config::default()
        };
        let runs = [config(1, 8, 1.0), config(2, 8, 0.9), config(1, 16, 1.0), config(2, 16, 0.9)];
        let runs = runs.into_iter().chain([config(3, 8, 1.0)]).map(run).collect();
        let CollectedScores { scores, baselines, .. } = ScoreCollector { runs }.finish().unwrap();
        let variants: Vec<&str> = scores.iter().map(|score| score.variant.as_str()).collect();
        assert_eq!(variants, ["", "decay", "hidden_size 16", "decay + hidden_size 16", ""]);
        assert_eq!(baselines["triplet_gmpnn"], "hidden_size 8", "the default, 128, does not occur");
    }

    #[test]
    fn networks_with_other_aggregators_are_not_baselines() {
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
        let CollectedScores { scores, .. } = ScoreCollector { runs }.finish().unwrap();
        let variants: Vec<&str> = scores.iter().map(|score| score.variant.as_str()).collect();
        let evaluated = "eval_aggregator softmax";
        let softer = format!("{evaluated} + temperature 0.5");
        assert_eq!(variants, ["", "mean", evaluated, &softer]);
    }

    #[test]
    fn the_default_setting_is_the_baseline_however_rare_it_is() {
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
        let CollectedScores { scores, baselines, .. } = ScoreCollector { runs }.finish().unwrap();
        let variants: Vec<&str> = scores.iter().map(|score| score.variant.as_str()).collect();
        let learned = "softmax 0.5 + learn_temperature true";
        let together = "softmax 0.5 + algorithms bfs, dfs";
        assert_eq!(variants, [learned, learned, "softmax 0.5", together]);
        assert_eq!(baselines["triplet_gmpnn"], "algorithms one, learn_temperature false");
    }

    #[test]
    fn a_run_that_is_listed_twice_is_an_error() {
        let runs = vec![run(Config::default()), run(Config::default())];
        let error = ScoreCollector { runs }.finish().unwrap_err().to_string();
        assert!(error.contains("is listed twice, in here: remove one"), "{error}");
    }

    #[test]
    fn learning_curves_are_averaged_at_steps_that_all_runs_have() {
        let curve = |points: &[(usize, f64)]| LearningCurve {
            processor: "mpnn".to_owned(),
            variant: String::new(),
            curve: ValidationCurve { algorithm: "bfs".to_owned(), points: points.to_vec() },
        };
        let (one, two) = (curve(&[(1, 0.2), (11, 0.4)]), curve(&[(1, 0.4), (21, 0.9)]));
        let [(1, summary)] = LearningCurve::summaries(&[&one, &two])[..] else { panic!("step 1") };
        assert!((summary.mean - 0.3).abs() < 1e-12);
        assert!((summary.std.unwrap() - 0.02_f64.sqrt()).abs() < 1e-12);
    }
}
