//! Training as a user meets it: runs that are killed, damaged, misconfigured, and taken up.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

mod terminal;
use terminal::{command, fails, narscope, succeeds};

/// A network that is trained and tested in seconds.
const TINY: &str = "--algorithms bfs --processor_type pgn --hidden_size 4 --batch_size 4 \
                    --train_lengths 4,5 --eval_every 4";

fn train(more: &str) -> String {
    format!("train {TINY} {more}")
}

fn bytes(run: &Path, file: &str) -> Vec<u8> {
    std::fs::read(run.join(file)).unwrap()
}

#[track_caller]
fn assert_same_run(one: &Path, other: &Path) {
    for file in
        ["best.safetensors", "last.safetensors", "metrics.jsonl", "test.json", "config.toml"]
    {
        assert!(bytes(one, file) == bytes(other, file), "{file} differs");
    }
}

/// Waits for something that a process does.
#[track_caller]
fn until(child: &mut Child, mut is_done: impl FnMut() -> bool) {
    /// Far longer than anything here takes.
    const PATIENCE: Duration = Duration::from_mins(2);
    let start = Instant::now();
    while !is_done() {
        assert!(start.elapsed() < PATIENCE, "nothing has happened for {PATIENCE:?}");
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none() || is_done(), "it ended before: {ended:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// How many lines of metrics a run has written.
fn lines(run: &Path) -> usize {
    std::fs::read_to_string(run.join("metrics.jsonl")).unwrap_or_default().lines().count()
}

/// Starts a command and waits until its run has so many lines of metrics.
fn started(folder: &Path, arguments: &str, run: &str, wanted: usize) -> Child {
    let child = command(folder, arguments).stderr(Stdio::null()).stdout(Stdio::null()).spawn();
    let mut child = child.unwrap();
    until(&mut child, || lines(&folder.join(run)) >= wanted);
    child
}

/// Sends a process a signal.
fn signal(child: &Child, name: &str) {
    let mut kill = std::process::Command::new("kill");
    assert!(kill.args([name, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn a_run_killed_twice_and_taken_up_ends_in_the_same_bits_whatever_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &train("--train_steps 60 --threads 1 --out straight"));

    let mut child =
        started(folder, &train("--train_steps 60 --threads 2 --out killed"), "killed", 4);
    child.kill().unwrap();
    child.wait().unwrap();
    let mut child = started(folder, "train --resume killed --threads 3", "killed", 8);
    child.kill().unwrap();
    child.wait().unwrap();
    succeeds(folder, "train --resume killed --threads 2");
    assert_same_run(&folder.join("straight"), &folder.join("killed"));
}

#[test]
fn a_network_learns_the_same_bits_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // More blocks than threads, an odd width, and everything that sums up in some order.
    for more in [
        "triplet_gmpnn --aggregator softmax",
        "mpnn",
        "linear_pgn --dropout_prob 0.3 --hint_teacher_forcing 0.5",
        "gat --kernels generic",
    ] {
        let name = |threads| format!("{}-{threads}", more.split(' ').next().unwrap());
        for threads in [1, 2, 3, 8] {
            let out = name(threads);
            let arguments = format!(
                "train --algorithms bfs,bellman_ford --hidden_size 23 --batch_size 40 \
                 --train_lengths 4,16 --train_steps 2 --eval_every 2 --processor_type {more} \
                 --threads {threads} --out {out}"
            );
            succeeds(folder, &arguments);
            assert_same_run(&folder.join(name(1)), &folder.join(name(threads)));
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_is_saved_and_says_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let arguments = train("--train_steps 1000000 --out run");
    let mut child = command(folder, &arguments);
    let mut child = child.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    until(&mut child, || lines(&folder.join("run")) >= 2);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.trim_end().ends_with("go on with: narscope train --resume run"), "{said}");
    assert!(folder.join("run/last.safetensors").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_goes_on_if_whoever_started_it_leaves_and_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let program = assert_cmd::cargo::cargo_bin!("narscope").display();
    let line = format!("trap '' HUP; exec '{program}' {}", train("--train_steps 400 --out run"));
    let mut child = std::process::Command::new("sh");
    let child = child.args(["-c", &line]).current_dir(folder).stdout(Stdio::null()).spawn();
    let mut child = child.unwrap();
    until(&mut child, || lines(&folder.join("run")) >= 1);
    signal(&child, "-HUP");
    assert!(child.wait().unwrap().success());
    assert!(folder.join("run/test.json").exists());
}

#[test]
fn a_run_that_is_taken_up_changes_nothing_before_it_may() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &train("--train_steps 4 --out run"));
    let config = || std::fs::read_to_string(folder.join("run/config.toml")).unwrap();
    let before = config();
    let run = narscope::model::run::Run::open(&folder.join("run")).unwrap();
    let held = run.lock().unwrap();
    let said = fails(folder, "train --resume run --train_steps 7");
    assert!(said.contains("another process"), "{said}");
    assert_eq!(config(), before);
    drop(held);
    let printed = succeeds(folder, "train --resume run --train_steps 7 --print-config");
    assert!(printed.contains("train_steps = 7\n"), "{printed}");
    let said = fails(folder, "train --resume run --train_steps 3");
    assert_eq!(said, "--train_steps should be at least 4: so many steps are done");
    assert_eq!(config(), before);

    // Scores of a test are of the best weights, or there are none.
    assert!(folder.join("run/test.json").exists());
    let mut child = command(folder, "train --resume run --train_steps 1000000 --quiet");
    let mut child = child.stdout(Stdio::null()).spawn().unwrap();
    until(&mut child, || !folder.join("run/test.json").exists());
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!folder.join("run/test.json").exists());
    assert!(config().contains("train_steps = 1000000\n"));
}

#[test]
fn a_damaged_checkpoint_is_passed_over_for_the_newest_whole_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &train("--train_steps 9 --out run"));
    let last = folder.join("run/last.safetensors");
    let whole = std::fs::read(&last).unwrap();
    std::fs::write(&last, &whole[..whole.len() / 2]).unwrap();

    let output = narscope(folder, "train --resume run");
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("going on from the newest whole checkpoint"), "{said}");
    assert_eq!(std::fs::read(&last).unwrap(), whole);

    std::fs::write(folder.join("run/best.safetensors"), b"nothing").unwrap();
    let said = fails(folder, "train --resume run");
    assert!(said.contains("there will be no other best"), "{said}");
    succeeds(folder, "evaluate run --checkpoint last --num 1 --length 4");

    std::fs::write(&last, b"nothing").unwrap();
    let said = fails(folder, "train --resume run");
    assert!(said.starts_with("the checkpoint is not a whole safetensors file: run/"), "{said}");
    assert_eq!(
        fails(folder, "evaluate run"),
        "run: the checkpoint is not a whole safetensors file: run/best.safetensors"
    );
}

