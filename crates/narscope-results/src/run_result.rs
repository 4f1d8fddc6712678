//! Results of finished runs: one line of JSON per run, small enough for a repository.
//!
//! Weights, checkpoints and logs stay in the folders of the runs. A sweep treats the runs in its
//! results file as done, on any machine.

use std::io::Write as _;
use std::path::Path;

use narscope_files::atomic::{self, Existing};
use narscope_files::folder_lock;
use narscope_model::config::Config;
use narscope_model::numerics::{self, Agreement};
use narscope_model::run::Run;
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Maximum number of validation scores that are kept per run and algorithm.
const MAX_POINTS: usize = 50;

/// Configuration, test scores and validation scores of one run.
///
/// ```
/// use narscope_model::config::Config;
/// use narscope_results::{RunResult, TestScore};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("results.jsonl");
/// let run = RunResult {
///     name: "seed=42".to_owned(),
///     version: "0.1.0".to_owned(),
///     config: Config::default(),
///     test: vec![TestScore::new("bfs", 0.98)],
///     validation: vec![],
/// };
/// RunResult::add_to_file(vec![run.clone()], &path)?;
/// assert_eq!(RunResult::read_file(&path)?, [run]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Name of the run: its folder, relative to the folder of the sweep.
    pub name: String,
    /// Package version that started the run.
    pub version: String,
    /// Configuration of the run.
    pub config: Config,
    /// Test score per algorithm.
    pub test: Vec<TestScore>,
    /// Validation scores per algorithm.
    pub validation: Vec<ValidationCurve>,
}

/// Test score of one algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestScore {
    /// The algorithm.
    pub algorithm: String,
    /// The score, from 0 to 1.
    pub score: f64,
    /// Other fields of the run's `test.json`, unchanged.
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

impl TestScore {
    /// A score without other fields.
    pub fn new(algorithm: &str, score: f64) -> Self {
        Self { algorithm: algorithm.to_owned(), score, more: serde_json::Map::new() }
    }
}

/// Validation scores of one algorithm during training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValidationCurve {
    /// The algorithm.
    pub algorithm: String,
    /// Training steps and scores.
    pub points: Vec<(usize, f64)>,
}

impl RunResult {
    /// Reads the result of the run in a folder; `None` if the run has no test scores yet.
    pub fn from_run(folder: &Path, name: &str) -> Result<Option<Self>> {
        #[derive(Deserialize)]
        struct Version {
            version: String,
        }
        let file = folder.join("test.json");
        if !file.is_file() {
            return Ok(None);
        }
        let run = Run::open(folder)?;
        let text = read(&file)?;
        let test = serde_json::from_str(&text).map_err(|error| Error::Damaged {
            path: file.clone(),
            what: format!("{error}; resume the run to write it again"),
        })?;
        let version: Option<Version> = toml::from_str(&read(&run.file("config.toml"))?).ok();
        Ok(Some(Self {
            name: name.to_owned(),
            version: version.map_or(String::new(), |written| written.version),
            validation: validation_curves(&run)?,
            config: run.config,
            test,
        }))
    }

    /// How the scores compare with those that this build would compute.
    pub fn agreement(&self) -> Agreement {
        numerics::agreement(&self.version, &self.config)
    }

    /// Reads all runs of a results file.
    pub fn read_file(path: &Path) -> Result<Vec<Self>> {
        let text = read(path)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines
            .map(|(index, line)| {
                let invalid = |what: String| Error::NotResults {
                    path: path.to_owned(),
                    line: index + 1,
                    what,
                };
                let run: Self =
                    serde_json::from_str(line).map_err(|error| invalid(without_line(&error)))?;
                match run.test.iter().find(|test| !(0.0..=1.0).contains(&test.score)) {
                    Some(test) => {
                        Err(invalid(format!("expected a score from 0 to 1, found {}", test.score)))
                    }
                    None => Ok(run),
                }
            })
            .collect()
    }

