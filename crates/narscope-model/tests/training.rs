//! Training is a function of its configuration: it can be interrupted and resumed, and updates only
//! the weights it should.

mod common;

use common::{DETERMINISTIC, declarations, gradient, initial};
use narscope_clrs::algorithms;
use narscope_clrs::chunk::Chunks;
use narscope_clrs::options::Options;
use narscope_clrs::rng::Rng;
use narscope_model::Spec;
use narscope_model::checkpoint::{Checkpoint, Progress};
use narscope_model::config::{Config, Draft, Part};
use narscope_model::engine::Losses;
use narscope_model::evaluation::{EvaluateOptions, Evaluation};
use narscope_model::generic::GenericTrainer;
use narscope_model::run::{Observer, Outcome, Run, Which};
use narscope_model::spec::convert;
use narscope_model::train::Trainer;

fn config(text: &str) -> Config {
    let tiny = "hidden_size = 4\nnb_triplet_fts = 2\nbatch_size = 4\ntrain_lengths = [4, 5]\n";
    Draft::parse(&format!("{tiny}{text}")).unwrap().finish().unwrap()
}

/// The state of a run after `steps` steps, saved and resumed after some of them.
fn trained(config: &Config, steps: usize, saved_after: &[usize]) -> Checkpoint {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("last.safetensors");
    let mut trainer = Trainer::new(config).unwrap();
    for step in 0..steps {
        if saved_after.contains(&step) {
            trainer.checkpoint().write(&path).unwrap();
            trainer = Trainer::new(config).unwrap();
            let parameters = trainer.weights.parameters.clone();
            trainer.restore(Checkpoint::read(&path, parameters).unwrap()).unwrap();
        }
        trainer.step().unwrap();
        if step % 3 == 2 {
            trainer.validate().unwrap();
        }
    }
    trainer.checkpoint()
}

#[test]
fn a_resumed_run_ends_in_the_same_bits() {
    for text in [
        "algorithms = ['bfs']\nprocessor_type = 'mpnn'",
        "algorithms = ['insertion_sort']\ndropout_prob = 0.3\nhint_teacher_forcing = 0.5",
        "algorithms = ['minimum', 'bfs']\nprocessor_type = 'pgn'\nuse_lstm = true",
        "algorithms = ['bfs', 'minimum']\nprocessor_type = 'mpnn'\nchunked_training = true\nchunk_length = 3",
        "algorithms = ['minimum']\nuse_lstm = true\nchunked_training = true\nchunk_length = 5",
        // All samples begin in the first chunk, so that there is no loss.
        "algorithms = ['bfs']\nprocessor_type = 'mpnn'\nchunked_training = true\nchunk_length = 1",
    ] {
        let config = config(text);
        let straight = trained(&config, 8, &[]);
        let resumed = trained(&config, 8, &[1, 5]);
        // Generators are in the order of the file.
        assert_eq!(straight.weights, resumed.weights, "{text}");
        assert_eq!(straight.adam, resumed.adam, "{text}");
        let sorted = |checkpoint: &Checkpoint| {
            let mut generators = checkpoint.generators.clone();
            generators.sort();
            generators
        };
        assert_eq!(sorted(&straight), sorted(&resumed), "{text}");
    }
}

/// Records the progress of a test, and stops it after some samples of an algorithm.
#[derive(Default)]
struct Tester {
    stops_after: Option<(&'static str, usize)>,
    progress: Vec<(String, usize)>,
}

impl Observer for Tester {
    fn stepped(&mut self, _: &Progress, _: f64) {}

    fn validated(&mut self, _: usize, _: &[Evaluation], _: bool) {}

    fn tested(&mut self, algorithm: &str, samples: usize, _: usize) {
        self.progress.push((algorithm.to_owned(), samples));
    }

    fn notice(&mut self, message: &str) {
        panic!("{message}");
    }

