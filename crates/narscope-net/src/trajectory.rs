//! Trajectories: hidden states and predictions of a network on samples, step by step.
//!
//! Not to be confused with a *trace*: the steps of an algorithm.

use narscope_clrs::column::Column;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;

use crate::evaluation::{EvaluateOptions, Evaluator};
use crate::pooling::Pooling;
use crate::postprocess::postprocess;
use crate::predict::{Array, named_logits};
use crate::rollout::{Predictions, Steps};
use crate::spec::Spec;
use crate::values::of_stage;

/// What is recorded.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordOptions {
    /// Number of steps of each sample.
    pub steps: Steps,
    /// What is kept of the node states.
    pub pooling: Pooling,
    /// Whether outputs are decoded at every step.
    pub every_output: bool,
    /// Number of steps of the arrays of raw predictions, if these are kept.
    pub logits: Option<usize>,
}

/// Hidden states and predictions of a network on samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectories {
    /// The traces of the algorithm.
    pub truth: Traces,
    /// The predictions in the form of traces: outputs and, if the network decodes them, hints after
    /// the given first one. A trace has one more hint than the network took steps.
    pub predicted: Traces,
    /// What is kept of the node states.
    pub pooling: Pooling,
    /// Hidden units of a node.
    pub hidden: usize,
    /// Per sample, the pooled states after each step: `(T, V, H)`.
    pub states: Vec<Vec<f32>>,
    /// Per output, its prediction after each step, one sample after the other. Empty unless
    /// requested.
    pub every_output: Vec<Column>,
    /// Mean score of the outputs of each sample.
    pub scores: Vec<f64>,
    /// Raw predictions as named arrays, with the sample as the first axis. Empty unless requested.
    pub logits: Vec<(String, Array)>,
}