    /// Adds runs to a results file, replacing runs of the same name, and returns the number of runs in
    /// the file. Runs are sorted by name, so that adding one changes few lines. A run of the same name
    /// with another configuration is an error.
    pub fn add_to_file(new: Vec<Self>, path: &Path) -> Result<usize> {
        let folder = atomic::parent_folder(path);
        std::fs::create_dir_all(folder).map_err(Error::io("create the folder", folder))?;
        // Concurrent writers wait for each other.
        let _lock = folder_lock::lock(folder)?;
        let mut all = if path.exists() { Self::read_file(path)? } else { vec![] };
        let replacement = |old: &Self| new.iter().find(|run| run.name == old.name);
        let conflict =
            all.iter().find(|old| replacement(old).is_some_and(|run| run.config != old.config));
        if let Some(Self { name, .. }) = conflict {
            return Err(Error::OtherConfig { path: path.to_owned(), name: name.clone() });
        }
        all.retain(|old| replacement(old).is_none());
        all.extend(new);
        all.sort_by(|a, b| a.name.cmp(&b.name));
        atomic::write(path, Existing::Replace, |file| {
            all.iter().try_for_each(|run| {
                serde_json::to_writer(&mut *file, run)?;
                writeln!(file)
            })
        })?;
        Ok(all.len())
    }
}

/// The message of a JSON error without its line: the text is a single line of a larger file.
fn without_line(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let what = message.split(" at line ").next().unwrap_or(&message);
    format!("column {}: {what}", error.column())
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(Error::io("read", path))
}

/// Validation scores of a run, evenly thinned to 50 per algorithm.
pub fn validation_curves(run: &Run) -> Result<Vec<ValidationCurve>> {
    #[derive(Deserialize)]
    struct MetricsLine {
        step: usize,
        split: String,
        algorithm: String,
        /// Lines about training have none.
        score: Option<f64>,
    }
    let file = run.file("metrics.jsonl");
    // Imported weights have no training metrics.
    let text = if file.exists() { read(&file)? } else { String::new() };
    let mut curves: Vec<ValidationCurve> = vec![];
    for (index, line) in text.lines().enumerate() {
        let line: MetricsLine = serde_json::from_str(line).map_err(|error| Error::Damaged {
            path: file.clone(),
            what: format!(
                "line {}, {}; without this file, the run is kept without its validation scores",
                index + 1,
                without_line(&error)
            ),
        })?;
        let Some(score) = line.score.filter(|_| line.split == "val") else { continue };
        let point = (line.step, score);
        match curves.iter_mut().find(|curve| curve.algorithm == line.algorithm) {
            Some(curve) => curve.points.push(point),
            None => curves.push(ValidationCurve { algorithm: line.algorithm, points: vec![point] }),
        }
    }
    for curve in &mut curves {
        // A power of two, so that runs of different lengths share points.
        let stride = curve.points.len().div_ceil(MAX_POINTS - 1).next_power_of_two();
        let last = curve.points.len().saturating_sub(1);
        let points = curve.points.iter().enumerate();
        let points = points.filter(|(index, _)| index % stride == 0 || *index == last);
        curve.points = points.map(|(_, point)| *point).collect();
    }
    Ok(curves)
}

#[cfg(test)]
mod tests {
    use narscope_model::config::Aggregation;

    use super::*;

    fn result(name: &str, score: f64) -> RunResult {
        RunResult {
            name: name.to_owned(),
            version: "0".to_owned(),
            config: Config::default(),
            test: vec![TestScore::new("bfs", score)],
            validation: vec![ValidationCurve {
                algorithm: "bfs".to_owned(),
                points: vec![(1, 0.1)],
            }],
        }
    }

