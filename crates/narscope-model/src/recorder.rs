//! Writes what a run measures, to `metrics.jsonl` and to TensorBoard's event files.

use std::path::Path;
use std::time::{Duration, Instant};

use narscope_files::events::{Events, Setting};
use narscope_net::config::Config;
use narscope_net::engine::Losses;
use narscope_net::evaluation::Evaluation;
use serde_json::Value;

use crate::Result;
use crate::checkpoint::{Progress, UpdateSums};
use crate::metrics::{Line, Metrics, ProbeLosses, Scores, Speed, Updates};

/// Scalars that TensorBoard compares runs by: means over algorithms, so that every run has them.
const COMPARED: [&str; 4] = ["test/score", "val/score", "val/loss", "train/loss"];

/// Writer of metrics and events.
pub(crate) struct Recorder<'r> {
    config: &'r Config,
    metrics: Metrics,
    events: Events,
    /// When this process began to train.
    start: Instant,
    /// Wall time of earlier processes.
    seconds_before: f64,
    /// Updates since the last line about training, and the time that they took.
    steps: usize,
    updating: Duration,
}

impl<'r> Recorder<'r> {
    /// Opens the files of a run that continues after `step`.
    pub(crate) fn open(
        folder: &Path,
        config: &'r Config,
        step: usize,
        notice: &mut dyn FnMut(String),
    ) -> Result<Self> {
        // The last validation, after which there is a line whatever version wrote it.
        let last = step.checked_sub(1).map_or(0, |done| done - done % config.eval_every + 1);
        let metrics = Metrics::open(&folder.join("metrics.jsonl"), step, last, notice)?;
        // What was logged after `step` is discarded; what was logged at `step` stays.
        let mut events = Events::create(folder, step as u64 + 1)?;
        events.settings(&settings(config), &COMPARED)?;
        events.flush()?;
        let seconds_before = metrics.seconds;
        let start = Instant::now();
        Ok(Self {
            config,
            metrics,
            events,
            start,
            seconds_before,
            steps: 0,
            updating: Duration::ZERO,
        })
    }

    /// Counts a training step.
    pub(crate) fn stepped(&mut self, took: Duration) {
        self.steps += 1;
        self.updating += took;
    }

    /// Wall time of the run so far, to the millisecond.
    fn seconds(&self) -> f64 {
        let now = self.seconds_before + self.start.elapsed().as_secs_f64();
        (now * 1000.0).round() / 1000.0
    }

    /// Writes the means of all updates since the last call, and starts new ones.
    pub(crate) fn training(&mut self, progress: &mut Progress) -> Result<()> {
        let (step, seconds, config) = (progress.step, self.seconds(), self.config);
        let rate = self.steps as f64 / self.updating.as_secs_f64().max(1e-9);
        // Two decimals: the clock tells no more.
        let round = |number: f64| (number * 100.0).round() / 100.0;
        let speed = Speed {
            steps_per_second: round(rate),
            samples_per_second: round(rate * config.batch_size as f64),
        };
        (self.steps, self.updating) = (0, Duration::ZERO);
        let mut mean_loss = 0.0;
        let tasks = config.algorithms.iter();
        for ((name, losses), sums) in tasks.zip(&mut progress.losses).zip(&mut progress.sums) {
            let (sum, count) = std::mem::take(losses);
            let UpdateSums { gradient_norm, probes } = std::mem::take(sums);
            let mean = |sum: f64| sum / count as f64;
            let (loss, gradient_norm) = (mean(sum), mean(gradient_norm));
            let losses: ProbeLosses<'_> =
                probes.iter().map(|(probe, sum)| (probe.as_str(), mean(*sum))).collect();
            mean_loss += loss / config.algorithms.len() as f64;
            self.scalar(step, &format!("train/{name}/loss"), loss)?;
            for (probe, loss) in &losses {
                self.scalar(step, &format!("train/{name}/loss/{probe}"), *loss)?;
            }
            self.scalar(step, &format!("train/{name}/gradient_norm"), gradient_norm)?;
            self.metrics.append(&Line {
                step,
                split: "train",
                algorithm: name,
                loss: Some(loss),
                losses,
                update: Some(Updates { gradient_norm, learning_rate: config.learning_rate }),
                scores: None,
                examples_seen: step * config.batch_size,
                speed: Some(speed),
                seconds,
            })?;
        }
        self.scalar(step, "train/loss", mean_loss)?;
        self.scalar(step, "train/learning_rate", config.learning_rate)?;
        self.scalar(step, "train/steps_per_second", speed.steps_per_second)?;
        self.scalar(step, "train/samples_per_second", speed.samples_per_second)?;
        Ok(self.events.flush()?)
    }

