//! Development tasks: checks, benchmarks and comparisons with the reference, dm-clrs.
//!
//! Only `std`, a JSON parser, checksums and a plotting crate, so that it builds quickly.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tasks print their results")]

mod aggregators;
mod arguments;
mod browser;
mod chart;
mod ci;
mod cluster;
mod context;
mod cycles;
mod explorer;
mod fuzz;
mod growth;
mod instructions;
mod outside;
mod package;
mod portable;
mod python;
mod python_package;
mod python_speed;
mod records;
mod reference;
mod run;
mod sampling;
mod statistics;
mod training;
mod wasm;

use std::process::ExitCode;

use arguments::Arguments;

/// The error is a message for the user of the task.
type Result<T = ()> = std::result::Result<T, String>;

const USAGE: &str = "\
usage: cargo xtask TASK

  ci                    run all checks of CI: format, lints, tests, documentation and more
    --cluster           include the test on a Slurm cluster
  browser               test a report in Chromium
  cluster               test a sweep on a local Slurm cluster; installs Slurm if possible
  instructions          count the instructions of the kernels; fail if one exceeds its record by 5 %
    --record            record the counts instead
  cycles                check that the modules of each library have no cyclic dependencies
  fuzz                  feed random files to everything that reads files (docs/reliability.md)
    --seconds 10        seconds per target
    --inputs N          inputs per target, instead of seconds
    --targets a,b       targets to run [all]
  explorer              build the page of `narscope explore` and its engine, then test both
    --check             test the kept page: its sources are the kept ones, it works in a browser
  outside               test the example crates outside the workspace
  package               package every library
  python                build the wheel of the Python package and run its tests
  wasm                  build the crates that run networks for WebAssembly
  portable              run the kernel tests on older x86-64 CPUs and on aarch64, emulated
  parity                compare samples with dm-clrs, bit for bit
    --quick             fewer seeds and samples
    --algorithms a,b    algorithms to compare [all]
  parity networks       compare predictions, losses and one training step with dm-clrs
    --quick             fewer cases
    --algorithms a,b    only cases of these algorithms [all]
    --processes 2       number of processes that run dm-clrs
  parity python         compare narscope.clrs with dm-clrs, bit for bit
  golden                regenerate the golden files and fixtures of the tests with dm-clrs
  compare sampling      compare samples per second with dm-clrs
    --lengths 16,64     lengths to compare
    --rounds 3          number of rounds; the best one counts
    --algorithms a,b    algorithms to compare [all of CLRS-30]
  compare training      compare time and memory of training and prediction with dm-clrs
    --algorithms a,b    algorithms to compare [all of CLRS-30]
    --processors a,b    processors to compare [mpnn,triplet_gmpnn]
    --rounds 2          number of rounds; the best one counts
    --predict-timeout 300  seconds that dm-clrs may take for one prediction
    --out FILE          results file [experiments/results/training-speed/results.jsonl]
    --again             repeat measurements that are already in the results file
  compare aggregators   compare the time of an update with softmax and with max
    --algorithms a,b    algorithms to measure [ten]
    --processors a,b    processors to measure [mpnn,triplet_gmpnn]
    --rounds 3          number of rounds; the best one counts
    --before FILE       an earlier program, measured in the same run
  compare python        compare narscope.clrs with dm-clrs, and training with the command line
    --lengths 16,64     lengths to compare
    --rounds 3          number of rounds; the best one counts
    --algorithms a,b    algorithms to compare [all of CLRS-30]
    --train-steps 1000  training steps from Python and from the command line
  compare explorer      compare the engine of the explorer in node with native code, one thread
    --lengths 16,64     lengths to compare
    --rounds 3          number of rounds; the best one counts
  growth                measure how time and memory grow with problem size; draw a figure
    --algorithm a       algorithm to measure [bellman_ford]
    --processors a,b    processors to measure [mpnn,triplet_gmpnn]
    --lengths 8,16,32,64,128  problem sizes to measure
    --out FILE          where to write the figure [docs/growth.svg]
    --narscope FILE     program to measure, instead of a new release build
    --draw              draw the last measurements [target/growth.jsonl] without measuring";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some((task, arguments)) = find(&words) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    // Tasks use paths relative to the workspace root.
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .map_err(|error| {
            format!("the workspace folder that xtask was built in could not be entered: {error}")
        })
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

/// Returns the task that the command line names, with its arguments. Returns `None` if the task or
/// a flag is unknown.
fn find(words: &[&str]) -> Option<(Task, Arguments)> {
    let (task, rest, known): (Task, _, &[&str]) = match words {
        ["ci", rest @ ..] => (ci::check, rest, &["--cluster"]),
        ["browser", rest @ ..] => (browser::check, rest, &[]),
        ["cluster", rest @ ..] => (cluster::check, rest, &[]),
        ["cycles", rest @ ..] => (cycles::check, rest, &[]),
        ["explorer", rest @ ..] => (explorer::task, rest, &["--check"]),
        ["fuzz", rest @ ..] => (fuzz::check, rest, &["--seconds=", "--inputs=", "--targets="]),
        ["outside", rest @ ..] => (outside::check, rest, &[]),
        ["package", rest @ ..] => (package::check, rest, &[]),
        ["python", rest @ ..] => (python_package::check, rest, &[]),
        ["wasm", rest @ ..] => (wasm::check, rest, &[]),
        ["portable", rest @ ..] => (portable::check, rest, &[]),
        ["instructions", rest @ ..] => (instructions::check, rest, &["--record"]),
        ["parity", "networks", rest @ ..] => {
            (reference::parity_networks, rest, &["--quick", "--algorithms=", "--processes="])
        }
        ["parity", "python", rest @ ..] => (python_package::parity, rest, &[]),
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
        ["compare", "aggregators", rest @ ..] => (
            aggregators::compare,
            rest,
            &["--algorithms=", "--processors=", "--rounds=", "--before="],
        ),
        ["compare", "python", rest @ ..] => (
            python_speed::compare,
            rest,
            &["--lengths=", "--rounds=", "--algorithms=", "--train-steps="],
        ),
        ["compare", "explorer", rest @ ..] => {
            (explorer::compare, rest, &["--lengths=", "--rounds="])
        }
        ["growth", rest @ ..] => (
            growth::measure,
            rest,
            &["--algorithm=", "--processors=", "--lengths=", "--out=", "--narscope=", "--draw"],
        ),
        _ => return None,
    };
    Some((task, Arguments::parse(rest, known)?))
}
