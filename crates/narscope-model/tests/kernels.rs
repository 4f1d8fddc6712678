//! The fused engine agrees with the generic one: predictions, losses and every gradient, for any
//! algorithm, processor and setting.

mod common;

use std::cell::Cell;
use std::path::Path;

use narscope_clrs::algorithms::{self, ALL};
use narscope_clrs::options::Options;
use narscope_clrs::rng::Rng;
use narscope_clrs::trace::Traces;
use narscope_model::Weights;
use narscope_model::config::{
    Aggregation, Config, DecayPlace, DecayTarget, HintMode, Kernels, RepredMode,
};
use narscope_model::engine::Gradient;
use narscope_model::pooling::Pooling;
use narscope_model::processor::{PRESETS, ProcessorConfig};
use narscope_model::rollout::{
    NoHook, Predictions, RolloutOptions, States, StepHook, Steps, Stochastic,
};
use narscope_model::run::{Run, Which};
use narscope_model::spec::convert;
use narscope_model::trajectory::RecordOptions;
use narscope_net::feedback::Feedback;
use proptest::prelude::*;
use proptest::test_runner::{Config as Runs, RngAlgorithm, TestRng, TestRunner};

/// A network, a batch and the randomness of training.
#[derive(Clone, Debug)]
struct Case {
    config: Config,
    length: usize,
    batch: usize,
    stochastic: Stochastic,
}

impl Case {
    fn with(&self, kernels: Kernels) -> Config {
        Config { kernels, ..self.config.clone() }
    }

    fn traces(&self) -> Traces {
        let entry = algorithms::find(&self.config.algorithms[0]).unwrap();
        let mut rng = Rng::seeded(self.config.seed);
        let mut traces =
            entry.generate(&mut rng, self.length, &Options::default(), self.batch).unwrap();
        convert(&mut traces, &self.config).unwrap();
        traces
    }

    fn weights(&self) -> Weights {
        let mut weights = common::initial(&self.config, self.config.seed);
        // Biases start at 0, which would hide errors in them.
        for (i, value) in weights.values.iter_mut().enumerate() {
            *value += 0.1 * (i as f32 * 0.7).sin();
        }
        weights
    }

    fn gradient(&self, kernels: Kernels, weights: &Weights) -> Gradient {
        common::gradient(&self.with(kernels), weights, 0, &self.traces(), self.stochastic)
    }

    /// All predictions, one list of numbers after the other.
    fn predictions(
        &self,
        kernels: Kernels,
        weights: &Weights,
        (feedback, steps): (Feedback, Steps),
    ) -> Vec<Vec<f32>> {
        let config = self.with(kernels);
        let model = common::model(&config, weights);
        let keep_hints = config.hint_mode.decodes();
        let keep_states = Some(Pooling::All);
        let options =
            RolloutOptions { steps, feedback, keep_hints, every_output: true, keep_states };
        let task = model.task_or_only(None).unwrap();
        let Predictions { order, steps, outputs, hints, every_output, states } =
            task.rollout(&self.traces(), &options, &mut Nudge);
        let rows = order.iter().chain(&steps).map(|&i| i as f32).collect();
        let over_time = hints.into_iter().chain(every_output).flatten();
        let tensors = outputs.into_iter().chain(over_time).map(|logits| logits.values);
        std::iter::once(rows).chain(tensors).chain(states).collect()
    }
}

/// The weights, perturbed by up to a millionth.
fn perturbed(weights: &Weights) -> Weights {
    let mut moved = weights.clone();
    for (i, value) in moved.values.iter_mut().enumerate() {
        *value *= 1.0 + 1e-6 * (i as f32 * 1.3).sin();
    }
    moved
}

/// Asserts that the difference between two networks is not much larger than the change of one of
/// them when its weights are perturbed by a millionth. Rounding errors grow from step to step, in
/// long runs without bound, and decide near-ties of maxima.
///
/// Returns that change, relative to the values: if it is large, agreement means little.
fn assert_agree(
    what: &dyn std::fmt::Display,
    fused: &[f32],
    generic: &[f32],
    moved: &[f32],
) -> f32 {
    assert_eq!(fused.len(), generic.len(), "{what}: number of values");
    let scale = generic.iter().fold(1e-3_f32, |most, x| most.max(x.abs()));
    let (error, unavoidable) = (apart(fused, generic) / scale, apart(moved, generic) / scale);
    assert!(
        error <= 1e-4 + 20.0 * unavoidable,
        "{what}: off by {error}, perturbation {unavoidable}"
    );
    unavoidable
}

/// Number of sensitive comparisons: those in which perturbing the weights by a millionth changes no value by
/// more than a thousandth, so that an error of some percent would be found.
#[derive(Clone, Copy, Debug, Default)]
struct Sensitivity {
    sensitive: usize,
    all: usize,
}

