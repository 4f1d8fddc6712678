//! Trajectories: what the hidden states of a network did on samples, step by step.
//!
//! Not to be confused with a *trace*, which is what an algorithm did.

use narscope_clrs::column::Column;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::answers::definite;
use crate::config::Config;
use crate::data::EVALUATION_BATCH;
use crate::evaluate::{self, Evaluator, feedback};
use crate::memory::Ahead;
use crate::net::{Net, Spec};
use crate::rollout::{NoHook, Plan, Predictions, StepHook, Steps, rollout};
use crate::values::of_stage;

/// What is kept of the states of all nodes of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// The largest of each channel, as in the paper.
    #[default]
    Max,
    /// The mean.
    Mean,
    /// The least.
    Min,
    /// These three, one after the other.
    Each,
    /// The states of all nodes.
    All,
}

impl Kept {
    /// How many vectors are kept of a graph at one step.
    pub fn vectors(self, nodes: usize) -> usize {
        match self {
            Self::Max | Self::Mean | Self::Min => 1,
            Self::Each => 3,
            Self::All => nodes,
        }
    }

    /// Appends what is kept of the states of a graph, `(N, H)`.
    pub fn push(self, states: &[f32], hidden: usize, to: &mut Vec<f32>) {
        let fold = |to: &mut Vec<f32>, join: fn(f32, f32) -> f32| {
            let (first, others) = states.split_at(hidden);
            let start = to.len();
            to.extend_from_slice(first);
            for state in others.chunks_exact(hidden) {
                to[start..].iter_mut().zip(state).for_each(|(all, &x)| *all = join(*all, x));
            }
        };
        match self {
            Self::All => to.extend_from_slice(states),
            Self::Each => {
                for one in [Self::Max, Self::Mean, Self::Min] {
                    one.push(states, hidden, to);
                }
            }
            Self::Max => fold(to, f32::max),
            Self::Min => fold(to, f32::min),
            Self::Mean => {
                let (start, nodes) = (to.len(), states.len() / hidden);
                fold(to, |sum, x| sum + x);
                to[start..].iter_mut().for_each(|sum| *sum /= nodes as f32);
            }
        }
    }

    /// The same for some graphs, `(B, N, H)`, each with a place of its own.
    pub(crate) fn push_all(self, states: &[f32], nodes: usize, hidden: usize, to: &mut [Vec<f32>]) {
        for (states, to) in states.chunks_exact(nodes * hidden).zip(to) {
            self.push(states, hidden, to);
        }
    }
}

/// What to record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// How many steps samples take.
    pub steps: Steps,
    /// What is kept of the nodes.
    pub kept: Kept,
    /// Whether outputs are read off at every step.
    pub every_output: bool,
}

impl Wanted {
    fn plan(self, config: &Config) -> Plan {
        Plan {
            steps: self.steps,
            feedback: feedback(config),
            learning: None,
            keep_hints: config.hint_mode.decodes(),
            every_output: self.every_output,
            keep_states: Some(self.kept),
        }
    }
}

/// What the hidden states of a network did on samples, and what it said.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectories {
    /// What the algorithm did.
    pub truth: Traces,
    /// What the network said instead: its outputs, and its hints if it has any, after the one that
    /// it is given. A run has one more hint than the network took steps.
    pub predicted: Traces,
    /// What is kept of the nodes.
    pub kept: Kept,
    /// How many channels a state has.
    pub hidden: usize,
    /// Per sample, the vectors that are kept of the state after each step: `(T, V, H)`.
    pub states: Vec<Vec<f32>>,
    /// Per output and, one sample after the other, step: what would have been said then. Empty
    /// unless it was wanted.
    pub every_output: Vec<Column>,
    /// Per sample, the mean score of its outputs.
    pub scores: Vec<f64>,
}

