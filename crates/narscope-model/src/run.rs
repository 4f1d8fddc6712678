//! Runs: folders with a configuration, checkpoints and scores; training resumes at any moment.
//!
//! ```text
//! config.toml           everything, defaults included, and the version that wrote it
//! metrics.jsonl         a line per validation and algorithm, and the test scores at the end
//! events.out.tfevents.* the same for TensorBoard
//! best.safetensors      the checkpoint with the best validation score
//! last.safetensors      the newest checkpoint
//! testing.json          progress of the test, while it runs
//! test.json             the test scores, once training is over
//! ```

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use narscope_clrs::split::Split;
use narscope_files::atomic::{self, Existing};
use narscope_files::events::Events;
use narscope_net::config::Config;
use narscope_net::evaluation::{EvaluateOptions, Evaluation, Evaluator};
use narscope_net::model::progress_batch;
use narscope_net::weights::Weights;
use serde::{Deserialize, Serialize};

use crate::checkpoint::{Checkpoint, Progress};
use crate::engines::{self, network_parameters};
use crate::test_progress::{BETWEEN_SAVES, TestProgress};
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

/// A line of `metrics.jsonl`.
#[derive(Serialize)]
struct Line<'a> {
    step: usize,
    split: &'static str,
    algorithm: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<f64>,
    examples_seen: usize,
    #[serde(flatten)]
    scores: Scores<'a>,
}

#[derive(Serialize)]
struct Scores<'a> {
    score: f64,
    exact: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid: Option<f64>,
    outputs: std::collections::BTreeMap<&'a str, f64>,
}

impl<'a> Scores<'a> {
    fn of(evaluation: &'a Evaluation) -> Self {
        let outputs = evaluation.outputs.iter();
        Self {
            score: evaluation.score,
            exact: evaluation.exact,
            valid: evaluation.valid.map(|valid| valid.score),
            outputs: outputs.map(|output| (output.probe.as_str(), output.score)).collect(),
        }
    }
}

