//! What the people who work on this repository run: checks, and comparisons with the reference.
//!
//! Plain `std`, JSON for what other programs answer and one crate that draws, so that it builds soon.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what tasks are for")]

mod arguments;
mod browser;
mod chart;
mod ci;
mod cluster;
mod context;
mod cycles;
mod growth;
mod instructions;
mod outside;
mod package;
mod portable;
mod python;
mod records;
mod reference;
mod run;
mod sampling;
mod statistics;
mod training;
mod wasm;

use std::process::ExitCode;

use arguments::Arguments;

/// What went wrong, as a sentence for the person who ran the task.
type Result<T = ()> = std::result::Result<T, String>;

const USAGE: &str = "\
usage: cargo xtask TASK

  ci                    format, lints, tests, documentation: what CI runs
    --cluster           and a sweep on a real Slurm
  browser               open a report in a real browser and use it
  cluster               a sweep on a real Slurm, which is installed if it can be
  instructions          count the instructions of kernels: more than 5 % more than recorded fail
    --record            record them instead
  cycles                modules of each library depend on each other in one direction
  outside               test the example crates outside of the workspace
  package               package every library
  wasm                  build what runs networks for the browser
  portable              run the tests of kernels on older x86-64 and on aarch64, emulated
  parity                compare every sample with dm-clrs, bit for bit
    --quick             fewer seeds and samples
    --algorithms a,b    instead of all
  parity networks       compare predictions, losses and a training step with dm-clrs
    --quick             fewer cases
    --algorithms a,b    only cases on these
    --processes 2       that ask dm-clrs at the same time
  golden                ask dm-clrs for the golden files and fixtures of the tests again
  compare sampling      samples per second, ours and dm-clrs's
    --lengths 16,64     the lengths to compare
    --rounds 3          rounds to take the best of
    --algorithms a,b    instead of all of CLRS-30
  compare training      time and memory of training and prediction, ours and dm-clrs's
    --algorithms a,b    instead of all of CLRS-30
    --processors a,b    instead of mpnn and triplet_gmpnn
    --rounds 2          rounds to take the best of
    --predict-timeout 300  seconds that dm-clrs may take for one prediction
    --out FILE          where results are kept [experiments/results/training-speed/results.jsonl]
    --again             measure what is in there already, too
  growth                how time and memory grow with the size of problems: a table, and a figure
    --algorithm a       instead of bellman_ford
    --processors a,b    instead of mpnn and triplet_gmpnn
    --lengths 8,16,32,64,128  the sizes to measure
    --out FILE          where the figure goes [docs/growth.svg]
    --narscope FILE     measure this one instead of building it
    --draw              what was measured last [target/growth.jsonl], nothing new";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some((task, arguments)) = find(&words) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    // All paths are relative to the workspace, wherever the task was started.
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .map_err(|error| format!("the workspace has moved since xtask was built: {error}"))
        .and_then(|()| task(&arguments))
        .map_or_else(
            |error| {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            },
            |()| ExitCode::SUCCESS,
        )
}

type Task = fn(&Arguments) -> Result;

/// The task that the words ask for, if there is one that takes such arguments.
fn find(words: &[&str]) -> Option<(Task, Arguments)> {
    let (task, rest, known): (Task, _, &[&str]) = match words {
        ["ci", rest @ ..] => (ci::check, rest, &["--cluster"]),
        ["browser", rest @ ..] => (browser::check, rest, &[]),
        ["cluster", rest @ ..] => (cluster::check, rest, &[]),
        ["cycles", rest @ ..] => (cycles::check, rest, &[]),
        ["outside", rest @ ..] => (outside::check, rest, &[]),
        ["package", rest @ ..] => (package::check, rest, &[]),
        ["wasm", rest @ ..] => (wasm::check, rest, &[]),
        ["portable", rest @ ..] => (portable::check, rest, &[]),
        ["instructions", rest @ ..] => (instructions::check, rest, &["--record"]),
        ["parity", "networks", rest @ ..] => {
            (reference::parity_networks, rest, &["--quick", "--algorithms=", "--processes="])
        }
        ["parity", rest @ ..] => (reference::parity, rest, &["--quick", "--algorithms="]),
        ["golden", rest @ ..] => (reference::golden, rest, &[]),
        ["compare", "sampling", rest @ ..] => {
            (sampling::compare, rest, &["--lengths=", "--rounds=", "--algorithms="])
        }
        ["compare", "training", rest @ ..] => (
            training::compare,
            rest,
            &[
                "--algorithms=",
                "--processors=",
                "--rounds=",
                "--predict-timeout=",
                "--out=",
                "--again",
            ],
        ),
        ["growth", rest @ ..] => (
            growth::measure,
            rest,
            &["--algorithm=", "--processors=", "--lengths=", "--out=", "--narscope=", "--draw"],
        ),
        _ => return None,
    };
    Some((task, Arguments::parse(rest, known)?))
}