    #[test]
    fn adding_a_run_again_replaces_it_and_keeps_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results/runs.jsonl");
        assert_eq!(
            RunResult::add_to_file(vec![result("b", 0.1 + 0.2), result("a", 0.5)], &path).unwrap(),
            2
        );
        assert_eq!(RunResult::add_to_file(vec![result("a", 1.0 / 3.0)], &path).unwrap(), 2);
        let expected = [result("a", 1.0 / 3.0), result("b", 0.1 + 0.2)];
        assert_eq!(RunResult::read_file(&path).unwrap(), expected, "bit for bit, sorted by name");
    }

    #[test]
    fn a_run_with_another_configuration_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        RunResult::add_to_file(vec![result("a", 0.5)], &path).unwrap();
        let mut other = result("a", 0.25);
        other.config.train_steps += 1;
        let error = RunResult::add_to_file(vec![other], &path).unwrap_err().to_string();
        assert!(error.contains("has a with another configuration"), "{error}");
        assert_eq!(RunResult::read_file(&path).unwrap(), [result("a", 0.5)]);
    }

    #[test]
    fn a_damaged_file_is_an_error_that_names_the_line_and_is_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        RunResult::add_to_file(vec![result("a", 0.5)], &path).unwrap();
        let damaged = std::fs::read_to_string(&path).unwrap() + "{\"name\": \"b";
        std::fs::write(&path, &damaged).unwrap();
        let error = RunResult::add_to_file(vec![result("c", 0.5)], &path).unwrap_err().to_string();
        assert!(error.contains("runs.jsonl") && error.contains("line 2"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), damaged);
    }

    #[test]
    fn long_runs_keep_few_validation_scores_and_always_the_last() {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::create(folder.path(), Config::default()).unwrap();
        let line = |step: usize| {
            format!("{{\"step\":{step},\"split\":\"val\",\"algorithm\":\"bfs\",\"score\":0.5}}\n")
        };
        for count in [1, 50, 51, 199, 200] {
            let text: String = (0..count).map(line).collect();
            std::fs::write(run.file("metrics.jsonl"), text).unwrap();
            let [curve] = &validation_curves(&run).unwrap()[..] else { panic!("one algorithm") };
            assert!(curve.points.len() <= MAX_POINTS, "{count}: {}", curve.points.len());
            assert_eq!(curve.points.last(), Some(&(count - 1, 0.5)), "{count}");
        }
    }

    #[test]
    fn lines_about_training_and_tests_are_no_validation_scores() {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::create(folder.path(), Config::default()).unwrap();
        let lines = [
            r#"{"step":1,"split":"train","algorithm":"bfs","loss":2.5,"losses":{"output/pi":2.5}}"#,
            r#"{"step":1,"split":"val","algorithm":"bfs","loss":2.0,"score":0.5}"#,
            r#"{"step":1,"split":"test","algorithm":"bfs","score":0.25}"#,
        ];
        std::fs::write(run.file("metrics.jsonl"), lines.join("\n")).unwrap();
        let [curve] = &validation_curves(&run).unwrap()[..] else { panic!("one algorithm") };
        assert_eq!(curve.points, [(1, 0.5)]);
    }

    #[test]
    fn concurrent_additions_are_all_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        std::thread::scope(|scope| {
            for name in ["a", "b", "c", "d", "e", "f"] {
                let path = &path;
                scope.spawn(move || RunResult::add_to_file(vec![result(name, 0.5)], path).unwrap());
            }
        });
        assert_eq!(RunResult::read_file(&path).unwrap().len(), 6);
    }

    #[test]
    fn results_are_told_apart_by_what_their_version_computed() {
        use Agreement::{None, Same, UpToRounding};

        let softmax = Config { aggregator: Aggregation::Softmax, ..Config::default() };
        for (version, with_max, with_softmax) in
            [("0.1.0", Same, UpToRounding), ("0.3.0", Same, Same), ("0.0.9", None, None)]
        {
            for (config, expected) in
                [(Config::default(), with_max), (softmax.clone(), with_softmax)]
            {
                let run = RunResult { version: version.to_owned(), config, ..result("a", 0.5) };
                assert_eq!(run.agreement(), expected, "{version}");
            }
        }
    }
}
