//! Rollouts: what a network is run with, and what it predicts.
//!
//! There are three loops over the steps of a network, and all read these types: the fused engine
//! ([`crate::fused`]), the generic engine (`narscope_model::generic::rollout`), which is the
//! definition, and chunked training (`narscope_model::generic::chunked`). Samples are sorted by
//! their number of steps and leave the batch when they have finished, so padding takes no step, and
//! outputs are decoded once, at each sample's own last step.

use narscope_clrs::trace::Traces;

use crate::feedback::Feedback;
use crate::pooling::Pooling;
use crate::random::{Purpose, Stream};

/// Hidden states of the running samples, `(B, N, H)`.
#[derive(Debug)]
pub struct States<'a> {
    /// The values, in C order.
    pub values: &'a mut [f32],
    /// `N`.
    pub nodes: usize,
    /// `H`.
    pub hidden: usize,
}

impl States<'_> {
    /// The states of each sample, `(N, H)`.
    pub fn samples_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        self.values.chunks_exact_mut(self.nodes * self.hidden)
    }
}

/// Reads every hidden state, and may change it.
pub trait StepHook {
    /// Called after step `step` with the states of the samples that still run. Decoders and the next
    /// step see the changed states. `samples[row]` is the index of a row in the batch.
    fn after_step(&mut self, step: usize, samples: &[usize], states: &mut States<'_>);

    /// Whether it neither reads nor changes states, so that it need not be called.
    fn is_idle(&self) -> bool {
        false
    }
}

/// A hook that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHook;

impl StepHook for NoHook {
    fn after_step(&mut self, _step: usize, _samples: &[usize], _states: &mut States<'_>) {}

    fn is_idle(&self) -> bool {
        true
    }
}

/// Number of steps that a sample runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// As many as the algorithm.
    #[default]
    Own,
    /// This many more than the algorithm, or fewer if negative, but at least one.
    OwnAnd(isize),
    /// This many, whatever the algorithm took.
    Exactly(usize),
}

impl Steps {
    /// Number of steps of a sample with `hints` hints.
    pub fn of(self, hints: usize) -> usize {
        // The first hint is given, each step predicts the next.
        // Parity: a sample with a single hint takes one step all the same.
        let own = hints.saturating_sub(1).max(1);
        match self {
            Self::Own => own,
            Self::OwnAnd(more) => own.saturating_add_signed(more).max(1),
            Self::Exactly(steps) => steps.max(1),
        }
    }
}

/// What is random in an update of training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stochastic {
    /// Probability that a sample is fed the true hint instead of its own prediction.
    pub teacher_forcing: f64,
    /// Probability that a hidden unit is dropped.
    pub dropout: f64,
    /// Whether scores of permutations get Gumbel noise.
    pub gumbel_noise: bool,
    /// Seed of the run.
    pub seed: u32,
    /// Number of the update, counted over all tasks.
    pub update: u64,
}

/// How a batch is run.
#[derive(Clone, Copy, Debug)]
pub struct RolloutOptions {
    /// Number of steps of each sample.
    pub steps: Steps,
    /// How predicted hints are fed back.
    pub feedback: Feedback,
    /// Whether predicted hints are kept.
    pub keep_hints: bool,
    /// Whether outputs are decoded and kept at every step.
    pub every_output: bool,
    /// What is kept of the hidden states.
    pub keep_states: Option<Pooling>,
}

/// Raw predictions of one probe, `(B, P, C)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Logits {
    /// `B`, `P` and `C`.
    pub shape: [usize; 3],
    /// The values, in C order.
    pub values: Vec<f32>,
}

impl Logits {
    /// The values of the first `rows` rows.
    pub fn first(&self, rows: usize) -> &[f32] {
        let [_, locations, choices] = self.shape;
        &self.values[..rows * locations * choices]
    }
}