impl Run {
    /// A new run in a folder without one.
    pub fn create(path: &Path, config: Config) -> Result<Self> {
        let run = Self::prepare(path, config)?;
        // Another process may create a run here at the same moment: its configuration stays.
        run.put_config(Existing::Keep)?;
        Ok(run)
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

    fn error(&self, what: &str) -> Error {
        Error::Run { what: what.to_owned(), path: self.path.clone() }
    }

    /// One of its checkpoints.
    pub fn checkpoint(&self, which: Which) -> Result<Checkpoint> {
        let path = self.file(which.file());
        Checkpoint::read(&path, network_parameters(&self.config)?)
    }

    /// A new run whose best and last checkpoint have the given weights.
    pub fn install(path: &Path, config: Config, weights: Weights) -> Result<Self> {
        let run = Self::prepare(path, config)?;
        let mut trainer = Trainer::new(&run.config)?;
        trainer.weights = weights;
        let checkpoint = trainer.checkpoint();
        checkpoint.write(&run.file(Which::Best.file()))?;
        checkpoint.write(&run.file(Which::Last.file()))?;
        run.write_config()?;
        Ok(run)
    }

    /// Exports a run to a new folder: configuration, weights and test scores, without what only
    /// training needs.
    pub fn export(&self, which: Which, to: &Path) -> Result<()> {
        let slim = self.checkpoint(which)?.without_training();
        let exported = Self::prepare(to, self.config.clone())?;
        slim.write(&exported.file(Which::Best.file()))?;
        let tested = self.file("test.json");
        // Only the best weights were tested.
        if which == Which::Best
            && let Ok(text) = std::fs::read(&tested)
        {
            let copy = exported.file("test.json");
            atomic::write(&copy, Existing::Replace, |file| file.write_all(&text))?;
        }
        exported.write_config()
    }

    /// The newest intact checkpoint, if there is one, and whether the best one is intact.
    fn newest(&self, observer: &mut dyn Observer) -> Result<Option<(Checkpoint, bool)>> {
        let mut newest: Option<Checkpoint> = None;
        let mut best_is_intact = false;
        let mut damaged = vec![];
        for which in [Which::Last, Which::Best] {
            if !self.file(which.file()).exists() {
                continue;
            }
            match self.checkpoint(which) {
                Ok(checkpoint) => {
                    best_is_intact |= which == Which::Best;
                    let step = checkpoint.progress.step;
                    if newest.as_ref().is_none_or(|newest| step > newest.progress.step) {
                        newest = Some(checkpoint);
                    }
                }
                Err(error @ Error::Checkpoint { .. }) => damaged.push(error),
                Err(error) => return Err(error),
            }
        }
        match (&newest, damaged.pop()) {
            (None, Some(error)) => return Err(error),
            (Some(newest), Some(error)) => {
                let step = newest.progress.step;
                observer.notice(&format!(
                    "{error}; continuing from the newest intact checkpoint, step {step}"
                ));
            }
            (_, None) => {}
        }
        Ok(newest.map(|newest| (newest, best_is_intact)))
    }

    /// Trains from the last checkpoint to the end, or until the observer stops it.
    pub fn train(&self, observer: &mut dyn Observer) -> Result<Outcome> {
        self.train_locked(&self.lock()?, observer)
    }

    /// Like [`train`](Self::train), under a lock that the caller holds.
    pub fn train_locked(&self, _lock: &Lock, observer: &mut dyn Observer) -> Result<Outcome> {
        // Temporary files of a process that was killed while writing.
        atomic::remove_stale(&self.path)?;
        let mut trainer = Trainer::new(&self.config)?;
        if let Some((checkpoint, best_is_intact)) = self.newest(observer)? {
            if !checkpoint.has_training() {
                let what = "this run has only its weights: it can predict, but its training cannot continue";
                return Err(self.error(what));
            }
            trainer.restore(checkpoint).map_err(|generator| {
                self.error(&format!("the checkpoint lacks the generator {generator}"))
            })?;
            if !best_is_intact {
                trainer.progress.best = None;
            }
        }
        if !trainer.is_done() {
            // Test scores belong to weights that may not stay the best.
            atomic::remove(&self.file("test.json"))?;
            atomic::remove(&self.file("testing.json"))?;
        }
        let mut metrics = self.metrics_up_to(trainer.progress.step)?;
        let mut events = Events::create(&self.path, trainer.progress.step as u64)?;
        let mut saved = Instant::now();
        while !trainer.is_done() {
            if observer.wants_to_stop() {
                trainer.checkpoint().write(&self.file(Which::Last.file()))?;
                return Ok(Outcome::Interrupted(trainer.progress.step));
            }
            let loss = trainer.step()?;
            if trainer.validation_is_due() {
                let is_best = self.validate(&mut trainer, &mut metrics, &mut events, observer)?;
                if is_best {
                    trainer.checkpoint().write(&self.file(Which::Best.file()))?;
                }
            }
            if saved.elapsed() >= BETWEEN_SAVES {
                trainer.checkpoint().write(&self.file(Which::Last.file()))?;
                saved = Instant::now();
            }
            observer.stepped(&trainer.progress, loss);
        }
        trainer.checkpoint().write(&self.file(Which::Last.file()))?;
        let step = trainer.progress.step;
        let tested = self.test(&mut metrics, &mut events, &trainer.progress, observer)?;
        Ok(tested.map_or(Outcome::Interrupted(step), Outcome::Done))
    }

    /// Validates, writes the scores, and returns whether they are the best so far.
    fn validate(
        &self,
        trainer: &mut Trainer,
        metrics: &mut File,
        events: &mut Events,
        observer: &mut dyn Observer,
    ) -> Result<bool> {
        let evaluations = trainer.validate()?;
        let step = trainer.progress.step;
        let score: f64 = evaluations.iter().map(|evaluation| evaluation.score).sum();
        let is_best = trainer.progress.best.is_none_or(|(best, _)| score > best);
        if is_best {
            trainer.progress.best = Some((score, step));
            trainer.progress.stale = 0;
        } else {
            trainer.progress.stale += 1;
        }
        for (evaluation, losses) in evaluations.iter().zip(&mut trainer.progress.losses) {
            let (sum, count) = std::mem::take(losses);
            let loss = sum / count as f64;
            let name = &evaluation.algorithm;
            let line = Line {
                step,
                split: "val",
                algorithm: name,
                loss: Some(loss),
                examples_seen: step * self.config.batch_size,
                scores: Scores::of(evaluation),
            };
            self.append(metrics, &line)?;
            events.scalar(&format!("train/{name}/loss"), step as u64, loss as f32)?;
            events.scalar(&format!("val/{name}/score"), step as u64, evaluation.score as f32)?;
            events.scalar(&format!("val/{name}/exact"), step as u64, evaluation.exact as f32)?;
        }
        events.flush()?;
        observer.validated(step, &evaluations, is_best);
        Ok(is_best)
    }

    /// Scores the best weights on the remaining test samples of the benchmark. Returns `None` if the
    /// observer stops it.
    fn test(
        &self,
        metrics: &mut File,
        events: &mut Events,
        progress: &Progress,
        observer: &mut dyn Observer,
    ) -> Result<Option<Vec<Evaluation>>> {
        let best = self.checkpoint(Which::Best).map_err(|error| Error::NoBest {
            reason: error.to_string(),
            path: self.path.clone(),
        })?;
        let mut test = TestProgress::open(&self.file("testing.json"), &best.weights);
        let model = engines::model(&self.config, best.weights)?;
        let mut evaluations = vec![];
        for task in model.tasks() {
            let traces = task.benchmark(Split::Test)?;
            let (name, all) = (task.spec().entry.name, traces.len());
            let mut evaluator = Evaluator::new(task.spec(), EvaluateOptions::default());
            let counted = test.counted(task.index());
            let done = counted.map_or(0, |counted| evaluator.resume(counted));
            observer.tested(name, done, all);
            let mut goes_on = |evaluator: &Evaluator<'_>| -> Result<bool> {
                let counted = evaluator.counted();
                test.count(task.index(), counted)?;
                observer.tested(name, counted.samples, all);
                Ok(!observer.wants_to_stop())
            };
            let left = traces.select(&(done..all).collect::<Vec<_>>());
            let at_once = progress_batch();
            if !left.is_empty()
                && !task.evaluate_into(&mut evaluator, &left, at_once, &mut goes_on)?
            {
                test.save()?;
                return Ok(None);
            }
            let evaluation = evaluator.finish();
            let line = Line {
                step: progress.step,
                split: "test",
                algorithm: &evaluation.algorithm,
                loss: None,
                examples_seen: progress.step * self.config.batch_size,
                scores: Scores::of(&evaluation),
            };
            self.append(metrics, &line)?;
            let tag = format!("test/{}/score", evaluation.algorithm);
            events.scalar(&tag, progress.step as u64, evaluation.score as f32)?;
            evaluations.push(evaluation);
        }
        events.flush()?;
        let text = serde_json::to_string_pretty(&evaluations).expect("scores are JSON");
        atomic::write(&self.file("test.json"), Existing::Replace, |file| writeln!(file, "{text}"))?;
        test.finish()?;
        Ok(Some(evaluations))
    }

