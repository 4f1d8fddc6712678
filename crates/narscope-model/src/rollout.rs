//! The one loop: encode, process, decode, again and again.
//!
//! Training, evaluation, recording and perturbing all run it. What differs is a [`StepHook`].
//! Samples are sorted by the number of their steps and leave the batch when they have finished, so
//! no step is taken for padding, and outputs are decoded once, at each sample's own last step.

use burn_tensor::Tensor;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;

use crate::decode::{Feedback, Noise};
use crate::net::Net;
use crate::random::{Purpose, Stream};
use crate::trajectory::Kept;
use crate::values::{Reader, Values, numbers, of_stage, tensor};

/// Sees every hidden state, and may replace it.
pub trait StepHook {
    /// Called after step `step` with the state `(B, N, H)` of the samples that still run; what it
    /// returns is what decoders and the next step see. `samples[row]` is the place of a row in the
    /// batch.
    fn after_step(&mut self, step: usize, samples: &[usize], hidden: Tensor<3>) -> Tensor<3>;

    /// Whether it neither looks nor touches, so that it need not be called.
    fn is_idle(&self) -> bool {
        false
    }
}

/// The hook that neither looks nor touches.
pub struct NoHook;

impl StepHook for NoHook {
    fn after_step(&mut self, _step: usize, _samples: &[usize], hidden: Tensor<3>) -> Tensor<3> {
        hidden
    }

    fn is_idle(&self) -> bool {
        true
    }
}

/// How many steps a sample runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// As many as the algorithm took.
    #[default]
    Own,
    /// So many more, or fewer, but at least one.
    OwnAnd(isize),
    /// So many, whatever the algorithm took.
    Exactly(usize),
}

impl Steps {
    /// The number for a sample with so many hints.
    pub fn of(self, hints: usize) -> usize {
        // The first hint is given, each step predicts the next.
        // Parity: who has no next hint takes a step all the same.
        let own = hints.saturating_sub(1).max(1);
        match self {
            Self::Own => own,
            Self::OwnAnd(more) => own.saturating_add_signed(more).max(1),
            Self::Exactly(steps) => steps.max(1),
        }
    }
}

/// What is random while a network learns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Learning {
    /// How likely a sample is shown the true hint instead of its own.
    pub forcing: f64,
    /// How likely a hidden unit is dropped.
    pub dropout: f64,
    /// Whether predictions of permutations are blurred.
    pub noise: bool,
    /// The seed of the run.
    pub seed: u32,
    /// Which update this is, counted over all tasks.
    pub place: u64,
}

/// How a batch is run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How many steps a sample runs.
    pub steps: Steps,
    /// How predictions are fed back.
    pub feedback: Feedback,
    /// What is random, if the network learns.
    pub learning: Option<Learning>,
    /// Whether predicted hints are kept.
    pub keep_hints: bool,
    /// Whether outputs are decoded at every step.
    pub every_output: bool,
    /// What is kept of hidden states.
    pub keep_states: Option<Kept>,
}

/// What a network predicted for a batch. Rows are sorted: the longest runs come first.
#[derive(Clone, Debug)]
pub struct Predictions {
    /// The place in the batch of each row.
    pub order: Vec<usize>,
    /// How many steps each row took, never growing.
    pub steps: Vec<usize>,
    /// Raw outputs at the end, `(B, P, C)` per probe.
    pub outputs: Vec<Tensor<3>>,
    /// Raw hints per step and probe, of the rows that ran then.
    pub hints: Vec<Vec<Tensor<3>>>,
    /// Raw outputs per step and probe, of the rows that ran then.
    pub every_output: Vec<Vec<Tensor<3>>>,
    /// Per row, what is kept of its states, step after step.
    pub states: Vec<Vec<f32>>,
}

