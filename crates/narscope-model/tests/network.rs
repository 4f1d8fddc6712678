//! Laws that every network obeys, whatever its processor.

mod common;

use common::{DETERMINISTIC, gradient, initial, model};
use narscope_clrs::algorithms::{self, ALL};
use narscope_clrs::options::Options;
use narscope_clrs::rng::Rng;
use narscope_clrs::trace::Traces;
use narscope_model::Weights;
use narscope_model::config::{Config, Draft, Kernels};
use narscope_model::predict::PredictOptions;
use narscope_model::processor::PRESETS;
use narscope_model::spec::convert;

fn config(text: &str) -> Config {
    Draft::parse(text).unwrap().finish().unwrap()
}

fn tiny(algorithm: &str, processor: &str) -> Config {
    config(&format!(
        "algorithms = ['{algorithm}']\nprocessor_type = '{processor}'\nhidden_size = 8\nnb_triplet_fts = 3"
    ))
}

fn samples(config: &Config, length: usize, count: usize) -> Traces {
    let entry = algorithms::find(&config.algorithms[0]).unwrap();
    let mut rng = Rng::seeded(5);
    let mut traces = entry.generate(&mut rng, length, &Options::default(), count).unwrap();
    convert(&mut traces, config).unwrap();
    traces
}

/// Weights of which none is zero, so that initial values hide nothing.
fn weights(config: &Config) -> Weights {
    let mut weights = initial(config, 3);
    for (i, value) in weights.values.iter_mut().enumerate() {
        *value += 0.05 * ((i as f32) * 0.7).sin();
    }
    weights
}

fn loss(config: &Config, weights: &Weights, traces: &Traces) -> f64 {
    gradient(config, weights, 0, traces, DETERMINISTIC).losses.total
}

#[test]
fn gradients_agree_with_finite_differences_for_every_processor() {
    for preset in PRESETS {
        let config = tiny("bellman_ford", preset.name);
        assert_gradient_agrees(&config, 4);
    }
}

#[test]
fn gradients_agree_with_finite_differences_for_every_kind_of_probe() {
    for algorithm in
        ["bubble_sort", "floyd_warshall", "lcs_length", "segments_intersect", "dfs", "bridges"]
    {
        assert_gradient_agrees(&tiny(algorithm, "triplet_gmpnn"), 4);
    }
}

#[test]
fn gradients_agree_with_finite_differences_for_every_switch() {
    for more in [
        "aggregator = 'softmax'\ntemperature = 0.5",
        "aggregator = 'softmax'\ntemperature = 0.5\nlearn_temperature = true",
        "aggregator = 'mean'",
        "aggregator = 'sum'",
        "aggregator = 'min'",
        "decay = 0.7",
        "decay = 0.7\ndecay_towards = 'mean'",
        "decay = 0.7\ndecay_at = 'after_step'",
        "use_lstm = true",
        "nb_msg_passing_steps = 3",
        "use_ln = false",
        "hint_mode = 'decoded_only'",
        "hint_mode = 'none'",
        "hint_teacher_forcing = 1.0",
    ] {
        let base = "algorithms = ['bfs']\nprocessor_type = 'gpgn'\nhidden_size = 8\n";
        assert_gradient_agrees(&config(&format!("{base}{more}")), 4);
    }
}

/// Compares the slope along a direction with the difference of losses; the direction is that of the
/// gradient itself, tensor by tensor, in which errors of rounding weigh least.
#[track_caller]
fn assert_gradient_agrees(config: &Config, length: usize) {
    for kernels in [Kernels::Fused, Kernels::Generic] {
        assert_gradient_agrees_with(&Config { kernels, ..config.clone() }, length);
    }
}

#[track_caller]
fn assert_gradient_agrees_with(config: &Config, length: usize) {
    let (traces, weights) = (samples(config, length, 3), weights(config));
    let all = gradient(config, &weights, 0, &traces, DETERMINISTIC).values;
    let mut start = 0;
    for parameter in &weights.parameters {
        let range = start..start + parameter.size();
        start = range.end;
        let gradient = &all[range.clone()];
        let norm = gradient.iter().map(|&g| f64::from(g).powi(2)).sum::<f64>().sqrt();
        // Where there is hardly any, some direction should hardly have a slope.
        let has_any = norm >= 1e-2;
        let direction: Vec<f64> = if has_any {
            gradient.iter().map(|&g| f64::from(g) / norm).collect()
        } else {
            let length = (gradient.len() as f64).sqrt();
            (0..gradient.len()).map(|i| (if i % 3 == 1 { -1.0 } else { 1.0 }) / length).collect()
        };
        let expected: f64 = gradient.iter().zip(&direction).map(|(&g, d)| f64::from(g) * d).sum();
        let slope = |step: f64| {
            let moved = |sign: f64| {
                let mut moved = weights.clone();
                for (value, d) in moved.values[range.clone()].iter_mut().zip(&direction) {
                    *value += (sign * step * d) as f32;
                }
                loss(config, &moved, &traces)
            };
            (moved(1.0) - moved(-1.0)) / (2.0 * step)
        };
        // A kink of a maximum within reach spoils one step size, not all of them.
        let close = |slope: &f64| (slope - expected).abs() < 0.05 * expected.abs() + 2e-3;
        let mut slopes = vec![];
        for step in [1e-3, 3e-4, 3e-3, 1e-4, 1e-2] {
            slopes.push(slope(step));
            if slopes.last().is_some_and(close) {
                break;
            }
        }
        assert!(
            slopes.last().is_some_and(close),
            "{} of {} with {}: slope {expected}, differences {slopes:?}",
            parameter.name,
            config.algorithms[0],
            config.processor_type
        );
    }
}

#[test]
fn every_algorithm_runs_through_every_network() {
    for entry in ALL {
        for processor in ["mpnn", "triplet_gpgn_mask", "gatv2"] {
            let config = tiny(entry.name, processor);
            let traces = samples(&config, 5, 2);
            let loss = loss(&config, &weights(&config), &traces);
            assert!(loss.is_finite(), "{} with {processor}: {loss}", entry.name);
        }
    }
}

#[test]
fn a_sample_is_predicted_the_same_alone_and_among_others() {
    for preset in PRESETS {
        let config = tiny("dfs", preset.name);
        let (model, all) = (model(&config, &weights(&config)), samples(&config, 5, 4));
        let task = model.task("dfs").unwrap();
        let options = PredictOptions { hidden: true, all_steps: true };
        let steps = all.longest() - 1;
        let together = task.predict(&all, steps, options).unwrap();
        for i in 0..all.len() {
            let alone = all.select(&[i]);
            let alone = task.predict(&alone, steps, options).unwrap();
            for ((name, all), (_, one)) in together.iter().zip(&alone) {
                let row = &all.data[i * one.data.len()..][..one.data.len()];
                for (a, b) in row.iter().zip(&one.data) {
                    assert!((a - b).abs() < 1e-3, "{name} with {}: {a}, {b}", preset.name);
                }
            }
        }
    }
}
