//! Training on the command line: runs that are killed, damaged, misconfigured and resumed.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

mod terminal;
use terminal::{command, fails, fails_as_usage, metrics_without_times, narscope, succeeds};

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
    for file in ["best.safetensors", "last.safetensors", "test.json", "config.toml"] {
        assert!(bytes(one, file) == bytes(other, file), "{file} differs");
    }
    assert_eq!(metrics_without_times(one), metrics_without_times(other));
}

/// Waits for a condition while a process runs.
#[track_caller]
fn until(child: &mut Child, mut is_done: impl FnMut() -> bool) {
    /// Far longer than anything here takes.
    const TIMEOUT: Duration = Duration::from_mins(2);
    let start = Instant::now();
    while !is_done() {
        assert!(start.elapsed() < TIMEOUT, "timeout");
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none() || is_done(), "the process ended first: {ended:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Number of lines in the metrics of a run.
fn lines(run: &Path) -> usize {
    std::fs::read_to_string(run.join("metrics.jsonl")).unwrap_or_default().lines().count()
}

/// Starts a command and waits until its run has at least `count` lines of metrics.
fn started(folder: &Path, arguments: &str, run: &str, count: usize) -> Child {
    let child = command(folder, arguments).stderr(Stdio::null()).stdout(Stdio::null()).spawn();
    let mut child = child.unwrap();
    until(&mut child, || lines(&folder.join(run)) >= count);
    child
}

/// Sends a signal to a process.
fn signal(child: &Child, name: &str) {
    let mut kill = std::process::Command::new("kill");
    assert!(kill.args([name, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn a_run_killed_twice_and_resumed_is_bit_identical_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &train("--train_steps 60 --threads 1 --out straight"));

    let mut child =
        started(folder, &train("--train_steps 60 --threads 2 --out killed"), "killed", 8);
    child.kill().unwrap();
    child.wait().unwrap();
    let mut child = started(folder, "train --resume killed --threads 3", "killed", 16);
    child.kill().unwrap();
    child.wait().unwrap();
    succeeds(folder, "train --resume killed --threads 2");
    assert_same_run(&folder.join("straight"), &folder.join("killed"));
}

#[test]
fn training_is_bit_identical_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // More blocks than threads, an odd width, and every reduction whose order could matter.
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
fn an_interrupted_run_is_saved_and_prints_how_to_continue() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let arguments = train("--train_steps 1000000 --out run");
    let mut child = command(folder, &arguments);
    let mut child = child.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    until(&mut child, || lines(&folder.join("run")) >= 2);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.trim_end().ends_with("continue with: narscope train --resume run"), "{error}");
    assert!(folder.join("run/last.safetensors").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_started_with_nohup_ignores_the_hangup_signal() {
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
fn resuming_changes_no_file_before_it_holds_the_lock() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &train("--train_steps 4 --out run"));
    let config = || std::fs::read_to_string(folder.join("run/config.toml")).unwrap();
    let before = config();
    let run = narscope::model::run::Run::open(&folder.join("run")).unwrap();
    let held = run.lock().unwrap();
    let error = fails(folder, "train --resume run --train_steps 7");
    assert!(error.contains("another process"), "{error}");
    assert_eq!(config(), before);
    drop(held);
    let printed = succeeds(folder, "train --resume run --train_steps 7 --print-config");
    assert!(printed.contains("train_steps = 7\n"), "{printed}");
    let error = fails(folder, "train --resume run --train_steps 3");
    assert_eq!(error, "train_steps should be at least 4, the number of steps already trained");
    assert_eq!(config(), before);

    // Training on removes the test scores: they belong to the earlier best weights.
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
fn resuming_skips_a_damaged_checkpoint_for_the_newest_intact_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &train("--train_steps 9 --out run"));
    let last = folder.join("run/last.safetensors");
    let whole = std::fs::read(&last).unwrap();
    std::fs::write(&last, &whole[..whole.len() / 2]).unwrap();

    let output = narscope(folder, "train --resume run");
    assert!(output.status.success(), "{output:?}");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("continuing from the newest intact checkpoint"), "{error}");
    assert_eq!(std::fs::read(&last).unwrap(), whole);

    std::fs::write(folder.join("run/best.safetensors"), b"nothing").unwrap();
    let error = fails(folder, "train --resume run");
    assert!(error.contains("there will be no other best"), "{error}");
    succeeds(folder, "evaluate run --checkpoint last --num 1 --length 4");

    std::fs::write(&last, b"nothing").unwrap();
    let error = fails(folder, "train --resume run");
    assert!(
        error.starts_with("the checkpoint is not a complete safetensors file: run/"),
        "{error}"
    );
    assert_eq!(
        fails(folder, "evaluate run"),
        "the checkpoint is not a complete safetensors file: run/best.safetensors"
    );
}

#[test]
fn a_diverging_loss_stops_the_run_and_keeps_the_last_good_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let error = fails(folder, &train("--train_steps 9 --learning_rate 1e38 --out run -q"));
    assert!(
        error.contains("became NaN at step") || error.contains("became inf at step"),
        "{error}"
    );
    assert!(error.contains("(bfs)") && error.contains("--learning_rate"), "{error}");
    assert!(folder.join("run/best.safetensors").exists());
}

