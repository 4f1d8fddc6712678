//! Fused kernels: whole runs over plain slices, forward and back, with the results of the generic
//! network up to rounding.
//!
//! A batch is sorted by length and cut into blocks of samples. A block runs from its first step to
//! its last and all the way back on one thread, in memory that is used again; gradients of blocks
//! are added in their order. So results depend on the batch alone, not on the number of threads.
//!
//! [`rollout`](crate::rollout) and [`train::lesson`](crate::train::lesson) stay the definition of
//! the network; `--kernels generic` selects them.

mod feed;
mod fold;
mod loss;
mod plan;
mod run;
mod stage;
mod step;
mod tape;
mod triplets;

use std::sync::Mutex;

use burn_tensor::Device;
use narscope_clrs::probe::{Kind, Probe};
use narscope_clrs::trace::Traces;
use narscope_kernels::Buffer;
use narscope_kernels::matrix::configure_gemm;
use rayon::prelude::*;

use crate::config::{Config, Kernels};
use crate::net::{Spec, Use};
use crate::rollout::{Learning, Plan as Wanted, Predictions, Random, StepHook, Steps};
use crate::sinkhorn::gumbel;
use crate::train::{Lesson, Losses, name_of_loss, training_feedback};
use crate::values::{numbers, options, places, size, tensor};
use crate::weights::{Parameter, Weights};
use plan::Plan;
use run::{Manner, Raw, Run};
use stage::Weighed;
use tape::Tape;

/// Memory of blocks that nobody uses right now.
#[derive(Debug, Default)]
struct Shelf(Mutex<Vec<Tape>>);

impl Shelf {
    fn take(&self) -> Tape {
        self.0.lock().expect("nobody panics here").pop().unwrap_or_default()
    }

    fn put(&self, tape: Tape) {
        self.0.lock().expect("nobody panics here").push(tape);
    }
}

/// Whether a configuration is run by kernels on a device.
pub fn serves(config: &Config, device: &Device) -> bool {
    config.kernels == Kernels::Fused && *device == Device::flex() && Plan::exists(config)
}

/// What all blocks of a batch share.
#[derive(Clone, Copy)]
struct Prepared<'a> {
    plan: &'a Plan,
    folded: &'a [f32],
    /// Transposes of those that are used both ways.
    turned: &'a [f32],
    hints: &'a Weighed,
    outputs: &'a Weighed,
    n: usize,
    /// How many samples take each step.
    running: &'a [usize],
}

/// Everything random of an update, drawn in the order of the generic network.
#[derive(Debug, Default)]
struct Draws {
    /// Per step, what states are multiplied by.
    dropout: Vec<Vec<f32>>,
    always_forced: bool,
    /// Per step, 1 for samples that are shown the truth.
    forced: Vec<Vec<f32>>,
    /// Per step and probe, what permutations are blurred with.
    hint_noise: Vec<Vec<Vec<f32>>>,
    output_noise: Vec<Vec<Vec<f32>>>,
}

