//! `narscope trace`: run an algorithm on one instance and print its steps.

use std::io::Write as _;

use anyhow::bail;
use narscope::clrs::algorithms;
use narscope::clrs::batch::Batch;
use narscope::clrs::options::{OptionName, names};
use narscope::clrs::rng::Rng;
use narscope::files::jsonl;

use crate::options::{OwnOptions, SamplerOptions};
use crate::view;

/// Run an algorithm on one instance and print its inputs, hints and outputs, step by step
///
/// The instance is random, or your own file (--input): a graph as an edge list (.csv with the header
/// source,target,weight; add --directed for directed edges) or as a square matrix (.csv, .npy), an array (.csv, .npy),
/// a table with one column per input (.csv), or two strings (.txt, one per line).
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope trace dijkstra
  narscope trace heapsort --length 8 --seed 3
  narscope trace bellman_ford --input roads.csv --source 2
  narscope trace bellman_ford:greedy --input roads.csv --source 2
  narscope trace binary_search --input numbers.npy --target 0.5 --json")]
pub(crate) struct Trace {
    /// Algorithm; `narscope list algorithms` and `narscope list variants` list them
    algorithm: String,
    /// Size of the random instance
    #[arg(long, default_value_t = 5)]
    length: usize,
    /// Seed of the random instance
    #[arg(long, default_value_t = 1)]
    seed: u32,
    #[command(flatten)]
    own: OwnOptions,
    /// Print the trace as JSON, with the algorithm's probes
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: SamplerOptions,
}

impl Trace {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { algorithm, length, seed, own, json, options } = self;
        let entry = algorithms::find(&algorithm)?;
        let direction = options.direction();
        let mut given = options.clone().unchecked().given();
        given.retain(|name| *name != OptionName::Direction);
        if own.is_given() && !given.is_empty() {
            bail!("{} apply to random instances only, not to --input", names(&given));
        }
        let options = options.into_options(entry);
        let (traces, origin) = if let Some((own, path)) = own.read(direction)? {
            (entry.trace(&own)?, path.display().to_string())
        } else {
            let traces = entry.generate(&mut Rng::seeded(seed), length, &options, 1)?;
            (traces, format!("length {length}, seed {seed}"))
        };

        if json {
            let mut line = Vec::new();
            jsonl::write(entry.name, &Batch::new(traces, 0), &mut line)?;
            let mut trace: serde_json::Value = serde_json::from_slice(&line)?;
            trace["probes"] = serde_json::to_value(entry.probes)?;
            let mut out = std::io::stdout().lock();
            serde_json::to_writer(&mut out, &trace)?;
            writeln!(out)?;
        } else {
            // Strips colours unless standard output is a terminal that shows them.
            let mut out = anstream::AutoStream::auto(std::io::stdout().lock());
            view::write_trace(entry, &traces, &origin, &mut out)?;
        }
        Ok(())
    }
}
