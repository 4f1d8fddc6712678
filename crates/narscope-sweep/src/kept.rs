//! What is kept of runs that are done: a line of JSON each, small enough for a repository.
//!
//! Weights, checkpoints and logs stay where they were made. A sweep that names such a file counts the
//! runs in it as done, on whatever machine.

use std::io::Write as _;
use std::path::Path;

use narscope_files::alone;
use narscope_files::whole::{self, Existing};
use narscope_model::config::Config;
use narscope_model::run::Run;
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// How many validations of a run are kept at most.
const MOST_POINTS: usize = 50;

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Its folder, inside the sweep's.
    pub name: String,
    /// The version that began it.
    pub version: String,
    /// What it did.
    pub config: Config,
    /// How it did on the test samples, by algorithm.
    pub test: Vec<Tested>,
    /// How it came there, by algorithm.
    pub validation: Vec<Curve>,
}

/// The test score of an algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    /// The algorithm.
    pub algorithm: String,
    /// Its score.
    pub score: f64,
    /// Whatever else the run wrote down.
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

/// Validation scores of an algorithm while a network learns it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The algorithm.
    pub algorithm: String,
    /// Steps and scores.
    pub points: Vec<(usize, f64)>,
}

/// A file or a part of one that is not what it should be.
fn wrong(path: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::Results { path: path.to_owned(), why: why.to_string() }
}

/// The same of a line of JSON, which is one of many.
fn broken(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let what = said.split(" at line ").next().unwrap_or(&said);
    format!("column {}: {what}", error.column())
}

/// The same of a file that its run can make again.
fn spoilt(path: &Path, why: &dyn std::fmt::Display) -> Error {
    wrong(path, &format!("{why}; take the run up again, and it will be written anew"))
}

impl Kept {
    /// What there is to keep of the run in a folder; nothing if it has no test scores.
    pub fn of(folder: &Path, name: &str) -> Result<Option<Self>> {
        #[derive(Deserialize)]
        struct Written {
            version: String,
        }
        let file = folder.join("test.json");
        if !file.is_file() {
            return Ok(None);
        }
        let run = Run::open(folder)?;
        let text = read(&file)?;
        let test = serde_json::from_str(&text).map_err(|error| spoilt(&file, &error))?;
        let written: Option<Written> = toml::from_str(&read(&run.file("config.toml"))?).ok();
        Ok(Some(Self {
            name: name.to_owned(),
            version: written.map_or(String::new(), |written| written.version),
            validation: curves(&run)?,
            config: run.config,
            test,
        }))
    }

    /// All of a file.
    pub fn read(path: &Path) -> Result<Vec<Self>> {
        let text = read(path)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines
            .map(|(place, line)| {
                let odd = |what: &str| wrong(path, &format!("line {}, {what}", place + 1));
                let kept: Self =
                    serde_json::from_str(line).map_err(|error| odd(&broken(&error)))?;
                match kept.test.iter().find(|test| !(0.0..=1.0).contains(&test.score)) {
                    Some(test) => {
                        Err(odd(&format!("a score should be from 0 to 1, found {}", test.score)))
                    }
                    None => Ok(kept),
                }
            })
            .collect()
    }