    fn wants_to_stop(&mut self) -> bool {
        let last = self.progress.last().map(|(name, samples)| (name.as_str(), *samples));
        last.is_some_and(|(name, samples)| {
            self.stops_after.is_some_and(|(stop, after)| name == stop && samples >= after)
        })
    }
}

/// Continues a run. Returns its outcome and the number of samples that had been tested before.
fn tested(run: &Run, stops_after: Option<(&'static str, usize)>) -> (Outcome, Vec<usize>) {
    let mut tester = Tester { stops_after, progress: vec![] };
    let outcome = run.train(&mut tester).unwrap();
    let first =
        |name| tester.progress.iter().find(|(other, _)| other == name).map(|(_, first)| *first);
    (outcome, run.config.algorithms.iter().filter_map(first).collect())
}

#[test]
fn a_test_that_was_resumed_goes_on_where_it_was_and_ends_in_the_same_scores() {
    let config = |seed: u32| {
        let text = "algorithms = ['bfs', 'segments_intersect']\nprocessor_type = 'pgn'";
        config(&format!("{text}\ntrain_steps = 1\nseed = {seed}"))
    };
    let folder = tempfile::tempdir().unwrap();
    let new = |name: &str, seed| Run::create(&folder.path().join(name), config(seed)).unwrap();
    let straight = new("straight", 1);
    let (expected, before) = tested(&straight, None);
    assert_eq!(before, [0, 0]);

    let run = new("resumed", 1);
    let (outcome, before) = tested(&run, Some(("bfs", 16)));
    assert_eq!((outcome, before), (Outcome::Interrupted(1), vec![0]));
    let (outcome, before) = tested(&run, Some(("segments_intersect", 1000)));
    // How many are done at a time depends on how many threads there are.
    assert!(before[0] >= 16 && before[1] == 0, "{before:?}");
    assert_eq!(outcome, Outcome::Interrupted(1));
    assert!(!run.file("test.json").exists());
    let (outcome, before) = tested(&run, None);
    assert!(before[0] == 32 && (1000..2048).contains(&before[1]), "{before:?}");
    assert_eq!(outcome, expected);
    assert!(run.file("test.json").exists() && !run.file("testing.json").exists());

    // What is damaged or of other weights does not count.
    let other = new("other", 2);
    tested(&other, Some(("segments_intersect", 1000)));
    let of_other = std::fs::read_to_string(other.file("testing.json")).unwrap();
    for text in [of_other.as_str(), &of_other[..of_other.len() / 2], ""] {
        std::fs::write(straight.file("testing.json"), text).unwrap();
        let (outcome, before) = tested(&straight, None);
        assert_eq!((&outcome, before), (&expected, vec![0, 0]), "{text}");
    }
}

/// Stops a run after each of some steps.
struct Stopper {
    at: Vec<usize>,
    step: usize,
}

impl Observer for Stopper {
    fn started(&mut self, step: usize) {
        self.step = step;
        self.at.retain(|&at| at > step);
    }

    fn stepped(&mut self, progress: &Progress, _: f64) {
        self.step = progress.step;
    }

    fn validated(&mut self, _: usize, _: &[Evaluation], _: bool) {}

    fn tested(&mut self, _: &str, _: usize, _: usize) {}

    fn notice(&mut self, message: &str) {
        panic!("{message}");
    }

    fn wants_to_stop(&mut self) -> bool {
        self.at.contains(&self.step)
    }
}

#[test]
fn metrics_of_a_run_do_not_depend_on_where_it_was_stopped() {
    let config = config(
        "algorithms = ['bfs', 'bellman_ford']\nprocessor_type = 'pgn'\ntrain_steps = 12\neval_every = 5",
    );
    let folder = tempfile::tempdir().unwrap();
    let metrics = |name: &str, stops: &[usize]| -> Vec<String> {
        let run = Run::create(&folder.path().join(name), config.clone()).unwrap();
        for started in 0.. {
            let mut stopper = Stopper { at: stops.to_vec(), step: 0 };
            if let Outcome::Done(_) = run.train(&mut stopper).unwrap() {
                assert_eq!(started, stops.len());
                break;
            }
        }
        let text = std::fs::read_to_string(run.file("metrics.jsonl")).unwrap();
        // What comes after this key depends on the clock.
        let lines = text.lines().map(|line| {
            let (line, rest) = line.split_once(",\"examples_seen\":").unwrap();
            let (seen, _) = rest.split_once(',').unwrap();
            format!("{line},{seen}")
        });
        lines.collect()
    };
    let straight = metrics("straight", &[]);
    assert_eq!(straight.len(), 2 * (4 + 4 + 1));
    assert_eq!(metrics("stopped", &[1, 3, 6, 8, 11]), straight);
}

#[test]
fn the_loss_of_an_evaluation_is_that_of_training_without_its_noise() {
    for text in [
        "algorithms = ['bellman_ford']\nprocessor_type = 'mpnn'",
        "algorithms = ['bellman_ford']\nprocessor_type = 'mpnn'\nkernels = 'generic'",
        // Permutations, masks, classes, scalars, and samples of different lengths.
        "algorithms = ['insertion_sort']",
        "algorithms = ['segments_intersect']\nprocessor_type = 'pgn'",
        "algorithms = ['dfs']\nprocessor_type = 'gat'",
        "algorithms = ['articulation_points']\nhint_mode = 'none'",
        "algorithms = ['kmp_matcher']\nlength_needle = 1\nprocessor_type = 'pgn'\nhint_mode = 'decoded_only'",
    ] {
        let config = config(text);
        let model = Trainer::new(&config).unwrap().model().unwrap();
        let task = model.tasks().next().unwrap();
        let traces = task.sample(6, &Options::default(), 1, 5).unwrap();
        let options = EvaluateOptions { losses: true, ..EvaluateOptions::default() };
        let evaluation = task.evaluate_with(&traces, options, &mut |_| true).unwrap().unwrap();
        let found = evaluation.losses.unwrap();
        let expected = gradient(&config, model.weights(), 0, &traces, DETERMINISTIC).losses;
        let names = |losses: &Losses| -> Vec<String> {
            losses.probes.iter().map(|(name, _)| name.clone()).collect()
        };
        assert_eq!(names(&found), names(&expected), "{text}");
        for ((name, found), (_, expected)) in found.probes.iter().zip(&expected.probes) {
            assert!((found - expected).abs() < 1e-4, "{text}: {name} {found} and {expected}");
        }
        assert!((found.total - expected.total).abs() < 1e-3, "{text}");
    }
}

#[test]
fn frozen_parts_stay_and_the_others_are_trained() {
    for part in [Part::Processor, Part::Encoders, Part::Decoders] {
        let mut config = config("algorithms = ['bfs']\nprocessor_type = 'mpnn'");
        config.freeze = vec![part];
        let declarations = declarations(&config);
        let before = initial(&config, config.seed);
        let after = trained(&config, 2, &[]).weights;
        let pairs = || declarations.iter().zip(before.iter().zip(after.iter()));
        for (declaration, ((_, before), (_, after))) in pairs() {
            let moved = before != after;
            let frozen = declaration.part == part;
            // Dead ReLUs may leave a few others unchanged.
            assert!(!(moved && frozen), "{} moved", declaration.name);
        }
        let moved = |other: Part| pairs().any(|(d, ((_, a), (_, b)))| d.part == other && a != b);
        for other in [Part::Processor, Part::Encoders, Part::Decoders] {
            assert_eq!(moved(other), other != part, "{other:?} with {part:?} frozen");
        }
    }
}

#[test]
fn a_network_of_several_tasks_starts_as_a_network_of_one() {
    let one = config("algorithms = ['bfs']");
    let two = config("algorithms = ['bfs', 'dfs']");
    let weights = |config: &Config| Trainer::new(config).unwrap().weights;
    let (one, two) = (weights(&one), weights(&two));
    for (parameter, values) in one.iter() {
        let other = two.iter().find(|(other, _)| other.name == parameter.name).unwrap().1;
        assert_eq!(values, other, "{}", parameter.name);
    }
}

#[test]
fn an_update_of_one_task_does_not_change_the_weights_of_others() {
    let config = config("algorithms = ['bfs', 'minimum']\nprocessor_type = 'mpnn'");
    let weights = initial(&config, 1);
    let entry = algorithms::find("minimum").unwrap();
    let mut traces = entry.generate(&mut Rng::seeded(1), 4, &Options::default(), 2).unwrap();
    convert(&mut traces, &config).unwrap();
    let all = gradient(&config, &weights, 1, &traces, DETERMINISTIC).values;
    let mut start = 0;
    for declaration in declarations(&config) {
        let gradient = &all[start..start + declaration.size()];
        start += declaration.size();
        if declaration.task == Some(0) {
            assert!(gradient.iter().all(|&g| g == 0.0), "{}", declaration.name);
        }
    }
}

#[test]
fn a_chunk_of_whole_samples_has_the_gradient_of_whole_samples() {
    let config = config("algorithms = ['insertion_sort']\nchunked_training = true");
    let trainer = GenericTrainer::new(&config, &Spec::all(&config).unwrap());
    let weights = initial(&config, 1);
    let entry = algorithms::find("insertion_sort").unwrap();
    let mut traces = entry.generate(&mut Rng::seeded(1), 4, &Options::default(), 3).unwrap();
    convert(&mut traces, &config).unwrap();
    let length = traces.longest();
    assert!((0..3).all(|i| traces.steps(i) == length), "all samples have the same length");

    let mut chunks = Chunks::new(length);
    let chunk = chunks.next_chunk(|| Ok::<_, ()>(traces.clone())).unwrap();
    let whole = gradient(&config, &weights, 0, &traces, DETERMINISTIC);
    let window = trainer.chunk_loss_and_gradient(&weights, 0, &chunk, &mut None, DETERMINISTIC);

    for ((probe, whole), (_, window)) in whole.losses.probes.iter().zip(&window.losses.probes) {
        assert!((whole - window).abs() < 1e-5, "{probe}: {whole} and {window}");
    }
    for (whole, window) in whole.values.iter().zip(&window.values) {
        assert!((whole - window).abs() < 1e-4, "{whole} and {window}");
    }
}

#[test]
fn chunks_that_cut_a_sample_have_the_losses_of_the_whole_sample() {
    let config = config("algorithms = ['insertion_sort']\nchunked_training = true");
    let trainer = GenericTrainer::new(&config, &Spec::all(&config).unwrap());
    let weights = initial(&config, 1);
    let entry = algorithms::find("insertion_sort").unwrap();
    let mut traces = entry.generate(&mut Rng::seeded(1), 6, &Options::default(), 3).unwrap();
    convert(&mut traces, &config).unwrap();
    assert_eq!(traces.longest(), 6);

    let mut chunks = Chunks::new(3);
    let mut carried = None;
    let mut windows = vec![];
    for _ in 0..2 {
        let chunk = chunks.next_chunk(|| Ok::<_, ()>(traces.clone())).unwrap();
        let carried = &mut carried;
        let window = trainer.chunk_loss_and_gradient(&weights, 0, &chunk, carried, DETERMINISTIC);
        windows.push(window.losses);
    }
    let whole = gradient(&config, &weights, 0, &traces, DETERMINISTIC).losses;
    for (index, (probe, whole)) in whole.probes.iter().enumerate() {
        let [first, second] = [&windows[0], &windows[1]].map(|window| window.probes[index].1);
        // Two predictions of hints fall into the first window, three into the second.
        let together =
            if probe.starts_with("hint") { (2.0 * first + 3.0 * second) / 5.0 } else { second };
        assert!((whole - together).abs() < 1e-5, "{probe}: {whole} and {together}");
    }
}

/// Trains a run to the end, stopping after some steps on the way. Returns its last checkpoint.
fn trained_run(folder: &std::path::Path, text: &str, stops: &[usize]) -> Run {
    let run = Run::create(folder, config(text)).unwrap();
    for _ in 0..=stops.len() {
        run.train(&mut Stopper { at: stops.to_vec(), step: 0 }).unwrap();
    }
    run
}

/// The values of the parameters of a part.
fn values_of(config: &Config, weights: &narscope_model::Weights, part: Part) -> Vec<f32> {
    let all = declarations(config);
    let of_part = weights.iter().filter(|(parameter, _)| {
        all.iter().any(|declared| declared.name == parameter.name && declared.part == part)
    });
    of_part.flat_map(|(_, values)| values.to_vec()).collect()
}

#[test]
fn parts_start_from_the_weights_of_another_run_and_resume_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let both = "algorithms = ['bfs', 'bellman_ford']\nprocessor_type = 'pgn'\ntrain_steps = 3";
    let source = trained_run(&path("source"), both, &[]);
    let from = path("source").display().to_string();
    let text = format!(
        "algorithms = ['bellman_ford']\nprocessor_type = 'pgn'\nseed = 7\ntrain_steps = 4\n\
         init_from = '{from}'\ninit_parts = ['processor', 'encoders']\nfreeze = ['encoders']"
    );
    let straight = trained_run(&path("straight"), &text, &[]);
    let stopped = trained_run(&path("stopped"), &text, &[2]);
    let last = |run: &Run| run.checkpoint(Which::Last).unwrap();
    let [one, other] = [&straight, &stopped].map(last);
    assert_eq!((&one.weights, &one.adam), (&other.weights, &other.adam));

    // A frozen part shows what it started from.
    let taken = source.checkpoint(Which::Best).unwrap().weights;
    let of_source = |part| {
        let alone = Config { algorithms: vec!["bellman_ford".to_owned()], ..source.config.clone() };
        values_of(&alone, &taken, part)
    };
    let encoders = values_of(&straight.config, &one.weights, Part::Encoders);
    assert!(!encoders.is_empty());
    assert_eq!(encoders, of_source(Part::Encoders));
    let processor = values_of(&straight.config, &one.weights, Part::Processor);
    assert_ne!(processor, of_source(Part::Processor), "it is trained");

    let log = std::fs::read_to_string(stopped.file("run.json")).unwrap();
    let log: serde_json::Value = serde_json::from_str(&log).unwrap();
    let record = &log["sessions"][0]["initial_weights"];
    assert_eq!(record["run"], from.as_str());
    assert_eq!(record["parts"], serde_json::json!(["processor", "encoders"]));
    assert_eq!(record["count"], encoders.len() + processor.len());
    assert_eq!(record["fingerprint"].as_str().map(str::len), Some(16));
    assert!(log["sessions"][1].get("initial_weights").is_none(), "a resumed run takes nothing");
}

#[test]
fn a_run_that_was_begun_needs_no_other_run() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    let text = "algorithms = ['bfs']\nprocessor_type = 'pgn'\ntrain_steps = 2";
    trained_run(&source, text, &[]);
    let text = format!("{text}\ninit_from = '{}'", source.display());
    let run = Run::create(&folder.path().join("run"), config(&text)).unwrap();
    let stopped = run.train(&mut Stopper { at: vec![1], step: 0 }).unwrap();
    assert_eq!(stopped, Outcome::Interrupted(1));
    std::fs::remove_dir_all(&source).unwrap();
    let outcome = run.train(&mut Stopper { at: vec![], step: 0 }).unwrap();
    assert!(matches!(outcome, Outcome::Done(_)));
}

