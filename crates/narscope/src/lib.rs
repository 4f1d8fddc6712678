//! Neural algorithmic reasoning: generate traces, train networks, look inside them.
//!
//! This crate re-exports the libraries of the project and holds the `narscope` command line. Its
//! commands parse flags, call a library and print; they compute nothing themselves.
//!
//! The command line is the function [`main`]. A crate of your own registers its algorithms (see
//! [`clrs`]) or processors (see [`model`]) and calls it, and has every command for them:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use narscope::clrs::{Algorithm, Entry, algorithms};
//! # use narscope::clrs::instance::keys::{Keys, Range};
//! # use narscope::clrs::{Category, Node, NodeChain, NodePointer, NodeScalar, Tracer, probes};
//! # probes!(SelectionSort {
//! #     input {
//! #         /// position in the array
//! #         pos: NodeScalar,
//! #         /// key to sort by
//! #         key: NodeScalar,
//! #     }
//! #     output {
//! #         /// predecessor in sorted order
//! #         pred: NodeChain,
//! #     }
//! #     hint {
//! #         /// predecessor in the current order
//! #         pred_h: NodePointer,
//! #     }
//! # });
//!
//! struct SelectionSort;
//!
//! impl Algorithm for SelectionSort {
//!     // …
//! #   const NAME: &'static str = "selection_sort";
//! #   const SUMMARY: &'static str = "moves the smallest remaining key to the front";
//! #   const CATEGORY: Category = Category::Sorting;
//! #   type Instance = Keys;
//! #   const PARAMS: Range = Range::UNIT;
//! #   const IN_CLRS_30: bool = false;
//! #   fn input(Keys(keys): Keys) -> Input {
//! #       Input { pos: NodeScalar::positions(keys.len()), key: Node(keys) }
//! #   }
//! #   fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
//! #       unimplemented!()
//! #   }
//! }
//!
//! static SELECTION_SORT: Entry = Entry::of::<SelectionSort>();
//!
//! fn main() -> ExitCode {
//!     algorithms::register(&SELECTION_SORT).expect("no other algorithm has this name");
//!     narscope::main()
//! }
//! ```
//!
//! If the crate is called `sorting`, `sorting trace selection_sort` prints a trace and
//! `sorting train --algorithms selection_sort --out runs/sort` trains a network.

use std::ffi::OsString;
use std::io::ErrorKind::BrokenPipe;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser};

// The commands name the libraries as users of this crate do.
extern crate self as narscope;

pub use narscope_analysis as analysis;
pub use narscope_clrs as clrs;
pub use narscope_files as files;
pub use narscope_kernels as kernels;
pub use narscope_model as model;
pub use narscope_report as report;
pub use narscope_results as results;
pub use narscope_study as study;
pub use narscope_sweep as sweep;

pub use identity::info as run_info;

mod advice;
mod answer;
mod bundled;
mod commands;
mod estimate;
mod explore;
mod flags;
mod help;
mod identity;
mod interrupt;
mod options;
mod own;
mod pictures;
mod process;
mod progress;
mod sampling;
mod shipped;
mod table;
mod view;

/// Neural algorithmic reasoning: generate traces, train networks, look inside them
#[derive(Parser)]
#[command(
    name = "narscope",
    version = identity::version(),
    after_help = "Examples:
  narscope demo                                   # a short tour
  narscope list                                   # algorithms, processors, analyses, …
  narscope trace dijkstra                         # run an algorithm step by step
  narscope sample bfs --length 16 --num 1000 --seed 1 --out bfs.npz
  narscope dataset --split all --out clrs30       # generate the CLRS-30 benchmark
  narscope train quick --out runs/quick           # train a small network in seconds
  narscope evaluate runs/quick                    # test on graphs four times larger

Results go to standard output, as JSON with --json (table: --format json). Progress and
warnings go to standard error. Commands that write files print one line for each.

Exit codes: 0 success, 1 failure, 2 wrong usage, 130 interrupted, 75 interrupted but
resumable (sweep run)."
)]
struct Cli {
    #[command(subcommand)]
    command: commands::Command,

    /// Number of threads; results do not depend on it [default: all cores, or `SLURM_CPUS_PER_TASK`]
    #[arg(long, global = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Print no progress and no warnings
    #[arg(long, short, global = true)]
    quiet: bool,
}

/// Exit code after success.
const SUCCESS: u8 = 0;
/// Exit code after a failure.
const FAILURE: u8 = 1;
/// Exit code for wrong usage, the same as clap's.
const USAGE: u8 = 2;

/// Runs the command line with the arguments of this process and returns its exit code.
///
/// Sets the number of threads of rayon's global pool and installs signal handlers; call it once.
pub fn main() -> ExitCode {
    ExitCode::from(run(std::env::args_os().collect()))
}

/// Like [`main`], in a process that another program started: with the given arguments, the first of which is the name
/// of the command line, and the executable that starts it in other processes. Returns the exit code; some commands
/// exit the process.
pub fn main_of(executable: PathBuf, arguments: Vec<OsString>) -> u8 {
    process::set_executable(executable);
    run(arguments)
}

fn run(arguments: Vec<OsString>) -> u8 {
    let matches = help::tailored(Cli::command(), &arguments).get_matches_from(arguments);
    let parsed = Cli::from_arg_matches(&matches);
    let Cli { command, threads, quiet } =
        parsed.unwrap_or_else(|error| error.format(&mut Cli::command()).exit());
    match start(threads, quiet).and_then(|()| command.run()) {
        Ok(()) => SUCCESS,
        // `narscope trace bfs | head` is not a failure.
        Err(error) if is_broken_pipe(&error) => SUCCESS,
        Err(error) => {
            progress::print(&format!("error: {}", advice::describe(&error)));
            if is_usage_error(&error) { USAGE } else { FAILURE }
        }
    }
}

/// The definition of the command line, for completions and for tests of its help texts.
#[doc(hidden)]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Whether the request itself was wrong, so that nothing was tried.
fn is_usage_error(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(sweep::Error::is_usage)
}

fn start(threads: Option<u16>, quiet: bool) -> anyhow::Result<()> {
    progress::set_quiet(quiet);
    let from_slurm = || std::env::var("SLURM_CPUS_PER_TASK").ok()?.parse().ok();
    // Zero: rayon uses all cores.
    let threads = threads.or_else(from_slurm).unwrap_or(0);
    rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    interrupt::install()
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let direct = cause.downcast_ref().map(std::io::Error::kind);
        let through_json = cause.downcast_ref().and_then(serde_json::Error::io_error_kind);
        direct.or(through_json) == Some(BrokenPipe)
    })
}