impl Trajectories {
    /// Nothing recorded yet of a network that predicts hints, or does not.
    pub fn new(truth: &Traces, predicts_hints: bool, kept: Kept, hidden: usize) -> Self {
        let said = |probe: &&Probe| match probe.stage {
            Stage::Input => false,
            Stage::Output => true,
            Stage::Hint => predicts_hints,
        };
        let probes = truth.probes.iter().filter(said).cloned().collect();
        Self {
            truth: Traces::new(truth.probes.clone(), truth.nodes),
            predicted: Traces::new(probes, truth.nodes),
            kept,
            hidden,
            states: vec![],
            every_output: vec![],
            scores: vec![],
        }
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The mean score of all samples.
    pub fn mean_score(&self) -> f64 {
        self.scores.iter().sum::<f64>() / self.len().max(1) as f64
    }

    /// How many steps the network took on a sample.
    pub fn steps(&self, sample: usize) -> usize {
        self.states[sample].len() / (self.hidden * self.kept.vectors(self.truth.nodes))
    }

    /// What is kept of a sample after a step: `(V, H)`.
    pub fn state(&self, sample: usize, step: usize) -> &[f32] {
        let size = self.hidden * self.kept.vectors(self.truth.nodes);
        &self.states[sample][step * size..][..size]
    }

    /// One reduction over the nodes of a sample after a step, if it was kept.
    pub fn reduced(&self, sample: usize, step: usize, reduction: Kept) -> Option<&[f32]> {
        let place = match (self.kept, reduction) {
            (Kept::Each, Kept::Max) => 0,
            (Kept::Each, Kept::Mean) => 1,
            (Kept::Each, Kept::Min) => 2,
            (kept, reduction) if kept == reduction && kept.vectors(0) == 1 => 0,
            _ => return None,
        };
        Some(&self.state(sample, step)[place * self.hidden..][..self.hidden])
    }

    /// The samples on which the network took so many steps.
    pub fn with_steps(&self, steps: usize) -> Vec<usize> {
        (0..self.len()).filter(|&sample| self.steps(sample) == steps).collect()
    }

    /// Appends what came of a batch.
    fn push(&mut self, batch: &Traces, recorded: Recorded) {
        let Recorded { said, states, every_output, scores } = recorded;
        self.scores.extend(scores);
        self.states.extend(states);
        for sample in 0..batch.len() {
            self.truth.push_from(batch, sample);
            self.predicted.push_from(&said, sample);
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

/// What came of a batch, in its order.
struct Recorded {
    said: Traces,
    states: Vec<Vec<f32>>,
    every_output: Vec<Column>,
    scores: Vec<f64>,
}

impl Recorded {
    /// Runs a batch.
    fn of(
        (net, task, spec, config): (&Net, usize, &Spec, &Config),
        batch: &Traces,
        wanted: Wanted,
        hook: &mut dyn StepHook,
        said_probes: &[Probe],
    ) -> Self {
        let mut predictions = rollout(net, task, batch, &wanted.plan(config), hook);
        let mut evaluator =
            Evaluator::new(spec, evaluate::Wanted { per_sample: true, ..Default::default() });
        evaluator.score(&predictions, batch);
        let scores = evaluator.finish().per_sample.iter().map(|sample| sample.score).collect();
        let rows = predictions.rows();
        let states = rows.iter().map(|&row| std::mem::take(&mut predictions.states[row])).collect();
        let outputs = of_stage(&batch.probes, Stage::Output);
        let outputs = if wanted.every_output { outputs.as_slice() } else { &[] };
        let every_output = outputs.iter().enumerate().map(|(place, probe)| {
            let steps = predictions.every_output.iter();
            let steps = steps.map(|all| definite(probe, all[place].clone(), batch.nodes));
            let mut column = Column::of(probe, batch.nodes);
            along_time(&predictions, &steps.collect::<Vec<_>>(), |_| {}, &mut column);
            column
        });
        let every_output = every_output.collect();
        Self { said: said(&predictions, batch, said_probes), states, every_output, scores }
    }
}

/// Records a network on samples, as many at once as memory allows. `progress` hears how many samples
/// more are done, and says whether to go on.
pub fn record(
    (net, task, spec, config): (&Net, usize, &Spec, &Config),
    traces: &Traces,
    wanted: Wanted,
    hook: &mut dyn StepHook,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Result<Option<Trajectories>> {
    let hints = config.hint_mode.decodes();
    let mut all = Trajectories::new(traces, hints, wanted.kept, config.hidden_size);
    let network = (net, task, spec, config);
    let plan = wanted.plan(config);
    let ahead = Ahead::of(network, traces, &plan, !hook.is_idle());
    let samples: Vec<usize> = (0..traces.len()).collect();
    let each = ahead.at_once(EVALUATION_BATCH)?;
    // What is done with a batch after its run is not shared out among threads: several go side by side,
    // unless a hook has to see one after the other.
    let together = if hook.is_idle() {
        ahead.at_once(EVALUATION_BATCH * rayon::current_num_threads())?.max(each) / each
    } else {
        1
    };
    for group in samples.chunks(together * each) {
        let batches: Vec<Traces> = group.chunks(each).map(|batch| traces.select(batch)).collect();
        let probes = &all.predicted.probes;
        let recorded: Vec<Recorded> = if hook.is_idle() {
            let batches = batches.par_iter();
            batches.map(|batch| Recorded::of(network, batch, wanted, &mut NoHook, probes)).collect()
        } else {
            let batches = batches.iter();
            batches.map(|batch| Recorded::of(network, batch, wanted, hook, probes)).collect()
        };
        for (batch, recorded) in batches.iter().zip(recorded) {
            all.push(batch, recorded);
        }
        if !progress(group.len()) {
            return Ok(None);
        }
    }
    Ok(Some(all))
}

/// Predictions in the form of traces, in the order of the batch.
fn said(predictions: &Predictions, batch: &Traces, probes: &[Probe]) -> Traces {
    let rows = predictions.rows();
    let mut places = [0; 2];
    let columns = probes.iter().map(|probe| {
        let truth = batch.find(probe.stage, &probe.name).expect("probes are the batch's");
        let truth = &batch.columns[truth];
        let mut column = Column::of(probe, batch.nodes);
        match probe.stage {
            Stage::Input => unreachable!("a network says nothing of inputs"),
            Stage::Output => {
                let raw = predictions.outputs[places[0]].clone();
                places[0] += 1;
                let answers = definite(probe, raw, batch.nodes);
                for &row in &rows {
                    column.extend_from(&answers, row..row + 1);
                }
            }
            Stage::Hint => {
                let steps = predictions.hints.iter().map(|all| all[places[1]].clone());
                let steps: Vec<Column> =
                    steps.map(|raw| definite(probe, raw, batch.nodes)).collect();
                places[1] += 1;
                let mut samples = 0..batch.len();
                let given = |column: &mut Column| {
                    let sample = samples.next().expect("one call per sample");
                    let mut given = truth.rows_from(batch.records(Stage::Hint, sample).start);
                    column.push(given.next_row().expect("a run has a first hint"));
                };
                along_time(predictions, &steps, given, &mut column);
            }
        }
        column
    });
    let columns = columns.collect();
    let hints: Vec<usize> = rows.iter().map(|&row| predictions.steps[row] + 1).collect();
    Traces::from_columns(probes.to_vec(), batch.nodes, columns, &hints)
}

/// Appends the records of each sample in turn, one per step, after what `begin` puts first.
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
