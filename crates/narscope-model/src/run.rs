//! Runs: folders that explain themselves and can be left and taken up at any moment.
//!
//! ```text
//! config.toml           everything, defaults included, and the version that wrote it
//! metrics.jsonl         a line per validation and algorithm, and the test scores at the end
//! events.out.tfevents.* the same for TensorBoard
//! best.safetensors      the checkpoint with the best validation score
//! last.safetensors      the newest checkpoint
//! testing.json          how far the test is, while it goes on
//! test.json             the test scores, once training is over
//! ```

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use burn_tensor::Device;
use narscope_clrs::split::Split;
use narscope_files::events::Events;
use narscope_files::whole::{self, Existing};
use serde::{Deserialize, Serialize};

use crate::checkpoint::{Checkpoint, Progress};
use crate::config::{Config, Draft};
use crate::data::benchmark;
use crate::evaluate::{Counted, Evaluation, Evaluator, Wanted, few};
use crate::net::{Net, Spec, Use};
use crate::testing::Testing;
use crate::train::{Trainer, specs};
use crate::weights::Weights;
use crate::{Error, Result};

/// How long training or a test may go on before it is written down how far it is.
pub(crate) const BETWEEN_SAVES: Duration = Duration::from_secs(10);

/// A folder with a configuration in it.
#[derive(Debug)]
pub struct Run {
    /// The folder.
    pub path: PathBuf,
    /// What the run does.
    pub config: Config,
}

/// One of the checkpoints of a run.
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

/// Looks on while a run goes on.
pub trait Observer {
    /// A step is done.
    fn stepped(&mut self, progress: &Progress, loss: f64);
    /// A validation is done.
    fn validated(&mut self, step: usize, evaluations: &[Evaluation], is_best: bool);
    /// Training is over, and so many test samples of an algorithm are done. At first, these are those of an
    /// earlier attempt.
    fn tested(&mut self, algorithm: &str, samples: usize, of: usize);
    /// Something that the user wants to know.
    fn notice(&mut self, message: &str);
    /// Whether the user wants to stop.
    fn wants_to_stop(&mut self) -> bool;
}

/// Who has it is the only one that trains a run.
#[derive(Debug)]
pub struct Lock(
    #[expect(dead_code, reason = "the system unlocks the file when it is closed")] File,
);

