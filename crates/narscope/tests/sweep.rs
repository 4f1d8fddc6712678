//! Sweeps on the command line: plan, run, stop, continue, and errors.

use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

mod terminal;
use terminal::{command, fails, fails_as_usage, narscope, succeeds};

const SWEEP: &str = r#"
out = "runs"
[base]
processor_type = "mpnn"
hidden_size = 8
batch_size = 4
train_lengths = [4]
train_steps = 6
eval_every = 5
[axes]
algorithms = ["bfs", "bellman_ford"]
variant = ["baseline", "decay"]
seed = [1]
[variants]
baseline = {}
decay = { decay = 0.9 }
"#;

fn written(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sweep.toml"), text).unwrap();
    folder
}

/// The files of all runs that must not depend on how the sweep was executed.
fn results(folder: &Path) -> Vec<Vec<u8>> {
    let names = ["bfs/baseline", "bfs/decay", "bellman_ford/baseline", "bellman_ford/decay"];
    let files = ["best.safetensors", "last.safetensors", "test.json", "DONE"];
    let runs = names.iter().map(|name| folder.join("runs").join(name).join("seed=1"));
    runs.flat_map(|run| files.map(|file| std::fs::read(run.join(file)).unwrap())).collect()
}

#[test]
fn runs_are_bit_identical_in_sequence_in_parallel_and_as_scheduler_tasks() {
    let one = written(SWEEP);
    let plan = succeeds(one.path(), "sweep plan sweep.toml");
    assert!(plan.contains("bellman_ford/decay/seed=1") && plan.contains("4 runs"), "{plan}");
    assert!(!one.path().join("runs").exists(), "a plan writes nothing");
    let printed = succeeds(one.path(), "sweep run sweep.toml");
    assert_eq!(printed, "4 done, 0 failed, 0 running elsewhere, 0 unfinished\n");
    let table = succeeds(one.path(), "table runs --format csv");
    assert_eq!(table.lines().count(), 5, "{table}");

    let two = written(SWEEP);
    succeeds(two.path(), "sweep run sweep.toml --jobs 2 --threads 2");
    assert!(results(one.path()) == results(two.path()), "parallel runs differ");

    let tasks = written(SWEEP);
    for number in 0..2 {
        let task = "sweep run sweep.toml --index-offset 0 --tasks-per-job 2";
        let mut task = command(tasks.path(), task);
        let output = task.env("SLURM_ARRAY_TASK_ID", number.to_string()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert!(results(one.path()) == results(tasks.path()), "scheduler tasks differ");

    // A lost result is recomputed from the remaining files.
    let lost = two.path().join("runs/bfs/decay/seed=1");
    std::fs::remove_file(lost.join("test.json")).unwrap();
    std::fs::write(lost.join("metrics.jsonl"), "{\"step\":").unwrap();
    succeeds(two.path(), "sweep run sweep.toml");
    assert!(results(one.path()) == results(two.path()), "the recomputed result differs");

    // Finished runs are skipped.
    let run = one.path().join("runs/bfs/decay/seed=1/last.safetensors");
    let before = std::fs::metadata(&run).unwrap().modified().unwrap();
    succeeds(one.path(), "sweep run sweep.toml");
    assert_eq!(std::fs::metadata(&run).unwrap().modified().unwrap(), before);
    let status = succeeds(one.path(), "sweep status sweep.toml");
    assert!(status.ends_with("4 done, 0 begun, 0 failed, 0 waiting\n"), "{status}");
}

#[cfg(unix)]
#[test]
fn editing_the_sweep_file_does_not_affect_a_running_sweep() {
    let folder = written(&SWEEP.replace("train_steps = 6", "train_steps = 300"));
    let mut child = command(folder.path(), "sweep run sweep.toml");
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let started = folder.path().join("runs/bfs/baseline/seed=1/config.toml");
    until("the first run has started", || started.exists());
    // Would change the second and the fourth run.
    std::fs::write(folder.path().join("sweep.toml"), SWEEP.replace("0.9", "0.8")).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        output.stdout, b"4 done, 0 failed, 0 running elsewhere, 0 unfinished\n",
        "{output:?}"
    );
    let config = folder.path().join("runs/bfs/decay/seed=1/config.toml");
    assert!(std::fs::read_to_string(config).unwrap().contains("decay = 0.9"));
}

#[test]
fn a_failing_run_is_retried_once_recorded_and_stops_no_other() {
    // This learning rate always diverges.
    let rate = "baseline = { learning_rate = 1e38 }";
    let folder = written(&SWEEP.replace("baseline = {}", rate));
    let output = narscope(folder.path(), "sweep run sweep.toml");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed, "2 done, 2 failed, 0 running elsewhere, 0 unfinished\n", "{errors}");
    assert!(errors.contains("failed; trying again"), "{errors}");
    let status = succeeds(folder.path(), "sweep status sweep.toml");
    assert!(status.ends_with("2 done, 0 begun, 2 failed, 0 waiting\n"), "{status}");
    assert!(status.contains("failed: error: "), "{status}");
}

