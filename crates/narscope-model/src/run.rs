//! Runs: folders with a configuration, checkpoints and scores; training resumes at any moment.
//!
//! ```text
//! config.toml           everything, defaults included, and the version that wrote it
//! metrics.jsonl         losses, speed and scores: a line per step, split and algorithm
//! events.out.tfevents.* the same for TensorBoard
//! run.json              with what, where and when it was trained
//! best.safetensors      the checkpoint with the best validation score
//! last.safetensors      the newest checkpoint
//! testing.json          progress of the test, while it runs
//! test.json             the test scores, once training is over
//! ```

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use narscope_files::atomic::{self, Existing};
use narscope_files::own_file;
use narscope_net::config::{Config, Draft};
use narscope_net::evaluation::Evaluation;
use narscope_net::weights::Weights;
use serde::{Deserialize, Serialize};

use crate::checkpoint::{Checkpoint, Progress};
use crate::engines::network_parameters;
pub use crate::run_log::RunInfo;
use crate::train::Trainer;
use crate::{Error, Result, config_file};

/// A run folder.
#[derive(Debug)]
pub struct Run {
    /// The folder.
    pub path: PathBuf,
    /// The configuration of the run.
    pub config: Config,
}

/// Choice of a checkpoint of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// The one with the best validation score.
    #[default]
    Best,
    /// The newest.
    Last,
}

impl Which {
    /// The name of its file.
    pub fn file(self) -> &'static str {
        match self {
            Self::Best => "best.safetensors",
            Self::Last => "last.safetensors",
        }
    }
}

/// Observes a run while it trains and tests.
pub trait Observer {
    /// What `run.json` is to tell about this program.
    fn info(&self) -> RunInfo {
        RunInfo::default()
    }
    /// Called once, before the first step after `step`.
    fn started(&mut self, step: usize) {
        let _ = step;
    }
    /// Called after a training step.
    fn stepped(&mut self, progress: &Progress, loss: f64);
    /// Called after a validation.
    fn validated(&mut self, step: usize, evaluations: &[Evaluation], is_best: bool);
    /// Called during the test at the end: `samples` test samples of an algorithm are done. The first
    /// call counts those of an interrupted test.
    fn tested(&mut self, algorithm: &str, samples: usize, of: usize);
    /// Called with a message for the user.
    fn notice(&mut self, message: &str);
    /// Whether to save and stop.
    fn wants_to_stop(&mut self) -> bool;
}

/// Exclusive lock on a run folder; released on drop.
#[derive(Debug)]
pub struct Lock(
    #[expect(dead_code, reason = "the system unlocks the file when it is closed")] File,
);

/// How training ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Training and test are complete; these are the test scores.
    Done(Vec<Evaluation>),
    /// Interrupted after this many steps; it can be resumed.
    Interrupted(usize),
}

impl Run {
    /// A new run in a folder without one.
    pub fn create(path: &Path, config: Config) -> Result<Self> {
        let run = Self::prepare(path, config)?;
        // Another process may create a run here at the same moment: its configuration stays.
        match run.put_config(Existing::Keep) {
            Err(Error::Files(narscope_files::Error::Exists { .. })) => {
                Err(Error::RunExists { path: path.to_owned() })
            }
            put => put.map(|()| run),
        }
    }

