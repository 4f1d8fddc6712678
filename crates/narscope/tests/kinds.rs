//! `narscope kinds`: many networks that differ in their seeds.

use std::path::Path;

use serde_json::Value;

mod terminal;
use terminal::{fails, succeeds};

/// Trains a network in a moment.
fn train(folder: &Path, algorithm: &str, seed: u32, data_seed: u32) {
    let tiny = "--hidden_size 4 --batch_size 4 --train_lengths 4,5 --train_steps 4 --eval_every 2";
    let out = format!("runs/data_seed={data_seed}/seed={seed}");
    succeeds(
        folder,
        &format!(
            "train {tiny} --algorithms {algorithm} --processor_type pgn --seed {seed} --data_seed {data_seed} --out {out} -q"
        ),
    );
}

const FEW: &str = "--graphs 6 --length 8";

#[test]
fn networks_are_measured_once_and_the_answer_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (seed, data_seed) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
        train(folder, "bellman_ford", seed, data_seed);
    }
    let text = succeeds(folder, &format!("kinds runs --results kinds.jsonl {FEW}"));
    for part in ["4 of 200 networks", "2 seeds of weights × 2 seeds of data", "Ashman's distance"]
    {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    let kept = std::fs::read_to_string(folder.join("kinds.jsonl")).unwrap();
    assert_eq!(kept.lines().count(), 4);

    // Neither the networks nor their number of threads matter any more.
    std::fs::remove_dir_all(folder.join("runs")).unwrap();
    let again = succeeds(folder, &format!("kinds --results kinds.jsonl {FEW} --threads 1"));
    assert_eq!(again, text);
    let command = "kinds --results kinds.jsonl --json --out answer --planned 8";
    let json = succeeds(folder, &format!("{command} --variant greedy --picture-format svg {FEW}"));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["planned"], &json["variant"]), (&8.into(), &"greedy".into()));
    assert_eq!(json["networks"].as_array().unwrap().len(), 4);
    for file in ["kinds.md", "kinds.json", "kinds.svg"] {
        assert!(folder.join("answer").join(file).is_file(), "{file}");
    }
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(fails(folder, "kinds").contains("expected folders of runs, or --results"));
    std::fs::create_dir(folder.join("empty")).unwrap();
    assert!(fails(folder, "kinds empty").contains("found no finished run"));
    train(folder, "bfs", 1, 1);
    let error = fails(folder, &format!("kinds runs {FEW}"));
    assert!(error.contains("needs an algorithm with faulty variants, but bfs has none"), "{error}");
    train(folder, "bellman_ford", 2, 1);
    let error = fails(folder, &format!("kinds runs/data_seed=1/seed=2 --variant slow {FEW}"));
    assert!(error.contains("greedy, decay, noisy, found \"slow\""), "{error}");
}