    /// Adds runs to a file, in place of those of the same names, and returns how many it has now. They
    /// stand in the order of their names, so that a file says little more after a run more. Runs with
    /// another configuration are nothing to replace.
    pub fn add(new: Vec<Self>, path: &Path) -> Result<usize> {
        let folder = whole::folder_of(path);
        std::fs::create_dir_all(folder).map_err(Error::io("make the folder", folder))?;
        // Whoever adds at the same time waits.
        let _alone = alone::wait(folder)?;
        let mut all = if path.exists() { Self::read(path)? } else { vec![] };
        let is_same = |old: &Self| new.iter().find(|run| run.name == old.name);
        let other = all.iter().find(|old| is_same(old).is_some_and(|run| run.config != old.config));
        if let Some(Self { name, .. }) = other {
            return Err(Error::OtherResults { path: path.to_owned(), name: name.clone() });
        }
        all.retain(|old| is_same(old).is_none());
        all.extend(new);
        all.sort_by(|a, b| a.name.cmp(&b.name));
        whole::write(path, Existing::Replace, |file| {
            all.iter().try_for_each(|run| {
                serde_json::to_writer(&mut *file, run)?;
                writeln!(file)
            })
        })?;
        Ok(all.len())
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(Error::io("read", path))
}

/// Validations that a run wrote down, evenly thinned.
fn curves(run: &Run) -> Result<Vec<Curve>> {
    #[derive(Deserialize)]
    struct Line {
        step: usize,
        split: String,
        algorithm: String,
        score: f64,
    }
    let file = run.file("metrics.jsonl");
    // Weights that came from elsewhere were not trained here.
    let text = if file.exists() { read(&file)? } else { String::new() };
    let mut curves: Vec<Curve> = vec![];
    for (place, line) in text.lines().enumerate() {
        let line: Line = serde_json::from_str(line).map_err(|error| {
            let advice = "without this file, the run is kept without its validations";
            wrong(&file, &format!("line {}, {}; {advice}", place + 1, broken(&error)))
        })?;
        if line.split != "val" {
            continue;
        }
        let point = (line.step, line.score);
        match curves.iter_mut().find(|curve| curve.algorithm == line.algorithm) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve { algorithm: line.algorithm, points: vec![point] }),
        }
    }
    for curve in &mut curves {
        // A power of two, so that runs of other lengths have the same points or more.
        let every = curve.points.len().div_ceil(MOST_POINTS - 1).next_power_of_two();
        let last = curve.points.len().saturating_sub(1);
        let kept = curve.points.iter().enumerate();
        let kept = kept.filter(|(place, _)| place % every == 0 || *place == last);
        curve.points = kept.map(|(_, point)| *point).collect();
    }
    Ok(curves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(name: &str, score: f64) -> Kept {
        let test = Tested { algorithm: "bfs".to_owned(), score, more: serde_json::Map::new() };
        Kept {
            name: name.to_owned(),
            version: "0".to_owned(),
            config: Config::default(),
            test: vec![test],
            validation: vec![Curve { algorithm: "bfs".to_owned(), points: vec![(1, 0.1)] }],
        }
    }

    #[test]
    fn a_run_that_is_kept_again_replaces_the_old_one_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results/runs.jsonl");
        assert_eq!(Kept::add(vec![kept("b", 0.1 + 0.2), kept("a", 0.5)], &path).unwrap(), 2);
        assert_eq!(Kept::add(vec![kept("a", 1.0 / 3.0)], &path).unwrap(), 2);
        let expected = [kept("a", 1.0 / 3.0), kept("b", 0.1 + 0.2)];
        assert_eq!(Kept::read(&path).unwrap(), expected, "bit for bit, in the order of names");
    }

    #[test]
    fn a_run_with_another_configuration_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        Kept::add(vec![kept("a", 0.5)], &path).unwrap();
        let mut other = kept("a", 0.25);
        other.config.train_steps += 1;
        let error = Kept::add(vec![other], &path).unwrap_err().to_string();
        assert!(error.contains("has a with another configuration"), "{error}");
        assert_eq!(Kept::read(&path).unwrap(), [kept("a", 0.5)]);
    }

    #[test]
    fn a_damaged_file_is_refused_with_its_line_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        Kept::add(vec![kept("a", 0.5)], &path).unwrap();
        let damaged = std::fs::read_to_string(&path).unwrap() + "{\"name\": \"b";
        std::fs::write(&path, &damaged).unwrap();
        let error = Kept::add(vec![kept("c", 0.5)], &path).unwrap_err().to_string();
        assert!(error.contains("runs.jsonl") && error.contains("line 2"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), damaged);
    }

    #[test]
    fn long_trainings_keep_few_validations_and_always_the_last() {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::create(folder.path(), Config::default()).unwrap();
        let line = |step: usize| {
            format!("{{\"step\":{step},\"split\":\"val\",\"algorithm\":\"bfs\",\"score\":0.5}}\n")
        };
        for count in [1, 50, 51, 199, 200] {
            let text: String = (0..count).map(line).collect();
            std::fs::write(run.file("metrics.jsonl"), text).unwrap();
            let [curve] = &curves(&run).unwrap()[..] else { panic!("one algorithm") };
            assert!(curve.points.len() <= MOST_POINTS, "{count}: {}", curve.points.len());
            assert_eq!(curve.points.last(), Some(&(count - 1, 0.5)), "{count}");
        }
    }

    #[test]
    fn runs_that_are_kept_at_the_same_time_are_all_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        std::thread::scope(|scope| {
            for name in ["a", "b", "c", "d", "e", "f"] {
                let path = &path;
                scope.spawn(move || Kept::add(vec![kept(name, 0.5)], path).unwrap());
            }
        });
        assert_eq!(Kept::read(&path).unwrap().len(), 6);
    }
}