    /// Removes a run that this process created and that has no checkpoint: its training was refused,
    /// and the corrected command may want the same folder. Other files in the folder stay.
    pub fn discard_untrained(self, lock: Lock) -> Result<()> {
        if [Which::Best, Which::Last].iter().any(|which| self.file(which.file()).exists()) {
            return Ok(());
        }
        let own = format!(".{}.", std::process::id());
        for entry in std::fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_own_events = name.starts_with("events.out.tfevents.") && name.contains(&own);
            let is_empty = || entry.metadata().is_ok_and(|file| file.len() == 0);
            let is_of_run = matches!(name.as_str(), "config.toml" | "run.json" | ".lock");
            if is_of_run || is_own_events || (name == "metrics.jsonl" && is_empty()) {
                atomic::remove(&entry.path())?;
            }
        }
        drop(lock);
        // Fails if something else is in it.
        let _ = std::fs::remove_dir(&self.path);
        Ok(())
    }

    /// A folder for a new run; it becomes a run when its configuration is written.
    fn prepare(path: &Path, config: Config) -> Result<Self> {
        config.check()?;
        let run = Self { path: path.to_owned(), config };
        if run.file("config.toml").exists() {
            return Err(Error::RunExists { path: path.to_owned() });
        }
        if [Which::Best, Which::Last].iter().any(|which| run.file(which.file()).exists()) {
            let what = "there are checkpoints in this folder, but no config.toml says of which network: move them away, or choose another folder";
            return Err(run.error(what));
        }
        std::fs::create_dir_all(path).map_err(|error| {
            run.error(&format!("the folder of the run cannot be created ({error})"))
        })?;
        Ok(run)
    }

    /// The run in a folder.
    pub fn open(path: &Path) -> Result<Self> {
        let file = path.join("config.toml");
        if !file.is_file() {
            return Err(Error::NoRun { path: path.to_owned() });
        }
        let config = config_file::read(&file)?
            .finish()
            .map_err(|error| Error::ConfigFile { message: error.to_string(), path: file })?;
        Ok(Self { path: path.to_owned(), config })
    }

    /// The run in a folder, to continue its training with changes of its configuration; also returns whether there
    /// are any. They are not written yet.
    ///
    /// # Errors
    /// If a change would concern the steps that are done.
    pub fn reopen(path: &Path, changes: Draft) -> Result<(Self, bool)> {
        const ALLOWED: [&str; 2] = ["train_steps", "early_stop"];
        let mut run = Self::open(path)?;
        if let Some(key) = changes.keys().find(|key| !ALLOWED.contains(key)) {
            return Err(Error::CannotChange { key: key.to_owned() });
        }
        let is_changed = changes.keys().next().is_some();
        if is_changed {
            let own = config_file::read(&run.file("config.toml"))?;
            run.config = own.overridden_by(changes).finish()?;
            let done = run.checkpoint(Which::Last).map_or(0, |last| last.progress.step);
            if run.config.train_steps < done {
                return Err(Error::TooFewSteps { done });
            }
        }
        Ok((run, is_changed))
    }

    /// The folder of a new run if none is named: `runs/ALGORITHMS/PROCESSOR/seed=SEED`.
    pub fn default_folder(config: &Config) -> PathBuf {
        let algorithms = match config.algorithms.as_slice() {
            [] | [_, _, _, _, _, ..] => format!("{}-algorithms", config.algorithms.len()),
            few => few.join("+"),
        };
        let seed = format!("seed={}", config.seed);
        ["runs", &algorithms, &config.processor_type, &seed].iter().collect()
    }

    /// Writes the configuration, replacing an old one.
    pub fn write_config(&self) -> Result<()> {
        self.put_config(Existing::Replace)
    }

    fn put_config(&self, existing: Existing) -> Result<()> {
        let text = self.config.to_toml();
        let path = self.file("config.toml");
        atomic::write(&path, existing, |file| file.write_all(text.as_bytes()))?;
        Ok(())
    }

    /// The path of one of its files.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn error(&self, what: &str) -> Error {
        Error::Run { what: what.to_owned(), path: self.path.clone() }
    }

    /// One of its checkpoints.
    pub fn checkpoint(&self, which: Which) -> Result<Checkpoint> {
        let path = self.file(which.file());
        Checkpoint::read(&path, network_parameters(&self.config)?)
    }

    /// A new run whose best and last checkpoint have the given weights.
    pub fn install(path: &Path, config: Config, weights: Weights) -> Result<Self> {
        config.check()?;
        let mut trainer = Trainer::new(&config)?;
        trainer.weights = weights;
        let checkpoint = trainer.checkpoint();
        Self::write_folder(path, config, |run| {
            checkpoint.write(&run.file(Which::Best.file()))?;
            checkpoint.write(&run.file(Which::Last.file()))
        })
    }

    /// A run in a new folder, whose files `fill` writes. The folder appears when all of them are in it, so that an
    /// interrupted command can be repeated.
    fn write_folder(
        path: &Path,
        config: Config,
        fill: impl FnOnce(&Self) -> Result<()>,
    ) -> Result<Self> {
        if path.join("config.toml").exists() {
            return Err(Error::RunExists { path: path.to_owned() });
        }
        let mut run = Self { path: path.to_owned(), config };
        let written = atomic::write_folder(path, |folder| {
            folder.clone_into(&mut run.path);
            fill(&run)?;
            run.write_config()
        });
        path.clone_into(&mut run.path);
        match written {
            Ok(()) => Ok(run),
            Err(Error::Files(narscope_files::Error::Exists { .. })) => {
                let what =
                    "there are other files in this folder: choose a new folder, or remove them";
                Err(run.error(what))
            }
            Err(error) => Err(error),
        }
    }

    /// Exports a run to a new folder: configuration, weights (in half precision, if `half`) and test
    /// scores, without what only training needs.
    pub fn export(&self, which: Which, half: bool, to: &Path) -> Result<()> {
        let slim = self.checkpoint(which)?.without_training();
        // Only the best weights were tested.
        let tested = std::fs::read(self.file("test.json")).ok().filter(|_| which == Which::Best);
        Self::write_folder(to, self.config.clone(), |exported| {
            let file = exported.file(Which::Best.file());
            if half {
                slim.write_half(&file)?;
            } else {
                slim.write(&file)?;
            }
            if let Some(text) = &tested {
                let copy = exported.file("test.json");
                atomic::write(&copy, Existing::Keep, |file| file.write_all(text))?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Locks the run, so that no other process trains it.
    pub fn lock(&self) -> Result<Lock> {
        let path = self.file(".lock");
        let cannot =
            |error: std::io::Error| self.error(&format!("the run cannot be locked ({error})"));
        let file = own_file::open(&path, File::options().create(true).truncate(false).write(true));
        let file = file.map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock(file)),
            Err(std::fs::TryLockError::WouldBlock) => Err(Error::Busy { path: self.path.clone() }),
            Err(std::fs::TryLockError::Error(error)) => Err(cannot(error)),
        }
    }
}
