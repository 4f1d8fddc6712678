//! Training.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use narscope::model;
use narscope::model::checkpoint::{Checkpoint, Progress};
use narscope::model::config::Draft;
use narscope::model::evaluation::Evaluation;
use narscope::model::run::{Observer, Outcome, Run, RunInfo, Which};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::error::{self, Result, Stop};
use crate::{config, json};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(train, module)?)
}

/// Trains a network. Returns the folder of the run, and whether training is over.
///
/// `notify` is called with the name of an event and a dictionary about it. If it returns `False`, training is saved and
/// stops.
#[pyfunction]
fn train(
    py: Python<'_>,
    keys: &Bound<'_, PyDict>,
    preset: Option<&str>,
    files: Vec<PathBuf>,
    out: Option<PathBuf>,
    resume: Option<PathBuf>,
    notify: Py<PyAny>,
) -> PyResult<(PathBuf, bool)> {
    let draft = error::guard(|| config::draft(keys, preset, &files))?;
    error::interruptible(py, |stop| {
        let (run, is_new) = match resume {
            Some(folder) => reopen(&folder, draft)?,
            None => create(out, draft)?,
        };
        if !is_new && is_finished(&run) {
            return Ok((run.path, true));
        }
        let lock = run.lock()?;
        let mut watcher =
            Watcher { notify, stop, is_over: false, told: None, steps: run.config.train_steps };
        watcher.tell("begun", &json!({ "path": run.path, "steps": run.config.train_steps }));
        match run.train_locked(&lock, &mut watcher) {
            Ok(outcome) => Ok((run.path, matches!(outcome, Outcome::Done(_)))),
            Err(error) => {
                if is_new {
                    // Why training failed says more than why its folder cannot be removed.
                    let _ = run.discard_untrained(lock);
                }
                Err(error.into())
            }
        }
    })
}

/// A run that continues, and `false`.
fn reopen(folder: &Path, changes: Draft) -> Result<(Run, bool)> {
    let (run, is_changed) = Run::reopen(folder, changes)?;
    if is_changed {
        // Locked first: another process may be training this run.
        let _lock = run.lock()?;
        run.write_config()?;
    }
    Ok((run, false))
}

/// A new run, or one of the same configuration that is in its folder already; and whether it is new.
fn create(out: Option<PathBuf>, draft: Draft) -> Result<(Run, bool)> {
    let config = draft.finish()?;
    let out = out.unwrap_or_else(|| Run::default_folder(&config));
    match Run::create(&out, config.clone()) {
        Ok(run) => Ok((run, true)),
        Err(error @ model::Error::RunExists { .. }) => {
            let there = Run::open(&out)?;
            if there.config == config { Ok((there, false)) } else { Err(error.into()) }
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether training is over and the network is tested: training removes the scores before its first step.
fn is_finished(run: &Run) -> bool {
    let is_over = |last: Checkpoint| last.progress.is_over(&run.config);
    run.file("test.json").exists() && run.checkpoint(Which::Last).is_ok_and(is_over)
}

/// Tells Python what happens.
struct Watcher<'a> {
    notify: Py<PyAny>,
    stop: &'a Stop,
    /// Whether Python has asked to end, without an exception.
    is_over: bool,
    /// When progress was told last.
    told: Option<Instant>,
    /// Number of steps to train.
    steps: usize,
}

impl Watcher<'_> {
    /// Calls Python.
    fn tell(&mut self, event: &str, about: &Value) {
        let told = Python::attach(|py| -> PyResult<bool> {
            let answer = self.notify.call1(py, (event, json::to_python(py, about)?))?;
            Ok(answer.bind(py).is(&*pyo3::types::PyBool::new(py, false)))
        });
        match told {
            Ok(is_over) => self.is_over |= is_over,
            Err(error) => self.stop.because_of(error),
        }
    }

    /// Whether it is time to tell progress. Python is not called more often, as training would wait for it.
    fn is_due(&mut self) -> bool {
        const BETWEEN: Duration = Duration::from_millis(200);
        let is_due = self.told.is_none_or(|told| told.elapsed() >= BETWEEN);
        if is_due {
            self.told = Some(Instant::now());
        }
        is_due
    }
}

impl Observer for Watcher<'_> {
    fn info(&self) -> RunInfo {
        narscope::run_info()
    }

    fn started(&mut self, step: usize) {
        self.tell("started", &json!({ "step": step, "steps": self.steps }));
    }

    fn stepped(&mut self, progress: &Progress, loss: f64) {
        if self.is_due() {
            let about = json!({ "step": progress.step, "steps": self.steps, "loss": loss });
            self.tell("progress", &about);
        }
    }

    fn validated(&mut self, step: usize, evaluations: &[Evaluation], is_best: bool) {
        let scores: serde_json::Map<String, Value> =
            evaluations.iter().map(|one| (one.algorithm.clone(), one.score.into())).collect();
        let loss = |one: &Evaluation| {
            let losses = one.losses.as_ref()?;
            Some((one.algorithm.clone(), losses.total.into()))
        };
        let losses: serde_json::Map<String, Value> = evaluations.iter().filter_map(loss).collect();
        let about = json!({
            "step": step, "steps": self.steps, "scores": scores, "losses": losses,
            "is_best": is_best, "evaluations": evaluations,
        });
        self.tell("validated", &about);
    }

    fn tested(&mut self, algorithm: &str, samples: usize, of: usize) {
        if self.is_due() || samples == of {
            let about = json!({ "algorithm": algorithm, "samples": samples, "of": of });
            self.tell("tested", &about);
        }
    }

    fn notice(&mut self, message: &str) {
        self.tell("notice", &json!({ "message": message }));
    }

    fn wants_to_stop(&mut self) -> bool {
        self.is_over || self.stop.is_requested()
    }
}
