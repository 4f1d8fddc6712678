//! Rollouts: a network on one problem, step by step, perhaps disturbed.

use narscope_clrs::Entry;
use narscope_clrs::instance::user::UserInstance;
use narscope_clrs::probe::Stage;
use narscope_clrs::trace::Traces;
use narscope_net::Model;
use narscope_net::evaluation::EvaluateOptions;
use narscope_net::feedback::Feedback;
use narscope_net::model::Task;
use narscope_net::pooling::Pooling;
use narscope_net::rollout::{NoHook, Predictions, RolloutOptions, StepHook, Steps};
use narscope_net::values::size;
use serde::Serialize;

use crate::corpus::{Corpus, Projection};
use crate::frame::{Array, Bytes};
use crate::interventions::Intervene;
use crate::limits::{LIMITS, check_bytes, check_trace};
use crate::predicted::{self, Predicted, PredictedValue};
use crate::request::RolloutRequest;
use crate::{Result, agreement};

/// A network's run on a problem.
pub(crate) struct Rollout {
    entry: &'static Entry,
    instance: UserInstance,
    traces: Traces,
    hidden: usize,
    run: Predictions,
    /// The run without interventions, if there are any.
    undisturbed: Option<Predictions>,
}

/// A rollout for the page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RolloutValue<'a> {
    network: &'a str,
    algorithm: &'a str,
    nodes: usize,
    records: usize,
    trace_records: usize,
    hidden: usize,
    hints: Vec<PredictedValue>,
    outputs: Vec<PredictedValue>,
    states: Array,
    scores: Array,
    residuals: Array,
    agreement: Vec<agreement::Agreement>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<Distance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    projection: Option<Projection>,
}

/// Distance from the undisturbed run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Distance {
    total: Array,
    nodes: Array,
    undisturbed_scores: Array,
}

impl Rollout {
    /// Runs a network as requested.
    pub(crate) fn of(model: &Model, request: &RolloutRequest) -> Result<Self> {
        let task = model.task(&request.algorithm)?;
        let instance = request.problem.instance(task.spec().entry)?;
        let traces = task.instance(&instance)?;
        check_trace(&traces)?;
        let options = options(task, &traces, request.extra_steps)?;
        let hidden = model.config().hidden_size;
        let mut hook = Intervene::new(&request.interventions, hidden)?;
        let undisturbed = (!hook.is_idle()).then(|| task.rollout(&traces, &options, &mut NoHook));
        let run = task.rollout(&traces, &options, &mut hook);
        Ok(Self { entry: task.spec().entry, instance, traces, hidden, run, undisturbed })
    }

    /// The rollout for the page.
    pub(crate) fn into_value<'a>(
        self,
        request: &'a RolloutRequest,
        corpus: Option<&Corpus>,
        bytes: &mut Bytes,
    ) -> Result<impl Serialize + use<'a>> {
        let Self { entry, instance, traces, hidden, run, undisturbed } = self;
        let (nodes, steps) = (traces.nodes, run.steps[0]);
        let width = nodes * hidden;
        let states = from_zero(&run, width);
        let outputs = predicted::of_steps(&traces, Stage::Output, &run.every_output);
        let hints = predicted::of_steps(&traces, Stage::Hint, &run.hints);
        let distance = undisturbed.map(|undisturbed| {
            let before = predicted::of_steps(&traces, Stage::Output, &undisturbed.every_output);
            let other = from_zero(&undisturbed, width);
            let pairs = || states.chunks_exact(hidden).zip(other.chunks_exact(hidden));
            let per_node: Vec<f32> = pairs().map(|(a, b)| apart(a, b)).collect();
            let total: Vec<f32> = per_node.chunks_exact(nodes).map(length).collect();
            Distance {
                total: bytes.f32(&total),
                nodes: bytes.f32(&per_node),
                undisturbed_scores: bytes.f32(&scores(&before, steps)),
            }
        });
        let projection =
            corpus.map(|corpus| corpus.project(&states, nodes, hidden, bytes)).transpose()?;
        let shown = |all: Vec<Predicted>, bytes: &mut Bytes| -> Vec<PredictedValue> {
            all.into_iter().map(|it| it.into_value(nodes, request.logits, bytes)).collect()
        };
        let scores = bytes.f32(&scores(&outputs, steps));
        let agreement = agreement::of(entry, &instance, &outputs, bytes)?;
        // Without hints, there are no predictions of them.
        let hints = if run.hints.is_empty() { vec![] } else { shown(hints, bytes) };
        Ok(RolloutValue {
            network: &request.network,
            algorithm: &request.algorithm,
            nodes,
            records: steps + 1,
            trace_records: traces.steps(0),
            hidden,
            hints,
            outputs: shown(outputs, bytes),
            residuals: bytes.f32(&residuals(&states, width)),
            states: bytes.f32(&states),
            scores,
            agreement,
            distance,
            projection,
        })
    }
}

/// How a task is run: everything is kept, if it fits.
fn options(task: Task<'_>, traces: &Traces, extra_steps: isize) -> Result<RolloutOptions> {
    let (config, spec) = (task.model().config(), task.spec());
    let steps = Steps::OwnAnd(extra_steps);
    let count = steps.of(traces.longest());
    LIMITS.check_steps(count)?;
    let kept = spec.probes.iter().filter(|probe| probe.stage != Stage::Input);
    let kept = kept.map(|probe| size(probe, traces.nodes)).sum::<usize>();
    let states = traces.nodes * config.hidden_size;
    // Predictions and states are copied into the answer.
    check_bytes("this rollout", 8 * count * (kept + states))?;
    task.batch_size(traces, EvaluateOptions { steps, ..Default::default() }, 1)?;
    Ok(RolloutOptions {
        steps,
        feedback: Feedback::in_prediction(config),
        keep_hints: config.hint_mode.decodes(),
        every_output: true,
        keep_states: Some(Pooling::All),
    })
}

/// The states of the only sample of a run, with the initial state before them.
fn from_zero(run: &Predictions, width: usize) -> Vec<f32> {
    [&vec![0.0; width], run.states[0].as_slice()].concat()
}

/// Mean score of the outputs per record.
fn scores(outputs: &[Predicted], steps: usize) -> Vec<f32> {
    let score = |step| {
        let scores = outputs.iter().map(|output| output.score(step, &output.truth, 0));
        (scores.sum::<f64>() / outputs.len() as f64) as f32
    };
    std::iter::once(f32::NAN).chain((0..steps).map(score)).collect()
}

/// Relative change of the states by each step, as the analyses of stopping define it; `NaN` where
/// there is none: at the initial state and the first one.
fn residuals(states: &[f32], width: usize) -> Vec<f32> {
    let records: Vec<&[f32]> = states.chunks_exact(width).collect();
    let residual = |record: usize| match record {
        0 | 1 => f32::NAN,
        _ => apart(records[record], records[record - 1]) / length(records[record]).max(1e-12),
    };
    (0..records.len()).map(residual).collect()
}

fn length(x: &[f32]) -> f32 {
    x.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt() as f32
}

fn apart(a: &[f32], b: &[f32]) -> f32 {
    let squares = a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2));
    squares.sum::<f64>().sqrt() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_residual_is_the_change_over_the_length_of_the_new_states() {
        let states = [0.0, 0.0, 3.0, 4.0, 3.0, 0.0];
        let residuals = residuals(&states, 2);
        assert!(residuals[0].is_nan() && residuals[1].is_nan());
        assert_eq!(residuals[2], 4.0 / 3.0);
    }
}
