//! Small networks agree with dm-clrs, without Python: see `fixtures/README.md`.

mod common;

use std::collections::BTreeMap;

use narscope_clrs::algorithms;
use narscope_clrs::options::Options;
use narscope_clrs::rng::Rng;
use narscope_clrs::trace::Traces;
use narscope_model::Weights;
use narscope_model::config::{Config, Draft};
use narscope_model::declaration::{Declaration, parameters};
use narscope_model::optimise::{Adam, Update, norm};
use narscope_model::predict::PredictOptions;
use narscope_model::rollout::Stochastic;
use narscope_model::spec::convert;
use safetensors::SafeTensors;
use serde::Deserialize;

#[derive(Deserialize)]
struct Fixtures {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    group: String,
    name: String,
    algorithms: Vec<String>,
    index: usize,
    length: usize,
    batch: usize,
    seed: u32,
    network: BTreeMap<String, serde_json::Value>,
    lengths: Vec<usize>,
    steps: usize,
    kept_steps: Vec<usize>,
    parameters: Count,
    losses: BTreeMap<String, f64>,
    gradient_norm: f64,
}

#[derive(Deserialize)]
struct Count {
    tensors: usize,
    values: usize,
}

/// The network and the samples of a case.
struct Prepared {
    config: Config,
    declarations: Vec<Declaration>,
    weights: Weights,
    traces: Traces,
}

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn cases(group: &str) -> (Vec<Case>, Vec<u8>) {
    let text = std::fs::read_to_string(folder().join("cases.json")).unwrap();
    let Fixtures { cases } = serde_json::from_str(&text).unwrap();
    let cases = cases.into_iter().filter(|case| case.group == group).collect();
    (cases, std::fs::read(folder().join(format!("{group}.safetensors"))).unwrap())
}

impl Case {
    fn prepare(&self, kernels: &str) -> Prepared {
        let mut draft = Draft::default();
        draft.set_text("kernels", kernels).unwrap();
        draft.set_text("algorithms", &self.algorithms.join(",")).unwrap();
        for (key, value) in &self.network {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            draft.set_text(key, &text).unwrap();
        }
        let config = draft.finish().unwrap();
        let declarations = common::declarations(&config);
        assert_eq!(declarations.len(), self.parameters.tensors, "tensors of {}", self.name);
        let values: Vec<f32> = declarations.iter().flat_map(formula).collect();
        assert_eq!(values.len(), self.parameters.values, "numbers of {}", self.name);

        let entry = algorithms::find(&self.algorithms[self.index]).unwrap();
        let mut rng = Rng::seeded(self.seed);
        let mut traces =
            entry.generate(&mut rng, self.length, &Options::default(), self.batch).unwrap();
        let lengths: Vec<usize> = (0..traces.len()).map(|i| traces.steps(i)).collect();
        assert_eq!(lengths, self.lengths, "lengths of {}", self.name);
        convert(&mut traces, &config).unwrap();
        let weights = Weights { parameters: parameters(&declarations), values };
        Prepared { config, declarations, weights, traces }
    }
}

/// Every case with fused kernels, where there are any, and with generic tensor operations.
fn with_both_kernels(cases: &[Case]) -> impl Iterator<Item = (&Case, &'static str)> {
    cases.iter().flat_map(|case| [(case, "fused"), (case, "generic")])
}

/// The value of every number of a parameter, as in the README.
fn formula(parameter: &Declaration) -> Vec<f32> {
    let hash = parameter.haiku.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let value = |i: usize| {
        let z = hash.wrapping_add(i as u64).wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let centred = ((z ^ (z >> 31)) >> 40) as f64 / f64::from(1 << 24) - 0.5;
        let value = match parameter.haiku.rsplit('/').next().unwrap() {
            "w" => 2.0 * centred / (parameter.shape[0] as f64).sqrt(),
            "b" | "offset" => 0.2 * centred,
            "scale" => 1.0 + 0.2 * centred,
            other => panic!("a parameter named {other}"),
        };
        value as f32
    };
    (0..parameter.size()).map(value).collect()
}