impl Draws {
    fn new(learning: Learning, plan: &Plan, n: usize, running: &[usize]) -> Self {
        let mut random = Random::new(learning);
        let mut draws = Self { always_forced: learning.forcing >= 1.0, ..Self::default() };
        let forces = learning.forcing > 0.0 && !draws.always_forced && !plan.hints.is_empty();
        let noise = |heads: &[(Probe, plan::Head)], samples: usize, random: &mut Random| {
            let blurred = heads.iter().map(|(probe, _)| match random.noise() {
                Some(noise) if probe.kind == Kind::PermutationPointer => {
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
            draws.dropout.extend(random.kept(samples * n * plan.h));
            let hints = plan.hint_decoders.as_ref().map_or(&[][..], |stage| &stage.heads);
            draws.hint_noise.push(noise(hints, samples, &mut random));
            let done = samples - running.get(step + 1).copied().unwrap_or(0);
            let outputs = &plan.output_decoders.heads;
            draws.output_noise.push(noise(outputs, done, &mut random));
        }
        draws
    }
}

/// How many nodes a block has, about: enough for products of matrices to be fast, few enough for
/// blocks to be shared out evenly.
const NODES_PER_BLOCK: usize = 128;
/// How few and how many samples a block has, if the batch has enough.
const SAMPLES_PER_BLOCK: [usize; 2] = [4, 8];
/// How many blocks a batch has at least, so that there is work for several threads.
const BLOCKS: usize = 4;
/// How many messages a block makes at least, if the batch makes enough for two: each block costs a
/// lane of gradients, whatever it does.
const MESSAGES_PER_BLOCK: usize = 2048;
/// How many numbers a block may need before it is made smaller.
const LARGE: usize = 1 << 25;

/// Cuts a sorted batch into blocks: how many samples each has. The second half is cut finer, so that
/// threads finish at about the same time.
fn blocks(plan: &Plan, lengths: &[usize], n: usize, keep: bool) -> Vec<usize> {
    let [few, many] = SAMPLES_PER_BLOCK;
    let most = lengths.len().div_ceil(BLOCKS);
    let usual = (NODES_PER_BLOCK / n).clamp(few, many).min(most);
    let mut rest = lengths;
    let mut blocks = vec![];
    while let [longest, ..] = rest {
        let fits = LARGE / plan.numbers_per_sample(n, *longest, keep);
        let is_second_half = rest.len() <= lengths.len() / 2;
        let usual = if is_second_half { (usual / 2).max(few.min(usual)) } else { usual };
        let enough = (MESSAGES_PER_BLOCK / (n * n * longest)).min(lengths.len().div_ceil(2));
        let samples = usual.max(enough).min(fits.max(1)).min(rest.len());
        blocks.push(samples);
        rest = &rest[samples..];
    }
    blocks
}

/// About how many bytes a batch needs: as many blocks as there are threads are in memory at once, or
/// all of them if they go side by side. Memory goes from block to block and stays as large as the largest
/// of them, whichever that was.
fn bytes(plan: &Plan, lengths: &[usize], n: usize, keep: bool, side_by_side: bool) -> usize {
    let sizes = blocks(plan, lengths, n, keep);
    let mut rest = lengths;
    let mut each = vec![];
    for &samples in &sizes {
        each.push(samples * plan.numbers_per_sample(n, rest[0], keep));
        rest = &rest[samples..];
    }
    let of_blocks: usize = if side_by_side {
        each.iter().sum()
    } else {
        each.len().min(rayon::current_num_threads()) * each.iter().max().copied().unwrap_or(0)
    };
    let given: usize = lengths.iter().map(|&steps| plan.numbers_given(n, steps, keep)).sum();
    let at_once = given + of_blocks;
    // Weights, their gradients and moments, and a lane of gradients for each block.
    let lanes = if keep { sizes.len() } else { 0 };
    4 * (at_once + (lanes + 8) * plan.fold.folded)
}

/// How many samples take each step.
fn running(lengths: &[usize]) -> Vec<usize> {
    let steps = lengths.first().copied().unwrap_or(0);
    (0..steps).map(|step| lengths.partition_point(|&length| length > step)).collect()
}

/// Calls `work` for every item, the first ones first, on all threads.
fn in_parallel<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) {
    let work = &work;
    rayon::scope_fifo(|scope| {
        for item in items {
            scope.spawn_fifo(move |_| work(item));
        }
    });
}

/// A network that learns.
#[derive(Debug)]
pub struct Teacher {
    config: Config,
    plans: Vec<Plan>,
    shelf: Shelf,
    hints: Weighed,
    outputs: Weighed,
    numbers: Buffer,
    folded: Buffer,
    turned: Buffer,
    scratch: Buffer,
    lanes: Vec<Buffer>,
}

impl Teacher {
    /// Plans all tasks.
    pub fn new(config: &Config, specs: &[Spec], parameters: &[Parameter]) -> Self {
        configure_gemm();
        let plans =
            (0..specs.len()).map(|task| Plan::new(config, specs, task, parameters, Use::Learn));
        Self {
            config: config.clone(),
            plans: plans.collect(),
            shelf: Shelf::default(),
            hints: Weighed::default(),
            outputs: Weighed::default(),
            numbers: Buffer::default(),
            folded: Buffer::default(),
            turned: Buffer::default(),
            scratch: Buffer::default(),
            lanes: vec![],
        }
    }

    /// About how many bytes an update on a batch needs.
    pub fn bytes(&self, task: usize, traces: &Traces) -> usize {
        let Predictions { steps, .. } = Predictions::none_yet(traces, Steps::Own);
        bytes(&self.plans[task], &steps, traces.nodes, true, false)
    }

    /// Runs a batch with all that training does and returns losses and gradients.
    pub fn lesson(
        &mut self,
        weights: &Weights,
        task: usize,
        traces: &Traces,
        learning: Learning,
    ) -> Lesson {
        let Self { config, plans, shelf, hints, outputs, numbers, folded, turned, scratch, lanes } =
            self;
        let plan = &plans[task];
        let folded = folded.sized(plan.fold.folded);
        plan.fold.forward(&weights.values, numbers, folded);
        let turned = turned.sized(plan.fold.folded);
        plan.fold.transpose_slots(folded, turned);
        if let Some(stage) = &plan.hint_decoders {
            hints.fill(stage, folded, turned);
        }
        outputs.fill(&plan.output_decoders, folded, turned);

        let Predictions { order, steps: lengths, .. } = Predictions::none_yet(traces, Steps::Own);
        let (n, running) = (traces.nodes, running(&lengths));
        let draws = Draws::new(learning, plan, n, &running);
        let manner = Manner {
            feedback: training_feedback(config),
            draws: Some(&draws),
            keep: true,
            keep_hints: false,
            every_output: false,
            keep_states: None,
        };
        let prepared = Prepared { plan, folded, turned, hints, outputs, n, running: &running };
        let sizes = blocks(plan, &lengths, n, true);
        lanes.resize_with(lanes.len().max(sizes.len()), Buffer::default);
        let mut runs = begin(&prepared, manner, traces, (&order, &lengths), &sizes);
        let counts = runs
            .iter()
            .map(Run::counts)
            .reduce(|a, b| a.iter().zip(&b).map(|(a, b)| a + b).collect());
        let counts = counts.expect("a batch has samples");
        // Differs: an output whose mask is empty makes the reference's loss NaN.
        let scales: Vec<f32> = counts.iter().map(|count| 1.0 / count.max(1e-12) as f32).collect();

        let mut jobs: Vec<_> = runs.iter_mut().zip(&mut *lanes).map(|job| (job, vec![])).collect();
        in_parallel(&mut jobs, |((run, lane), losses)| {
            let lane = lane.zeroed(plan.fold.folded);
            run.tape = shelf.take();
            run.forward();
            *losses = run.back(&scales, lane);
            shelf.put(std::mem::take(&mut run.tape));
        });
        let mut sums = vec![0.0; counts.len()];
        for (_, losses) in &jobs {
            sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss);
        }
        drop(jobs);
        drop(runs);

        let (first, others) = lanes[..sizes.len()].split_first_mut().expect("a block");
        let first = &mut first[..plan.fold.folded];
        reduce(first, others);
        let mut gradients = vec![0.0; weights.values.len()];
        plan.fold.backward((&weights.values, numbers), first, scratch, &mut gradients);
        let losses = sums.iter().zip(&counts).map(|(sum, count)| sum / count.max(1e-12));
        Lesson { losses: named(plan, losses), gradients }
    }
}

/// Adds all lanes to the first, in their order.
fn reduce(first: &mut [f32], others: &[Buffer]) {
    const PIECE: usize = 1 << 14;
    first.par_chunks_mut(PIECE).enumerate().for_each(|(piece, sum)| {
        for lane in others {
            let lane = &lane[piece * PIECE..][..sum.len()];
            sum.iter_mut().zip(lane).for_each(|(sum, x)| *sum += x);
        }
    });
}

/// Losses under the names of their probes.
fn named(plan: &Plan, losses: impl Iterator<Item = f64>) -> Losses {
    let hints = plan.hint_decoders.iter().flat_map(|stage| &stage.heads);
    let probes = plan.output_decoders.heads.iter().chain(hints);
    let probes: Vec<_> =
        probes.zip(losses).map(|((probe, _), loss)| (name_of_loss(probe), loss)).collect();
    Losses { total: probes.iter().map(|(_, loss)| loss).sum(), probes }
}

/// Reads what the blocks of a batch are given.
fn begin<'a>(
    prepared: &'a Prepared<'a>,
    manner: Manner<'a>,
    traces: &Traces,
    (order, lengths): (&[usize], &[usize]),
    sizes: &[usize],
) -> Vec<Run<'a>> {
    let starts: Vec<usize> = sizes
        .iter()
        .scan(0, |start, size| {
            *start += size;
            Some(*start - size)
        })
        .collect();
    let spans = starts.par_iter().zip(sizes.par_iter());
    let runs = spans.map(|(&start, &size)| {
        let span = start..start + size;
        Run::new(prepared, manner, traces, (&order[span.clone()], &lengths[span]), start)
    });
    runs.collect()
}

