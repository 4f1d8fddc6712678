//! Scores of runs, wherever they are.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use narscope_model::run::Run;
use serde::Deserialize;

use super::Score;
use crate::paper::variant;
use crate::{Error, Result};

/// Scores, and where each came from.
#[derive(Debug, Default)]
pub struct Found {
    /// All scores.
    pub scores: Vec<Score>,
    origins: BTreeMap<[String; 4], PathBuf>,
}

/// What is wrong with a file or a folder.
fn wrong(what: &str, path: &Path, why: &dyn Display) -> Error {
    Error::Scores(format!("{what} {}: {why}", path.display()))
}

impl Found {
    /// Adds the scores of a `.csv` file, or of all runs in a folder, however deep. `processor` is
    /// that of files which do not say.
    pub fn read(&mut self, path: &Path, processor: &str) -> Result<()> {
        if path.extension().is_some_and(|ending| ending == "csv") {
            self.read_csv(path, processor)
        } else if path.is_dir() {
            self.search(path)
        } else {
            Err(Error::Scores(format!(
                "a folder of runs or a .csv file is needed, got {}",
                path.display()
            )))
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

    fn read_run(&mut self, folder: &Path) -> Result<()> {
        #[derive(Deserialize)]
        struct Tested {
            algorithm: String,
            score: f64,
        }
        let file = folder.join("test.json");
        if !file.is_file() {
            return Ok(());
        }
        let config = Run::open(folder)?.config;
        let text =
            std::fs::read_to_string(&file).map_err(|error| wrong("cannot read", &file, &error))?;
        let tested: Vec<Tested> = serde_json::from_str(&text)
            .map_err(|error| wrong("wanted test scores in", &file, &error))?;
        let processor = config.processor_type.clone();
        let variant = variant(&config);
        let variant = variant.strip_prefix(&processor).unwrap_or(&variant);
        let variant = variant.trim_start_matches(" + ").to_owned();
        for Tested { algorithm, score } in tested {
            let (processor, variant) = (processor.clone(), variant.clone());
            let score = Score { algorithm, processor, variant, seed: config.seed, score };
            self.add(score, folder)?;
        }
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
                score: line.test_score,
            };
            self.add(score, path)?;
        }
        Ok(())
    }
}