#[test]
fn exported_weights_can_be_imported() {
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
    let all = "--hidden --all-steps --loss";
    succeeds(folder, &format!("predict run --in batch.npz --out a.npz {all} --updated new.npz"));
    succeeds(folder, &format!("predict again --in batch.jsonl --out b.npz {all}"));
    let arrays = |name: &str| narscope::files::arrays::read_arrays(&folder.join(name)).unwrap();
    assert_eq!(arrays("a.npz"), arrays("b.npz"));
    assert_ne!(bytes(folder, "params.npz"), bytes(folder, "new.npz"));

    let error = fails(folder, "import params.npz --algorithms bfs --hidden_size 4 --out other");
    assert!(
        error.starts_with("params.npz: these are weights of deepsets, mpnn, pgn, pgn_mask or linear_pgn, not of triplet_gmpnn\n"),
        "{error}"
    );
    let larger = "--algorithms bfs --processor_type pgn --hidden_size 8";
    let error = fails(folder, &format!("import params.npz {larger} --out other"));
    assert!(error.starts_with("params.npz: ") && error.contains("should have shape"), "{error}");
    let error = fails(folder, &format!("import params.npz {TINY} --hint_mode none --out other"));
    assert!(
        error.contains("the network has no parameter net/~_construct_encoders_decoders"),
        "{error}"
    );
    // The file of the reference itself is a pickle.
    std::fs::write(folder.join("best.pkl"), b"\x80\x04\x95\x00").unwrap();
    let error = fails(folder, &format!("import best.pkl {TINY} --out other"));
    assert!(
        error.starts_with("best.pkl is a Python pickle; save its parameters as .npz"),
        "{error}"
    );
    for line in [
        "  import numpy, pickle\n",
        "  params = pickle.load(open('best.pkl', 'rb'))['params']\n",
        "  numpy.savez('best.npz', **{f'{m}/{k}': a for m, v in params.items() for k, a in v.items()})\n",
    ] {
        assert!(error.contains(line), "{line} in {error}");
    }
    assert!(!folder.join("other").exists());
    let error = fails(folder, "predict run --in batch.npz --out a.npz");
    assert!(error.contains("a.npz"), "{error}");
}

#[test]
fn one_network_is_trained_on_several_algorithms_and_scored_over_several_runs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for seed in [1, 2] {
        let arguments = format!(
            "train --algorithms bfs,minimum --processor_type mpnn --hidden_size 4 --batch_size 2 \
             --train_lengths 4 --train_steps 2 --eval_every 1 --seed {seed} --out run-{seed} -q"
        );
        // Stopped before the test, which is slow: the test set of `minimum` is large.
        let mut child = started(folder, &arguments, &format!("run-{seed}"), 8);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let table = succeeds(folder, "evaluate run-1 run-2 --length 6 --num 4 --seed 1 --hints");
    assert!(table.contains("over all runs: mean ± standard deviation"), "{table}");
    assert!(table.contains("hint pi_h:"), "{table}");
    let config = std::fs::read_to_string(folder.join("run-2/config.toml")).unwrap();
    let other = config.replace("learning_rate = 0.001", "learning_rate = 0.002");
    assert_ne!(config, other);
    std::fs::write(folder.join("run-2/config.toml"), other).unwrap();
    let apart = succeeds(folder, "evaluate run-1 run-2 --length 6 --num 4 --seed 1");
    assert!(!apart.contains("over all runs"), "the runs differ in more than their seed: {apart}");
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
        "run-1: the network was not trained on dfs; it was trained on bfs, minimum"
    );
}