impl Sensitivity {
    fn count(&mut self, moved: f32) {
        self.sensitive += usize::from(moved < 1e-3);
        self.all += 1;
    }

    fn assert_most(self) {
        assert!(10 * self.sensitive >= 9 * self.all, "too few comparisons are sensitive: {self:?}");
    }
}

/// Largest absolute difference; infinite if only one of two values is NaN.
fn apart(a: &[f32], b: &[f32]) -> f32 {
    let difference = |(a, b): (&f32, &f32)| match (a - b).abs() {
        _ if a == b || (a.is_nan() && b.is_nan()) => 0.0,
        difference if difference.is_nan() => f32::INFINITY,
        difference => difference,
    };
    a.iter().zip(b).map(difference).fold(0.0, f32::max)
}

#[test]
#[should_panic(expected = "off by inf")]
fn nan_does_not_agree_with_a_number() {
    assert_agree(&"one", &[1.0, f32::NAN], &[1.0, 2.0], &[1.0, 2.0]);
}

fn assert_gradients_agree(case: &Case) -> f32 {
    assert_gradients_agree_with(case, &case.weights())
}

fn assert_gradients_agree_with(case: &Case, weights: &Weights) -> f32 {
    let fused = case.gradient(Kernels::Fused, weights);
    let generic = case.gradient(Kernels::Generic, weights);
    let moved = case.gradient(Kernels::Generic, &perturbed(weights));
    let names = |gradient: &Gradient| -> Vec<String> {
        gradient.losses.probes.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(&fused), names(&generic), "{case:?}");
    let losses = |gradient: &Gradient| -> Vec<f32> {
        gradient.losses.probes.iter().map(|(_, loss)| *loss as f32).collect()
    };
    let what = format!("losses, {case:?}");
    let mut moved_by = assert_agree(&what, &losses(&fused), &losses(&generic), &losses(&moved));
    // Relative to at least a twentieth of the largest gradient, or a hundredth: differences below
    // that are rounding.
    let most = generic.values.iter().fold(0.2_f32, |most, x| most.max(x.abs()));
    let mut start = 0;
    for parameter in &weights.parameters {
        let here = start..start + parameter.size();
        start = here.end;
        let of = |gradient: &Gradient| [&gradient.values[here.clone()], &[0.05 * most]].concat();
        let what = format!("gradient of {}, {case:?}", parameter.name);
        moved_by = moved_by.max(assert_agree(&what, &of(&fused), &of(&generic), &of(&moved)));
    }
    moved_by
}

fn assert_predictions_agree(case: &Case, how: (Feedback, Steps)) -> f32 {
    let weights = case.weights();
    let fused = case.predictions(Kernels::Fused, &weights, how);
    let generic = case.predictions(Kernels::Generic, &weights, how);
    let moved = case.predictions(Kernels::Generic, &perturbed(&weights), how);
    assert_eq!(fused.len(), generic.len(), "{case:?}");
    let mut moved_by = 0.0_f32;
    for (at, ((fused, generic), moved)) in fused.iter().zip(&generic).zip(&moved).enumerate() {
        let what = format!("prediction {at}, {case:?}");
        moved_by = moved_by.max(assert_agree(&what, fused, generic, moved));
    }
    moved_by
}

/// A hook that shifts every state a little, by an amount that depends on the sample.
struct Nudge;

impl StepHook for Nudge {
    fn after_step(&mut self, step: usize, samples: &[usize], states: &mut States<'_>) {
        for (state, &i) in states.samples_mut().zip(samples) {
            for x in state.iter_mut() {
                *x += 0.01 * (i + 2 * step) as f32;
            }
        }
    }
}

fn processors() -> Vec<&'static str> {
    let pgn = PRESETS.iter().filter(|preset| matches!(preset.config, ProcessorConfig::Pgn(_)));
    pgn.map(|preset| preset.name).collect()
}

fn only_noise(update: u64) -> Stochastic {
    Stochastic { gumbel_noise: true, update, ..common::DETERMINISTIC }
}

fn plain(algorithm: &str, processor: &str) -> Case {
    let config = Config {
        algorithms: vec![algorithm.to_owned()],
        processor_type: processor.to_owned(),
        hidden_size: 9,
        nb_triplet_fts: 3,
        ..Config::default()
    };
    Case { config, length: 5, batch: 5, stochastic: only_noise(3) }
}

#[test]
fn fused_and_generic_networks_agree_on_every_algorithm() {
    let mut sensitivity = Sensitivity::default();
    for entry in ALL {
        for processor in ["mpnn", "triplet_gpgn_mask", "linear_pgn"] {
            let case = plain(entry.name, processor);
            sensitivity.count(assert_gradients_agree(&case));
            sensitivity.count(assert_predictions_agree(&case, (Feedback::Soft, Steps::Own)));
        }
    }
    sensitivity.assert_most();
}

