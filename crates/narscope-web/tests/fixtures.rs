//! Fixtures of the tests in node and in the browser: small networks of three processors, and what
//! they predict natively for ten algorithms. They are in `tools/explorer/test/engine/fixtures`.
//!
//! `UPDATE_FIXTURES=1 cargo test -p narscope-web --test fixtures` writes them anew.

use std::fs;
use std::path::PathBuf;

use narscope_net::config::{Config, Draft};
use narscope_net::fused::parameters;
use narscope_net::random::Stream;
use narscope_net::{Spec, Weights};
use narscope_web::Explorer;
use narscope_web::frame::{decode, encode};
use serde_json::{Value, json};

const PROCESSORS: [&str; 3] = ["linear_pgn", "mpnn", "triplet_gmpnn"];
/// One of each kind of problem and of prediction.
const ALGORITHMS: [&str; 10] = [
    "bellman_ford",
    "bfs",
    "dijkstra",
    "mst_prim",
    "topological_sort",
    "insertion_sort",
    "binary_search",
    "activity_selector",
    "naive_string_matcher",
    "floyd_warshall",
];
const NODES: usize = 6;
/// Largest difference of two numbers.
const TOLERANCE: f64 = 1e-5;

fn config(processor: &str) -> String {
    format!(
        "algorithms = {ALGORITHMS:?}\nprocessor_type = '{processor}'\nhidden_size = 8\nnb_triplet_fts = 4\nseed = 5\n"
    )
}

fn parsed(config: &str) -> Config {
    Draft::parse(config).unwrap().finish().unwrap()
}

/// Random weights of a network, in half precision.
fn weights(config: &str) -> Vec<u8> {
    let config = parsed(config);
    let mut weights = Weights::zeros(parameters(&config, &Spec::all(&config).unwrap()));
    let mut rest = weights.values.as_mut_slice();
    for parameter in &weights.parameters {
        let (own, after) = rest.split_at_mut(parameter.size());
        let mut stream = Stream::named(config.seed, &parameter.name);
        for weight in own {
            *weight = 0.4 * stream.normal();
        }
        rest = after;
    }
    weights.to_half_safetensors().unwrap()
}

fn ask(explorer: &mut Explorer, request: &Value, bytes: &[u8]) -> (Value, Vec<u8>) {
    let frame = explorer.answer(&encode(&request.to_string(), bytes));
    let (json, bytes) = decode(&frame).unwrap();
    let answer: Value = serde_json::from_str(json).unwrap();
    assert_eq!(answer["ok"], true, "{request}: {answer}");
    (answer["value"].clone(), bytes.to_vec())
}

/// The numbers that an array of an answer stands for.
fn numbers(array: &Value, bytes: &[u8]) -> Vec<f64> {
    let (at, length) =
        (array["at"].as_u64().unwrap() as usize, array["length"].as_u64().unwrap() as usize);
    let read = |place: usize| match array["array"].as_str().unwrap() {
        "f64" => f64::from_le_bytes(bytes[at + 8 * place..][..8].try_into().unwrap()),
        "f32" => f64::from(f32::from_le_bytes(bytes[at + 4 * place..][..4].try_into().unwrap())),
        other => panic!("an array of {other}"),
    };
    (0..length).map(read).collect()
}

/// What a network predicts for a random problem of each algorithm: values of all records, states of
/// the last one.
fn predictions(processor: &str, weights: &[u8]) -> Value {
    let (explorer, mut cases) = (&mut Explorer::default(), vec![]);
    let open = json!({ "ask": "open", "name": processor, "config": parsed(&config(processor)) });
    ask(explorer, &open, weights);
    for algorithm in ALGORITHMS {
        let options = json!({ "length": NODES, "seed": 3 });
        let (problem, _) = ask(
            explorer,
            &json!({ "ask": "random", "algorithm": algorithm, "options": options }),
            &[],
        );
        let request = json!({
            "network": processor, "algorithm": algorithm, "problem": problem, "extraSteps": 1
        });
        let mut asked = request.clone();
        asked["ask"] = json!("rollout");
        let (rollout, bytes) = ask(explorer, &asked, &[]);
        let values = |stage: &str| -> Vec<Value> {
            let all = rollout[stage].as_array().unwrap().iter();
            let named = all.map(|it| {
                json!({
                    "probe": it["probe"]["name"], "kind": it["probe"]["kind"],
                    "values": numbers(&it["values"], &bytes)
                })
            });
            named.collect()
        };
        let states = numbers(&rollout["states"], &bytes);
        let last = states.len() - rollout["nodes"].as_u64().unwrap() as usize * 8;
        cases.push(json!({
            "request": request, "records": rollout["records"], "hints": values("hints"),
            "outputs": values("outputs"), "lastStates": states[last..]
        }));
    }
    Value::Array(cases)
}

/// Whether two values are equal, numbers up to the tolerance; NaN is written as null.
fn agree(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() <= TOLERANCE
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| agree(a, b)))
        }
        _ => a == b,
    }
}

#[test]
fn the_fixtures_are_what_this_crate_predicts_for_ten_algorithms_and_three_processors() {
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tools/explorer/test/engine/fixtures");
    for processor in PROCESSORS {
        let file = |ending: &str| folder.join(format!("{processor}.{ending}"));
        let network = weights(&config(processor));
        let fixture =
            json!({ "config": config(processor), "cases": predictions(processor, &network) });
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            fs::write(file("safetensors"), &network).unwrap();
            fs::write(file("json"), format!("{fixture}\n")).unwrap();
        }
        assert_eq!(fs::read(file("safetensors")).unwrap(), network, "weights of {processor}");
        let kept: Value = serde_json::from_str(&fs::read_to_string(file("json")).unwrap()).unwrap();
        // Through text, as the kept one.
        let fixture: Value = serde_json::from_str(&fixture.to_string()).unwrap();
        for (kept, now) in
            kept["cases"].as_array().unwrap().iter().zip(fixture["cases"].as_array().unwrap())
        {
            assert!(agree(kept, now), "{processor}: expected {kept}\nfound {now}");
        }
        assert_eq!(kept["config"], fixture["config"]);
    }
}