#[cfg(unix)]
#[test]
fn a_stopped_sweep_continues_to_bit_identical_results() {
    let whole = written(&SWEEP.replace("train_steps = 6", "train_steps = 400"));
    succeeds(whole.path(), "sweep run sweep.toml");
    let stopped = written(&SWEEP.replace("train_steps = 6", "train_steps = 400"));
    let mut child = command(stopped.path(), "sweep run sweep.toml");
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let started = stopped.path().join("runs/bfs/baseline/seed=1/metrics.jsonl");
    until("the run has started", || started.exists());
    let process = nix::unistd::Pid::from_raw(child.id().cast_signed());
    nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGTERM).unwrap();
    let code = child.wait().unwrap().code();
    assert!(matches!(code, Some(130 | 0)), "interrupted, or finished before: {code:?}");
    succeeds(stopped.path(), "sweep run sweep.toml");
    assert!(results(whole.path()) == results(stopped.path()));
}

#[cfg(unix)]
#[test]
fn runs_save_and_exit_when_the_sweep_process_is_killed() {
    let folder = written(&SWEEP.replace("train_steps = 6", "train_steps = 100000000"));
    let mut pool = command(folder.path(), "sweep run sweep.toml");
    let mut pool = pool.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let run = folder.path().join("runs/bfs/baseline/seed=1");
    until("the run has started", || run.join("best.safetensors").exists());
    pool.kill().unwrap();
    pool.wait().unwrap();
    let lock = std::fs::File::open(run.join(".lock")).unwrap();
    until("the run has exited", || lock.try_lock().is_ok());
    assert!(run.join("last.safetensors").exists() && !run.join("DONE").exists());

    // Checkpoints without a configuration cannot be matched to the sweep.
    std::fs::remove_file(run.join("config.toml")).unwrap();
    let error = fails(folder.path(), "sweep run sweep.toml --index 0");
    assert!(error.contains("there are checkpoints in this folder, but no config.toml"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_stopped_from_outside_stays_unfinished_with_its_own_exit_code() {
    use nix::sys::signal::{Signal, kill};
    let endless = SWEEP.replace("train_steps = 6", "train_steps = 100000000");
    let folder = written(&endless.replace(r#"["bfs", "bellman_ford"]"#, r#"["bfs"]"#));
    let mut pool = command(folder.path(), "sweep run sweep.toml");
    let pool = pool.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let main = pool.id();
    for variant in ["baseline", "decay"] {
        let run = folder.path().join(format!("runs/bfs/{variant}/seed=1"));
        until("the run has started", || run.join("best.safetensors").exists());
        let children = format!("/proc/{main}/task/{main}/children");
        let child = std::fs::read_to_string(children).unwrap().trim().parse().unwrap();
        kill(nix::unistd::Pid::from_raw(child), Signal::SIGTERM).unwrap();
    }
    let output = pool.wait_with_output().unwrap();
    assert_eq!(output.stdout, b"0 done, 0 failed, 0 running elsewhere, 2 unfinished\n");
    assert_eq!(output.status.code(), Some(75));
}

/// Waits for a condition, for up to a minute.
#[cfg(unix)]
fn until(what: &str, is_true: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < Duration::from_mins(1), "timeout: {what}");
        sleep(Duration::from_millis(10));
    }
}

#[cfg(unix)]
#[test]
fn a_run_is_saved_when_a_scheduler_sends_its_signal_twice() {
    use nix::sys::signal::{Signal, kill};
    for signal in [Signal::SIGTERM, Signal::SIGUSR1] {
        let folder = written(&SWEEP.replace("train_steps = 6", "train_steps = 1000000"));
        let mut child = command(folder.path(), "sweep run sweep.toml --index 0");
        let mut child = child.stderr(Stdio::null()).spawn().unwrap();
        let started = folder.path().join("runs/bfs/baseline/seed=1/best.safetensors");
        until("the run has started", || started.exists());
        let process = nix::unistd::Pid::from_raw(child.id().cast_signed());
        for _ in 0..2 {
            // The process may have exited after the first one.
            let _ = kill(process, signal);
        }
        assert_eq!(child.wait().unwrap().code(), Some(75), "{signal}");
        let status = succeeds(folder.path(), "sweep status sweep.toml");
        assert!(status.contains("begun, saved at step ") && !status.contains("step 0"), "{status}");
    }
}

#[test]
fn scripts_for_schedulers_are_printed_before_anything_is_submitted() {
    let folder = written(&(SWEEP.to_owned() + "[resources]\ncpus = 3\ntime = \"02:00:00\"\n"));
    let submit = |more: &str| succeeds(folder.path(), &format!("sweep submit sweep.toml {more}"));
    let slurm = submit("--executor slurm --partition long --time 01:00:00 --dry-run");
    for line in [
        "#SBATCH --array=0-3",
        "#SBATCH --partition=long",
        "#SBATCH --cpus-per-task=3",
        "#SBATCH --time=01:00:00",
    ] {
        assert!(slurm.lines().any(|other| other == line), "{line} in {slurm}");
    }
    assert!(submit("--executor hq --tasks-per-job 2 --dry-run").contains(" --array=0-1 "));
    assert!(submit("--executor k8s --dry-run").contains("completionMode: Indexed"));
    assert!(!folder.path().join("runs").exists());
}

#[test]
fn a_missing_scheduler_is_named_in_the_error() {
    let folder = written(SWEEP);
    for (executor, program) in [("slurm", "sbatch"), ("hq", "hq")] {
        let submit = format!("sweep submit sweep.toml --executor {executor}");
        let output = command(folder.path(), &submit).env("PATH", "").output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.starts_with(&format!("error: cannot run {program}")), "{error}");
        assert!(error.contains("--dry-run"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn hyperqueue_gets_the_unfinished_tasks() {
    let folder = written(SWEEP);
    succeeds(folder.path(), "sweep run sweep.toml --index 2");
    // A stand-in for hq that runs the tasks in sequence.
    let stand_in = "#!/bin/sh\nfor word in \"$@\"; do\n  case $word in\n    --array=0-1,3) numbers='0 1 3';;\n    --) shift; break;;\n  \
                    esac\n  shift\ndone\nfor HQ_TASK_ID in $numbers; do export HQ_TASK_ID; \"$@\" || exit 1; done\n";
    let hq = folder.path().join("hq");
    std::fs::write(&hq, stand_in).unwrap();
    let runnable = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    std::fs::set_permissions(&hq, runnable).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut submit = command(folder.path(), "sweep submit sweep.toml --executor hq");
    let output = submit.env("PATH", path).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let all = succeeds(folder.path(), "sweep submit sweep.toml --executor hq");
    assert_eq!(all, "all 4 runs are done\n");
}

#[test]
fn collected_results_count_as_done_on_other_machines_and_give_the_same_table() {
    let results = "results = \"kept/runs.jsonl\"\n".to_owned();
    let here = written(&(results + SWEEP));
    for index in [0, 2] {
        succeeds(here.path(), &format!("sweep run sweep.toml --index {index}"));
    }
    let printed = succeeds(here.path(), "sweep collect sweep.toml");
    assert_eq!(printed, "2 of 4 runs are done and saved; kept/runs.jsonl has 2 runs\n");
    let table = |source: &str| succeeds(here.path(), &format!("table {source} --format json"));
    assert_eq!(table("kept/runs.jsonl"), table("runs"));

    // On another machine, only the remaining runs are trained.
    std::fs::remove_dir_all(here.path().join("runs")).unwrap();
    let printed = succeeds(here.path(), "sweep run sweep.toml");
    assert_eq!(printed, "4 done, 0 failed, 0 running elsewhere, 0 unfinished\n");
    assert!(!here.path().join("runs/bfs/baseline").exists());
    let printed = succeeds(here.path(), "sweep collect sweep.toml");
    assert_eq!(printed, "4 of 4 runs are done and saved; kept/runs.jsonl has 4 runs\n");
    let printed = succeeds(here.path(), "sweep collect sweep.toml --out other.jsonl");
    assert_eq!(printed, "4 of 4 runs are done and saved; other.jsonl has 4 runs\n");

    // A changed configuration is a different run.
    let other = std::fs::read_to_string(here.path().join("sweep.toml")).unwrap();
    std::fs::write(here.path().join("sweep.toml"), other.replace("0.9", "0.8")).unwrap();
    std::fs::remove_dir_all(here.path().join("runs")).unwrap();
    let status = succeeds(here.path(), "sweep status sweep.toml");
    assert!(status.ends_with("2 done, 0 begun, 0 failed, 2 waiting\n"), "{status}");
    succeeds(here.path(), "sweep run sweep.toml --index 1");
    let error = fails(here.path(), "sweep collect sweep.toml");
    assert!(error.contains("has bfs/decay/seed=1 with another configuration"), "{error}");

    let pictures = succeeds(here.path(), "table kept/runs.jsonl --figures pictures");
    assert!(pictures.contains("decay"), "{pictures}");
    for name in ["scores", "differences", "learning"] {
        let svg = here.path().join(format!("pictures/{name}-mpnn.svg"));
        assert!(std::fs::read_to_string(svg).unwrap().contains("bellman_ford"), "{name}");
    }
}

#[test]
fn an_error_in_one_run_stops_no_other() {
    let folder = written(SWEEP);
    let run = |name: &str| folder.path().join("runs").join(name).join("seed=1");
    // A run with another configuration, a file where a folder should be, a truncated checkpoint.
    succeeds(
        folder.path(),
        "train --algorithms bfs --hidden_size 4 --train_steps 2 --train_lengths 4 --batch_size 2 --out runs/bfs/baseline/seed=1",
    );
    std::fs::create_dir_all(run("bfs/decay").parent().unwrap()).unwrap();
    std::fs::write(run("bfs/decay"), "in the way").unwrap();
    succeeds(folder.path(), "sweep run sweep.toml --index 2");
    std::fs::remove_file(run("bellman_ford/baseline").join("DONE")).unwrap();
    for name in ["best.safetensors", "last.safetensors"] {
        std::fs::write(run("bellman_ford/baseline").join(name), "{").unwrap();
    }
    let output = narscope(folder.path(), "sweep run sweep.toml");
    assert_eq!(output.status.code(), Some(1));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed, "1 done, 3 failed, 0 running elsewhere, 0 unfinished\n");
    let error = String::from_utf8(output.stderr).unwrap();
    for part in [
        "has another configuration than the sweep",
        "is a file; expected the folder of a run",
        "safetensors",
    ] {
        assert!(error.contains(part), "{part} in {error}");
    }
    assert!(!error.contains("panicked"), "{error}");
    let status = succeeds(folder.path(), "sweep status sweep.toml");
    assert!(status.contains("failed: error: the run in"), "{status}");
    assert!(status.ends_with("1 done, 0 begun, 3 failed, 0 waiting\n"), "{status}");
    // The exit code is 1 even if standard output is closed.
    let mut closed = command(folder.path(), "sweep run sweep.toml");
    let mut closed = closed.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(closed.stdout.take());
    assert_eq!(closed.wait().unwrap().code(), Some(1));
    // --jobs runs everything, even inside a scheduler task.
    let mut all = command(folder.path(), "sweep run sweep.toml --jobs 1");
    let output = all.env("HQ_TASK_ID", "3").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "run 3 alone would succeed");
    // A scheduler task with several runs continues after a failure and reports it.
    let mut task = command(folder.path(), "sweep run sweep.toml --tasks-per-job 4");
    let output = task.env("SLURM_ARRAY_TASK_ID", "0").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.ends_with("error: 3 of 4 runs failed\n"), "{error}");
}

#[test]
fn errors_say_what_is_wrong() {
    let folder = written(&SWEEP.replace("hidden_size", "hiden_size"));
    assert_eq!(
        fails_as_usage(folder.path(), "sweep run sweep.toml"),
        "sweep.toml, line 5: unknown key \"hiden_size\"; the closest name is \"hidden_size\""
    );
    let folder = written(SWEEP);
    assert_eq!(
        fails_as_usage(folder.path(), "sweep run sweep.toml --index 9"),
        "there is no run 9: the sweep has 4 runs, counted from 0"
    );
    let error = fails_as_usage(folder.path(), "sweep collect sweep.toml");
    assert!(error.starts_with("sweep.toml: no results file"), "{error}");
    for number in ["abc", "-1", "18446744073709551615"] {
        let mut task = command(folder.path(), "sweep run sweep.toml --tasks-per-job 3");
        let output = task.env("SLURM_ARRAY_TASK_ID", number).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{number}: {output:?}");
    }
    std::fs::write(folder.path().join("runs"), "in the way").unwrap();
    let error = fails(folder.path(), "sweep run sweep.toml");
    assert!(error.starts_with("cannot create the folder runs"), "{error}");
    let error = fails_as_usage(folder.path(), "sweep plan nowhere.toml");
    assert!(error.starts_with("nowhere.toml: cannot read the sweep file"), "{error}");
    let folder = written(&(SWEEP.to_owned() + "[resources]\ncpu = 3\n"));
    let error = fails_as_usage(folder.path(), "sweep submit sweep.toml --executor slurm --dry-run");
    assert!(error.contains("unknown field `cpu`"), "{error}");
}

#[test]
fn an_axis_that_changes_nothing_is_refused_before_anything_trains() {
    let axis = "[axes]\ntemperature = [0.1, 1.0]\n";
    let folder = written(&SWEEP.replace("[axes]\n", axis));
    for command in ["plan", "run", "status"] {
        let error = fails_as_usage(folder.path(), &format!("sweep {command} sweep.toml"));
        assert!(
            error.starts_with("sweep.toml, line 11: the axis temperature changes nothing between "),
            "{error}"
        );
        assert!(
            error.contains("temperature needs aggregator softmax, but aggregator is max"),
            "{error}"
        );
    }
    assert!(!folder.path().join("runs").exists());
}

#[test]
fn a_table_has_a_baseline_of_choice_and_published_scores_when_asked() {
    let scores = "algorithm,seed,test_score,processor,decay,train_steps\n\
                  bfs,1,0.90,mpnn,0.9,2000\nbfs,2,0.94,mpnn,0.9,2000\n\
                  bfs,1,0.80,mpnn,0.5,2000\nbfs,2,0.82,mpnn,0.5,2000\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("scores.csv"), scores).unwrap();
    let table = |flags: &str| succeeds(folder.path(), &format!("table scores.csv {flags}"));
    let text = table("");
    assert!(text.starts_with("mpnn, trained for 2000 steps; baseline: decay\n"), "{text}");
    assert!(!text.contains("99.69") && text.contains("left out"), "2,000 steps are few: {text}");
    assert!(text.contains("66.59 to 100.00"), "an interval ends at 100 %: {text}");
    assert!(text.contains("-11.00  -23.71 to +1.71"), "paired by seed: {text}");
    assert!(text.ends_with("as in dm-clrs.\n"), "scores are defined: {text}");
    assert!(!table("-q").contains("dm-clrs"));
    assert!(table("--published always").contains("99.69 ± 0.16"));
    assert!(!table("--published never").contains("left out"));
    let other = table("--baseline decay --format json");
    assert_eq!(table("--format json"), other);
    let mut chosen = command(folder.path(), "table scores.csv --baseline");
    let output = chosen.arg("decay 0.5").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("baseline: decay 0.5") && text.contains("+11.00"), "{text}");
    let error = fails(folder.path(), "table scores.csv --baseline softmax");
    assert_eq!(error, "no column is named \"softmax\"; the columns are decay, decay 0.5");
}

#[test]
fn runs_of_a_sweep_can_start_from_another_run() {
    let text = SWEEP.replace(r#"["bfs", "bellman_ford"]"#, r#"["bfs"]"#).replace(
        "decay = { decay = 0.9 }",
        "decay = { freeze = ['processor'], init_from = 'source', init_parts = ['processor'] }",
    );
    let folder = written(&text);
    let folder = folder.path();
    let tiny =
        "--processor_type mpnn --hidden_size 8 --batch_size 4 --train_lengths 4 --train_steps 2";
    // Until the other run exists, only the runs that need it fail.
    let stopped = narscope(folder, "sweep run sweep.toml");
    assert_eq!(stopped.status.code(), Some(1));
    let errors = String::from_utf8(stopped.stderr).unwrap();
    assert!(errors.contains("there is no run in this folder (no config.toml): source"), "{errors}");
    succeeds(folder, &format!("train --algorithms bfs {tiny} --seed 5 --out source"));
    let printed = succeeds(folder, "sweep run sweep.toml");
    assert_eq!(printed, "2 done, 0 failed, 0 running elsewhere, 0 unfinished\n");
    let run = folder.join("runs/bfs/decay/seed=1");
    let log = std::fs::read_to_string(run.join("run.json")).unwrap();
    assert!(log.contains(r#""fingerprint""#) && log.contains(r#""run": "source""#), "{log}");
    let config = std::fs::read_to_string(run.join("config.toml")).unwrap();
    assert!(config.contains("init_from = \"source\"\ninit_parts = [\"processor\"]"), "{config}");
    let plain =
        std::fs::read_to_string(folder.join("runs/bfs/baseline/seed=1/config.toml")).unwrap();
    assert!(!plain.contains("init_"), "{plain}");
}