/// What a network predicted for a batch, with raw predictions as [`Logits`] or as an engine's own
/// tensors. Rows are sorted by their number of steps, longest first.
#[derive(Clone, Debug)]
pub struct Predictions<T = Logits> {
    /// Index in the batch of each row.
    pub order: Vec<usize>,
    /// Number of steps of each row, never increasing.
    pub steps: Vec<usize>,
    /// Raw outputs at the last step of each row, one item per probe.
    pub outputs: Vec<T>,
    /// Raw hints per step and probe, of the rows that run then.
    pub hints: Vec<Vec<T>>,
    /// Raw outputs per step and probe, of the rows that run then.
    pub every_output: Vec<Vec<T>>,
    /// Per row, the pooled hidden states, step after step.
    pub states: Vec<Vec<f32>>,
}

impl<T> Predictions<T> {
    /// The rows of a batch, with nothing predicted yet.
    pub fn new(traces: &Traces, steps: Steps) -> Self {
        let length = |i: usize| steps.of(traces.steps(i));
        let mut order: Vec<usize> = (0..traces.len()).collect();
        // Samples whose prediction has a true hint to be compared with come before those without.
        order.sort_by_key(|&i| std::cmp::Reverse((length(i), traces.steps(i))));
        let steps = order.iter().map(|&i| length(i)).collect();
        Self { order, steps, outputs: vec![], hints: vec![], every_output: vec![], states: vec![] }
    }

    /// The row of each sample of the batch.
    pub fn rows(&self) -> Vec<usize> {
        let mut rows = vec![0; self.order.len()];
        for (row, &sample) in self.order.iter().enumerate() {
            rows[sample] = row;
        }
        rows
    }

    /// Number of rows that take step `step`.
    pub fn running(&self, step: usize) -> usize {
        self.steps.partition_point(|&steps| steps > step)
    }

    /// Number of rows that take step `step` and have a true hint to compare its prediction with: a
    /// sample with a single hint takes a step, but has none. They are the first rows.
    pub fn comparable(&self, step: usize, traces: &Traces) -> usize {
        let known = |&&i: &&usize| traces.steps(i) > step + 1;
        self.order[..self.running(step)].iter().filter(known).count()
    }

    /// The same predictions with each tensor converted.
    pub fn map<U>(self, convert: impl Fn(T) -> U) -> Predictions<U> {
        let all = |tensors: Vec<T>| tensors.into_iter().map(&convert).collect::<Vec<U>>();
        Predictions {
            order: self.order,
            steps: self.steps,
            outputs: all(self.outputs),
            hints: self.hints.into_iter().map(all).collect(),
            every_output: self.every_output.into_iter().map(all).collect(),
            states: self.states,
        }
    }
}

/// The random draws of one update, in the order in which every engine makes them.
#[derive(Debug)]
pub struct UpdateStreams {
    stochastic: Stochastic,
    dropout: Stream,
    noise: Stream,
    forcing: Stream,
}

impl UpdateStreams {
    /// The streams of an update.
    pub fn new(stochastic: Stochastic) -> Self {
        let stream = |purpose| Stream::new(stochastic.seed, purpose, stochastic.update);
        Self {
            stochastic,
            dropout: stream(Purpose::Dropout),
            noise: stream(Purpose::Noise),
            forcing: stream(Purpose::Forcing),
        }
    }

    /// What is random in the update.
    pub fn stochastic(&self) -> Stochastic {
        self.stochastic
    }

    /// The stream of Gumbel noise, if there is any.
    pub fn noise(&mut self) -> Option<&mut Stream> {
        self.stochastic.gumbel_noise.then_some(&mut self.noise)
    }

    /// The dropout factors of `units` hidden units, if some are dropped.
    pub fn dropout(&mut self, units: usize) -> Option<Vec<f32>> {
        let kept = 1.0 - self.stochastic.dropout as f32;
        let mut draw = || if self.dropout.uniform() < kept { 1.0 / kept } else { 0.0 };
        (kept < 1.0).then(|| (0..units).map(|_| draw()).collect())
    }

    /// 1 for samples that are fed the true hint, 0 for the others.
    pub fn forced(&mut self, samples: usize) -> Vec<f32> {
        let p = self.stochastic.teacher_forcing as f32;
        (0..samples).map(|_| f32::from(self.forcing.uniform() < p)).collect()
    }
}