impl Trajectories {
    /// Empty trajectories on samples like `truth`.
    pub fn new(truth: &Traces, predicts_hints: bool, pooling: Pooling, hidden: usize) -> Self {
        let is_predicted = |probe: &&Probe| match probe.stage {
            Stage::Input => false,
            Stage::Output => true,
            Stage::Hint => predicts_hints,
        };
        let probes = truth.probes.iter().filter(is_predicted).cloned().collect();
        Self {
            truth: Traces::new(truth.probes.clone(), truth.nodes),
            predicted: Traces::new(probes, truth.nodes),
            pooling,
            hidden,
            states: vec![],
            every_output: vec![],
            scores: vec![],
            logits: vec![],
        }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Mean score of all samples.
    pub fn mean_score(&self) -> f64 {
        self.scores.iter().sum::<f64>() / self.len().max(1) as f64
    }

    /// Number of steps of the network on a sample.
    pub fn steps(&self, sample: usize) -> usize {
        self.states[sample].len() / (self.hidden * self.pooling.vectors(self.truth.nodes))
    }

    /// The pooled states of a sample after a step: `(V, H)`.
    pub fn state(&self, sample: usize, step: usize) -> &[f32] {
        let size = self.hidden * self.pooling.vectors(self.truth.nodes);
        &self.states[sample][step * size..][..size]
    }

    /// One reduction over the nodes of a sample after a step, if it was recorded.
    pub fn reduced(&self, sample: usize, step: usize, reduction: Pooling) -> Option<&[f32]> {
        let index = match (self.pooling, reduction) {
            (Pooling::Each, Pooling::Max) => 0,
            (Pooling::Each, Pooling::Mean) => 1,
            (Pooling::Each, Pooling::Min) => 2,
            (pooling, reduction) if pooling == reduction && pooling.vectors(0) == 1 => 0,
            _ => return None,
        };
        Some(&self.state(sample, step)[index * self.hidden..][..self.hidden])
    }

    /// The samples on which the network took `steps` steps.
    pub fn with_steps(&self, steps: usize) -> Vec<usize> {
        (0..self.len()).filter(|&sample| self.steps(sample) == steps).collect()
    }

    /// Appends a batch.
    pub(crate) fn push(&mut self, batch: &Traces, recorded: Recorded) {
        let Recorded { predicted, states, every_output, scores, logits } = recorded;
        if self.logits.is_empty() {
            self.logits = logits;
        } else {
            for ((_, to), (_, from)) in self.logits.iter_mut().zip(logits) {
                to.append(from);
            }
        }
        self.scores.extend(scores);
        self.states.extend(states);
        for sample in 0..batch.len() {
            self.truth.push_from(batch, sample);
            self.predicted.push_from(&predicted, sample);
        }
        if self.every_output.is_empty() {
            self.every_output = every_output;
        } else {
            for (to, from) in self.every_output.iter_mut().zip(&every_output) {
                to.extend_from(from, 0..from.len());
            }
        }
    }
}

/// The recording of a batch, in its order.
pub(crate) struct Recorded {
    predicted: Traces,
    states: Vec<Vec<f32>>,
    every_output: Vec<Column>,
    scores: Vec<f64>,
    logits: Vec<(String, Array)>,
}

impl Recorded {
    /// Scores and converts the predictions for a batch. `probes` are those that are predicted; raw
    /// predictions are kept as arrays of `steps_of_logits` steps.
    pub(crate) fn new(
        mut predictions: Predictions,
        batch: &Traces,
        spec: &Spec,
        probes: &[Probe],
        steps_of_logits: Option<usize>,
    ) -> Self {
        let logits = steps_of_logits.map(|steps| named_logits(&predictions, batch, steps));
        let options = EvaluateOptions { per_sample: true, ..Default::default() };
        let mut evaluator = Evaluator::new(spec, options);
        evaluator.score(&predictions, batch);
        let scores = evaluator.finish().per_sample.iter().map(|sample| sample.score).collect();
        let rows = predictions.rows();
        let states = rows.iter().map(|&row| std::mem::take(&mut predictions.states[row])).collect();
        let outputs = of_stage(&batch.probes, Stage::Output);
        let outputs = if predictions.every_output.is_empty() { &[] } else { outputs.as_slice() };
        let every_output = outputs.iter().enumerate().map(|(index, probe)| {
            let steps = predictions.every_output.iter();
            let steps = steps.map(|all| postprocess(probe, &all[index].values, batch.nodes));
            let mut column = Column::of(probe, batch.nodes);
            along_time(&predictions, &steps.collect::<Vec<_>>(), |_| {}, &mut column);
            column
        });
        let every_output = every_output.collect();
        let predicted = as_traces(&predictions, batch, probes);
        Self { predicted, states, every_output, scores, logits: logits.unwrap_or_default() }
    }
}

/// Predictions in the form of traces, in the order of the batch.
fn as_traces(predictions: &Predictions, batch: &Traces, probes: &[Probe]) -> Traces {
    let rows = predictions.rows();
    let (mut outputs, mut hints) = (0.., 0..);
    let columns = probes.iter().map(|probe| {
        let truth = batch.find(probe.stage, &probe.name).expect("probes are the batch's");
        let truth = &batch.columns[truth];
        let mut column = Column::of(probe, batch.nodes);
        match probe.stage {
            Stage::Input => unreachable!("inputs are not predicted"),
            Stage::Output => {
                let index: usize = outputs.next().expect("an unbounded range");
                let logits = &predictions.outputs[index].values;
                let answers = postprocess(probe, logits, batch.nodes);
                for &row in &rows {
                    column.extend_from(&answers, row..row + 1);
                }
            }
            Stage::Hint => {
                let index: usize = hints.next().expect("an unbounded range");
                let steps = predictions.hints.iter();
                let steps: Vec<Column> =
                    steps.map(|all| postprocess(probe, &all[index].values, batch.nodes)).collect();
                let mut samples = 0..batch.len();
                let given = |column: &mut Column| {
                    let sample = samples.next().expect("one call per sample");
                    let mut given = truth.rows_from(batch.records(Stage::Hint, sample).start);
                    column.push(given.next_row().expect("a trace has a first hint"));
                };
                along_time(predictions, &steps, given, &mut column);
            }
        }
        column
    });
    let columns = columns.collect();
    let lengths: Vec<usize> = rows.iter().map(|&row| predictions.steps[row] + 1).collect();
    Traces::from_columns(probes.to_vec(), batch.nodes, columns, &lengths)
}

/// Appends the records of each sample, one per step, after what `begin` appends.
fn along_time(
    predictions: &Predictions,
    steps: &[Column],
    mut begin: impl FnMut(&mut Column),
    to: &mut Column,
) {
    for row in predictions.rows() {
        begin(to);
        for step in &steps[..predictions.steps[row]] {
            to.extend_from(step, row..row + 1);
        }
    }
}
