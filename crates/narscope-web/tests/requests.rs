//! Requests of the page, and their answers, natively.

use narscope_net::config::Draft;
use narscope_web::Explorer;
use narscope_web::frame::{decode, encode};
use serde_json::{Value, json};

const CONFIG: &str = include_str!("../../narscope/networks/linear_pgn-42/config.toml");
const WEIGHTS: &[u8] = include_bytes!("../../narscope/networks/linear_pgn-42/best.safetensors");

/// The configuration in a `config.toml`, as the page sends it.
fn config(text: &str) -> Value {
    let config = Draft::parse(text).unwrap().finish().unwrap();
    serde_json::to_value(config).unwrap()
}

/// An engine and the bytes of its last answer.
struct Asked {
    explorer: Explorer,
    bytes: Vec<u8>,
}

impl Asked {
    /// An engine with a trained network of Bellman-Ford, `net`.
    fn with_network() -> Self {
        let mut asked = Self { explorer: Explorer::default(), bytes: vec![] };
        asked
            .answer(&json!({ "ask": "open", "name": "net", "config": config(CONFIG) }), WEIGHTS)
            .unwrap();
        asked
    }

    fn answer(&mut self, request: &Value, bytes: &[u8]) -> Result<Value, String> {
        let frame = self.explorer.answer(&encode(&request.to_string(), bytes));
        let (json, bytes) = decode(&frame).unwrap();
        self.bytes = bytes.to_vec();
        let answer: Value = serde_json::from_str(json).unwrap();
        match &answer["error"] {
            Value::String(error) => Err(error.clone()),
            _ => Ok(answer["value"].clone()),
        }
    }

    fn ask(&mut self, request: &Value) -> Value {
        self.answer(request, &[]).unwrap()
    }

