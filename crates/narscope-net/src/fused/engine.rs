//! Prediction with fused kernels.

use narscope_clrs::probe::Probe;
use narscope_clrs::trace::Traces;
use narscope_kernels::Buffer;
use narscope_kernels::matrix::configure_gemm;

use super::blocks::{begin, blocks, bytes, running};
use super::parameters::parameters;
use super::plan::{Head, Plan};
use super::run::{Mode, Raw, Run};
use super::stage::WeightedMaps;
use super::{Prepared, TapePool};
use crate::config::{Config, Phase};
use crate::engine::Engine;
use crate::rollout::{Logits, Predictions, RolloutOptions, States, StepHook};
use crate::spec::Spec;
use crate::values::size;
use crate::weights::Weights;
use crate::{Error, Result, parallel};

/// A network for prediction.
#[derive(Debug)]
pub struct FusedEngine {
    tasks: Vec<Task>,
    pool: TapePool,
}

#[derive(Debug)]
struct Task {
    plan: Plan,
    folded: Buffer,
    transposed: Buffer,
    hints: WeightedMaps,
    outputs: WeightedMaps,
}

impl FusedEngine {
    /// Folds the weights of all tasks.
    ///
    /// # Errors
    /// If the weights belong to another network.
    pub fn new(config: &Config, specs: &[Spec], weights: &Weights) -> Result<Self> {
        check(config, specs, weights)?;
        configure_gemm();
        let tasks = (0..specs.len()).map(|task| {
            let plan = Plan::new(config, specs, task, &weights.parameters, Phase::Predict);
            let mut folded = Buffer::default();
            let slots = folded.sized(plan.fold.folded);
            plan.fold.forward(&weights.values, &mut Buffer::default(), slots);
            let mut transposed = Buffer::default();
            plan.fold.transpose_slots(slots, transposed.sized(plan.fold.folded));
            // Only the backward pass needs weighted maps.
            Task {
                plan,
                folded,
                transposed,
                hints: WeightedMaps::default(),
                outputs: WeightedMaps::default(),
            }
        });
        Ok(Self { tasks: tasks.collect(), pool: TapePool::default() })
    }
}

impl Engine for FusedEngine {
    fn bytes(&self, task: usize, nodes: usize, samples: usize, hooked: bool) -> usize {
        // Without a backward pass memory does not depend on the number of steps.
        bytes(&self.tasks[task].plan, &vec![1; samples], nodes, false, hooked)
    }

    fn rollout(
        &self,
        task: usize,
        traces: &Traces,
        options: &RolloutOptions,
        hook: &mut dyn StepHook,
    ) -> Predictions {
        let Task { plan, folded, transposed, hints, outputs } = &self.tasks[task];
        let mut predictions = Predictions::new(traces, options.steps);
        if predictions.order.is_empty() {
            return predictions;
        }
        let (n, running) = (traces.nodes, running(&predictions.steps));
        let mode = Mode {
            feedback: options.feedback,
            draws: None,
            keep: false,
            keep_hints: options.keep_hints,
            every_output: options.every_output,
            keep_states: options.keep_states,
        };
        let prepared = Prepared { plan, folded, transposed, hints, outputs, n, running: &running };
        let sizes = blocks(plan, &predictions.steps, n, false);
        let (order, lengths) = (&predictions.order, &predictions.steps);
        let mut runs = begin(&prepared, mode, traces, order, lengths, &sizes);
        if hook.is_idle() {
            parallel::for_each(&mut runs, |run| {
                run.tape = self.pool.take();
                run.forward();
                self.pool.put(std::mem::take(&mut run.tape));
            });
        } else {
            for run in &mut runs {
                run.tape = self.pool.take();
            }
            for (step, &samples) in running.iter().enumerate() {
                let take_step = |run: &mut Run<'_>| step < run.steps();
                parallel::for_each(&mut runs, |run| {
                    if take_step(run) {
                        run.advance(step);
                    }
                });
                call_hook(&mut runs, step, &predictions.order[..samples], (n, plan.h), hook);
                parallel::for_each(&mut runs, |run| {
                    if take_step(run) {
                        run.decode(step);
                    }
                });
            }
            for run in &mut runs {
                self.pool.put(std::mem::take(&mut run.tape));
            }
        }
        collect(plan, &mut runs, &running, n, &mut predictions);
        predictions
    }
}