fn array(file: &SafeTensors<'_>, case: &Case, name: &str) -> Option<Vec<f32>> {
    let tensor = file.tensor(&format!("{}:{name}", case.name)).ok()?;
    let numbers = tensor.data().chunks_exact(4);
    Some(numbers.map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect())
}

#[track_caller]
fn assert_close(what: &str, ours: &[f32], theirs: &[f32]) {
    assert_eq!(ours.len(), theirs.len(), "{what}: how many");
    for (place, (a, b)) in ours.iter().zip(theirs).enumerate() {
        let error = (a - b).abs() / b.abs().max(1.0);
        assert!(error <= 1e-4, "{what} at {place}: {a}, dm-clrs says {b}");
    }
}

/// The name of an array in the fixtures.
fn of_reference(name: &str) -> &str {
    name.trim_start_matches("logits/")
}

fn predictions_agree(group: &str) {
    let (cases, bytes) = cases(group);
    let file = SafeTensors::deserialize(&bytes).unwrap();
    assert!(!cases.is_empty());
    for (case, kernels) in with_both_kernels(&cases) {
        let Prepared { config, weights, traces, .. } = case.prepare(kernels);
        let options = PredictOptions { hidden: true, all_steps: false };
        let model = common::model(&config, &weights);
        let task = model.tasks().nth(case.index).unwrap();
        let arrays = task.predict(&traces, case.steps, options).unwrap();
        let begins = format!("{}:", case.name);
        for name in file.names().into_iter().filter_map(|name| name.strip_prefix(&begins)) {
            let is_prediction =
                ["output/", "hint/", "hidden"].iter().any(|it| name.starts_with(it));
            let is_there = arrays.iter().any(|(ours, _)| of_reference(ours) == name);
            assert!(!is_prediction || is_there, "{name} of {} is not predicted", case.name);
        }
        for (name, ours) in &arrays {
            let what = format!("{} of {}", name, case.name);
            let name = of_reference(name);
            let Some(theirs) = array(&file, case, name) else {
                assert_eq!(name, "hidden", "{what} is in the fixtures");
                continue;
            };
            if name.starts_with("output/") {
                assert_close(&what, &ours.data, &theirs);
                continue;
            }
            let size = theirs.len() / case.kept_steps.len() / case.batch;
            for (kept, &step) in case.kept_steps.iter().enumerate() {
                for sample in (0..case.batch).filter(|&i| step + 1 < case.lengths[i]) {
                    // Ours have the sample first, those of the reference the step.
                    let ours = &ours.data[(sample * case.steps + step) * size..][..size];
                    let theirs = &theirs[(kept * case.batch + sample) * size..][..size];
                    let what = format!("{what}, step {step}, sample {sample}");
                    assert_close(&what, ours, theirs);
                }
            }
        }
    }
}

#[test]
fn all_algorithms_are_predicted_as_by_the_reference() {
    predictions_agree("algorithms");
}

#[test]
fn all_processors_predict_as_the_reference_does() {
    predictions_agree("processors");
}

#[test]
fn all_settings_predict_as_the_reference_does() {
    predictions_agree("settings");
}

