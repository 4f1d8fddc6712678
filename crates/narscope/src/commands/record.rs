//! `narscope record`: the hidden states of a network, step by step, into a file.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::bail;
use narscope::analysis::directions::Database;
use narscope::analysis::hooks::{Along, Perturbation};
use narscope::analysis::recording::{self, About, Touched};
use narscope::analysis::study::{Size, Study};
use narscope::analysis::subject::Subject;
use narscope::clrs::trace::Traces;
use narscope::files::whole::{self, Existing};
use narscope::model::rollout::Steps;
use narscope::model::trajectory::Kept;

use crate::ask::watched;
use crate::interrupt;
use crate::options::{self, SamplerOptions};
use crate::progress::{Progress, note};

/// Run a network on new samples and record its hidden states, predictions and scores
///
/// The file has arrays whose first axis is the sample: `trajs` (states after each step), `lengths`,
/// `score`, `inputs/…`, `outputs/…`, `hints/…`, `predicted/outputs/…`, `predicted/hints/…`, and
/// `clusters` for images of a few graphs. It is written as the network goes, so that it may be larger
/// than memory; after an interruption, the same command goes on where it stopped.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope record runs/bf --num 1000 --out random.safetensors
  narscope record runs/bf --family reweight --classes 8 --num 800 --out clusters.safetensors
  narscope record runs/bf --num 16384 --steps 6 --over-nodes all --out everything.safetensors
  narscope record runs/bf --perturb out:mean --out out.safetensors

In Python:
  from safetensors.numpy import load_file
  r = load_file('random.safetensors'); r['trajs'].shape, r['score'].mean()")]
pub(crate) struct Record {
    /// Folder of the run
    run: PathBuf,
    /// File to write: .safetensors
    #[arg(long)]
    out: PathBuf,
    /// Which of the algorithms of the run
    #[arg(long)]
    algorithm: Option<String>,
    /// Which checkpoint: best or last
    #[arg(long, default_value = "best", value_parser = ["best", "last"])]
    checkpoint: String,
    /// Number of samples to draw
    #[arg(long, alias = "num_samples", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(1..))]
    num: u32,
    /// Size of each
    #[arg(long, default_value_t = 64)]
    length: usize,
    /// Their seed
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Keep only samples on which the algorithm takes so many steps
    #[arg(long)]
    steps: Option<usize>,
    /// What to keep of the states of all nodes
    #[arg(long, alias = "over_nodes", default_value = "max")]
    over_nodes: OverNodes,
    /// Move states after every step: random, corrupt, or directional, out, onto along the direction of the nearest
    /// cluster of reweighted graphs (or of all clusters: directional:mean)
    #[arg(long, value_name = "HOW", value_parser = perturbation)]
    perturb: Option<(Perturbation, Along)>,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    options: SamplerOptions,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum OverNodes {
    /// The largest of each channel
    Max,
    /// Their mean
    Mean,
    /// The least
    Min,
    /// Everything
    All,
}

impl Record {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { run, out, algorithm, checkpoint, num, length, seed, steps, .. } = self;
        let existing = if self.force { Existing::Replace } else { Existing::Keep };
        whole::check(&out, existing)?;
        if out.extension().is_none_or(|ending| ending != "safetensors") {
            bail!("a file name that ends in .safetensors is needed, got {}", out.display());
        }
        let which = options::checkpoint(&checkpoint);
        let subject = Subject::open(&run, which, algorithm.as_deref())?;
        let options = self.options.into_options(subject.spec().entry);
        let traces = subject.draw(length, &options, seed, num as usize)?;
        let traces = match steps {
            Some(steps) => with_steps(&traces, steps)?,
            None => traces,
        };
        let kept = match self.over_nodes {
            OverNodes::Max => Kept::Max,
            OverNodes::Mean => Kept::Mean,
            OverNodes::Min => Kept::Min,
            OverNodes::All => Kept::All,
        };
        let samples = serde_json::json!({
            "num": num, "length": length, "seed": seed, "steps": steps, "options": options,
        });
        interrupt::save_first();
        let takes_it = !subject.spec().entry.ignored(&options).contains(&"family");
        let has_symmetry = options.has_symmetry() && takes_it;
        let about = About {
            samples: samples.to_string(),
            // Samples that were selected are no longer in turn.
            classes: (has_symmetry && steps.is_none()).then(|| options.classes.unwrap_or(1)),
            touched: self
                .perturb
                .map(|how| {
                    let direction = options.direction;
                    let size = Size { length, seed, direction, ..Size::QUICK };
                    touched(how, &subject, size)
                })
                .transpose()?,
        };

        let progress = Progress::new("samples", traces.len());
        let mut begun = false;
        recording::write(&out, existing, &subject, &traces, kept, &about, &mut |samples| {
            if begun {
                progress.advance(samples);
            } else {
                progress.start_at(samples);
                begun = true;
            }
            !interrupt::is_wanted()
        })
        .inspect_err(|error| {
            if let narscope::analysis::Error::Interrupted = error {
                note(&format!("{} is not whole yet: the same command goes on", out.display()));
                std::process::exit(interrupt::EXIT_CODE);
            }
        })?;
        drop(progress);
        let (samples, nodes) = (traces.len(), traces.nodes);
        writeln!(std::io::stdout(), "{}: {samples} samples of {nodes} nodes", out.display())?;
        Ok(())
    }
}

/// A perturbation by its name, and along which direction.
fn perturbation(text: &str) -> Result<(Perturbation, Along), String> {
    let (name, along) = text.split_once(':').unwrap_or((text, Along::Closest.name()));
    let along = [Along::Closest, Along::Mean].into_iter().find(|it| it.name() == along);
    let found = Perturbation::find(name).zip(along);
    found.ok_or_else(|| {
        let names = Perturbation::ALL.map(Perturbation::name).join(", ");
        format!("one of {names} is needed, with :closest or :mean after it or nothing")
    })
}

/// What is done to states, with directions from clusters of graphs of the same kind.
fn touched(
    (perturbation, along): (Perturbation, Along),
    subject: &Subject,
    size: Size,
) -> anyhow::Result<Touched> {
    let directions = if perturbation.is_directed() {
        watched(|watcher| {
            Ok(Database::of(&Study::of(subject, size, watcher), "record")?.directions())
        })?
    } else {
        vec![]
    };
    Ok(Touched { perturbation, along, directions, seed: size.seed })
}

/// The samples that take so many steps.
fn with_steps(traces: &Traces, steps: usize) -> anyhow::Result<Traces> {
    let taken = |i: usize| Steps::Own.of(traces.steps(i));
    let chosen: Vec<usize> = (0..traces.len()).filter(|&i| taken(i) == steps).collect();
    if chosen.is_empty() {
        let mut there: Vec<usize> = (0..traces.len()).map(taken).collect();
        there.sort_unstable();
        there.dedup();
        let there: Vec<String> = there.iter().map(usize::to_string).collect();
        bail!("no sample takes {steps} steps; there are some of {}", there.join(", "));
    }
    Ok(traces.select(&chosen))
}