#[test]
fn fused_and_generic_networks_agree_for_every_processor() {
    let mut sensitivity = Sensitivity::default();
    for processor in processors() {
        for algorithm in ["bellman_ford", "insertion_sort", "floyd_warshall"] {
            let case = plain(algorithm, processor);
            sensitivity.count(assert_gradients_agree(&case));
            sensitivity.count(assert_predictions_agree(&case, (Feedback::Hard, Steps::OwnAnd(2))));
        }
    }
    sensitivity.assert_most();
}

/// Larger than one tile of messages and than one group of samples whose pairs are decoded together.
#[test]
fn fused_and_generic_networks_agree_on_large_graphs() {
    let mut sensitivity = Sensitivity::default();
    for (algorithm, lengths) in [
        ("bellman_ford", [17, 23, 33, 64, 70].as_slice()),
        ("insertion_sort", &[17, 33, 64]),
        ("bridges", &[23, 33]),
        ("floyd_warshall", &[17, 33]),
    ] {
        for &length in lengths {
            for processor in ["triplet_gmpnn", "pgn_mask"] {
                let mut case = Case { length, batch: 6, ..plain(algorithm, processor) };
                case.config.hidden_size = 5;
                sensitivity
                    .count(assert_predictions_agree(&case, (Feedback::Soft, Steps::Exactly(2))));
            }
        }
    }
    for length in [23, 64] {
        for processor in ["triplet_gmpnn", "pgn_mask"] {
            let case = Case { length, batch: 6, ..plain("bfs", processor) };
            sensitivity.count(assert_gradients_agree(&case));
        }
    }
    sensitivity.assert_most();
}

/// A confident network has scores far apart and tiny gradients.
#[test]
fn gradients_of_trained_networks_agree() {
    let mut sensitivity = Sensitivity::default();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../narscope/networks");
    for network in ["linear_pgn-42", "linear_pgn-softmax-42", "triplet_gmpnn-42"] {
        let run = Run::open(&shipped.join(network)).unwrap();
        let weights = run.checkpoint(Which::Best).unwrap().weights;
        let case = Case { config: run.config, length: 13, batch: 5, stochastic: only_noise(3) };
        sensitivity.count(assert_gradients_agree_with(&case, &weights));
    }
    sensitivity.assert_most();
}

#[test]
fn outputs_do_not_depend_on_what_else_is_recorded() {
    for hint_mode in [HintMode::EncodedDecoded, HintMode::DecodedOnly, HintMode::None] {
        for algorithm in ["bellman_ford", "quicksort", "segments_intersect"] {
            let mut case = plain(algorithm, "triplet_gmpnn");
            case.config.hint_mode = hint_mode;
            let model = common::model(&case.config, &case.weights());
            let answers = |all: bool| {
                let keep_hints = all && hint_mode.decodes();
                let (steps, feedback) = (Steps::Own, Feedback::Soft);
                let keep_states = all.then_some(Pooling::Each);
                let options =
                    RolloutOptions { steps, feedback, keep_hints, every_output: all, keep_states };
                let task = model.task_or_only(None).unwrap();
                let hook: &mut dyn StepHook = if all { &mut Watch } else { &mut NoHook };
                task.rollout(&case.traces(), &options, hook).outputs
            };
            assert_eq!(answers(true), answers(false), "{algorithm} with {hint_mode:?}");
        }
    }
}

#[test]
fn trajectories_are_the_same_with_parallel_and_sequential_batches() {
    for kernels in [Kernels::Fused, Kernels::Generic] {
        let case = plain("bellman_ford", "pgn");
        let config = case.with(kernels);
        let model = common::model(&config, &case.weights());
        let task = model.task_or_only(None).unwrap();
        let traces = Case { batch: 100, ..case }.traces();
        let recorded = |hook: &mut dyn StepHook| {
            let options = RecordOptions {
                pooling: Pooling::Each,
                every_output: true,
                ..RecordOptions::default()
            };
            let mut done = 0;
            let mut progress = |samples| {
                done += samples;
                true
            };
            let all = task.record(&traces, options, hook, &mut progress).unwrap().unwrap();
            assert_eq!(done, traces.len());
            all
        };
        let [parallel, sequential] = [recorded(&mut NoHook), recorded(&mut Watch)];
        assert_eq!(parallel, sequential, "{kernels:?}");
        assert_eq!(parallel.truth, traces);
    }
}

/// A hook that changes nothing but is not idle.
struct Watch;

