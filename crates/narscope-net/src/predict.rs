//! Predictions as arrays, laid out as in the reference.

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

/// What is predicted in addition to outputs and hints.
#[derive(Clone, Copy, Debug, Default)]
pub struct PredictOptions {
    /// Hidden states of every step.
    pub hidden: bool,
    /// Outputs of every step.
    pub all_steps: bool,
}

/// Predictions as named arrays: raw `output/…` at each sample's last step, raw `hint/…` per step,
/// and what the options request. Arrays over time have `steps` steps, with zeros after the last
/// step of a sample.
pub(crate) fn named_arrays(
    predictions: &Predictions,
    traces: &Traces,
    steps: usize,
    hidden: usize,
) -> Vec<(String, Array)> {
    let samples = traces.len();
    let over_time = |shape: &[usize], all: &[Vec<Logits>], index: usize| {
        let size = shape.iter().product::<usize>();
        let mut data = vec![0.0; steps * samples * size];
        for (step, logits) in data.chunks_exact_mut(samples * size).zip(all) {
            for (row, &sample) in logits[index].values.chunks_exact(size).zip(&predictions.order) {
                step[sample * size..][..size].copy_from_slice(row);
            }
        }
        Array { shape: [&[steps, samples], shape].concat(), data }
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
        arrays.push((format!("output/{}", probe.name), Array { shape: whole, data }));
        if !predictions.every_output.is_empty() {
            let array = over_time(&shape, &predictions.every_output, index);
            arrays.push((format!("output_steps/{}", probe.name), array));
        }
    }
    if !predictions.hints.is_empty() {
        for (index, probe) in of_stage(&traces.probes, Stage::Hint).iter().enumerate() {
            let array = over_time(&probe.prediction_shape(traces.nodes), &predictions.hints, index);
            arrays.push((format!("hint/{}", probe.name), array));
        }
    }
    if !predictions.states.is_empty() {
        let size = traces.nodes * hidden;
        let mut data = vec![0.0; steps * samples * size];
        for (states, &sample) in predictions.states.iter().zip(&predictions.order) {
            for (step, state) in states.chunks_exact(size).enumerate() {
                data[(step * samples + sample) * size..][..size].copy_from_slice(state);
            }
        }
        let shape = vec![steps, samples, traces.nodes, hidden];
        arrays.push(("hidden".to_owned(), Array { shape, data }));
    }
    arrays
}