/// Calls a hook with the states of all samples that take a step.
fn call_hook(
    runs: &mut [Run<'_>],
    step: usize,
    samples: &[usize],
    (nodes, hidden): (usize, usize),
    hook: &mut dyn StepHook,
) {
    let active = runs.iter().filter(|run| step < run.steps()).count();
    let mut values = Vec::with_capacity(samples.len() * nodes * hidden);
    runs[..active].iter_mut().for_each(|run| values.extend_from_slice(run.state(step)));
    hook.after_step(step, samples, &mut States { values: &mut values, nodes, hidden });
    let mut rest = values.as_slice();
    for run in &mut runs[..active] {
        let state = run.state(step);
        let (own, after) = rest.split_at(state.len());
        state.copy_from_slice(own);
        rest = after;
    }
}

/// Moves the predictions out of the blocks, in the order of the rows.
fn collect(
    plan: &Plan,
    runs: &mut [Run<'_>],
    running: &[usize],
    n: usize,
    predictions: &mut Predictions,
) {
    predictions.states = runs.iter_mut().flat_map(|run| std::mem::take(&mut run.states)).collect();
    let together = |probe: &Probe, rows: usize, pieces: &mut dyn Iterator<Item = Vec<f32>>| {
        let mut all = Vec::with_capacity(rows * size(probe, n));
        pieces.for_each(|piece| all.extend(piece));
        Logits { shape: [rows, probe.locations(n), probe.choices(n)], values: all }
    };
    let outputs = &plan.output_decoders.heads;
    let samples = predictions.order.len();
    for (at, (probe, _)) in outputs.iter().enumerate() {
        let mut pieces = runs.iter_mut().map(|run| std::mem::take(&mut run.finished[at]));
        predictions.outputs.push(together(probe, samples, &mut pieces));
    }
    let mut over_time = |heads: &[(Probe, Head)], of: fn(&mut Run<'_>) -> Vec<Raw>| {
        let mut runs: Vec<Vec<Raw>> = runs.iter_mut().map(of).collect();
        let kept = runs.iter().any(|run| !run.is_empty());
        let steps = running.iter().enumerate().take(if kept { running.len() } else { 0 });
        let steps = steps.map(|(step, &rows)| {
            let probes = heads.iter().enumerate().map(|(at, (probe, _))| {
                let steps = runs.iter_mut().filter_map(|run| run.get_mut(step));
                let mut pieces = steps.map(|raw| std::mem::take(&mut raw[at]));
                together(probe, rows, &mut pieces)
            });
            probes.collect()
        });
        steps.collect()
    };
    predictions.every_output = over_time(outputs, |run| std::mem::take(&mut run.outputs_over_time));
    if let Some(stage) = &plan.hint_decoders {
        let hints = over_time(&stage.heads, |run| std::mem::take(&mut run.hints_over_time));
        predictions.hints = hints;
    }
}

/// Checks that the weights have every parameter of the network, with its shape.
fn check(config: &Config, specs: &[Spec], weights: &Weights) -> Result<()> {
    for expected in parameters(config, specs) {
        let name = &expected.name;
        let found = weights.parameters.iter().find(|parameter| parameter.name == *name);
        let found = found.ok_or_else(|| Error::MissingWeight { name: name.clone() })?;
        if found.shape != expected.shape {
            return Err(Error::WeightShape {
                name: expected.name,
                expected: expected.shape,
                found: found.shape.clone(),
            });
        }
    }
    Ok(())
}