    fn f32s(&self, array: &Value) -> Vec<f32> {
        assert_eq!(array["array"], "f32");
        let (at, length) = (array["at"].as_u64().unwrap(), array["length"].as_u64().unwrap());
        let bytes = &self.bytes[at as usize..][..4 * length as usize];
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    fn random(&mut self, length: usize) -> Value {
        let options = json!({ "length": length, "seed": 1 });
        self.ask(&json!({ "ask": "random", "algorithm": "bellman_ford", "options": options }))
    }

    fn rollout(&mut self, problem: &Value, more: &Value) -> Result<Value, String> {
        let mut request = json!({
            "ask": "rollout", "network": "net", "algorithm": "bellman_ford", "problem": problem
        });
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.answer(&request, &[])
    }
}

#[test]
fn a_trained_network_answers_like_the_algorithm() {
    let mut asked = Asked::with_network();
    let problem = asked.random(16);
    let rollout = asked.rollout(&problem, &json!({})).unwrap();
    let scores = asked.f32s(&rollout["scores"]);
    assert!(scores[0].is_nan());
    assert!(scores[scores.len() - 1] > 0.9, "{scores:?}");
    assert_eq!(rollout["records"], rollout["traceRecords"]);
    let agreement = rollout["agreement"].as_array().unwrap();
    let variants: Vec<&str> = agreement.iter().map(|it| it["variant"].as_str().unwrap()).collect();
    assert_eq!(
        variants,
        ["bellman_ford", "bellman_ford:greedy", "bellman_ford:decay", "bellman_ford:noisy"]
    );
    let own = asked.f32s(&agreement[0]["shares"]);
    assert_eq!(own[1..], scores[1..], "agreement with the algorithm is the score");
}

#[test]
fn a_state_that_is_pushed_departs_and_zero_noise_changes_nothing() {
    let mut asked = Asked::with_network();
    let problem = asked.random(12);
    let noise = |scale: f32| {
        json!({ "extraSteps": 8, "interventions":
            [{ "kind": "noise", "scale": scale, "seed": 1, "steps": [2], "nodes": [3] }] })
    };
    let rollout = asked.rollout(&problem, &noise(0.0)).unwrap();
    assert!(asked.f32s(&rollout["distance"]["total"]).iter().all(|&distance| distance == 0.0));
    let rollout = asked.rollout(&problem, &noise(1.0)).unwrap();
    let distance = asked.f32s(&rollout["distance"]["total"]);
    assert_eq!(distance[..2], [0.0, 0.0]);
    assert!(distance[2] > 1.0, "{distance:?}");
    let nodes = asked.f32s(&rollout["distance"]["nodes"]);
    let moved: Vec<usize> = (0..12).filter(|node| nodes[2 * 12 + node] > 0.0).collect();
    assert_eq!(moved, [3]);
}

#[test]
fn knobs_change_the_run_and_back_again() {
    let mut asked = Asked::with_network();
    let problem = asked.random(16);
    let mut states = |more: Value| {
        let rollout = asked.rollout(&problem, &more).unwrap();
        asked.f32s(&rollout["states"])
    };
    let own = states(json!({}));
    let soft = states(json!({ "aggregator": "softmax", "temperature": 1.0 }));
    assert_ne!(own, soft);
    assert_ne!(own, states(json!({ "decay": 0.5 })));
    assert_eq!(soft, states(json!({ "aggregator": "softmax", "temperature": 1.0 })));
    assert_eq!(own, states(json!({})));
}

#[test]
fn a_corpus_has_a_point_per_step_of_every_graph_and_draws_rollouts_in_its_components() {
    let mut asked = Asked::with_network();
    asked.ask(&json!({
        "ask": "corpus_begin", "id": 7, "network": "net", "algorithm": "bellman_ford", "graphs": 12,
        "length": 8, "seed": 2, "family": "reweight", "classes": 3, "points": "pooled"
    }));
    let mut last = json!({});
    while last["done"] != 12 {
        last = asked.ask(&json!({ "ask": "corpus_more", "corpus": 7 }));
    }
    let corpus = asked.ask(&json!({ "ask": "corpus_end", "corpus": 7 }));
    let points = asked.f32s(&corpus["points"]).len();
    assert_eq!(points, 3 * corpus["sample"]["length"].as_u64().unwrap() as usize);
    assert_eq!(corpus["clusterDirections"]["length"], 3 * 128);
    let shares = asked.f32s(&corpus["shares"]);
    assert!(shares.iter().sum::<f32>() > 0.3 && shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
    // The problem of a sample runs through the points of that sample.
    let points = asked.f32s(&corpus["points"]);
    let problem = asked.ask(&json!({ "ask": "corpus_problem", "corpus": 7, "sample": 0 }));
    let rollout = asked.rollout(&problem, &json!({ "corpus": 7 })).unwrap();
    let pooled = asked.f32s(&rollout["projection"]["pooled"]);
    for (a, b) in pooled[3..6].iter().zip(&points[..3]) {
        assert!((a - b).abs() < 1e-3, "{pooled:?} {points:?}");
    }
    asked.ask(&json!({ "ask": "forget", "corpus": 7 }));
    assert!(asked.rollout(&problem, &json!({ "corpus": 7 })).is_err());
}

#[test]
fn what_goes_wrong_is_a_sentence_and_the_engine_goes_on() {
    let mut asked = Asked::with_network();
    let open = |text: &str| json!({ "ask": "open", "name": "bad", "config": config(text) });
    let sentence = asked.answer(&open(CONFIG), &WEIGHTS[..1000]).unwrap_err();
    assert!(sentence.starts_with("the network bad cannot be opened: "), "{sentence}");

    let mut diverged = WEIGHTS.to_vec();
    let end = diverged.len();
    diverged[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    let sentence = asked.answer(&open(CONFIG), &diverged).unwrap_err();
    assert!(sentence.contains("expected finite weights, found NaN"), "{sentence}");

    let attention = CONFIG.replace("linear_pgn", "gat");
    let sentence = asked.answer(&open(&attention), WEIGHTS).unwrap_err();
    assert!(sentence.contains("runs message-passing networks"), "{sentence}");

    let large =
        json!({ "kind": "graph", "nodes": 2000, "edges": [], "directed": true, "source": 0 });
    let sentence = asked.rollout(&large, &json!({})).unwrap_err();
    assert!(sentence.contains("at most 256 nodes, found 2000"), "{sentence}");

    let problem = asked.random(8);
    let sentence = asked.rollout(&problem, &json!({ "temperature": -1 })).unwrap_err();
    assert!(sentence.contains("temperature"), "{sentence}");
    let sentence = asked.rollout(&problem, &json!({ "network": "none" })).unwrap_err();
    assert_eq!(sentence, "there is no network \"none\"; there are net");
    let sentence = asked.answer(&json!({ "ask": "dance" }), &[]).unwrap_err();
    assert!(sentence.starts_with("expected a request of the page"), "{sentence}");
    assert!(asked.rollout(&problem, &json!({})).is_ok());
}

#[test]
fn half_precision_is_read_and_said() {
    let mut asked = Asked::with_network();
    let half =
        narscope_net::Weights::from_safetensors(WEIGHTS).unwrap().to_half_safetensors().unwrap();
    let open = json!({ "ask": "open", "name": "half", "config": config(CONFIG) });
    let summary = asked.answer(&open, &half).unwrap();
    assert_eq!(summary["half"], true);
    let problem = asked.random(16);
    let rollout = asked.rollout(&problem, &json!({ "network": "half" })).unwrap();
    let scores = asked.f32s(&rollout["scores"]);
    assert!(scores[scores.len() - 1] > 0.9, "{scores:?}");
}
