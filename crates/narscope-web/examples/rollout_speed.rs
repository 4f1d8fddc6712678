//! Times rollouts natively, on one thread, for `cargo xtask compare explorer`:
//! `rollout_speed LENGTHS ROUNDS WEIGHTS`. Writes the weights of the network that it times, random
//! ones for all of CLRS-30, and prints its configuration, the requests and the milliseconds as JSON.

#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::time::Instant;

use narscope_clrs::algorithms;
use narscope_net::config::{Config, Draft};
use narscope_net::fused::parameters;
use narscope_net::random::Stream;
use narscope_net::{Spec, Weights};
use narscope_web::Explorer;
use narscope_web::frame::{decode, encode};
use serde_json::{Value, json};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [lengths, rounds, file] = words.as_slice() else {
        panic!(
            "usage: rollout_speed LENGTHS ROUNDS WEIGHTS, for example 16,64 3 weights.safetensors"
        )
    };
    let lengths = lengths.split(',').map(|length| length.parse::<usize>().expect("a length"));
    let rounds: usize = rounds.parse().expect("a number of rounds");
    let names: Vec<&str> =
        algorithms::ALL.iter().filter(|it| it.in_clrs_30).map(|it| it.name).collect();
    let text = format!("algorithms = {names:?}\nprocessor_type = 'mpnn'\n");
    let config = Draft::parse(&text).and_then(Draft::finish).expect("a configuration");
    let weights = weights(&config);
    std::fs::write(file, &weights).expect("the weights can be written");

    let mut explorer = Explorer::default();
    ask(&mut explorer, &json!({ "ask": "open", "name": "net", "config": config }), &weights);
    let mut measured = vec![];
    for length in lengths {
        for algorithm in &names {
            measured.extend(measure(&mut explorer, algorithm, length, rounds));
        }
    }
    println!("{}", json!({ "config": text, "measured": measured }));
}

/// Random weights of a network.
fn weights(config: &Config) -> Vec<u8> {
    let specs = Spec::all(config).expect("the algorithms are known");
    let mut weights = Weights::zeros(parameters(config, &specs));
    let mut stream = Stream::named(config.seed, "weights");
    for weight in &mut weights.values {
        *weight = 0.1 * stream.normal();
    }
    weights.to_safetensors().expect("parameters have different names")
}

/// The best time of an algorithm's rollout; nothing if the explorer refuses the size.
fn measure(
    explorer: &mut Explorer,
    algorithm: &str,
    length: usize,
    rounds: usize,
) -> Option<Value> {
    let options = json!({ "length": length, "seed": 1 });
    let random = json!({ "ask": "random", "algorithm": algorithm, "options": options });
    let problem = &ask(explorer, &random, &[])["value"];
    let request = json!({
        "ask": "rollout", "network": "net", "algorithm": algorithm, "problem": problem
    });
    if ask(explorer, &request, &[])["ok"] != true {
        return None;
    }
    let time = || {
        let start = Instant::now();
        ask(explorer, &request, &[]);
        start.elapsed().as_secs_f64() * 1e3
    };
    let best = std::iter::repeat_with(time).take(rounds).fold(f64::INFINITY, f64::min);
    Some(json!({ "request": request, "length": length, "milliseconds": best }))
}

fn ask(explorer: &mut Explorer, request: &Value, bytes: &[u8]) -> Value {
    let frame = explorer.answer(&encode(&request.to_string(), bytes));
    let (json, _) = decode(&frame).expect("a whole frame");
    serde_json::from_str(json).expect("answers are JSON")
}
