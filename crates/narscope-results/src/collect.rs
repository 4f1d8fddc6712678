//! Collects scores from folders of runs, results files and `.csv` files.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use narscope_files::text::check_line;
use narscope_model::config::{Aggregation, Config};
use serde::Deserialize;

use crate::comparable::{MIN_STEPS, is_trained_as_published};
use crate::run_result::{RunResult, ValidationCurve};
use crate::statistics::Summary;
use crate::table::{RunScore, ShowPublished, Table, TableOptions, tables_with};
use crate::variant::{decay_name, variant_name};
use crate::{Error, Result};

/// Collects runs from several places, then names their variants.
///
/// ```no_run
/// use narscope_results::{ScoreCollector, TableOptions};
///
/// # fn main() -> narscope_results::Result<()> {
/// let mut collector = ScoreCollector::default();
/// collector.read("runs".as_ref(), "triplet_gmpnn")?;
/// collector.read("experiments/results/ablations/results.jsonl".as_ref(), "triplet_gmpnn")?;
/// let tables = collector.finish()?.tables(&TableOptions::default())?;
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
    /// Whether it was trained as the paper's networks.
    is_as_published: bool,
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
    /// Processors and variants of networks that were trained otherwise than the paper's.
    pub incomparable: BTreeSet<(String, String)>,
}

impl CollectedScores {
    /// Builds a table per processor, each with a description of its baseline.
    ///
    /// # Errors
    /// If no processor has a variant with the name of the baseline.
    pub fn tables(&self, options: &TableOptions) -> Result<Vec<Table>> {
        let shows_published = |processor: &str, variant: &str| match options.published {
            ShowPublished::Always => true,
            ShowPublished::Comparable => {
                !self.incomparable.contains(&(processor.to_owned(), variant.to_owned()))
            }
            ShowPublished::Never => false,
        };
        let baseline = options.baseline.as_deref();
        let mut tables = tables_with(&self.scores, baseline, &shows_published);
        if let Some(name) = baseline {
            let columns = || tables.iter().flat_map(|table| &table.variants);
            if !columns().any(|column| column.name == name) {
                let known: BTreeSet<String> = columns().map(|column| column.name.clone()).collect();
                return Err(Error::UnknownBaseline {
                    name: name.to_owned(),
                    known: known.into_iter().collect(),
                });
            }
        }
        for table in &mut tables {
            table.published_left_out &= options.published == ShowPublished::Comparable;
            let settings = self.baselines.get(&table.processor).cloned();
            let column = &table.variants[0];
            table.baseline = match settings {
                settings if column.is_unchanged() => settings,
                None if table.variants.len() == 1 => None,
                None => Some(column.name.clone()),
                Some(settings) => Some(format!("{}, of {settings}", column.name)),
            };
        }
        Ok(tables)
    }
}

