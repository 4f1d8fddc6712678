//! `narscope trace`: run an algorithm on one instance and print its steps.

use std::io::Write as _;

use anyhow::Context as _;
use narscope::clrs::algorithms::{self, Entry};
use narscope::clrs::batch::Batch;
use narscope::clrs::rng::Rng;
use narscope::clrs::trace::Traces;
use narscope::files::memory;
use narscope::files::metadata::Metadata;
use narscope::files::samples::jsonl;

use crate::options::SamplerOptions;
use crate::own::{Own, OwnOptions};
use crate::view::{self, Origin};

/// Run an algorithm on one instance and print its inputs, hints and outputs, step by step
///
/// The instance is random, or your own (--input): a graph as an edge list (.csv with the header source,target,weight;
/// add --directed for directed edges), as a square matrix (.csv, .npy) or as networkx writes it (.graphml, .json), an
/// array (.csv, .npy), a table with one column per input (.csv), or two strings (.txt, one per line). A folder, or a
/// file with several instances, gives one trace after the other.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope trace dijkstra
  narscope trace heapsort --length 8 --seed 3
  narscope examples cities.csv                  # write a road map that comes with the program
  narscope trace bellman_ford --input cities.csv --source Berlin
  narscope trace bellman_ford:greedy --input roads.graphml --source 2
  narscope trace binary_search --input numbers.npy --target 0.5 --json")]
pub(crate) struct Trace {
    /// Algorithm; `narscope list algorithms` and `narscope list variants` list them
    algorithm: String,
    /// Size of the random instance
    #[arg(long, default_value_t = 5, conflicts_with = "input")]
    length: usize,
    /// Seed of the random instance [default: the first, from 1 on, with a path from the source to every node]
    #[arg(long, conflicts_with = "input")]
    seed: Option<u32>,
    #[command(flatten)]
    own: OwnOptions,
    /// Print the trace as JSON, with the algorithm's probes; several instances are one line each
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
        own.check_sampler(&options.clone().unchecked())?;
        let options = options.into_options(entry);
        if let Some(all) = own.load(entry, direction)? {
            // All are checked before the first is printed.
            let traces: Vec<Traces> =
                all.iter().map(|own| own.trace(entry)).collect::<Result<_, _>>()?;
            for (i, (own, traces)) in all.iter().zip(&traces).enumerate() {
                if i > 0 && !json {
                    writeln!(std::io::stdout())?;
                }
                let shown = if json {
                    print_json(entry, traces, Some(own))
                } else {
                    print_own(entry, traces, own)
                };
                shown.with_context(|| own.user.origin.to_string())?;
            }
            return Ok(());
        }
        let seed = seed.map_or_else(|| entry.telling_seed(length, &options), Ok)?;
        let traces = entry.generate(&mut Rng::seeded(seed), length, &options, 1)?;
        if json {
            return print_json(entry, &traces, None);
        }
        let place = format!("length {length}, seed {seed}");
        print(entry, &traces, &Origin { place, ..Origin::default() })
    }
}

fn print_own(entry: &Entry, traces: &Traces, own: &Own) -> anyhow::Result<()> {
    let graph = own.reading.graph.as_ref().map(|graph| own.describe_graph(graph, entry));
    let place = own.user.origin.to_string();
    print(entry, traces, &Origin { place, graph, names: &own.reading.names })
}

fn print(entry: &Entry, traces: &Traces, origin: &Origin<'_>) -> anyhow::Result<()> {
    memory::require(traces.unpacked_bytes(), || "printing this trace".to_owned())?;
    // Strips colours unless standard output is a terminal that shows them.
    let mut out = anstream::AutoStream::auto(std::io::stdout().lock());
    Ok(view::write_trace(entry, traces, origin, &mut out)?)
}

fn print_json(entry: &Entry, traces: &Traces, own: Option<&Own>) -> anyhow::Result<()> {
    // A number takes up to this many times as many bytes as it does in the trace.
    const GROWTH: usize = 8;
    let bytes = traces.unpacked_bytes().saturating_mul(GROWTH);
    memory::require(bytes, || "this trace as JSON".to_owned())?;
    let mut line = Vec::new();
    jsonl::write(&Batch::new(traces.clone(), 0), &Metadata::new(entry.name), &mut line)?;
    let mut trace: serde_json::Value = serde_json::from_slice(&line)?;
    trace["probes"] = serde_json::to_value(entry.probes)?;
    if let Some(own) = own {
        trace["instance"] = own.name().into();
        trace["names"] = own.reading.names.clone().into();
        trace["directed"] = own.reading.graph.as_ref().map(|graph| graph.is_directed).into();
    }
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, &trace)?;
    Ok(writeln!(out)?)
}
