//! `narscope compare`: runs next to each other.

use std::path::Path;

use serde_json::Value;

mod terminal;
use terminal::{fails, succeeds};

/// Trains a network in a moment. Flags override the usual ones.
fn train(folder: &Path, flags: &str, out: &str) {
    let usual = [
        ("--algorithms", "bfs"),
        ("--processor_type", "pgn"),
        ("--hidden_size", "4"),
        ("--seed", "1"),
    ];
    let usual = usual.iter().filter(|(flag, _)| !flags.contains(flag));
    let usual: Vec<&str> = usual.flat_map(|(flag, value)| [*flag, *value]).collect();
    let usual = usual.join(" ");
    let tiny = "--batch_size 4 --train_lengths 4,5 --train_steps 6 --eval_every 3";
    succeeds(folder, &format!("train {tiny} {usual} {flags} --out {out} -q"));
}

const FEW: &str = "--graphs 6 --length 8";

fn compare(folder: &Path, arguments: &str) -> Value {
    let json = succeeds(folder, &format!("compare {arguments} {FEW} --json"));
    serde_json::from_str(&json).unwrap()
}

#[test]
fn single_runs_are_compared_over_samples_and_differences_name_the_keys() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    train(folder, "--seed 1", "a");
    train(folder, "--seed 1 --decay 0.5 --temperature 0.3", "b");
    let text = succeeds(folder, &format!("compare a b {FEW}"));
    for part in [
        "2 runs on bfs\n",
        "Configuration: keys that differ\n",
        "0.3 (no effect)",
        "Validation score during training, %\n",
        "Test, %: 32 samples of 64 nodes\n",
        "B minus A: ",
        "over 32 samples",
        "This is uncertainty over samples, not over seeds.\n",
        "linear CKA of node states on 6 random samples of 8 nodes",
        "  pair  debiased CKA  untrained    RSA  untrained\n  A-B ",
        "score: accuracy (masks: F1)",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert!(!text.contains("hidden_size"), "only keys that differ: {text}");

    let json = compare(folder, "a b");
    let keys: Vec<&str> =
        json["settings"].as_array().unwrap().iter().map(|it| it["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["temperature", "decay"]);
    assert_eq!(json["differences"][0]["pairing"], "samples");
    assert_eq!(json["differences"][0]["pairs"], 32);
    // The scores are those of the runs' own tests.
    for (index, run) in ["a", "b"].into_iter().enumerate() {
        let test = std::fs::read_to_string(folder.join(run).join("test.json")).unwrap();
        let test: Value = serde_json::from_str(&test).unwrap();
        assert_eq!(json["runs"][index]["test"]["score"], test[0]["score"], "{run}");
        assert_eq!(json["runs"][index]["validation"].as_array().unwrap().len(), 3, "{run}");
    }
    let cka = &json["hidden_states"]["similarity"];
    assert_eq!(cka[0][1], cka[1][0]);
    let between = cka[0][1].as_f64().unwrap();
    assert!((cka[0][0].as_f64().unwrap() - 1.0).abs() < 1e-9 && (0.0..1.0).contains(&between));
    // The floor is of other networks; both are symmetric and 1 for a run with itself.
    for of in ["beyond_chance", "untrained"] {
        for measure in ["debiased_cka", "rsa"] {
            let matrix = &json["hidden_states"][of][measure];
            assert_eq!(matrix[0][1], matrix[1][0], "{of} {measure}");
            assert!((matrix[1][1].as_f64().unwrap() - 1.0).abs() < 1e-9, "{of} {measure}");
            assert!(matrix[0][1].as_f64().unwrap() < 0.999, "{of} {measure}");
        }
    }
    // The order of the runs and the number of threads change nothing.
    let turned = compare(folder, "b a --threads 1");
    assert_eq!(turned["hidden_states"]["similarity"][0][1], cka[0][1]);
}

#[test]
fn variants_with_common_seeds_are_compared_over_seeds() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for seed in [1, 2] {
        train(folder, &format!("--seed {seed}"), &format!("plain-{seed}"));
        // Another processor, another hidden size.
        let other = format!("--seed {seed} --processor_type mpnn --hidden_size 8");
        train(folder, &other, &format!("other-{seed}"));
    }
    let json = compare(folder, "plain-1 plain-2 other-1 other-2");
    let [own, variants] = &json["differences"].as_array().unwrap()[..] else { panic!("{json}") };
    assert_eq!((&own["pairing"], &own["of"]), (&"samples".into(), &serde_json::json!([1])));
    assert_eq!(variants["pairing"], "seeds");
    assert_eq!(
        (&variants["of"], &variants["from"]),
        (&serde_json::json!([2, 3]), &serde_json::json!([0, 1]))
    );
    let score = |run: usize| json["runs"][run]["test"]["score"].as_f64().unwrap();
    let expected = (score(2) - score(0) + score(3) - score(1)) / 2.0;
    assert!((variants["mean"].as_f64().unwrap() - expected).abs() < 1e-12);
    let interval = variants["interval"].as_array().unwrap();
    assert!(interval.iter().all(|limit| (-1.0..=1.0).contains(&limit.as_f64().unwrap())));
}

#[test]
fn a_comparison_is_written_to_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    train(folder, "--seed 1", "a");
    train(folder, "--seed 2", "b");
    succeeds(folder, &format!("compare a b {FEW} --out new/comparison"));
    let text = std::fs::read_to_string(folder.join("new/comparison/comparison.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), compare(folder, "a b"));
}

#[test]
fn runs_that_cannot_be_compared_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    train(folder, "", "a");
    train(folder, "--algorithms bellman_ford,bfs", "two");
    train(folder, "--algorithms bellman_ford", "other");
    assert_eq!(
        fails(folder, "compare a other"),
        "expected runs that were trained on the same algorithm, found a on bfs and other on bellman_ford"
    );
    assert_eq!(fails(folder, "compare a a"), "a is listed twice: compare different runs");
    assert!(fails(folder, "compare a nowhere").contains("there is no run in this folder"));
    let error = fails(folder, "compare a two --algorithm bellman_ford");
    assert!(error.starts_with("a was trained on bfs: choose one of them"), "{error}");
    train(folder, "--algorithms bellman_ford,bfs --seed 2", "again");
    assert_eq!(
        fails(folder, "compare two again"),
        "all runs were trained on bellman_ford, bfs: choose one of them\nhint: name one with --algorithm"
    );
}