/// How training ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It is over; these are the test scores.
    Done(Vec<Evaluation>),
    /// It was interrupted after so many steps, and can be taken up.
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
    /// A new run in a folder that has none.
    pub fn create(path: &Path, config: Config) -> Result<Self> {
        let run = Self::prepare(path, config)?;
        // Somebody else may be beginning one at this moment: theirs stays.
        run.put_config(Existing::Keep)?;
        Ok(run)
    }

    /// A folder for a run, which is none before its configuration is written.
    fn prepare(path: &Path, config: Config) -> Result<Self> {
        config.check()?;
        let run = Self { path: path.to_owned(), config };
        if run.file("config.toml").exists() {
            let what = "there is a run in this folder already: choose another --out, or take it up with `narscope train --resume`";
            return Err(run.wrong(what));
        }
        if [Which::Best, Which::Last].iter().any(|which| run.file(which.file()).exists()) {
            let what = "there are checkpoints in this folder, and no config.toml says of what: move them away, or choose another place";
            return Err(run.wrong(what));
        }
        std::fs::create_dir_all(path).map_err(|error| {
            run.wrong(&format!("the folder of the run cannot be made ({error})"))
        })?;
        Ok(run)
    }

    /// The run in a folder.
    pub fn open(path: &Path) -> Result<Self> {
        let file = path.join("config.toml");
        if !file.is_file() {
            let what = "there is no run in this folder (no config.toml)".to_owned();
            return Err(Error::Run { what, path: path.to_owned() });
        }
        let config = Draft::read(&file)?
            .finish()
            .map_err(|error| Error::ConfigFile { message: error.to_string(), path: file })?;
        Ok(Self { path: path.to_owned(), config })
    }

    /// Writes the configuration, in place of an old one.
    pub fn write_config(&self) -> Result<()> {
        self.put_config(Existing::Replace)
    }

    fn put_config(&self, existing: Existing) -> Result<()> {
        let text = self.config.to_toml();
        let path = self.file("config.toml");
        whole::write(&path, existing, |file| file.write_all(text.as_bytes()))?;
        Ok(())
    }

    /// The path of one of its files.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn wrong(&self, what: &str) -> Error {
        Error::Run { what: what.to_owned(), path: self.path.clone() }
    }

    /// What its network was made for.
    pub fn specs(&self) -> Result<Vec<Spec>> {
        specs(&self.config)
    }

    /// One of its checkpoints.
    pub fn checkpoint(&self, which: Which) -> Result<Checkpoint> {
        let path = self.file(which.file());
        Checkpoint::read(&path, Net::parameters(&self.config, &self.specs()?))
    }

    /// A new run with weights that were made elsewhere as both checkpoints.
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

    /// Makes a folder with the configuration, weights and test scores, and nothing that only
    /// training needs.
    pub fn export(&self, which: Which, to: &Path) -> Result<()> {
        let slim = self.checkpoint(which)?.without_training();
        let exported = Self::prepare(to, self.config.clone())?;
        slim.write(&exported.file(Which::Best.file()))?;
        let tested = self.file("test.json");
        // The best weights were tested, and no others.
        if which == Which::Best
            && let Ok(text) = std::fs::read(&tested)
        {
            let copy = exported.file("test.json");
            whole::write(&copy, Existing::Replace, |file| file.write_all(&text))?;
        }
        exported.write_config()
    }

    /// The newest whole checkpoint, if there is any, and whether the best is whole.
    fn newest(&self, observer: &mut dyn Observer) -> Result<Option<(Checkpoint, bool)>> {
        let mut newest: Option<Checkpoint> = None;
        let mut best_is_whole = false;
        let mut damaged = vec![];
        for which in [Which::Last, Which::Best] {
            if !self.file(which.file()).exists() {
                continue;
            }
            match self.checkpoint(which) {
                Ok(checkpoint) => {
                    best_is_whole |= which == Which::Best;
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
                    "{error}; going on from the newest whole checkpoint, step {step}"
                ));
            }
            (_, None) => {}
        }
        Ok(newest.map(|newest| (newest, best_is_whole)))
    }

    /// Trains from where the run stands to its end, or until it is told to stop.
    pub fn train(&self, observer: &mut dyn Observer) -> Result<Outcome> {
        self.train_alone(&self.lock()?, observer)
    }

    /// The same, for who has more to do before the run is anybody's again.
    pub fn train_alone(&self, _alone: &Lock, observer: &mut dyn Observer) -> Result<Outcome> {
        // What a process left that was killed while it wrote.
        whole::sweep(&self.path)?;
        let mut trainer = Trainer::new(&self.config)?;
        if let Some((checkpoint, best_is_whole)) = self.newest(observer)? {
            if !checkpoint.has_training() {
                let what = "this run has nothing but its weights: it can be used, but its training cannot go on";
                return Err(self.wrong(what));
            }
            trainer.restore(checkpoint).map_err(|generator| {
                self.wrong(&format!("the checkpoint has no generator {generator}"))
            })?;
            if !best_is_whole {
                trainer.progress.best = None;
            }
        }
        if !trainer.is_done() {
            // Scores of a test are of weights that will not be the best for long.
            whole::remove(&self.file("test.json"))?;
            whole::remove(&self.file("testing.json"))?;
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

    /// Validates, writes down what came out, and says whether it is the best so far.
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

    /// Scores the best weights on the benchmark's test samples that are left, unless it is told to stop.
    fn test(
        &self,
        metrics: &mut File,
        events: &mut Events,
        progress: &Progress,
        observer: &mut dyn Observer,
    ) -> Result<Option<Vec<Evaluation>>> {
        let specs = self.specs()?;
        let best = self.checkpoint(Which::Best).map_err(|error| {
            self.wrong(&format!(
                "{error}; training is over, so there will be no other best: its last weights are there \
                 for `--checkpoint last`, or train again with another --out"
            ))
        })?;
        let net = Net::bind(&self.config, &specs, &best.weights, &Device::flex(), Use::Predict);
        let mut testing = Testing::open(&self.file("testing.json"), &best.weights);
        let mut evaluations = vec![];
        for (task, spec) in specs.iter().enumerate() {
            let traces = benchmark(spec, Split::Test, &self.config)?;
            let (name, all) = (spec.entry.name, traces.len());
            let mut evaluator = Evaluator::new(spec, Wanted::default());
            let done = testing.counted(task).map_or(0, |counted| evaluator.take_up(counted));
            observer.tested(name, done, all);
            let mut goes_on = |counted: &Counted| {
                testing.count(task, counted)?;
                observer.tested(name, counted.samples, all);
                Ok(!observer.wants_to_stop())
            };
            let left = traces.select(&(done..all).collect::<Vec<_>>());
            let network = (&net, task, &self.config);
            if !left.is_empty() && !evaluator.add_all(network, &left, few(), &mut goes_on)? {
                testing.save()?;
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
        whole::write(&self.file("test.json"), Existing::Replace, |file| writeln!(file, "{text}"))?;
        testing.finish()?;
        Ok(Some(evaluations))
    }

    fn append(&self, metrics: &mut File, line: &Line<'_>) -> Result<()> {
        let line = serde_json::to_string(line).expect("scores are JSON");
        writeln!(metrics, "{line}").map_err(|error| {
            let path = self.file("metrics.jsonl");
            Error::Run { what: format!("metrics cannot be written ({error})"), path }
        })
    }

    /// Opens the metrics, without what a run that was killed wrote after its last checkpoint.
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
            whole::write(&path, Existing::Replace, |file| file.write_all(kept.as_bytes()))?;
        }
        OpenOptions::new().create(true).append(true).open(&path).map_err(fail)
    }

    /// Keeps other processes from training in the same folder, for as long as the lock is held.
    pub fn lock(&self) -> Result<Lock> {
        let path = self.file(".lock");
        let cannot =
            |error: std::io::Error| self.wrong(&format!("the run cannot be locked ({error})"));
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path);
        let file = file.map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock(file)),
            Err(std::fs::TryLockError::WouldBlock) => Err(Error::Busy { path: self.path.clone() }),
            Err(std::fs::TryLockError::Error(error)) => Err(cannot(error)),
        }
    }
}