fn updates_agree(group: &str) {
    let (cases, bytes) = cases(group);
    let file = SafeTensors::deserialize(&bytes).unwrap();
    for (case, kernels) in with_both_kernels(&cases) {
        let Prepared { config, declarations, mut weights, traces } = case.prepare(kernels);
        let teacher_forcing = config.hint_teacher_forcing;
        let stochastic = Stochastic { teacher_forcing, ..common::DETERMINISTIC };
        let gradient = common::gradient(&config, &weights, case.index, &traces, stochastic);
        for (probe, loss) in &gradient.losses.probes {
            let theirs = case.losses[&format!("loss/{probe}")];
            let what = format!("loss of {probe} in {}", case.name);
            assert_close(&what, &[*loss as f32], &[theirs as f32]);
        }
        assert_close(&case.name, &[gradient.losses.total as f32], &[case.losses["loss"] as f32]);
        assert_gradients_agree(case, &file, (&declarations, &weights), &gradient.values);

        let update = Update {
            learning_rate: config.learning_rate as f32,
            max_norm: config.grad_clip_max_norm as f32,
            task: case.index,
            frozen: &[],
        };
        let mut adam = Adam::new(weights.values.len());
        let largest = gradient.values.iter().fold(0.0_f32, |most, g| most.max(g.abs()));
        let norm = norm(&gradient.values);
        adam.update(&declarations, &mut weights.values, &gradient.values, norm, &update);
        let mut start = 0;
        for (parameter, (_, ours)) in declarations.iter().zip(weights.iter()) {
            let gradients = &gradient.values[start..start + ours.len()];
            start += ours.len();
            let Some(theirs) = array(&file, case, &format!("updated/{}", parameter.haiku)) else {
                continue;
            };
            // Differs: our memory cells learn.
            if parameter.name.starts_with("lstm") {
                continue;
            }
            for ((a, b), g) in ours.iter().zip(&theirs).zip(gradients) {
                // Where the gradient is nothing but rounding, its sign is anybody's.
                if g.abs() > 1e-5 * largest {
                    let what = format!("{} of {} after an update", parameter.name, case.name);
                    assert!((a - b).abs() <= 1e-5, "{what}: {a}, dm-clrs says {b}");
                }
            }
        }
    }
}

/// Sums of every gradient, and of it times the weights, within what rounding does to them.
fn assert_gradients_agree(
    case: &Case,
    file: &SafeTensors<'_>,
    (declarations, weights): (&[Declaration], &Weights),
    gradients: &[f32],
) {
    let sums = array(file, case, "gradient_sums").unwrap();
    let mut pieces = vec![];
    let mut start = 0;
    for (parameter, (_, values)) in declarations.iter().zip(weights.iter()) {
        let gradient = &gradients[start..start + values.len()];
        start += values.len();
        let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
            let pairs = gradient.iter().zip(values);
            pairs.map(|(&g, &w)| f(f64::from(g), f64::from(w))).sum()
        };
        pieces.push((&parameter.haiku, [sum(&|g, _| g), sum(&|g, _| g * g), sum(&|g, w| g * w)]));
    }
    pieces.sort_by_key(|(name, _)| *name);
    let norm = pieces.iter().map(|(_, [_, squares, _])| squares).sum::<f64>().sqrt();
    // Where layer normalisation divides by next to nothing, rounding grows.
    let close = |ours: f64, theirs: f64, scale: f64| (ours - theirs).abs() <= 2e-4 * scale;
    assert!(
        close(norm, case.gradient_norm, case.gradient_norm),
        "{}: norm {norm}, dm-clrs says {}",
        case.name,
        case.gradient_norm
    );
    for ((name, ours), theirs) in pieces.iter().zip(sums.chunks_exact(3)) {
        for (place, (&ours, &theirs)) in ours.iter().zip(theirs).enumerate() {
            let scale = if place == 1 { norm * norm } else { norm.max(1.0) };
            assert!(
                close(ours, f64::from(theirs), scale),
                "{}: sum {place} of the gradient of {name} is {ours}, dm-clrs says {theirs}",
                case.name
            );
        }
    }
}

#[test]
fn all_algorithms_are_trained_as_by_the_reference() {
    updates_agree("algorithms");
}

#[test]
fn all_processors_are_trained_as_by_the_reference() {
    updates_agree("processors");
}

#[test]
fn all_settings_are_trained_as_by_the_reference() {
    updates_agree("settings");
}
