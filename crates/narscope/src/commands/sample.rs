//! `narscope sample`: write samples of one algorithm to a file.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use narscope::clrs::algorithms;
use narscope::clrs::batch::Batch;
use narscope::clrs::rng::Rng;
use narscope::files::atomic::{self, Existing};
use narscope::files::format::Format;

use crate::options::SamplerOptions;
use crate::progress::Progress;

/// Draw random samples, run an algorithm on them and write the traces to a file
///
/// The samples equal, bit for bit and in order, those of dm-clrs:
/// `build_sampler(ALGORITHM, num_samples=NUM, length=LENGTH, seed=SEED, …)`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope sample bfs --length 16 --num 1000 --seed 1 --out bfs.npz
  narscope sample kmp_matcher --length 20 --num 32 --seed 2 --length-needle=-8 --out kmp.jsonl
  narscope sample bellman_ford --length 16 --num 100 --seed 1 --family reweight --out orbit.safetensors

In Python:
  data = numpy.load('bfs.npz'); data['hint/pi_h'], data['lengths']")]
pub(crate) struct Sample {
    /// Algorithm; `narscope list algorithms` lists them
    algorithm: String,
    /// Size of each sample: `length` of dm-clrs, usually the number of nodes
    #[arg(long)]
    length: usize,
    /// Number of samples
    #[arg(long, alias = "num_samples", value_parser = clap::value_parser!(u32).range(1..))]
    num: u32,
    /// Seed of the sampler
    #[arg(long)]
    seed: u32,
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
        let Self { algorithm, length, num, seed, out, force, options } = self;
        let entry = algorithms::find(&algorithm)?;
        let existing = if force { Existing::Replace } else { Existing::Keep };
        let format = Format::from_path(&out)?;
        atomic::check(&out, existing)?;
        let options = options.into_options(entry);

        let progress = Progress::new("samples", num as usize);
        let traces = entry.generate_with(
            &mut Rng::seeded(seed),
            length,
            &options,
            num as usize,
            &|more| {
                progress.advance(more);
            },
        )?;
        progress.set_message("writing");
        let batch = Batch::new(traces, 0);
        format
            .write(entry.name, &batch, &out, existing)
            .context("the samples were generated but could not be saved")?;
        drop(progress);

        let (nodes, steps, out) = (batch.traces.nodes, batch.steps, out.display());
        writeln!(std::io::stdout(), "{out}: {num} samples of {nodes} nodes, up to {steps} steps")?;
        Ok(())
    }
}
