//! Trained networks: scores, weights, recordings.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use narscope::analysis::analysed::AnalysedModel;
use narscope::analysis::recording::{self, Settings};
use narscope::clrs::options::MAX_NODES;
use narscope::clrs::{Batch, Split, Traces};
use narscope::files::atomic::Existing;
use narscope::model::evaluation::{EvaluateOptions, Evaluation, Evaluator};
use narscope::model::pooling::Pooling;
use narscope::model::rollout::{RolloutOptions, Steps};
use narscope::model::run::{Run as RunFolder, Which};
use narscope::model::spec::{check_precision, convert};
use narscope::model::{Model, OpenModel as _, Task};
use narscope_net::feedback::Feedback;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::arguments::{self, whole};
use crate::arrays::{GivenBatch, array, single_floats};
use crate::error::{self, Result, Stop, input_error};
use crate::hooks::Hook;
use crate::json;
use crate::predict::{Predicted, PyPrediction, predict};

/// Most samples of one call.
const MOST_SAMPLES: usize = u32::MAX as usize;
/// Most steps that a network takes more or fewer than the algorithm.
const MOST_STEPS: usize = 100_000;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Run>()
}

/// A run folder, with the network of one of its checkpoints.
#[pyclass(frozen, module = "narscope._narscope")]
pub(crate) struct Run {
    folder: PathBuf,
    /// Replaced when weights are set.
    model: Mutex<Arc<Model>>,
}

impl Run {
    /// The network.
    pub(crate) fn model(&self) -> Arc<Model> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the network is called.
    pub(crate) fn name(&self) -> String {
        self.folder.display().to_string()
    }
}

/// Which checkpoint is opened.
pub(crate) fn which(checkpoint: &str) -> Result<Which> {
    match checkpoint {
        "best" => Ok(Which::Best),
        "last" => Ok(Which::Last),
        other => Err(input_error(format!(
            "checkpoint should be \"best\" (highest validation score) or \"last\", found {other:?}"
        ))),
    }
}

/// Number of steps of the network.
fn steps(more: isize) -> Result<Steps> {
    if more.unsigned_abs() > MOST_STEPS {
        let sentence = format!("more_steps should be from -{MOST_STEPS} to {MOST_STEPS}");
        return Err(input_error(format!("{sentence}, found {more}")));
    }
    Ok(if more == 0 { Steps::Own } else { Steps::OwnAnd(more) })
}

/// Which samples a network is scored or recorded on.
#[derive(FromPyObject)]
enum Samples<'py> {
    /// Those of a batch.
    Given(GivenBatch<'py>),
    /// New ones: `n`, `num`, `seed` and options of the sampler.
    New(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyDict>),
    /// A split of the benchmark.
    Benchmark(String),
}

impl Samples<'_> {
    /// The samples, as a network takes them.
    fn read(&self, task: Task<'_>) -> Result<Traces> {
        match self {
            Self::Given(batch) => Ok(converted(batch.read(task.spec().entry)?, task)?.traces),
            Self::New(n, num, seed, options) => {
                let n = whole("n", n, 1, MAX_NODES)?;
                let num = whole("num", num, 1, MOST_SAMPLES)?;
                let seed = arguments::seed(seed)?;
                let options = arguments::options(task.spec().entry, options)?;
                Ok(task.sample(n, &options, seed, num)?)
            }
            Self::Benchmark(split) => Ok(task.benchmark(split.parse::<Split>()?)?),
        }
    }

    /// What a file says of them.
    fn describe(&self) -> Result<Value> {
        Ok(match self {
            Self::Given(batch) => json!({ "batch": "from Python", "length": batch.n }),
            Self::New(n, num, seed, options) => json!({
                "length": json::from_python("n", n)?,
                "num": json::from_python("num", num)?,
                "seed": json::from_python("seed", seed)?,
                "options": json::from_python("options", options)?,
            }),
            Self::Benchmark(split) => json!({ "split": split }),
        })
    }
}

/// A batch in the form that a network takes.
fn converted(mut batch: Batch, task: Task<'_>) -> Result<Batch> {
    check_precision(&batch.traces)?;
    convert(&mut batch.traces, task.model().config())?;
    Ok(batch)
}

#[pymethods]
impl Run {
    /// Opens a run.
    #[staticmethod]
    fn open(py: Python<'_>, folder: PathBuf, checkpoint: &str) -> PyResult<Self> {
        error::work(py, || {
            let model = Model::open(&folder, which(checkpoint)?)?;
            Ok(Self { folder, model: Mutex::new(Arc::new(model)) })
        })
    }

    /// The folder.
    #[getter]
    fn path(&self) -> PathBuf {
        self.folder.clone()
    }