#[test]
fn bench_reports_the_time_of_every_step_and_prediction() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let arguments = format!("bench {TINY} --predict-length 6 --predict-samples 3 --rounds 2");
    let json = succeeds(folder, &format!("{arguments} --steps 5 --threads 1 --json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let (train, predict) = (&json["train"], &json["predict"][0]);
    let steps = |i: usize| train["lengths"][i]["ms"].as_array().unwrap().len();
    assert_eq!(train["lengths"][0]["lengths"], serde_json::json!([4]));
    assert_eq!(train["lengths"][1]["lengths"], serde_json::json!([5]));
    assert_eq!((steps(0), steps(1)), (3, 2), "after two steps of warm-up");
    let best = |i: usize| train["lengths"][i]["best_ms"].as_f64().unwrap();
    assert_eq!(train["mean_of_best_ms"], f64::midpoint(best(0), best(1)));
    assert_eq!(predict["ms"].as_array().unwrap().len(), 2);
    assert_eq!((&predict["algorithm"], &predict["length"]), (&"bfs".into(), &6.into()));
    assert_eq!((&json["threads"], &predict["samples"]), (&1.into(), &3.into()));
    assert!(predict["steps"].as_u64() > Some(0));
    if cfg!(target_os = "linux") {
        // May be 0: process times have a resolution of 10 ms.
        assert!(train["first_update_s"].as_f64() >= Some(0.0));
        assert!(predict["peak_memory_mb"].as_f64() >= train["peak_memory_mb"].as_f64());
    }

    let table = succeeds(folder, &format!("{arguments} --only predict"));
    assert!(table.starts_with("bfs with pgn, "), "{table}");
    assert!(table.contains("prediction:") && !table.contains("training:"), "{table}");
    let several = "bench --algorithms bfs,kmp_matcher --hidden_size 4 --length_needle 2 --train_lengths 8 \
                   --only train";
    let table = succeeds(folder, &format!("{several} --batch_size 2 --steps 1 --warmup 0"));
    assert!(table.contains(" 8,10 "), "samples of string matchers have another length: {table}");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0, "nothing was written");
}

#[test]
fn configuration_errors_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("bad.toml"), "hiden_size = 4").unwrap();
    std::fs::write(folder.join("type.toml"), "hidden_size = 'many'").unwrap();
    std::fs::write(folder.join("range.toml"), "decay = 2").unwrap();
    std::fs::write(folder.join("gat.toml"), "processor_type = 'gat'").unwrap();
    let mut errors = vec![];
    for arguments in [
        "train bad.toml",
        "train missing.toml",
        "train type.toml",
        "train gat.toml range.toml",
        "train range.toml --hidden_size many",
        "train range.toml --decay 3",
        "train gat.toml --aggregator softmax",
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
        errors.push(format!("{arguments}\n  {}", fails(folder, arguments)));
    }
    insta::assert_snapshot!(errors.join("\n"));
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 4, "nothing was written");
}

#[test]
fn errors_about_files_and_folders_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &train("--train_steps 2 --out run"));
    succeeds(folder, "record run --num 5 --length 6 --out recording.safetensors");
    for ending in ["npz", "safetensors", "jsonl"] {
        succeeds(folder, &format!("sample bfs --length 6 --num 3 --seed 1 --out samples.{ending}"));
    }
    succeeds(folder, "sample dfs --length 6 --num 3 --seed 1 --out dfs.npz");
    for name in ["samples.npz", "samples.safetensors", "samples.jsonl", "recording.safetensors"] {
        let bytes = bytes(folder, name);
        std::fs::write(folder.join(format!("cut-{name}")), &bytes[..bytes.len() / 2]).unwrap();
    }
    let config = bytes(&folder.join("run"), "config.toml");
    std::fs::write(folder.join("cut.toml"), &config[..100]).unwrap();
    std::fs::write(folder.join("edges.csv"), "source,target,weight\n0,1,0.5\n").unwrap();
    for name in ["folder.csv", "folder.npz", "folder.toml", "untrained"] {
        std::fs::create_dir(folder.join(name)).unwrap();
    }
    std::fs::write(folder.join("untrained/config.toml"), config).unwrap();
    let before = std::fs::read_dir(folder).unwrap().count();

    let mut errors = vec![];
    for arguments in [
        // A folder instead of a file, and a file instead of a folder.
        "trace bfs --input run",
        "trace bfs --input folder.csv",
        "sample bfs --length 8 --num 2 --seed 1 --out run",
        "sample bfs --length 8 --num 2 --seed 1 --out folder.npz --force",
        "train run",
        "train folder.toml",
        "train --algorithms bfs --out edges.csv",
        "train --algorithms bfs --out edges.csv/run",
        "train --resume edges.csv",
        "evaluate run/best.safetensors",
        "predict run --in folder.npz --out p.npz",
        "convert folder.npz --out c.npz",
        "dataset --split val --algorithms bfs --out edges.csv",
        // A file that is missing, truncated or of another kind.
        "predict run --in missing.npz --out p.npz",
        "predict run --in cut-samples.npz --out p.npz",
        "predict run --in cut-samples.safetensors --out p.npz",
        "predict run --in cut-samples.jsonl --out p.npz",
        "predict run --in dfs.npz --out p.npz",
        "predict run --in edges.csv --out p.npz",
        "predict run --in samples.npz --out p.npy",
        "predict run --in samples.npz --out p.npz --updated ./p.npz",
        "predict run --in samples.npz --out p.npz --algorithm dfs",
        "import missing.npz --out i",
        "import cut-samples.npz --out i",
        "import samples.npz --algorithms bfs --out i",
        "convert missing.safetensors --out c.npz",
        "convert cut-recording.safetensors --out c.npz",
        "convert samples.safetensors --out c.parquet",
        "train cut.toml",
        // A run that exists, and one without checkpoints.
        "train --algorithms bfs --out run",
        "train --resume run --hidden_size 8",
        "evaluate untrained",
        "predict untrained --in samples.npz --out p.npz",
        "record untrained --out r.safetensors",
        "export untrained --out e.npz",
        "export run --out untrained",
        "analyse untrained",
    ] {
        errors.push(format!("{arguments}\n  {}", fails(folder, arguments)));
    }
    insta::assert_snapshot!(errors.join("\n"));
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), before, "a failed command wrote a file");
}

