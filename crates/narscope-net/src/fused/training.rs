//! Training with fused kernels: losses and the gradient of a batch.

use narscope_clrs::kind::Activation;
use narscope_clrs::probe::Probe;
use narscope_clrs::trace::Traces;
use narscope_kernels::Buffer;
use narscope_kernels::matrix::configure_gemm;

use super::blocks::{begin, blocks, bytes, running};
use super::plan::{Head, Plan};
use super::run::{Mode, Run};
use super::stage::WeightedMaps;
use super::{Prepared, TapePool};
use crate::config::{Config, Phase};
use crate::engine::{Gradient, Losses, TrainingEngine, loss_name};
use crate::feedback::Feedback;
use crate::parallel;
use crate::rollout::{Predictions, Steps, Stochastic, UpdateStreams};
use crate::sinkhorn::gumbel;
use crate::spec::Spec;
use crate::weights::{Parameter, Weights};

/// Random draws of an update, in the order of the generic network.
#[derive(Debug, Default)]
pub(super) struct Draws {
    /// Per step, dropout factors of states.
    pub(super) dropout: Vec<Vec<f32>>,
    pub(super) always_forced: bool,
    /// Per step, 1 for samples with teacher forcing.
    pub(super) forced: Vec<Vec<f32>>,
    /// Per step and probe, Gumbel noise of permutations.
    pub(super) hint_noise: Vec<Vec<Vec<f32>>>,
    pub(super) output_noise: Vec<Vec<Vec<f32>>>,
}

impl Draws {
    fn new(stochastic: Stochastic, plan: &Plan, n: usize, running: &[usize]) -> Self {
        let mut random = UpdateStreams::new(stochastic);
        let mut draws =
            Self { always_forced: stochastic.teacher_forcing >= 1.0, ..Self::default() };
        let forces =
            stochastic.teacher_forcing > 0.0 && !draws.always_forced && !plan.hints.is_empty();
        let noise = |heads: &[(Probe, Head)], samples: usize, random: &mut UpdateStreams| {
            let blurred = heads.iter().map(|(probe, _)| match random.noise() {
                Some(noise) if probe.kind.info().activation == Activation::Sinkhorn => {
                    (0..samples * n * n).map(|_| gumbel(noise.uniform())).collect()
                }
                _ => vec![],
            });
            blurred.collect()
        };
        for (step, &samples) in running.iter().enumerate() {
            if forces {
                draws.forced.push(if step == 0 { vec![] } else { random.forced(samples) });
            }
            draws.dropout.extend(random.dropout(samples * n * plan.h));
            let hints = plan.hint_decoders.as_ref().map_or(&[][..], |stage| &stage.heads);
            draws.hint_noise.push(noise(hints, samples, &mut random));
            let done = samples - running.get(step + 1).copied().unwrap_or(0);
            let outputs = &plan.output_decoders.heads;
            draws.output_noise.push(noise(outputs, done, &mut random));
        }
        draws
    }
}

/// A network in training.
#[derive(Debug)]
pub struct FusedTrainer {
    config: Config,
    plans: Vec<Plan>,
    pool: TapePool,
    hints: WeightedMaps,
    outputs: WeightedMaps,
    intermediate: Buffer,
    folded: Buffer,
    transposed: Buffer,
    scratch: Buffer,
    partials: Vec<Buffer>,
}

impl FusedTrainer {
    /// Plans all tasks.
    pub fn new(config: &Config, specs: &[Spec], parameters: &[Parameter]) -> Self {
        configure_gemm();
        let plans =
            (0..specs.len()).map(|task| Plan::new(config, specs, task, parameters, Phase::Train));
        Self {
            config: config.clone(),
            plans: plans.collect(),
            pool: TapePool::default(),
            hints: WeightedMaps::default(),
            outputs: WeightedMaps::default(),
            intermediate: Buffer::default(),
            folded: Buffer::default(),
            transposed: Buffer::default(),
            scratch: Buffer::default(),
            partials: vec![],
        }
    }
}

