//! Scores of runs, wherever they are.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use narscope_model::config::Config;
use narscope_sweep::kept::{Curve, Kept};
use serde::Deserialize;

use super::Score;
use crate::paper::variant;
use crate::{Error, Result};

/// Scores, and where each came from.
#[derive(Debug, Default)]
pub struct Found {
    /// All scores.
    pub scores: Vec<Score>,
    /// How they came about, as far as that is known.
    pub learned: Vec<Learned>,
    origins: BTreeMap<[String; 4], PathBuf>,
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

/// What is wrong with a file or a folder.
fn wrong(what: &str, path: &Path, why: &dyn Display) -> Error {
    Error::Scores(format!("{what} {}: {why}", path.display()))
}

impl Found {
    /// Adds the scores of all runs in a folder, however deep, of those that were kept in a `.jsonl` file,
    /// or of a `.csv` file. `processor` is that of `.csv` files which do not say.
    pub fn read(&mut self, path: &Path, processor: &str) -> Result<()> {
        let ending = path.extension().and_then(|ending| ending.to_str());
        match ending {
            _ if path.is_dir() => self.search(path),
            Some("csv") => self.read_csv(path, processor),
            Some("jsonl") => {
                let runs = Kept::read(path)?;
                runs.into_iter().try_for_each(|run| self.add_run(run, path))
            }
            _ => Err(Error::Scores(format!(
                "a folder of runs, a .jsonl file of `narscope sweep collect` or a .csv file is needed, got {}",
                path.display()
            ))),
        }
    }

    /// Adds a score that nobody has brought yet.
    fn add(&mut self, score: Score, origin: &Path) -> Result<()> {
        let Score { algorithm, processor, variant, seed, .. } = &score;
        let key = [algorithm.clone(), processor.clone(), variant.clone(), seed.to_string()];
        if let Some(first) = self.origins.insert(key, origin.to_owned()) {
            let what =
                format!("{algorithm}, {processor} {variant}, seed {seed}").replace(" ,", ",");
            return Err(Error::Scores(format!(
                "{what} is there twice, in {} and in {}: ask for one of them",
                first.display(),
                origin.display()
            )));
        }
        self.scores.push(score);
        Ok(())
    }

    /// All runs in a folder and in those inside it.
    fn search(&mut self, folder: &Path) -> Result<()> {
        if folder.join("config.toml").is_file() {
            return self.read_run(folder);
        }
        let cannot = |error: std::io::Error| wrong("cannot read the folder", folder, &error);
        let mut inside = vec![];
        for entry in std::fs::read_dir(folder).map_err(cannot)? {
            inside.push(entry.map_err(cannot)?.path());
        }
        inside.sort();
        inside.iter().filter(|path| path.is_dir()).try_for_each(|path| self.search(path))
    }

    /// Adds a run, unless it is not done.
    fn read_run(&mut self, folder: &Path) -> Result<()> {
        Kept::of(folder, "")?.map_or(Ok(()), |run| self.add_run(run, folder))
    }

    fn add_run(&mut self, run: Kept, origin: &Path) -> Result<()> {
        let (processor, variant) = kind(&run.config);
        for tested in run.test {
            let score = Score {
                algorithm: tested.algorithm,
                processor: processor.clone(),
                variant: variant.clone(),
                seed: run.config.seed,
                steps: Some(run.config.train_steps),
                score: tested.score,
            };
            self.add(score, origin)?;
        }
        let learned = run.validation.into_iter().map(|curve| Learned {
            processor: processor.clone(),
            variant: variant.clone(),
            curve,
        });
        self.learned.extend(learned);
        Ok(())
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
        for line in reader.deserialize() {
            let line: Line = line.map_err(cannot)?;
            let softmax = line.softmax.is_some_and(|it| it.eq_ignore_ascii_case("true"));
            let decay = line.decay.is_some_and(|decay| decay != 1.0);
            let parts = [(softmax, "softmax"), (decay, "decay")];
            let parts: Vec<&str> =
                parts.iter().filter(|(is_so, _)| *is_so).map(|(_, name)| *name).collect();
            let score = Score {
                algorithm: line.algorithm,
                processor: line.processor.unwrap_or_else(|| processor.to_owned()),
                variant: parts.join(" + "),
                seed: line.seed,
                steps: line.train_steps,
                score: line.test_score,
            };
            self.add(score, path)?;
        }
        Ok(())
    }
}

/// The processor of a network, and what differs from it as it is.
fn kind(config: &Config) -> (String, String) {
    let processor = config.processor_type.clone();
    let variant = variant(config);
    let variant = variant.strip_prefix(&processor).unwrap_or(&variant);
    let variant = variant.trim_start_matches(" + ").to_owned();
    (processor, variant)
}