    fn append(&self, metrics: &mut File, line: &Line<'_>) -> Result<()> {
        let line = serde_json::to_string(line).expect("scores are JSON");
        writeln!(metrics, "{line}").map_err(|error| {
            let path = self.file("metrics.jsonl");
            Error::Run { what: format!("metrics cannot be written ({error})"), path }
        })
    }

    /// Opens the metrics, without lines that a killed process wrote after its last checkpoint.
    fn metrics_up_to(&self, step: usize) -> Result<File> {
        #[derive(Deserialize)]
        struct Old {
            step: usize,
            split: String,
        }
        let path = self.file("metrics.jsonl");
        let fail = |error: std::io::Error| Error::Run {
            what: format!("metrics cannot be opened ({error})"),
            path: path.clone(),
        };
        if path.exists() {
            let lines = BufReader::new(File::open(&path).map_err(fail)?).lines();
            let lines = lines.collect::<Result<Vec<_>, _>>().map_err(fail)?;
            let kept = lines.iter().filter(|line| {
                let old = serde_json::from_str::<Old>(line);
                old.is_ok_and(|old| old.step <= step && old.split != "test")
            });
            let kept: String = kept.flat_map(|line| [line, "\n"]).collect();
            atomic::write(&path, Existing::Replace, |file| file.write_all(kept.as_bytes()))?;
        }
        OpenOptions::new().create(true).append(true).open(&path).map_err(fail)
    }

    /// Locks the run, so that no other process trains it.
    pub fn lock(&self) -> Result<Lock> {
        let path = self.file(".lock");
        let cannot =
            |error: std::io::Error| self.error(&format!("the run cannot be locked ({error})"));
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path);
        let file = file.map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock(file)),
            Err(std::fs::TryLockError::WouldBlock) => Err(Error::Busy { path: self.path.clone() }),
            Err(std::fs::TryLockError::Error(error)) => Err(cannot(error)),
        }
    }
}