    /// The configuration.
    #[getter]
    fn config<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::to_python(py, self.model().config())
    }

    /// Scores of the network: a dictionary per algorithm.
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        algorithm: Option<String>,
        samples: Samples<'py>,
        hints: bool,
        per_sample: bool,
        more_steps: isize,
        hook: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let model = self.model();
        let (tasks, options) = error::guard(|| {
            let tasks: Vec<Task<'_>> = match &algorithm {
                Some(name) => vec![model.task(name)?],
                None => model.tasks().collect(),
            };
            // Hints that are not predicted have no score.
            let hints = hints && model.config().hint_mode.decodes();
            let steps = steps(more_steps)?;
            Ok((tasks, EvaluateOptions { hints, per_sample, losses: false, steps }))
        })?;
        let mut evaluations = vec![];
        for task in tasks {
            let traces = error::guard(|| samples.read(task))?;
            let hook = hook.as_ref().map(|hook| hook.clone_ref(py));
            evaluations.push(error::interruptible(py, |stop| {
                evaluate(task, &traces, options, hook, stop)
            })?);
        }
        json::to_python(py, &evaluations)
    }

    /// What the network predicts for a batch.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        algorithm: Option<&str>,
        batch: GivenBatch<'py>,
        hidden: bool,
        more_steps: isize,
        hook: Option<Py<PyAny>>,
    ) -> PyResult<PyPrediction<'py>> {
        let model = self.model();
        let (task, batch, steps) = error::guard(|| {
            let task = model.task_or_only(algorithm)?;
            Ok((task, converted(batch.read(task.spec().entry)?, task)?, steps(more_steps)?))
        })?;
        let predicted: Predicted =
            error::interruptible(py, |stop| predict(task, &batch, steps, hidden, hook, stop))?;
        predicted.into_python(py)
    }

    /// Records hidden states and predictions in a file.
    fn record(
        &self,
        py: Python<'_>,
        file: PathBuf,
        algorithm: Option<&str>,
        samples: Samples<'_>,
        over_nodes: &str,
        force: bool,
    ) -> PyResult<()> {
        let model = self.model();
        let (model, traces, settings) = error::guard(|| {
            let analysed = AnalysedModel::new(self.name(), (*model).clone(), algorithm)?;
            let traces = samples.read(analysed.task())?;
            let pooling = match over_nodes {
                "max" => Pooling::Max,
                "mean" => Pooling::Mean,
                "min" => Pooling::Min,
                "all" => Pooling::All,
                other => {
                    return Err(input_error(format!(
                        "over_nodes should be \"max\", \"mean\", \"min\" or \"all\", found {other:?}"
                    )));
                }
            };
            let source = Some(samples.describe()?);
            Ok((
                analysed,
                traces,
                Settings { source, hidden: Some(pooling), ..Settings::default() },
            ))
        })?;
        let existing = if force { Existing::Replace } else { Existing::Keep };
        error::interruptible(py, |stop| {
            let mut go_on = |_| !stop.is_requested();
            Ok(recording::write(&file, existing, &model, &traces, &settings, &mut go_on)?)
        })
    }

    /// The weights by name, as copies.
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let model = self.model();
        let all = PyDict::new(py);
        for (parameter, values) in model.weights().iter() {
            all.set_item(&parameter.name, array(py, values.to_vec(), &parameter.shape)?)?;
        }
        Ok(all)
    }

    /// Replaces the weights that are given, in memory.
    fn set_weights(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<()> {
        let model = self.model();
        let weights = error::guard(|| {
            let mut weights = model.weights().clone();
            for name in given.keys() {
                let name: String = name.extract()?;
                if !weights.parameters.iter().any(|known| known.name == name) {
                    return Err(input_error(format!(
                        "the network has no weights {name:?}; run.weights has the names of all"
                    )));
                }
            }
            let mut start = 0;
            for parameter in &weights.parameters {
                let name = &parameter.name;
                let end = start + parameter.size();
                if let Some(values) = given.get_item(name)? {
                    let values = single_floats(name, &values)?;
                    let found = values.as_array().shape().to_vec();
                    if found != parameter.shape {
                        let expected = &parameter.shape;
                        return Err(input_error(format!(
                            "{name} should have the shape {expected:?}, found {found:?}"
                        )));
                    }
                    let values = values.as_slice().map_err(PyErr::from)?;
                    if let Some(value) = values.iter().find(|value| !value.is_finite()) {
                        return Err(input_error(format!(
                            "{name} should have finite values, found {value}"
                        )));
                    }
                    weights.values[start..end].copy_from_slice(values);
                }
                start = end;
            }
            Ok(weights)
        })?;
        let changed = error::work(py, || Ok(Model::from_weights(model.config(), weights)?))?;
        *self.model.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(changed);
        Ok(())
    }

    /// Writes configuration and weights, as they are now, to a new run folder.
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        let model = self.model();
        error::work(py, || {
            RunFolder::install(&folder, model.config().clone(), model.weights().clone())?;
            Ok(())
        })
    }
}

/// Scores a network, with a hook if there is one.
fn evaluate(
    task: Task<'_>,
    traces: &Traces,
    options: EvaluateOptions,
    hook: Option<Py<PyAny>>,
    stop: &Stop,
) -> Result<Option<Evaluation>> {
    if hook.is_none() {
        return Ok(task.evaluate_with(traces, options, &mut |_| !stop.is_requested())?);
    }
    let config = task.model().config();
    let rollout = RolloutOptions {
        steps: options.steps,
        feedback: Feedback::in_prediction(config),
        keep_hints: options.hints,
        every_output: false,
        keep_states: None,
    };
    let offset = AtomicUsize::new(0);
    let mut hook = Hook::new(hook, &offset, stop);
    let mut evaluator = Evaluator::new(task.spec(), options);
    let at_once = task.batch_size(traces, options, narscope::model::model::EVALUATION_BATCH)?;
    let samples: Vec<usize> = (0..traces.len()).collect();
    for samples in samples.chunks(at_once) {
        let batch = traces.select(samples);
        evaluator.score(&task.rollout(&batch, &rollout, &mut hook), &batch);
        offset.fetch_add(samples.len(), Ordering::Relaxed);
        if stop.is_requested() {
            return Ok(None);
        }
    }
    Ok(Some(evaluator.finish()))
}