#[test]
fn weights_of_another_network_are_refused_with_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    trained_run(&source, "algorithms = ['bfs']\nprocessor_type = 'pgn'\ntrain_steps = 1", &[]);
    let from = source.display().to_string();
    let refused = |text: &str| {
        let text = format!("train_steps = 1\ninit_from = '{from}'\n{text}");
        let run = Run::create(&folder.path().join("run"), config(&text)).unwrap();
        let lock = run.lock().unwrap();
        let error = run.train_locked(&lock, &mut Stopper { at: vec![], step: 0 }).unwrap_err();
        run.discard_untrained(lock).unwrap();
        error.to_string().replace(&from, "SOURCE")
    };
    let pgn = |text: &str| refused(&format!("processor_type = 'pgn'\n{text}"));
    assert_eq!(
        refused("algorithms = ['bfs']\nprocessor_type = 'mpnn'"),
        "init_from SOURCE: expected the processor mpnn, found pgn"
    );
    assert_eq!(
        pgn("algorithms = ['bellman_ford']\ninit_parts = ['decoders']"),
        "init_from SOURCE: expected decoders of bellman_ford, found those of bfs"
    );
    assert_eq!(
        pgn("algorithms = ['bfs']\nuse_ln = false"),
        "init_from SOURCE: found weights processor.norm.offset, which this network does not have"
    );
    assert_eq!(
        pgn("algorithms = ['bfs']\nuse_lstm = true"),
        "init_from SOURCE: expected weights lstm.gates.weight, found none"
    );
    let other_size = Config {
        hidden_size: 8,
        ..config(&format!("algorithms = ['bfs']\nprocessor_type = 'pgn'\ninit_from = '{from}'"))
    };
    let run = Run::create(&folder.path().join("larger"), other_size).unwrap();
    let error = run.train(&mut Stopper { at: vec![], step: 0 }).unwrap_err().to_string();
    assert!(error.ends_with("expected a network with hidden_size 8, found 4"), "{error}");
    let nowhere = config("algorithms = ['bfs']\ninit_from = 'nowhere'");
    let run = Run::create(&folder.path().join("nowhere"), nowhere).unwrap();
    let error = run.train(&mut Stopper { at: vec![], step: 0 }).unwrap_err().to_string();
    assert_eq!(error, "there is no run in this folder (no config.toml): nowhere");
}
