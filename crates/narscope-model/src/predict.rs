//! Predictions as arrays, laid out as the reference lays them out.

use burn_tensor::Device;
use narscope_clrs::probe::{Kind, Location, Probe, Stage};
use narscope_clrs::trace::Traces;
use narscope_files::arrays::Array;

use crate::Result;
use crate::config::Config;
use crate::evaluate::feedback;
use crate::memory::Ahead;
use crate::net::{Net, Spec, Use};
use crate::rollout::{NoHook, Plan, Predictions, Steps, rollout};
use crate::trajectory::Kept;
use crate::values::{numbers, of_stage};
use crate::weights::Weights;

/// What to predict beside outputs and hints.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Hidden states.
    pub hidden: bool,
    /// Outputs at every step.
    pub all_steps: bool,
}

/// Runs a batch and returns named arrays: raw `output/…`, `hint/…` per step, and what else is
/// wanted. Arrays over time have `steps` steps, zero past a sample's own end.
///
/// # Errors
/// If all that would not fit into memory.
pub fn predict(
    config: &Config,
    specs: &[Spec],
    weights: &Weights,
    (task, traces, steps): (usize, &Traces, usize),
    wanted: Wanted,
) -> Result<Vec<(String, Array)>> {
    let net = Net::bind(config, specs, weights, &Device::flex(), Use::Predict);
    let plan = Plan {
        steps: Steps::Own,
        feedback: feedback(config),
        learning: None,
        keep_hints: config.hint_mode.decodes(),
        keep_states: wanted.hidden.then_some(Kept::All),
        every_output: wanted.all_steps,
    };
    Ahead::of((&net, task, &specs[task], config), traces, &plan, false).check_all(traces.len())?;
    let predictions = rollout(&net, task, traces, &plan, &mut NoHook);
    let samples = traces.len();
    let in_time = |shape: &[usize], all: &mut dyn Iterator<Item = Vec<f32>>| {
        over_time(&predictions, steps, shape, all)
    };

    let mut arrays = vec![];
    for (place, probe) in of_stage(&traces.probes, Stage::Output).iter().enumerate() {
        let shape = raw_shape(probe, traces.nodes);
        let size = shape.iter().product();
        let rows = numbers(predictions.outputs[place].clone());
        let mut data = vec![0.0; samples * size];
        for (row, &sample) in rows.chunks_exact(size).zip(&predictions.order) {
            data[sample * size..][..size].copy_from_slice(row);
        }
        let whole = [&[samples], shape.as_slice()].concat();
        arrays.push((format!("output/{}", probe.name), Array { shape: whole, data }));
        if wanted.all_steps {
            let mut all = predictions.every_output.iter().map(|step| numbers(step[place].clone()));
            arrays.push((format!("output_steps/{}", probe.name), in_time(&shape, &mut all)));
        }
    }
    for (place, probe) in of_stage(&traces.probes, Stage::Hint).iter().enumerate() {
        if config.hint_mode.decodes() {
            let mut all = predictions.hints.iter().map(|step| numbers(step[place].clone()));
            let array = in_time(&raw_shape(probe, traces.nodes), &mut all);
            arrays.push((format!("hint/{}", probe.name), array));
        }
    }
    if wanted.hidden {
        let size = traces.nodes * config.hidden_size;
        let mut data = vec![0.0; steps * samples * size];
        for (states, &sample) in predictions.states.iter().zip(&predictions.order) {
            for (step, state) in states.chunks_exact(size).enumerate() {
                data[(step * samples + sample) * size..][..size].copy_from_slice(state);
            }
        }
        let shape = vec![steps, samples, traces.nodes, config.hidden_size];
        arrays.push(("hidden".to_owned(), Array { shape, data }));
    }
    Ok(arrays)
}

/// The shape of a raw prediction as the reference lays it out, without the batch.
fn raw_shape(probe: &Probe, nodes: usize) -> Vec<usize> {
    let mut shape = match probe.location {
        Location::Node => vec![nodes],
        Location::Edge => vec![nodes, nodes],
        Location::Graph => vec![],
    };
    match probe.kind {
        Kind::Categorical => shape.push(probe.classes.len()),
        Kind::Pointer | Kind::ShouldBePermutation | Kind::PermutationPointer => shape.push(nodes),
        Kind::Scalar | Kind::Mask | Kind::MaskOne => {}
    }
    shape
}

/// `[steps, B, …]` from the rows that ran at each step.
fn over_time(
    predictions: &Predictions,
    steps: usize,
    shape: &[usize],
    all: &mut dyn Iterator<Item = Vec<f32>>,
) -> Array {
    let (samples, size) = (predictions.order.len(), shape.iter().product::<usize>());
    let mut data = vec![0.0; steps * samples * size];
    for (step, rows) in data.chunks_exact_mut(samples * size).zip(all) {
        for (row, &sample) in rows.chunks_exact(size).zip(&predictions.order) {
            step[sample * size..][..size].copy_from_slice(row);
        }
    }
    Array { shape: [&[steps, samples], shape].concat(), data }
}