#[test]
fn flags_accept_dashes_underscores_and_the_forms_of_dm_clrs() {
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

#[test]
fn names_that_other_programs_have_for_a_flag_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let config = |flags: &str| succeeds(folder, &format!("train --print-config {flags}"));
    for (other, own) in [
        ("--lr 0.01", "--learning_rate 0.01"),
        ("--hidden_dim 7", "--hidden_size 7"),
        ("--hidden-dim 7", "--hidden_size 7"),
        ("--processor mpnn", "--processor_type mpnn"),
        ("--algorithm dfs", "--algorithms dfs"),
        ("--patience 3", "--early_stop 3"),
        ("--checkpoint_path /tmp/CLRS30", ""),
    ] {
        assert_eq!(config(other), config(own), "{other}");
    }
    for (flag, answer) in [
        ("--test_every 500", "when training is over"),
        ("--dataset_path /tmp/CLRS30", "no data set is needed"),
        ("--dataset-path=/tmp/CLRS30", "no data set is needed"),
        ("--epochs 3", "use --train_steps"),
        ("--device cpu", "--threads"),
        ("--log_every", "--eval_every"),
    ] {
        let error = fails_as_usage(folder, &format!("train {flag}"));
        assert!(error.contains(answer), "{flag}: {error}");
    }
    succeeds(folder, &train("--train_steps 1 --checkpoint_path run"));
    assert!(folder.join("run/test.json").exists());
}

#[test]
fn a_refused_training_leaves_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let refused = "train --processor_type pgn --hidden_size 4 --train_lengths 1 --train_steps 2";
    let error = fails(folder, &format!("{refused} --out runs/new"));
    assert!(error.contains("needs a length of at least"), "{error}");
    assert!(!folder.join("runs/new").exists(), "the folder blocks the corrected command");
    // What was in the folder before stays.
    std::fs::create_dir(folder.join("notes")).unwrap();
    std::fs::write(folder.join("notes/todo.txt"), "more heads").unwrap();
    fails(folder, &format!("{refused} --out notes"));
    let left = std::fs::read_dir(folder.join("notes")).unwrap().map(|it| it.unwrap().file_name());
    assert_eq!(left.collect::<Vec<_>>(), ["todo.txt"]);
    succeeds(folder, &train("--train_steps 2 --out notes"));
}

#[test]
fn the_loser_of_two_racing_trainings_gets_advice_that_is_true() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let arguments = train("--train_steps 1000000 --out run");
    let start = || {
        let mut child = command(folder, &arguments);
        child.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut racers = [start(), start(), start()];
    let mut losers = 0;
    let start = Instant::now();
    while losers < 2 {
        assert!(start.elapsed() < Duration::from_mins(2), "timeout");
        std::thread::sleep(Duration::from_millis(5));
        losers = racers.iter_mut().filter_map(|racer| racer.try_wait().unwrap()).count();
    }
    for mut racer in racers {
        if racer.try_wait().unwrap().is_none() {
            racer.kill().unwrap();
            racer.wait().unwrap();
            continue;
        }
        let error = String::from_utf8(racer.wait_with_output().unwrap().stderr).unwrap();
        assert!(
            error.starts_with("error: there is a run in this folder already: run\n"),
            "{error}"
        );
        assert!(error.contains("--out") && error.contains("train --resume"), "{error}");
        assert!(!error.contains("--force"), "train has no such flag: {error}");
    }
}