#[test]
fn a_loss_that_is_no_number_stops_the_run_and_keeps_the_last_good_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let said = fails(folder, &train("--train_steps 9 --learning_rate 1e38 --out run -q"));
    assert!(said.contains("became NaN at step") || said.contains("became inf at step"), "{said}");
    assert!(said.contains("(bfs)") && said.contains("--learning_rate"), "{said}");
    assert!(folder.join("run/best.safetensors").exists());
}

#[test]
fn weights_go_out_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &train("--train_steps 3 --out run"));
    succeeds(folder, "export run --out params.npz");
    let flags = TINY;
    succeeds(folder, &format!("import params.npz {flags} --out again"));
    succeeds(folder, "export again --out params2.npz");
    assert_eq!(bytes(folder, "params.npz"), bytes(folder, "params2.npz"));

    succeeds(folder, "sample bfs --length 6 --num 3 --seed 1 --out batch.npz");
    succeeds(folder, "sample bfs --length 6 --num 3 --seed 1 --out batch.jsonl");
    let wanted = "--hidden --all-steps --loss";
    succeeds(folder, &format!("predict run --in batch.npz --out a.npz {wanted} --updated new.npz"));
    succeeds(folder, &format!("predict again --in batch.jsonl --out b.npz {wanted}"));
    assert_eq!(bytes(folder, "a.npz"), bytes(folder, "b.npz"));
    assert_ne!(bytes(folder, "params.npz"), bytes(folder, "new.npz"));

    let said = fails(folder, "import params.npz --algorithms bfs --hidden_size 4 --out other");
    assert!(said.contains("should have shape [8, 4], found [4, 4]"), "{said}");
    let said = fails(folder, &format!("import params.npz {TINY} --hint_mode none --out other"));
    assert!(
        said.contains("the network has no place for net/~_construct_encoders_decoders"),
        "{said}"
    );
    assert!(!folder.join("other").exists());
    let said = fails(folder, "predict run --in batch.npz --out a.npz");
    assert!(said.contains("a.npz"), "{said}");
}

