//! Raw predictions as arrays.

use narscope_clrs::probe::Stage;
use narscope_clrs::trace::Traces;

use crate::rollout::{Logits, Predictions};
use crate::values::of_stage;

/// A dense array of single-precision floats in C order.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its values.
    pub data: Vec<f32>,
}

impl Array {
    /// Appends an array of the same shape but for its first axis.
    pub(crate) fn append(&mut self, other: Self) {
        self.shape[0] += other.shape[0];
        self.data.extend(other.data);
    }
}

/// What is predicted in addition to outputs and hints.
#[derive(Clone, Copy, Debug, Default)]
pub struct PredictOptions {
    /// Hidden states of every step.
    pub hidden: bool,
    /// Outputs of every step.
    pub all_steps: bool,
}

/// Raw predictions as named arrays: `logits/output/…` `(B, …)` at each sample's last step, `logits/hint/…` `(B, S, …)`
/// per step, and `logits/output_steps/…` `(B, S, …)` if outputs were decoded at every step. `S` is `steps`; after the
/// last step of a sample there are zeros.
pub(crate) fn named_logits(
    predictions: &Predictions,
    traces: &Traces,
    steps: usize,
) -> Vec<(String, Array)> {
    let samples = traces.len();
    let over_time = |shape: &[usize], all: &[Vec<Logits>], index: usize| {
        let size = shape.iter().product::<usize>();
        let mut data = vec![0.0; samples * steps * size];
        for (step, logits) in all.iter().enumerate() {
            for (row, &sample) in logits[index].values.chunks_exact(size).zip(&predictions.order) {
                data[(sample * steps + step) * size..][..size].copy_from_slice(row);
            }
        }
        Array { shape: [&[samples, steps], shape].concat(), data }
    };

    let mut arrays = vec![];
    for (index, probe) in of_stage(&traces.probes, Stage::Output).iter().enumerate() {
        let shape = probe.prediction_shape(traces.nodes);
        let size = shape.iter().product();
        let rows = predictions.outputs[index].values.chunks_exact(size);
        let mut data = vec![0.0; samples * size];
        for (row, &sample) in rows.zip(&predictions.order) {
            data[sample * size..][..size].copy_from_slice(row);
        }
        let whole = [&[samples], shape.as_slice()].concat();
        arrays.push((format!("logits/output/{}", probe.name), Array { shape: whole, data }));
        if !predictions.every_output.is_empty() {
            let array = over_time(&shape, &predictions.every_output, index);
            arrays.push((format!("logits/output_steps/{}", probe.name), array));
        }
    }
    if !predictions.hints.is_empty() {
        for (index, probe) in of_stage(&traces.probes, Stage::Hint).iter().enumerate() {
            let array = over_time(&probe.prediction_shape(traces.nodes), &predictions.hints, index);
            arrays.push((format!("logits/hint/{}", probe.name), array));
        }
    }
    arrays
}

/// The hidden states of all nodes, `(B, S, N, H)`, with zeros after the last step of a sample.
pub(crate) fn hidden_states(
    predictions: &Predictions,
    nodes: usize,
    steps: usize,
    hidden: usize,
) -> Array {
    let samples = predictions.order.len();
    let size = steps * nodes * hidden;
    let mut data = vec![0.0; samples * size];
    for (states, &sample) in predictions.states.iter().zip(&predictions.order) {
        data[sample * size..][..states.len()].copy_from_slice(states);
    }
    Array { shape: vec![samples, steps, nodes, hidden], data }
}