/// A network that is used.
#[derive(Debug)]
pub struct Reasoner {
    tasks: Vec<Task>,
    shelf: Shelf,
}

#[derive(Debug)]
struct Task {
    plan: Plan,
    folded: Buffer,
    turned: Buffer,
    hints: Weighed,
    outputs: Weighed,
}

impl Reasoner {
    /// Folds the weights of all tasks.
    pub fn new(config: &Config, specs: &[Spec], weights: &Weights) -> Self {
        configure_gemm();
        let tasks = (0..specs.len()).map(|task| {
            let plan = Plan::new(config, specs, task, &weights.parameters, Use::Predict);
            let mut folded = Buffer::default();
            let slots = folded.sized(plan.fold.folded);
            plan.fold.forward(&weights.values, &mut Buffer::default(), slots);
            let mut turned = Buffer::default();
            plan.fold.transpose_slots(slots, turned.sized(plan.fold.folded));
            // Only the way back needs weighed maps.
            Task { plan, folded, turned, hints: Weighed::default(), outputs: Weighed::default() }
        });
        Self { tasks: tasks.collect(), shelf: Shelf::default() }
    }

    /// About how many bytes predicting so many samples at once needs, beside what is kept of the
    /// predictions; side by side if a hook looks at them.
    pub fn bytes(&self, task: usize, nodes: usize, samples: usize, side_by_side: bool) -> usize {
        // Without a way back it does not matter how many steps there are.
        bytes(&self.tasks[task].plan, &vec![1; samples], nodes, false, side_by_side)
    }