impl ScoreCollector {
    /// Reads all runs in a folder and its subfolders, the runs of a `.jsonl` results file, or the scores
    /// of a `.csv` file. `processor` applies to `.csv` files without such a column.
    pub fn read(&mut self, path: &Path, processor: &str) -> Result<()> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension {
            _ if path.is_dir() => self.read_folder(path, &mut BTreeSet::new()),
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
        let mut incomparable = BTreeSet::new();
        for run in self.runs {
            run.check_names()?;
            if !run.is_as_published {
                incomparable.insert((run.processor.clone(), run.variant.clone()));
            }
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
        Ok(CollectedScores { scores, learning_curves, baselines, incomparable })
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

    /// Reads all runs in a folder and its subfolders, each folder once: links may form a cycle.
    fn read_folder(&mut self, folder: &Path, visited: &mut BTreeSet<PathBuf>) -> Result<()> {
        let read = || Error::io("read the folder", folder);
        if !visited.insert(folder.canonicalize().map_err(read())?) {
            return Ok(());
        }
        if folder.join("config.toml").is_file() {
            // A run without test scores is not finished.
            let run = RunResult::from_run(folder, "")?;
            self.runs.extend(run.map(|run| CollectedRun::new(run, folder)));
            return Ok(());
        }
        let mut entries = vec![];
        for entry in std::fs::read_dir(folder).map_err(read())? {
            entries.push(entry.map_err(read())?.path());
        }
        entries.sort();
        let mut folders = entries.iter().filter(|path| path.is_dir());
        folders.try_for_each(|path| self.read_folder(path, visited))
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
            // A file of scores, such as the authors', says no more about training.
            is_as_published: self.train_steps.is_none_or(|steps| steps >= MIN_STEPS),
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
            is_as_published: is_trained_as_published(&run.config),
            settings: settings(&run.config),
            scores: run.test.into_iter().map(|it| (it.algorithm, it.score)).collect(),
            curves: run.validation,
        }
    }
}

impl CollectedRun {
    /// Refuses names that would break a line of a table, or more: they are printed, and written to LaTeX files.
    fn check_names(&self) -> Result<()> {
        let algorithms = self.scores.iter().map(|(name, _)| ("an algorithm", name));
        let names = [("a processor", &self.processor), ("a variant", &self.variant)];
        algorithms.chain(names).try_for_each(|(what, name)| {
            let path = self.origin.clone();
            check_line(&format!("the name of {what}"), name)
                .map_err(|what| Error::NotScores { path, what })
        })
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
    fn published_scores_are_shown_for_networks_that_were_trained_as_the_papers() {
        let paper = Config {
            directed_training: true,
            ..narscope_model::config::Draft::preset("paper").unwrap().finish().unwrap()
        };
        let short = Config { train_steps: 2000, ..paper.clone() };
        let of = |config: Config, published: ShowPublished| {
            let runs = vec![run(config)];
            let options = TableOptions { published, ..TableOptions::default() };
            let collected = ScoreCollector { runs }.finish().unwrap();
            let table = collected.tables(&options).unwrap().remove(0);
            (table.rows[0].published[0].is_some(), table.published_left_out)
        };
        assert_eq!(of(paper.clone(), ShowPublished::Comparable), (true, false));
        assert_eq!(of(short.clone(), ShowPublished::Comparable), (false, true));
        assert_eq!(of(short, ShowPublished::Always), (true, false));
        assert_eq!(of(paper, ShowPublished::Never), (false, false));
    }

    #[test]
    fn a_baseline_is_chosen_by_name_and_the_title_says_so() {
        let config = |seed: u32, decay: f64| Config { seed, decay, ..Config::default() };
        let of = |decays: [f64; 2], name: Option<&str>| {
            let runs = decays.into_iter().map(|decay| run(config(1, decay))).collect();
            let options =
                TableOptions { baseline: name.map(str::to_owned), ..TableOptions::default() };
            let tables = ScoreCollector { runs }.finish().unwrap().tables(&options);
            tables.map(|tables| (tables[0].variants[0].name.clone(), tables[0].baseline.clone()))
        };
        let named = |name: &str| (name.to_owned(), Some(name.to_owned()));
        assert_eq!(of([1.0, 0.9], None).unwrap(), ("baseline".to_owned(), None));
        assert_eq!(of([1.0, 0.9], Some("decay")).unwrap(), named("decay"));
        assert_eq!(of([0.5, 0.9], None).unwrap(), named("decay"), "the paper's value");
        assert_eq!(of([0.5, 0.9], Some("decay 0.5")).unwrap(), named("decay 0.5"));
        let error = of([1.0, 0.9], Some("dekay")).unwrap_err().to_string();
        assert_eq!(error, "no column is named \"dekay\"; the columns are baseline, decay");
    }

    #[test]
    fn a_run_that_is_listed_twice_is_an_error() {
        let runs = vec![run(Config::default()), run(Config::default())];
        let error = ScoreCollector { runs }.finish().unwrap_err().to_string();
        assert!(error.contains("is listed twice, in here: remove one"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_back_to_their_folder_are_followed_once() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let run = narscope_model::run::Run::create(&folder.path().join("a/run"), Config::default());
        let scores = r#"[{"algorithm": "bfs", "score": 0.5}]"#;
        std::fs::write(run.unwrap().file("test.json"), scores).unwrap();
        for name in ["one", "two"] {
            symlink(folder.path(), folder.path().join("a").join(name)).unwrap();
        }
        let mut collector = ScoreCollector::default();
        collector.read(folder.path(), "mpnn").unwrap();
        assert_eq!(collector.finish().unwrap().scores.len(), 1);
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

    #[test]
    fn a_name_with_a_line_break_is_refused_before_it_reaches_a_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scores.csv");
        std::fs::write(&path, "algorithm,seed,test_score\n\"bfs\n\\input{x}\",1,0.5\n").unwrap();
        let mut collector = ScoreCollector::default();
        collector.read(&path, "mpnn").unwrap();
        let sentence = collector.finish().unwrap_err().to_string();
        let expected = format!(
            "{} is not a file of scores: the name of an algorithm should have no line breaks and no other control characters, found '\\n' in ",
            path.display()
        );
        assert!(sentence.starts_with(&expected), "{sentence}");
    }
}
