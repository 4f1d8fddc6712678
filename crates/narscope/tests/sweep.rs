//! Many runs from one file, as a user does them: plan, run, stop, go on, and what goes wrong.

use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

mod terminal;
use terminal::{command, fails, narscope, succeeds};

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

/// Everything that a run leaves behind that should not depend on how it was done.
fn results(folder: &Path) -> Vec<Vec<u8>> {
    let names = ["bfs/baseline", "bfs/decay", "bellman_ford/baseline", "bellman_ford/decay"];
    let files = ["best.safetensors", "last.safetensors", "test.json", "DONE"];
    let runs = names.iter().map(|name| folder.join("runs").join(name).join("seed=1"));
    runs.flat_map(|run| files.map(|file| std::fs::read(run.join(file)).unwrap())).collect()
}

#[test]
fn runs_end_in_the_same_bits_one_after_the_other_side_by_side_or_as_tasks_of_a_scheduler() {
    let one = written(SWEEP);
    let plan = succeeds(one.path(), "sweep plan sweep.toml");
    assert!(plan.contains("bellman_ford/decay/seed=1") && plan.contains("4 runs"), "{plan}");
    assert!(!one.path().join("runs").exists(), "a plan does nothing");
    let said = succeeds(one.path(), "sweep run sweep.toml");
    assert_eq!(said, "4 done, 0 failed, 0 done by others, 0 left\n");
    let table = succeeds(one.path(), "table runs --format csv");
    assert_eq!(table.lines().count(), 5, "{table}");

    let two = written(SWEEP);
    succeeds(two.path(), "sweep run sweep.toml --jobs 2 --threads 2");
    assert!(results(one.path()) == results(two.path()), "side by side is the same");

    let tasks = written(SWEEP);
    for number in 0..2 {
        let task = "sweep run sweep.toml --index-offset 0 --tasks-per-job 2";
        let mut task = command(tasks.path(), task);
        let output = task.env("SLURM_ARRAY_TASK_ID", number.to_string()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert!(results(one.path()) == results(tasks.path()), "tasks are the same");

    // What is done is not done again.
    let run = one.path().join("runs/bfs/decay/seed=1/last.safetensors");
    let before = std::fs::metadata(&run).unwrap().modified().unwrap();
    succeeds(one.path(), "sweep run sweep.toml");
    assert_eq!(std::fs::metadata(&run).unwrap().modified().unwrap(), before);
    let status = succeeds(one.path(), "sweep status sweep.toml");
    assert!(status.ends_with("4 done, 0 begun, 0 failed, 0 waiting\n"), "{status}");
}

#[test]
fn one_run_that_fails_is_tried_twice_recorded_and_stops_no_other() {
    // Nobody can learn at such a rate.
    let rate = "baseline = { learning_rate = 1e38 }";
    let folder = written(&SWEEP.replace("baseline = {}", rate));
    let output = narscope(folder.path(), "sweep run sweep.toml");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said, "2 done, 2 failed, 0 done by others, 0 left\n", "{errors}");
    assert!(errors.contains("failed and is tried again"), "{errors}");
    let status = succeeds(folder.path(), "sweep status sweep.toml");
    assert!(status.ends_with("2 done, 0 begun, 2 failed, 0 waiting\n"), "{status}");
    assert!(status.contains("failed: error: "), "{status}");
}

#[cfg(unix)]
#[test]
fn a_sweep_that_is_stopped_goes_on_to_the_same_bits() {
    let whole = written(&SWEEP.replace("train_steps = 6", "train_steps = 400"));
    succeeds(whole.path(), "sweep run sweep.toml");
    let stopped = written(&SWEEP.replace("train_steps = 6", "train_steps = 400"));
    let mut child = command(stopped.path(), "sweep run sweep.toml");
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = stopped.path().join("runs/bfs/baseline/seed=1/metrics.jsonl");
    let start = Instant::now();
    while !begun.exists() && start.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(10));
    }
    let process = nix::unistd::Pid::from_raw(child.id().cast_signed());
    nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGTERM).unwrap();
    let code = child.wait().unwrap().code();
    assert!(matches!(code, Some(130 | 0)), "interrupted, or done before: {code:?}");
    succeeds(stopped.path(), "sweep run sweep.toml");
    assert!(results(whole.path()) == results(stopped.path()));
}

#[test]
fn scripts_for_schedulers_are_printed_before_anything_is_submitted() {
    let folder = written(SWEEP);
    let submit = |more: &str| succeeds(folder.path(), &format!("sweep submit sweep.toml {more}"));
    let slurm = submit("--executor slurm --partition long --time 01:00:00 --cpus 3 --dry-run");
    for line in ["#SBATCH --array=0-3", "#SBATCH --partition=long", "#SBATCH --cpus-per-task=3"] {
        assert!(slurm.lines().any(|other| other == line), "{line} in {slurm}");
    }
    assert!(submit("--executor hq --tasks-per-job 2").contains("hq submit --array 0-1 "));
    assert!(submit("--executor k8s").contains("completionMode: Indexed"));
    assert!(!folder.path().join("runs").exists());
}

#[test]
fn mistakes_are_answered_with_a_sentence() {
    let folder = written(&SWEEP.replace("hidden_size", "hiden_size"));
    assert_eq!(
        fails(folder.path(), "sweep run sweep.toml"),
        "sweep.toml, line 5: unknown key \"hiden_size\"; the closest name is \"hidden_size\""
    );
    let folder = written(SWEEP);
    assert_eq!(
        fails(folder.path(), "sweep run sweep.toml --index 9"),
        "there is no run 9: the sweep has 4, counted from 0"
    );
    succeeds(folder.path(), "sweep run sweep.toml --index 1");
    std::fs::write(folder.path().join("sweep.toml"), SWEEP.replace("0.9", "0.8")).unwrap();
    let error = fails(folder.path(), "sweep run sweep.toml");
    assert!(error.contains("has another configuration than the sweep"), "{error}");
    let error = fails(folder.path(), "sweep plan nowhere.toml");
    assert!(error.starts_with("nowhere.toml: the sweep cannot be read"), "{error}");
}