    /// Runs a batch; see [`rollout`](crate::rollout::rollout).
    pub fn rollout(
        &self,
        task: usize,
        traces: &Traces,
        wanted: &Wanted,
        hook: &mut dyn StepHook,
    ) -> Predictions {
        let Task { plan, folded, turned, hints, outputs } = &self.tasks[task];
        let mut predictions = Predictions::none_yet(traces, wanted.steps);
        if predictions.order.is_empty() {
            return predictions;
        }
        let (n, running) = (traces.nodes, running(&predictions.steps));
        let manner = Manner {
            feedback: wanted.feedback,
            draws: None,
            keep: false,
            keep_hints: wanted.keep_hints,
            every_output: wanted.every_output,
            keep_states: wanted.keep_states,
        };
        let prepared = Prepared { plan, folded, turned, hints, outputs, n, running: &running };
        let sizes = blocks(plan, &predictions.steps, n, false);
        let rows = (predictions.order.as_slice(), predictions.steps.as_slice());
        let mut runs = begin(&prepared, manner, traces, rows, &sizes);
        if hook.is_idle() {
            in_parallel(&mut runs, |run| {
                run.tape = self.shelf.take();
                run.forward();
                self.shelf.put(std::mem::take(&mut run.tape));
            });
        } else {
            for run in &mut runs {
                run.tape = self.shelf.take();
            }
            for (step, &samples) in running.iter().enumerate() {
                let take_step = |run: &mut Run<'_>| step < run.steps();
                in_parallel(&mut runs, |run| {
                    if take_step(run) {
                        run.advance(step);
                    }
                });
                show(&mut runs, step, &predictions.order[..samples], [samples, n, plan.h], hook);
                in_parallel(&mut runs, |run| {
                    if take_step(run) {
                        run.decode(step);
                    }
                });
            }
            for run in &mut runs {
                self.shelf.put(std::mem::take(&mut run.tape));
            }
        }
        collect(plan, &mut runs, &running, n, &mut predictions);
        predictions
    }
}

/// Lets a hook look at the states of all samples and change them.
fn show(
    runs: &mut [Run<'_>],
    step: usize,
    samples: &[usize],
    shape: [usize; 3],
    hook: &mut dyn StepHook,
) {
    let active = |runs: &mut [Run<'_>]| runs.iter().filter(|run| step < run.steps()).count();
    let active = active(runs);
    let mut states = Vec::with_capacity(shape.iter().product());
    runs[..active].iter_mut().for_each(|run| states.extend_from_slice(run.state(step)));
    let states = numbers(hook.after_step(step, samples, tensor(states, shape, &Device::flex())));
    let mut rest = states.as_slice();
    for run in &mut runs[..active] {
        let state = run.state(step);
        let (own, after) = rest.split_at(state.len());
        state.copy_from_slice(own);
        rest = after;
    }
}

/// Puts the predictions of blocks together, and leaves none in them.
fn collect(
    plan: &Plan,
    runs: &mut [Run<'_>],
    running: &[usize],
    n: usize,
    predictions: &mut Predictions,
) {
    predictions.states = runs.iter_mut().flat_map(|run| std::mem::take(&mut run.states)).collect();
    let device = Device::flex();
    let together = |probe: &Probe, rows: usize, pieces: &mut dyn Iterator<Item = Vec<f32>>| {
        let mut all = Vec::with_capacity(rows * size(probe, n));
        pieces.for_each(|piece| all.extend(piece));
        tensor(all, [rows, places(probe, n), options(probe, n)], &device)
    };
    let outputs = &plan.output_decoders.heads;
    let samples = predictions.order.len();
    for (at, (probe, _)) in outputs.iter().enumerate() {
        let mut pieces = runs.iter_mut().map(|run| std::mem::take(&mut run.finished[at]));
        predictions.outputs.push(together(probe, samples, &mut pieces));
    }
    let mut over_time = |heads: &[(Probe, plan::Head)], of: fn(&mut Run<'_>) -> Vec<Raw>| {
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
