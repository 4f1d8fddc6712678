//! The network behind `narscope.clrs.models.BaselineModel`.

use std::sync::Mutex;

use narscope::clrs::{Probe, Stage, Traces};
use narscope::files::arrays::Array;
use narscope::model::config::Config;
use narscope::model::engine::Losses;
use narscope::model::haiku;
use narscope::model::learner::Learner;
use narscope::model::predict::PredictOptions;
use narscope::model::{Model, Weights};
use numpy::{PyReadonlyArray1, PyReadonlyArrayDyn, PyUntypedArrayMethods as _};
use pyo3::prelude::*;

use super::dense::Given;
use super::sampler::locked;
use super::specs::Row;
use crate::arrays;
use crate::error::{Result, guard, input_error, work};

/// An array with its name.
type Named<'py> = (String, Bound<'py, PyAny>);
/// The loss, and the losses of the probes.
type Loss = (f64, Vec<(String, f64)>);

/// A network and its optimiser. Tasks are numbered in the order of the configuration.
#[pyclass(module = "narscope._narscope.clrs", frozen)]
pub(super) struct Network(Mutex<State>);

struct State {
    learner: Learner,
    /// The network as it predicts; made again after an update.
    model: Option<Model>,
}

impl State {
    /// Reads a batch of a task.
    fn probes(&self, task: usize) -> Result<Vec<Probe>> {
        let specs = self.learner.specs();
        let spec = specs.get(task).ok_or_else(|| {
            let count = specs.len();
            input_error(format!("algorithm_index must be below {count}, found {task}"))
        })?;
        Ok(spec.probes.clone())
    }

    fn model(&mut self) -> Result<&Model> {
        if self.model.is_none() {
            self.model = Some(self.learner.model()?);
        }
        Ok(self.model.as_ref().expect("it was just made"))
    }
}

/// A batch as Python passes it: an array per probe of the task, `None` for unknown outputs, and the lengths.
type Batch<'py> = (Vec<Option<PyReadonlyArrayDyn<'py, f64>>>, PyReadonlyArray1<'py, f64>);

#[pymethods]
impl Network {
    /// Initial weights for a configuration, as JSON.
    #[new]
    fn new(py: Python<'_>, config: &str) -> PyResult<Self> {
        let learner = work(py, || {
            let config: Config = serde_json::from_str(config)
                .map_err(|error| input_error(format!("the model cannot be configured: {error}")))?;
            config.check()?;
            Ok(Learner::new(&config)?)
        })?;
        Ok(Self(Mutex::new(State { learner, model: None })))
    }

    /// The probes of a task in the order that batches have them.
    fn probes(&self, task: usize) -> PyResult<Vec<Row>> {
        guard(|| Ok(locked(&self.0).probes(task)?.iter().map(super::specs::row).collect()))
    }

    /// Updates the weights. Returns the loss and the losses of the probes before the update.
    fn learn(&self, py: Python<'_>, task: usize, batch: Batch<'_>) -> PyResult<Loss> {
        let traces = self.read(py, task, batch)?;
        let Losses { total, probes } = work(py, || {
            let state = &mut *locked(&self.0);
            state.model = None;
            Ok(state.learner.learn(task, &traces)?)
        })?;
        Ok((total, probes))
    }