    /// Writes the losses and scores of a validation.
    pub(crate) fn validation(&mut self, step: usize, evaluations: &[Evaluation]) -> Result<()> {
        self.evaluations(step, "val", evaluations)?;
        Ok(self.events.flush()?)
    }

    /// Writes the scores of the test, and that the run is finished.
    pub(crate) fn test(&mut self, step: usize, evaluations: &[Evaluation]) -> Result<()> {
        self.evaluations(step, "test", evaluations)?;
        self.events.finished()?;
        Ok(self.events.flush()?)
    }

    fn evaluations(
        &mut self,
        step: usize,
        split: &'static str,
        evaluations: &[Evaluation],
    ) -> Result<()> {
        let seconds = self.seconds();
        for evaluation in evaluations {
            let name = &evaluation.algorithm;
            let losses = evaluation.losses.as_ref();
            let by_probe = losses.into_iter().flat_map(|losses: &Losses| &losses.probes);
            let by_probe: ProbeLosses<'_> =
                by_probe.map(|(probe, loss)| (probe.as_str(), *loss)).collect();
            if let Some(Losses { total, .. }) = losses {
                self.scalar(step, &format!("{split}/{name}/loss"), *total)?;
            }
            for (probe, loss) in &by_probe {
                self.scalar(step, &format!("{split}/{name}/loss/{probe}"), *loss)?;
            }
            self.scalar(step, &format!("{split}/{name}/score"), evaluation.score)?;
            self.scalar(step, &format!("{split}/{name}/exact"), evaluation.exact)?;
            if let Some(valid) = evaluation.valid {
                self.scalar(step, &format!("{split}/{name}/valid"), valid.score)?;
            }
            for output in &evaluation.outputs {
                let tag = format!("{split}/{name}/output/{}", output.probe);
                self.scalar(step, &tag, output.score)?;
            }
            self.metrics.append(&Line {
                step,
                split,
                algorithm: name,
                loss: losses.map(|losses| losses.total),
                losses: by_probe,
                update: None,
                scores: Some(Scores::of(evaluation)),
                examples_seen: step * self.config.batch_size,
                speed: None,
                seconds,
            })?;
        }
        let mean = |of: &dyn Fn(&Evaluation) -> Option<f64>| -> Option<f64> {
            let sum: Option<f64> = evaluations.iter().map(of).sum();
            Some(sum? / evaluations.len() as f64)
        };
        let score = mean(&|one| Some(one.score));
        let loss = mean(&|one| one.losses.as_ref().map(|losses| losses.total));
        for (what, mean) in [("score", score), ("loss", loss)] {
            if let Some(mean) = mean {
                self.scalar(step, &format!("{split}/{what}"), mean)?;
            }
        }
        Ok(())
    }

    fn scalar(&mut self, step: usize, tag: &str, value: f64) -> Result<()> {
        Ok(self.events.scalar(tag, step as u64, value as f32)?)
    }
}

/// The configuration as settings of TensorBoard.
fn settings(config: &Config) -> Vec<(&'static str, Setting)> {
    fn text(value: &Value) -> String {
        match value {
            Value::Null => "not set".to_owned(),
            Value::String(text) => text.clone(),
            Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(","),
            other => other.to_string(),
        }
    }
    let all = serde_json::to_value(config).expect("a configuration is JSON");
    let setting = |key: &str| match &all[key] {
        Value::Bool(on) => Setting::Switch(*on),
        Value::Number(number) => Setting::Number(number.as_f64().expect("a finite number")),
        other => Setting::Text(text(other)),
    };
    Config::KEYS.iter().map(|key| (key.name, setting(key.name))).collect()
}