impl TrainingEngine for FusedTrainer {
    fn bytes(&self, task: usize, traces: &Traces) -> usize {
        let Predictions::<()> { steps, .. } = Predictions::new(traces, Steps::Own);
        bytes(&self.plans[task], &steps, traces.nodes, true, false)
    }

    fn keeps_memory(&self) -> bool {
        true
    }

    fn loss_and_gradient(
        &mut self,
        weights: &Weights,
        task: usize,
        traces: &Traces,
        stochastic: Stochastic,
    ) -> Gradient {
        let Self {
            config,
            plans,
            pool,
            hints,
            outputs,
            intermediate,
            folded,
            transposed,
            scratch,
            partials,
        } = self;
        let plan = &plans[task];
        let folded = folded.sized(plan.fold.folded);
        plan.fold.forward(&weights.values, intermediate, folded);
        let transposed = transposed.sized(plan.fold.folded);
        plan.fold.transpose_slots(folded, transposed);
        if let Some(stage) = &plan.hint_decoders {
            hints.fill(stage, folded, transposed);
        }
        outputs.fill(&plan.output_decoders, folded, transposed);

        let Predictions::<()> { order, steps: lengths, .. } = Predictions::new(traces, Steps::Own);
        let (n, running) = (traces.nodes, running(&lengths));
        let draws = Draws::new(stochastic, plan, n, &running);
        let mode = Mode {
            feedback: Feedback::in_training(config),
            draws: Some(&draws),
            keep: true,
            keep_hints: false,
            every_output: false,
            keep_states: None,
        };
        let prepared = Prepared { plan, folded, transposed, hints, outputs, n, running: &running };
        let sizes = blocks(plan, &lengths, n, true);
        partials.resize_with(partials.len().max(sizes.len()), Buffer::default);
        let mut runs = begin(&prepared, mode, traces, &order, &lengths, &sizes);
        let counts = runs
            .iter()
            .map(Run::counts)
            .reduce(|a, b| a.iter().zip(&b).map(|(a, b)| a + b).collect());
        let counts = counts.expect("a batch has samples");
        // Differs: an output whose mask is empty makes the reference's loss NaN.
        let scales: Vec<f32> = counts.iter().map(|count| 1.0 / count.max(1e-12) as f32).collect();

        let mut jobs: Vec<_> =
            runs.iter_mut().zip(&mut *partials).map(|job| (job, vec![])).collect();
        parallel::for_each(&mut jobs, |((run, partial), losses)| {
            let partial = partial.zeroed(plan.fold.folded);
            run.tape = pool.take();
            run.forward();
            *losses = run.backward(&scales, partial);
            pool.put(std::mem::take(&mut run.tape));
        });
        let mut sums = vec![0.0; counts.len()];
        for (_, losses) in &jobs {
            sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss);
        }
        drop(jobs);
        drop(runs);

        let (first, others) =
            partials[..sizes.len()].split_first_mut().expect("a batch has blocks");
        let first = &mut first[..plan.fold.folded];
        reduce(first, others);
        let mut gradients = vec![0.0; weights.values.len()];
        plan.fold.backward(&weights.values, intermediate, first, scratch, &mut gradients);
        let losses = sums.iter().zip(&counts).map(|(sum, count)| sum / count.max(1e-12));
        Gradient { losses: named(plan, losses), values: gradients }
    }
}

/// Adds all partial gradients to the first, in their order.
fn reduce(first: &mut [f32], others: &[Buffer]) {
    const PIECE: usize = 1 << 14;
    parallel::for_each_chunk(first, PIECE, |piece, sum| {
        for partial in others {
            let partial = &partial[piece * PIECE..][..sum.len()];
            sum.iter_mut().zip(partial).for_each(|(sum, x)| *sum += x);
        }
    });
}

/// Losses with the names of their probes.
fn named(plan: &Plan, losses: impl Iterator<Item = f64>) -> Losses {
    let hints = plan.hint_decoders.iter().flat_map(|stage| &stage.heads);
    let probes = plan.output_decoders.heads.iter().chain(hints);
    let probes: Vec<_> =
        probes.zip(losses).map(|((probe, _), loss)| (loss_name(probe), loss)).collect();
    Losses { total: probes.iter().map(|(_, loss)| loss).sum(), probes }
}
