//! Speed of the Python package beside dm-clrs and beside the command line, both sides in turns.

use std::fs;
use std::process::Command;
use std::time::Instant;

use crate::Result;
use crate::arguments::Arguments;
use crate::python::{python, reference};
use crate::python_package::{build, install};
use crate::run::{cargo, output, release_binary, run, target};
use crate::sampling::{Worker, best_of};
use crate::statistics::{CLRS_30, geometric_mean, minimum};

/// Samples per batch, as in the reference's run script.
const BATCH_SIZE: f64 = 32.0;

/// Prints tables of batches per second, training time, import time and the size of the wheel.
pub(crate) fn compare(arguments: &Arguments) -> Result {
    let lengths: Vec<usize> = arguments.list("--lengths", "16,64")?;
    let algorithms: Vec<String> = arguments.list("--algorithms", CLRS_30)?;
    let rounds: usize = arguments.list("--rounds", "3")?[0];
    let steps: usize = arguments.list("--train-steps", "1000")?[0];

    let interpreter = reference()?;
    let tools = ["-m", "pip", "install", "--quiet", "maturin"];
    run(Command::new(&interpreter).args(tools))?;
    let wheel = build(&interpreter, "release")?;
    install(&interpreter, &wheel)?;
    // Together with the module, so that both have the same dependencies and those are compiled once.
    let packages = ["--package", "narscope", "--package", "narscope-python"];
    run(cargo(&["build", "--release", "--bin", "narscope"]).args(packages))?;

    batches(&algorithms, &lengths, rounds)?;
    training(rounds, steps)?;
    imports(rounds)?;
    let size = fs::metadata(&wheel).map_err(|error| format!("no wheel: {error}"))?.len();
    println!("| the wheel | {:.1} MB |", size as f64 / 1e6);
    Ok(())
}

/// Batches of 32 as NumPy arrays.
fn batches(algorithms: &[String], lengths: &[usize], rounds: usize) -> Result {
    let side = |name: &str| {
        let mut command = python("python_speed.py")?;
        command.arg(name);
        Ok::<_, String>(command)
    };
    let mut reference = Worker::start(side("reference")?, 0.3)?;
    let mut ours = Worker::start(side("ours")?, 0.1)?;
    println!("| algorithm | n | dm-clrs, samples/s | narscope.clrs, samples/s | ratio |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let mut ratios = vec![];
    for &length in lengths {
        for algorithm in algorithms {
            let task = format!("{algorithm} {length}");
            let (theirs, mine) = best_of(rounds, &task, &mut reference, &mut ours)?;
            let (theirs, mine) = (theirs * BATCH_SIZE, mine * BATCH_SIZE);
            let ratio = mine / theirs;
            println!("| {algorithm} | {length} | {theirs:.1} | {mine:.0} | {ratio:.0} x |");
            ratios.push(ratio);
        }
    }
    let (mean, least) = (geometric_mean(&ratios), minimum(&ratios));
    println!("\ngeometric mean {mean:.0} x, minimum {least:.0} x\n");
    Ok(())
}

/// The same training from Python and from the command line, whole processes.
fn training(rounds: usize, steps: usize) -> Result {
    let folder = target().join("python-speed");
    // A finished run would not be trained again.
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|error| format!("{} could not be removed: {error}", folder.display()))?;
    }
    let (mut from_python, mut from_shell) = (f64::INFINITY, f64::INFINITY);
    for round in 0..rounds.max(1) {
        let mut train = python("python_training.py")?;
        train.arg(folder.join(format!("python-{round}"))).arg(steps.to_string());
        from_python = from_python.min(seconds(&mut train)?);
        let mut train = Command::new(release_binary("narscope"));
        train
            .args(["train", "--algorithms", "bfs", "--processor_type", "mpnn", "--train_steps"])
            .arg(steps.to_string());
        train.arg("--out").arg(folder.join(format!("shell-{round}")));
        from_shell = from_shell.min(seconds(&mut train)?);
    }
    println!("| measured | |\n| --- | ---: |");
    let more = 100.0 * (from_python / from_shell - 1.0);
    println!("| {steps} training steps of bfs, command line | {from_shell:.2} s |");
    println!("| the same from Python | {from_python:.2} s ({more:+.1} %) |");
    Ok(())
}

/// Time of the import in a new process, without and with NumPy imported before.
fn imports(rounds: usize) -> Result {
    let interpreter = reference()?;
    for (first, name) in
        [("pass", "import narscope"), ("import numpy", "import narscope after numpy")]
    {
        let script = format!(
            "{first}\nimport time\nstart = time.perf_counter()\nimport narscope\nprint(time.perf_counter() - start)"
        );
        let mut best = f64::INFINITY;
        for _ in 0..rounds.max(3) {
            let printed = output(Command::new(&interpreter).args(["-c", script.as_str()]))?;
            let seconds: f64 =
                printed.parse().map_err(|_| format!("the import printed {printed:?}"))?;
            best = best.min(seconds);
        }
        println!("| {name} | {:.0} ms |", best * 1e3);
    }
    Ok(())
}

/// Runs a command and returns how long it took.
fn seconds(command: &mut Command) -> Result<f64> {
    let start = Instant::now();
    output(command)?;
    Ok(start.elapsed().as_secs_f64())
}
