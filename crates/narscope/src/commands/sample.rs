//! `narscope sample`: write samples of one algorithm to a file.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use narscope::clrs::algorithms;
use narscope::clrs::batch::Batch;
use narscope::clrs::rng::Rng;
use narscope::clrs::trace::Traces;
use narscope::files::atomic::{self, Existing};
use narscope::files::format::Format;
use narscope::files::metadata::Metadata;
use narscope::files::samples;

use crate::options::SamplerOptions;
use crate::own::{Own, OwnMetadata, OwnOptions, counted, together};
use crate::progress::Progress;

/// Draw random samples, run an algorithm on them and write the traces to a file
///
/// The samples equal, bit for bit and in order, those of dm-clrs:
/// `build_sampler(ALGORITHM, num_samples=NUM, length=LENGTH, seed=SEED, …)`. With --input they are your own instances.
///
/// The arrays are `input/PROBE`, `hint/PROBE`, `output/PROBE` and `lengths` (the number of hints). The first axis is
/// the sample, the second axis of hints is the step; hints are padded with zeros. docs/files.md describes all files.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope sample bfs --length 16 --num 1000 --seed 1 --out bfs.npz
  narscope sample kmp_matcher --length 20 --num 32 --seed 2 --length-needle=-8 --out kmp.jsonl
  narscope sample bellman_ford --length 16 --num 100 --seed 1 --family reweight --out orbit.npz
  narscope sample bellman_ford --input cities.csv --source Berlin --out cities.npz

In Python:
  data = numpy.load('bfs.npz'); sample = 0
  data['hint/pi_h'][sample, :data['lengths'][sample]], data['output/pi'][sample]")]
pub(crate) struct Sample {
    /// Algorithm; `narscope list algorithms` lists them
    algorithm: String,
    /// Size of each sample: `length` of dm-clrs, usually the number of nodes
    #[arg(long, required_unless_present = "input", conflicts_with = "input")]
    length: Option<usize>,
    /// Number of samples
    #[arg(long, alias = "num_samples", value_parser = clap::value_parser!(u32).range(1..),
          required_unless_present = "input", conflicts_with = "input")]
    num: Option<u32>,
    /// Seed of the sampler
    #[arg(long, required_unless_present = "input", conflicts_with = "input")]
    seed: Option<u32>,
    #[command(flatten)]
    own: OwnOptions,
    /// File to write: .npz, .safetensors or .jsonl
    #[arg(long)]
    out: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    options: SamplerOptions,
}

impl Sample {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { algorithm, length, num, seed, own, out, force, options } = self;
        let entry = algorithms::find(&algorithm)?;
        let existing = if force { Existing::Replace } else { Existing::Keep };
        Format::from_path(&out)?;
        atomic::check(&out, existing)?;
        own.check_sampler(&options.clone().unchecked())?;
        let direction = options.direction();
        let options = options.into_options(entry);
        let own = own.load(entry, direction)?;

        let num = num.map_or(own.as_ref().map_or(0, Vec::len), |num| num as usize);
        let progress = Progress::new("samples", num);
        let traces = match (&own, length, seed) {
            (Some(own), ..) => {
                let traces: Vec<Traces> =
                    own.iter().map(|own| own.trace(entry)).collect::<Result<_, _>>()?;
                together(own.iter().map(Own::name).zip(&traces))?
            }
            (None, Some(length), Some(seed)) => {
                let made = |more| progress.advance(more);
                entry.generate_with(&mut Rng::seeded(seed), length, &options, num, &made)?
            }
            (None, ..) => bail!("expected --length, --num and --seed, or --input"),
        };
        progress.set_message("writing");
        let batch = Batch::new(traces, 0);
        let mut metadata = Metadata::new(entry.name);
        if let Some(own) = &own {
            let read: Vec<_> = own.iter().map(|own| (own.name(), &own.reading, 1.0)).collect();
            let OwnMetadata { source, names, directed } =
                OwnMetadata::new(&read, batch.traces.nodes);
            (metadata.source, metadata.names, metadata.directed) = (Some(source), names, directed);
        } else {
            metadata.source = Some(serde_json::json!({
                "length": length, "num": num, "seed": seed, "options": options,
            }));
        }
        samples::write(&out, existing, &batch, &metadata)
            .context("the samples were generated but could not be saved")?;
        drop(progress);

        let mut stdout = std::io::stdout().lock();
        for own in own.iter().flatten() {
            writeln!(stdout, "{}", own.describe(entry))?;
        }
        let (nodes, steps, out) = (batch.traces.nodes, batch.steps, out.display());
        let samples = counted(num, "sample");
        writeln!(stdout, "{out}: {samples} of {nodes} nodes, up to {steps} steps")?;
        Ok(())
    }
}