#[test]
fn one_network_learns_several_algorithms_and_is_scored_over_several_runs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for seed in [1, 2] {
        let arguments = format!(
            "train --algorithms bfs,minimum --processor_type mpnn --hidden_size 4 --batch_size 2 \
             --train_lengths 4 --train_steps 2 --eval_every 1 --seed {seed} --out run-{seed} -q"
        );
        // The test set of `minimum` is large: what training prints is looked at elsewhere.
        let mut child = started(folder, &arguments, &format!("run-{seed}"), 4);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let table = succeeds(folder, "evaluate run-1 run-2 --length 6 --num 4 --seed 1 --hints");
    assert!(table.contains("over all runs: mean ± standard deviation"), "{table}");
    assert!(table.contains("hint pi_h:"), "{table}");
    let json = succeeds(
        folder,
        "evaluate run-1 --algorithms bfs --length 6 --num 4 --p 0.9 --json --per-sample",
    );
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let evaluation = &json["runs"][0]["evaluations"][0];
    assert_eq!(evaluation["per_sample"].as_array().unwrap().len(), 4);
    assert_eq!(evaluation["algorithm"], "bfs");
    assert_eq!(
        fails(folder, "evaluate run-1 --algorithms dfs"),
        "run-1: the network has not learnt dfs; it has learnt bfs, minimum"
    );
}

#[test]
fn a_benchmark_says_how_long_every_step_and_every_prediction_took() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let arguments = format!("bench {TINY} --predict-length 6 --predict-samples 3 --rounds 2");
    let json = succeeds(folder, &format!("{arguments} --steps 5 --threads 1 --json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let (train, predict) = (&json["train"], &json["predict"][0]);
    let steps = |i: usize| train["lengths"][i]["ms"].as_array().unwrap().len();
    assert_eq!(train["lengths"][0]["lengths"], serde_json::json!([4]));
    assert_eq!(train["lengths"][1]["lengths"], serde_json::json!([5]));
    assert_eq!((steps(0), steps(1)), (3, 2), "two before these warmed up");
    let best = |i: usize| train["lengths"][i]["best_ms"].as_f64().unwrap();
    assert_eq!(train["mean_of_best_ms"], f64::midpoint(best(0), best(1)));
    assert_eq!(predict["ms"].as_array().unwrap().len(), 2);
    assert_eq!((&predict["algorithm"], &predict["length"]), (&"bfs".into(), &6.into()));
    assert_eq!((&json["threads"], &predict["samples"]), (&1.into(), &3.into()));
    assert!(predict["steps"].as_u64() > Some(0));
    if cfg!(target_os = "linux") {
        // The clock of processes ticks a hundred times a second.
        assert!(train["first_update_s"].as_f64() >= Some(0.0));
        assert!(predict["peak_memory_mb"].as_f64() >= train["peak_memory_mb"].as_f64());
    }

    let table = succeeds(folder, &format!("{arguments} --only predict"));
    assert!(table.starts_with("bfs with pgn, "), "{table}");
    assert!(table.contains("prediction:") && !table.contains("training:"), "{table}");
    let several = "bench --algorithms bfs,kmp_matcher --hidden_size 4 --length_needle 2 --train_lengths 8 \
                   --only train";
    let table = succeeds(folder, &format!("{several} --batch_size 2 --steps 1 --warmup 0"));
    assert!(table.contains(" 8,10 "), "string matchers have a length of their own: {table}");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0, "nothing was written");
}

#[test]
fn mistakes_of_configuration_are_answered_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("bad.toml"), "hiden_size = 4").unwrap();
    let mut answers = vec![];
    for arguments in [
        "train bad.toml",
        "train missing.toml",
        "train --algorithms belman_ford",
        "train --processor_type mpn",
        "train --preset clsr",
        "train --algorithms bfs,bfs",
        "train --hint_mode encoded",
        "train --hidden_size many",
        "train --processor_type gat --aggregator softmax",
        "train --learn_temperature",
        "train --resume nowhere",
        "evaluate nowhere",
        "export nowhere --out a.npz",
        "bench --algorithms belman_ford",
        "bench --hidden_size 4 --only predict --predict-length 0",
    ] {
        answers.push(format!("{arguments}\n  {}", fails(folder, arguments)));
    }
    insta::assert_snapshot!(answers.join("\n"));
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1, "nothing was written");
}

#[test]
fn flags_are_taken_with_dashes_with_underscores_and_as_the_reference_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let config = |flags: &str| succeeds(folder, &format!("train --print-config {flags}"));
    assert_eq!(config("--hidden_size 7 --use_ln false"), config("--hidden-size=7 --nouse_ln"));
    assert_eq!(config("--freeze_processor"), config("--freeze processor"));
    assert_eq!(config("--train_lengths=-1"), config("--train-lengths -1"));
    assert_eq!(config("--use_lstm --seed 1"), config("--use_lstm true --seed 1"));
    assert_eq!(config("--preset clrs"), config(""));
    assert!(config("--preset paper").contains("train_steps = 30000"));
}
