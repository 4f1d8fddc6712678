//! Memory: what is said to be needed is about what is taken, and what other work left in it does not
//! matter.

use std::sync::{Mutex, MutexGuard, PoisonError};

use burn_tensor::Tensor;
use narscope_clrs::options::Options;
use narscope_clrs::trace::Traces;
use narscope_model::Device;
use narscope_model::config::{Config, Draft};
use narscope_model::data::drawn;
use narscope_model::decode::Feedback;
use narscope_model::fused::Teacher;
use narscope_model::memory::Ahead;
use narscope_model::net::{Net, Use};
use narscope_model::rollout::{Learning, NoHook, Plan, StepHook, Steps, rollout};
use narscope_model::train::specs;
use narscope_model::values::numbers;
use narscope_model::weights::Weights;
use peak_alloc::PeakAlloc;
use proptest::prelude::*;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// With and without numbers of graphs and edges, marks, permutations and pointers of pairs.
const TASKS: [&str; 6] =
    ["dfs", "bfs", "floyd_warshall", "insertion_sort", "segments_intersect", "kmp_matcher"];
const LEARNING: Learning = Learning { forcing: 0.5, dropout: 0.1, noise: true, seed: 1, place: 3 };
const PLAN: Plan = Plan {
    steps: Steps::Own,
    feedback: Feedback::Soft,
    learning: None,
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
fn network(config: &Config) -> (Weights, Net) {
    let specs = specs(config).unwrap();
    let weights = Weights::initial(Net::parameters(config, &specs), 1);
    let net = Net::bind(config, &specs, &weights, &Device::flex(), Use::Predict);
    (weights, net)
}

fn samples(config: &Config, task: usize, length: usize, count: usize) -> Traces {
    let specs = specs(config).unwrap();
    drawn(&specs[task], config, length, &Options::default(), 1, count).unwrap()
}

fn assert_memory_may_have_been_used(processor: &str, work: &[(usize, usize, usize)]) {
    let config = config(processor, 5);
    let specs = specs(&config).unwrap();
    let (weights, net) = network(&config);
    let teacher = || Teacher::new(&config, &specs, &weights.parameters);
    let mut used = teacher();
    for &(task, length, count) in work {
        let traces = samples(&config, task, length, count);
        let fresh = teacher().lesson(&weights, task, &traces, LEARNING);
        let again = used.lesson(&weights, task, &traces, LEARNING);
        assert_eq!(fresh.gradients, again.gradients, "{} of {work:?}", TASKS[task]);

        let (_, unused) = network(&config);
        let [fresh, again] = [&unused, &net].map(|net| {
            let predictions = rollout(net, task, &traces, &PLAN, &mut NoHook);
            let over_time = predictions.hints.into_iter().chain(predictions.every_output).flatten();
            let all = predictions.outputs.into_iter().chain(over_time);
            all.map(numbers).collect::<Vec<_>>()
        });
        assert_eq!(fresh, again, "{} of {work:?}", TASKS[task]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]
    #[test]
    fn what_other_tasks_and_sizes_left_in_memory_does_not_matter(
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
    fn after_step(&mut self, _step: usize, _samples: &[usize], hidden: Tensor<3>) -> Tensor<3> {
        hidden
    }
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
fn memory_is_taken_about_as_foreseen() {
    let _alone = alone();
    for processor in ["mpnn", "triplet_gmpnn"] {
        let config = config(processor, 32);
        let specs = specs(&config).unwrap();
        let (weights, _) = network(&config);
        for (task, spec) in specs.iter().enumerate() {
            let length = if TASKS[task] == "floyd_warshall" { 12 } else { 20 };
            let traces = samples(&config, task, length, 16);
            let name = TASKS[task];
            let mut teacher = Teacher::new(&config, &specs, &weights.parameters);
            let update = taken(|| teacher.lesson(&weights, task, &traces, LEARNING));
            let what = format!("update of {name}, {processor}");
            assert_about(&what, teacher.bytes(task, &traces), update);

            let hooks: [&mut dyn StepHook; 2] = [&mut NoHook, &mut Watch];
            for hook in hooks {
                let hooked = !hook.is_idle();
                for all in [false, true] {
                    // Another one, as networks keep their memory.
                    let (_, net) = network(&config);
                    let plan = Plan { keep_hints: all, every_output: all, ..PLAN };
                    let ahead = Ahead::of((&net, task, spec, &config), &traces, &plan, hooked);
                    let run = taken(|| rollout(&net, task, &traces, &plan, hook));
                    let what = format!("run of {name}, {processor}, hooked {hooked}, all {all}");
                    assert_about(&what, ahead.bytes(traces.len()), run);
                }
            }
        }
    }
}
