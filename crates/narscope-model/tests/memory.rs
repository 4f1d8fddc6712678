//! Memory estimates are about right, and reused memory does not change results.

mod common;

use std::sync::{Mutex, MutexGuard, PoisonError};

use narscope_clrs::options::Options;
use narscope_clrs::trace::Traces;
use narscope_model::config::{Config, Draft};
use narscope_model::engine::{Engine as _, TrainingEngine as _};
use narscope_model::rollout::{NoHook, RolloutOptions, States, StepHook, Steps, Stochastic};
use narscope_model::{Spec, Weights};
use narscope_net::feedback::Feedback;
use narscope_net::fused::{FusedEngine, FusedTrainer};
use narscope_net::memory::MemoryEstimate;
use peak_alloc::PeakAlloc;
use proptest::prelude::*;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// With and without numbers of graphs and edges, marks, permutations and pointers of pairs.
const TASKS: [&str; 6] =
    ["dfs", "bfs", "floyd_warshall", "insertion_sort", "segments_intersect", "kmp_matcher"];
const STOCHASTIC: Stochastic =
    Stochastic { teacher_forcing: 0.5, dropout: 0.1, gumbel_noise: true, seed: 1, update: 3 };
const OPTIONS: RolloutOptions = RolloutOptions {
    steps: Steps::Own,
    feedback: Feedback::Soft,
    keep_hints: true,
    keep_states: None,
    every_output: true,
};

fn config(processor: &str, hidden: usize) -> Config {
    let text = format!(
        "algorithms = {TASKS:?}\nprocessor_type = '{processor}'\nhidden_size = {hidden}\nnb_triplet_fts = 3\n"
    );
    Draft::parse(&text).unwrap().finish().unwrap()
}

/// A network of all tasks.
fn network(config: &Config) -> (Weights, FusedEngine) {
    let weights = common::initial(config, 1);
    let engine = FusedEngine::new(config, &Spec::all(config).unwrap(), &weights).unwrap();
    (weights, engine)
}

fn samples(config: &Config, task: usize, length: usize, count: usize) -> Traces {
    let model = common::model(config, &common::initial(config, 1));
    let task = model.tasks().nth(task).unwrap();
    task.sample(length, &Options::default(), 1, count).unwrap()
}

fn assert_memory_may_have_been_used(processor: &str, work: &[(usize, usize, usize)]) {
    let config = config(processor, 5);
    let specs = Spec::all(&config).unwrap();
    let (weights, engine) = network(&config);
    let trainer = || FusedTrainer::new(&config, &specs, &weights.parameters);
    let mut used = trainer();
    for &(task, length, count) in work {
        let traces = samples(&config, task, length, count);
        let fresh = trainer().loss_and_gradient(&weights, task, &traces, STOCHASTIC);
        let again = used.loss_and_gradient(&weights, task, &traces, STOCHASTIC);
        assert_eq!(fresh.values, again.values, "{} of {work:?}", TASKS[task]);

        let (_, unused) = network(&config);
        let [fresh, again] = [&unused, &engine].map(|engine| {
            let predictions = engine.rollout(task, &traces, &OPTIONS, &mut NoHook);
            let over_time = predictions.hints.into_iter().chain(predictions.every_output).flatten();
            let all = predictions.outputs.into_iter().chain(over_time);
            all.collect::<Vec<_>>()
        });
        assert_eq!(fresh, again, "{} of {work:?}", TASKS[task]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]
    #[test]
    fn reused_memory_does_not_change_results(
        processor in prop_oneof![Just("mpnn"), Just("triplet_gpgn_mask")],
        work in prop::collection::vec((0..TASKS.len(), 4..9_usize, 1..6_usize), 2..8),
    ) {
        let _alone = alone();
        assert_memory_may_have_been_used(processor, &work);
    }
}

/// Memory is counted for the whole process, so that its tests take turns.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A hook that must be shown everything.
struct Watch;

impl StepHook for Watch {
    fn after_step(&mut self, _step: usize, _samples: &[usize], _states: &mut States<'_>) {}
}

/// The most bytes that `work` had at once.
fn taken<T>(work: impl FnOnce() -> T) -> f64 {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let result = work();
    let taken = MEMORY.peak_usage() - before;
    drop(result);
    taken as f64
}

/// Estimates decide what is refused and split. They may say twice too much, and hardly too little.
#[track_caller]
fn assert_about(what: &dyn std::fmt::Display, estimate: usize, taken: f64) {
    /// What does not grow with the batch.
    const ANYWAY: f64 = 3e6;
    let estimate = estimate as f64;
    assert!(taken <= 1.2 * estimate + ANYWAY, "{what}: {taken:.3e} taken, {estimate:.3e} expected");
    assert!(estimate <= 4.0 * taken + ANYWAY, "{what}: {taken:.3e} taken, {estimate:.3e} expected");
}

#[test]
fn memory_estimates_are_about_right() {
    let _alone = alone();
    for processor in ["mpnn", "triplet_gmpnn"] {
        let config = config(processor, 32);
        let specs = Spec::all(&config).unwrap();
        let (weights, _) = network(&config);
        for (task, spec) in specs.iter().enumerate() {
            let length = if TASKS[task] == "floyd_warshall" { 12 } else { 20 };
            let traces = samples(&config, task, length, 16);
            let name = TASKS[task];
            let mut trainer = FusedTrainer::new(&config, &specs, &weights.parameters);
            let update = taken(|| trainer.loss_and_gradient(&weights, task, &traces, STOCHASTIC));
            let what = format!("update of {name}, {processor}");
            assert_about(&what, trainer.bytes(task, &traces), update);

            let hooks: [&mut dyn StepHook; 2] = [&mut NoHook, &mut Watch];
            for hook in hooks {
                let hooked = !hook.is_idle();
                for all in [false, true] {
                    // Another one, as networks keep their memory.
                    let (_, engine) = network(&config);
                    let options = RolloutOptions { keep_hints: all, every_output: all, ..OPTIONS };
                    let estimate = MemoryEstimate {
                        engine: &engine,
                        config: &config,
                        spec,
                        task,
                        options: &options,
                        nodes: traces.nodes,
                        steps: options.steps.of(traces.longest()),
                        hooked,
                    };
                    let run = taken(|| engine.rollout(task, &traces, &options, hook));
                    let what = format!("run of {name}, {processor}, hooked {hooked}, all {all}");
                    assert_about(&what, estimate.bytes(traces.len()), run);
                }
            }
        }
    }
}
