//! `narscope`: the command line. Parses, calls a library, prints. Nothing else happens here.

use std::io::ErrorKind::BrokenPipe;
use std::process::ExitCode;

use clap::Parser;

mod ask;
mod commands;
mod estimate;
mod flags;
mod interrupt;
mod options;
mod process;
mod progress;
mod shipped;
mod table;
mod view;

/// Neural algorithmic reasoning: make traces, train networks, look inside them
#[derive(Parser)]
#[command(
    version,
    after_help = "Examples:
  narscope demo                                   start here
  narscope list                                   what there is
  narscope trace dijkstra                         watch an algorithm, step by step
  narscope sample bfs --length 16 --num 1000 --seed 1 --out bfs.npz
  narscope dataset --split all --out clrs30       the whole benchmark
  narscope train --algorithms bellman_ford --processor_type mpnn --out runs/bf
  narscope evaluate runs/bf                       on problems four times larger"
)]
struct Cli {
    #[command(subcommand)]
    command: commands::Command,

    /// How many threads to use; results do not depend on it [default: all cores, or what Slurm grants]
    #[arg(long, global = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Show no progress and no warnings
    #[arg(long, short, global = true)]
    quiet: bool,
}

fn main() -> ExitCode {
    let Cli { command, threads, quiet } = Cli::parse();
    match start(threads, quiet).and_then(|()| command.run()) {
        Ok(()) => ExitCode::SUCCESS,
        // `narscope trace bfs | head` is not a failure.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            progress::tell(&format!("error: {error:#}"));
            if makes_no_sense(&error) { ExitCode::from(USAGE) } else { ExitCode::FAILURE }
        }
    }
}

/// What clap returns for a command that makes no sense.
const USAGE: u8 = 2;

/// Whether nothing was tried because what was asked for cannot be understood.
fn makes_no_sense(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(narscope::sweep::Error::is_usage)
}

fn start(threads: Option<u16>, quiet: bool) -> anyhow::Result<()> {
    progress::set_quiet(quiet);
    let from_slurm = || std::env::var("SLURM_CPUS_PER_TASK").ok()?.parse().ok();
    // Zero lets rayon take all cores.
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