impl Predictions {
    /// The rows of a batch, before anything is predicted.
    pub(crate) fn none_yet(traces: &Traces, steps: Steps) -> Self {
        let length = |i: usize| steps.of(traces.steps(i));
        let mut order: Vec<usize> = (0..traces.len()).collect();
        // Samples with a hint to compare a prediction with come before those without.
        order.sort_by_key(|&i| std::cmp::Reverse((length(i), traces.steps(i))));
        let steps = order.iter().map(|&i| length(i)).collect();
        let (outputs, hints, every_output, states) = Default::default();
        Self { order, steps, outputs, hints, every_output, states }
    }

    /// The row of each sample of the batch.
    pub fn rows(&self) -> Vec<usize> {
        let mut rows = vec![0; self.order.len()];
        for (row, &sample) in self.order.iter().enumerate() {
            rows[sample] = row;
        }
        rows
    }

    /// How many rows take step `step`.
    pub fn running(&self, step: usize) -> usize {
        self.steps.partition_point(|&steps| steps > step)
    }

    /// How many rows take step `step` and have a true hint to compare its prediction with: a
    /// sample with one hint takes a step, but has none. They are the first rows.
    pub fn comparable(&self, step: usize, traces: &Traces) -> usize {
        let known = |&&i: &&usize| traces.steps(i) > step + 1;
        self.order[..self.running(step)].iter().filter(known).count()
    }
}

/// Runs a batch through a network.
///
/// # Panics
/// If a sample has no hint to start from.
pub fn rollout(
    net: &Net,
    task: usize,
    traces: &Traces,
    plan: &Plan,
    hook: &mut dyn StepHook,
) -> Predictions {
    if let Some(kernels) = net.kernels.as_ref().filter(|_| plan.learning.is_none()) {
        return kernels.rollout(task, traces, plan, hook);
    }
    let nodes = traces.nodes;
    let mut predictions = Predictions::none_yet(traces, plan.steps);
    let Some(&longest) = predictions.steps.first() else { return predictions };

    let hint_probes = of_stage(&traces.probes, Stage::Hint);
    let mut random = plan.learning.map(Random::new);
    let task = TaskRun { net, task, nodes, feedback: plan.feedback, hint_probes: &hint_probes };
    let mut reader = Reader::new(traces, Stage::Hint, &predictions.order);
    let input_probes = of_stage(&traces.probes, Stage::Input);
    let inputs = Reader::new(traces, Stage::Input, &predictions.order).next(traces.len());
    let inputs = task.dense(&input_probes, &inputs);
    let inputs = net.tasks[task.task].inputs.sources(inputs, nodes);

    let mut state = net.start(traces.len(), nodes);
    let mut last_hints: Vec<Tensor<3>> = vec![];
    let mut finished = vec![];
    for step in 0..longest {
        let running = predictions.running(step);
        state = state.first(running);

        let mut sources = inputs.first(running);
        if let Some(encoders) = &net.tasks[task.task].hints {
            let own = last_hints.into_iter().map(|x: Tensor<3>| x.narrow(0, 0, running)).collect();
            let hints = task.hints(step, running, own, &mut reader, random.as_mut());
            sources = sources.beside(encoders.sources(hints, nodes));
        }
        let features = net.features(task.task, sources);
        let dropout = random.as_mut().and_then(|random| random.dropout(&state.hidden));
        let (mut next, edge) = net.advance(&features, &state, dropout);
        next.hidden = hook.after_step(step, &predictions.order[..running], next.hidden);
        if let Some(kept) = plan.keep_states {
            let [_, _, channels] = next.hidden.dims();
            predictions.states.resize(traces.len(), vec![]);
            kept.push_all(&numbers(next.hidden.clone()), nodes, channels, &mut predictions.states);
        }
        let view = Net::view(features, &state, &next, edge);

        let decoders = &net.tasks[task.task];
        last_hints = match &decoders.hint_decoders {
            Some(decoders) => decoders.forward(&view, random.as_mut().and_then(Random::noise)),
            None => vec![],
        };
        let left = predictions.running(step + 1);
        if plan.every_output {
            let noise = random.as_mut().and_then(Random::noise);
            let outputs = decoders.outputs.forward(&view, noise);
            let done = |x: &Tensor<3>| x.clone().narrow(0, left, running - left);
            if left < running {
                finished.push(outputs.iter().map(done).collect());
            }
            predictions.every_output.push(outputs);
        } else if left < running {
            let noise = random.as_mut().and_then(Random::noise);
            let view = view.samples(left, running - left);
            finished.push(decoders.outputs.forward(&view, noise));
        }
        if plan.keep_hints {
            predictions.hints.push(last_hints.clone());
        }
        state = next;
    }
    // Who finished last comes first.
    let outputs = (0..finished[0].len()).map(|probe| {
        let rows = finished.iter().rev().map(|outputs: &Vec<Tensor<3>>| outputs[probe].clone());
        Tensor::cat(rows.collect(), 0)
    });
    predictions.outputs = outputs.collect();
    predictions
}