impl StepHook for Watch {
    fn after_step(&mut self, _step: usize, _samples: &[usize], _states: &mut States<'_>) {}
}

prop_compose! {
    fn settings()(
        aggregator in prop_oneof![
            Just(Aggregation::Max), Just(Aggregation::Min), Just(Aggregation::Mean),
            Just(Aggregation::Sum), Just(Aggregation::Softmax), Just(Aggregation::Softmax),
        ],
        temperature in prop_oneof![Just(0.0), Just(1e-4), Just(0.01), Just(0.5), Just(10.0)],
        learn_temperature: bool,
        decay in prop_oneof![Just(1.0), Just(0.9), Just(0.5)],
        decay_towards in prop_oneof![Just(DecayTarget::Zero), Just(DecayTarget::Mean)],
        decay_at in prop_oneof![Just(DecayPlace::BeforeStep), Just(DecayPlace::AfterStep)],
        hint_mode in prop_oneof![
            4 => Just(HintMode::EncodedDecoded),
            1 => Just(HintMode::DecodedOnly),
            1 => Just(HintMode::None),
        ],
        hint_repred_mode in prop_oneof![
            2 => Just(RepredMode::Soft), 1 => Just(RepredMode::Hard), 1 => Just(RepredMode::HardOnEval),
        ],
        eval_aggregator in prop_oneof![
            3 => Just(None), 1 => Just(Some(Aggregation::Max)), 1 => Just(Some(Aggregation::Mean)),
        ],
        rounds in 1_usize..3,
        use_ln: bool,
        enforce_permutations: bool,
    ) -> Config {
        Config {
            aggregator,
            temperature,
            learn_temperature: learn_temperature
                && aggregator == Aggregation::Softmax
                && temperature > 0.0,
            decay,
            decay_towards,
            decay_at,
            hint_mode,
            hint_repred_mode,
            eval_aggregator,
            nb_msg_passing_steps: rounds,
            use_ln,
            enforce_permutations,
            ..Config::default()
        }
    }
}

prop_compose! {
    fn cases()(
        settings in settings(),
        algorithm in 0..ALL.len(),
        processor in 0..processors().len(),
        hidden in prop_oneof![Just(1_usize), Just(3), Just(16), Just(17), Just(33)],
        triplets in 1_usize..10,
        length in 4_usize..9,
        batch in 1_usize..12,
        forcing in prop_oneof![2 => Just(0.0), 1 => Just(0.5), 1 => Just(1.0)],
        dropout in prop_oneof![2 => Just(0.0), 1 => Just(0.3)],
        seed in 0..1000_u32,
    ) -> Case {
        let config = Config {
            algorithms: vec![ALL[algorithm].name.to_owned()],
            processor_type: processors()[processor].to_owned(),
            hidden_size: hidden,
            nb_triplet_fts: triplets,
            seed,
            ..settings
        };
        let forcing = if config.hint_mode.encodes() { forcing } else { 0.0 };
        let stochastic = Stochastic {
            teacher_forcing: forcing,
            dropout,
            gumbel_noise: true,
            seed,
            update: 7,
        };
        Case { config, length, batch, stochastic }
    }
}

const CASES: u32 = 150;

#[test]
fn fused_and_generic_networks_agree_for_any_setting() {
    // The same cases every time: a random case may hit a near-tie of a maximum, which rounding
    // decides, and the test would fail by chance.
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Runs { cases: CASES, ..Runs::default() }, rng);
    let sensitivity = Cell::new([Sensitivity::default(); 2]);
    runner
        .run(&cases(), |case| {
            let gradients = assert_gradients_agree(&case);
            let feedback = Feedback::in_prediction(&case.config);
            let predictions = assert_predictions_agree(&case, (feedback, Steps::Exactly(3)));
            let mut counts = sensitivity.get();
            counts
                .iter_mut()
                .zip([gradients, predictions])
                .for_each(|(count, moved)| count.count(moved));
            sensitivity.set(counts);
            Ok(())
        })
        .unwrap();
    sensitivity.get().into_iter().for_each(Sensitivity::assert_most);
}

#[test]
fn the_fused_engine_reads_the_parameters_that_the_generic_network_declares() {
    for entry in ALL {
        for processor in processors() {
            for hint_mode in [HintMode::EncodedDecoded, HintMode::DecodedOnly, HintMode::None] {
                let mut case = plain(entry.name, processor);
                case.config.hint_mode = hint_mode;
                let specs = narscope_model::Spec::all(&case.config).unwrap();
                let mut fused = narscope_net::fused::parameters(&case.config, &specs);
                let mut generic = case.weights().parameters;
                fused.sort_by(|a, b| a.name.cmp(&b.name));
                generic.sort_by(|a, b| a.name.cmp(&b.name));
                assert_eq!(fused, generic, "{} with {processor}, {hint_mode:?}", entry.name);
            }
        }
    }
}