    /// The loss and the gradient by parameter, without an update.
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        task: usize,
        batch: Batch<'py>,
    ) -> PyResult<(Loss, Vec<Named<'py>>)> {
        let traces = self.read(py, task, batch)?;
        let (gradient, weights) = work(py, || {
            let learner = &mut locked(&self.0).learner;
            Ok((learner.gradient(task, &traces)?, learner.weights.parameters.clone()))
        })?;
        let Losses { total, probes } = gradient.losses;
        let gradient = Weights { parameters: weights, values: gradient.values };
        Ok(((total, probes), self.named(py, &gradient)?))
    }

    /// Raw predictions: `logits/output/…`, `logits/hint/…` and `logits/output_steps/…`, the sample first, then the step.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        task: usize,
        batch: Batch<'py>,
        steps: usize,
        all_steps: bool,
    ) -> PyResult<Vec<Named<'py>>> {
        let traces = self.read(py, task, batch)?;
        let predictions = work(py, || {
            let mut state = locked(&self.0);
            let options = PredictOptions { hidden: false, all_steps };
            let name = state.learner.specs()[task].entry.name;
            Ok(state.model()?.task(name)?.predict(&traces, steps, options)?)
        })?;
        let arrays = predictions.into_iter();
        arrays.map(|(name, it)| Ok((name, arrays::array(py, it.data, &it.shape)?))).collect()
    }

    /// The weights under the names of the reference.
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Vec<Named<'py>>> {
        let weights = locked(&self.0).learner.weights.clone();
        self.named(py, &weights)
    }

    /// Replaces all weights. The moments of the optimiser stay.
    fn set_parameters(
        &self,
        py: Python<'_>,
        parameters: Vec<(String, PyReadonlyArrayDyn<'_, f32>)>,
    ) -> PyResult<()> {
        let read = |(name, array): (String, PyReadonlyArrayDyn<'_, f32>)| {
            let data = array.as_array().iter().copied().collect();
            (name, Array { shape: array.shape().to_vec(), data })
        };
        let arrays: Vec<(String, Array)> = parameters.into_iter().map(read).collect();
        work(py, || {
            let state = &mut *locked(&self.0);
            state.learner.weights = haiku::import(state.learner.declarations(), &arrays)?;
            state.model = None;
            Ok(())
        })
    }

    /// The state of the optimiser: means of gradients, means of their squares, number of updates.
    fn optimiser<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, u64)> {
        let adam = locked(&self.0).learner.adam.clone();
        let size = [adam.first.len()];
        let first = arrays::array(py, adam.first, &size)?;
        Ok((first, arrays::array(py, adam.second, &size)?, adam.updates))
    }

    /// Replaces the state of the optimiser.
    fn set_optimiser(
        &self,
        first: PyReadonlyArray1<'_, f32>,
        second: PyReadonlyArray1<'_, f32>,
        updates: u64,
    ) -> PyResult<()> {
        guard(|| {
            let adam = &mut locked(&self.0).learner.adam;
            let wanted = adam.first.len();
            for found in [first.len(), second.len()] {
                if found != wanted {
                    return Err(input_error(format!(
                        "the state of the optimiser must have {wanted} values, found {found}"
                    )));
                }
            }
            adam.first = first.as_array().iter().copied().collect();
            adam.second = second.as_array().iter().copied().collect();
            adam.updates = updates;
            Ok(())
        })
    }
}

impl Network {
    /// Converts a batch of a task to traces.
    fn read(&self, py: Python<'_>, task: usize, (given, lengths): Batch<'_>) -> PyResult<Traces> {
        let (given, probes) = guard(|| {
            let probes = locked(&self.0).probes(task)?;
            let lengths: Vec<f64> = lengths.as_array().iter().copied().collect();
            if let Some(short) = lengths.iter().find(|&&length| length.is_nan() || length < 1.0) {
                return Err(input_error(format!("lengths must be at least 1, found {short}")));
            }
            let known = |(probe, array): (&Probe, &Option<_>)| {
                array.is_some() || probe.stage == Stage::Output
            };
            if given.len() != probes.len() || !probes.iter().zip(&given).all(known) {
                return Err(input_error("a batch has an array for every input and every hint"));
            }
            Ok((Given::read(&probes, &given, &lengths)?, probes))
        })?;
        work(py, || given.into_traces(&probes))
    }

    /// Values of all parameters under the names of the reference.
    fn named<'py>(&self, py: Python<'py>, weights: &Weights) -> PyResult<Vec<Named<'py>>> {
        let declarations = locked(&self.0).learner.declarations().to_vec();
        haiku::export(&declarations, weights)
            .map(|(name, shape, values)| Ok((name, arrays::array(py, values.to_vec(), shape)?)))
            .collect()
    }
}