/// A task with what feeding its hints takes.
struct TaskRun<'a> {
    net: &'a Net,
    task: usize,
    nodes: usize,
    feedback: Feedback,
    hint_probes: &'a [Probe],
}

impl TaskRun<'_> {
    fn dense(&self, probes: &[Probe], values: &[Values]) -> Vec<Tensor<3>> {
        let pairs = probes.iter().zip(values);
        pairs.map(|(probe, values)| values.dense(probe, self.nodes, self.net.device())).collect()
    }

    /// The hints that a step is given: true ones at first, then the network's own, unless it learns
    /// and is forced.
    fn hints(
        &self,
        step: usize,
        running: usize,
        own: Vec<Tensor<3>>,
        reader: &mut Reader<'_>,
        random: Option<&mut Random>,
    ) -> Vec<Tensor<3>> {
        let mut truth = || self.dense(self.hint_probes, &reader.next(running));
        if step == 0 {
            return truth();
        }
        let own = self.hint_probes.iter().zip(own);
        let own = own.map(|(probe, raw)| self.feedback.read(probe, raw));
        match random.filter(|random| random.learning.forcing > 0.0) {
            None => own.collect(),
            Some(random) if random.learning.forcing >= 1.0 => truth(),
            Some(random) => {
                let forced = random.forced(running);
                let forced = tensor(forced, [running, 1, 1], self.net.device());
                own.zip(truth())
                    .map(|(own, truth)| truth * forced.clone() + own * (-forced.clone() + 1.0))
                    .collect()
            }
        }
    }
}

/// The streams of one update.
pub(crate) struct Random {
    learning: Learning,
    dropout: Stream,
    noise: Stream,
    forcing: Stream,
}

impl Random {
    pub(crate) fn new(learning: Learning) -> Self {
        let stream = |purpose| Stream::new(learning.seed, purpose, learning.place);
        Self {
            learning,
            dropout: stream(Purpose::Dropout),
            noise: stream(Purpose::Noise),
            forcing: stream(Purpose::Forcing),
        }
    }

    /// What predictions of permutations are blurred with.
    pub(crate) fn noise(&mut self) -> Option<Noise<'_>> {
        self.learning.noise.then_some(&mut self.noise)
    }

    /// What a state is multiplied by.
    pub(crate) fn dropout(&mut self, state: &Tensor<3>) -> Option<Tensor<3>> {
        let shape = state.dims();
        self.kept(shape.iter().product()).map(|kept| tensor(kept, shape, &state.device()))
    }

    /// What so many hidden units are multiplied by, if some are dropped.
    pub(crate) fn kept(&mut self, units: usize) -> Option<Vec<f32>> {
        let kept = 1.0 - self.learning.dropout as f32;
        let mut draw = || if self.dropout.uniform() < kept { 1.0 / kept } else { 0.0 };
        (kept < 1.0).then(|| (0..units).map(|_| draw()).collect())
    }

    /// 1 for samples that are shown the truth.
    pub(crate) fn forced(&mut self, samples: usize) -> Vec<f32> {
        let p = self.learning.forcing as f32;
        (0..samples).map(|_| f32::from(self.forcing.uniform() < p)).collect()
    }
}
