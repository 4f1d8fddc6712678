//! Predictions of a network for a batch.

use std::sync::atomic::{AtomicUsize, Ordering};

use narscope::clrs::column::Column;
use narscope::clrs::{Batch, Probe, Stage, Traces};
use narscope::model::Task;
use narscope::model::pooling::Pooling;
use narscope::model::postprocess::merge_permutations;
use narscope::model::predict::Array;
use narscope::model::rollout::Steps;
use narscope::model::trajectory::{RecordOptions, Trajectories};
use numpy::IntoPyArray as _;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Dense, array};
use crate::error::{Result, Stop};
use crate::hooks::Hook;

/// Predictions in the layout of batches.
#[derive(Default)]
pub(crate) struct Predicted {
    outputs: Vec<(String, Dense)>,
    hints: Vec<(String, Dense)>,
    /// Raw predictions, with the sample as the first axis.
    logits: Vec<(String, Array)>,
    /// Number of steps of each sample.
    steps: Vec<i64>,
    scores: Vec<f64>,
    hidden: Option<(Vec<f32>, [usize; 4])>,
}

/// What Python gets: outputs, hints, logits, steps, scores and hidden states.
pub(crate) type PyPrediction<'py> = (
    Bound<'py, PyDict>,
    Bound<'py, PyDict>,
    Bound<'py, PyDict>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Option<Bound<'py, PyAny>>,
);

/// Runs a network on a batch that is converted as the network takes it. What is returned after a request to stop is
/// of no use.
pub(crate) fn predict(
    task: Task<'_>,
    batch: &Batch,
    steps: Steps,
    hidden: bool,
    hook: Option<Py<PyAny>>,
    stop: &Stop,
) -> Result<Predicted> {
    let traces = &batch.traces;
    let longest = (0..traces.len()).map(|i| steps.of(traces.steps(i))).max().unwrap_or(0);
    let options = RecordOptions {
        steps,
        pooling: if hidden { Pooling::All } else { Pooling::Max },
        every_output: false,
        logits: Some(longest),
    };
    let offset = AtomicUsize::new(0);
    let mut hook = Hook::new(hook, &offset, stop);
    let mut go_on = |samples| {
        offset.fetch_add(samples, Ordering::Relaxed);
        !stop.is_requested()
    };
    let Some(recorded) = task.record(traces, options, &mut hook, &mut go_on)? else {
        return Ok(Predicted::default());
    };
    let own_steps = (0..recorded.len()).map(|sample| recorded.steps(sample) as i64).collect();
    Ok(Predicted {
        outputs: outputs(&recorded.predicted, task.spec().entry.probes),
        hints: hints(&recorded.predicted, batch.steps),
        hidden: hidden.then(|| states(&recorded, longest)),
        steps: own_steps,
        scores: recorded.scores,
        logits: recorded.logits,
    })
}

/// The outputs in the form that the algorithm has them: permutations as pointers to predecessors.
fn outputs(predicted: &Traces, own: &[Probe]) -> Vec<(String, Dense)> {
    let is_output = |(probe, _): &(&Probe, &Column)| probe.stage == Stage::Output;
    let outputs = predicted.probes.iter().zip(&predicted.columns).filter(is_output);
    let (probes, columns): (Vec<Probe>, Vec<Column>) =
        outputs.map(|(probe, column)| (probe.clone(), column.unpacked())).unzip();
    let (probes, columns) = merge_permutations(&probes, columns);
    // The algorithm's own probes have the kinds and types of the true outputs.
    let of_algorithm = |probe: &Probe| {
        let own = own.iter().find(|it| it.stage == Stage::Output && it.name == probe.name);
        own.unwrap_or(probe).clone()
    };
    let probes = probes.iter().map(of_algorithm).collect();
    let steps: Vec<usize> = (0..predicted.len()).map(|i| predicted.steps(i)).collect();
    let traces = Traces::from_columns(probes, predicted.nodes, columns, &steps);
    dense(&Batch::new(traces, 0), Stage::Output)
}

/// The hints, the first of which is given, padded as the batch is.
fn hints(predicted: &Traces, steps: usize) -> Vec<(String, Dense)> {
    dense(&Batch::new(predicted.clone(), steps), Stage::Hint)
}

fn dense(batch: &Batch, stage: Stage) -> Vec<(String, Dense)> {
    let probes = batch.traces.probes.iter().enumerate();
    let of_stage = probes.filter(|(_, probe)| probe.stage == stage);
    of_stage.map(|(place, probe)| (probe.name.to_string(), Dense::of(batch, place))).collect()
}

/// The hidden states `[T, B, n, H]`, with zeros after the last step of a sample.
fn states(recorded: &Trajectories, steps: usize) -> (Vec<f32>, [usize; 4]) {
    let (samples, nodes, units) = (recorded.len(), recorded.truth.nodes, recorded.hidden);
    let size = nodes * units;
    let mut values = vec![0.0; steps * samples * size];
    for sample in 0..samples {
        for (step, state) in recorded.states[sample].chunks_exact(size).enumerate() {
            values[(step * samples + sample) * size..][..size].copy_from_slice(state);
        }
    }
    (values, [steps, samples, nodes, units])
}

impl Predicted {
    /// The arrays.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<PyPrediction<'_>> {
        let arrays = |all: Vec<(String, Dense)>| {
            let dict = PyDict::new(py);
            for (name, dense) in all {
                dict.set_item(name, dense.into_python(py)?)?;
            }
            PyResult::Ok(dict)
        };
        let logits = PyDict::new(py);
        for (name, Array { shape, data }) in self.logits {
            logits.set_item(name, array(py, data, &shape)?)?;
        }
        let hidden = self.hidden.map(|(values, shape)| array(py, values, &shape)).transpose()?;
        Ok((
            arrays(self.outputs)?,
            arrays(self.hints)?,
            logits,
            self.steps.into_pyarray(py).into_any(),
            self.scores.into_pyarray(py).into_any(),
            hidden,
        ))
    }
}
