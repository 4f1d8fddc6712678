//! `narscope record`: write the hidden states of a network, step by step, to a file.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::bail;
use narscope::analysis::analysed::AnalysedModel;
use narscope::analysis::context::Context;
use narscope::analysis::directions::Clusters;
use narscope::analysis::hooks::{Along, Directions, Perturbation};
use narscope::analysis::own::OwnSample;
use narscope::analysis::recording::{self, Perturbed, Settings};
use narscope::analysis::{Protocol, Sampling};
use narscope::clrs::options::OptionName;
use narscope::clrs::trace::Traces;
use narscope::files::atomic::{self, Existing};
use narscope::model::pooling::Pooling;
use narscope::model::rollout::Steps;

use crate::interrupt;
use crate::options::{self, SamplerOptions};
use crate::own::{
    OwnMetadata, OwnOptions, RescaleOption, counted, describe_file_divisor, for_network, together,
};
use crate::progress::{Progress, note};
use crate::sampling::{PROGRESS, with_progress};

/// Run a network on new samples and record its hidden states, predictions and scores
///
/// The first axis of every array is the sample: `hidden` (hidden states after each step), `steps` (of
/// the network), `score`, `input/…`, `hint/…`, `output/…` and `lengths` as `narscope sample` writes
/// them, `predicted/hint/…`, `predicted/output/…` in the same encoding, and `cluster` (the base graph
/// of a sample) with a symmetry in --family. The file is written batch by batch and may be larger than
/// memory. After an interruption, the same command continues it. docs/files.md describes all files.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope record runs/bf --num 1000 --out random.safetensors
  narscope record runs/bf --family reweight --classes 8 --num 800 --out clusters.safetensors
  narscope record runs/bf --num 16384 --steps 6 --over-nodes all --out everything.safetensors
  narscope record runs/bf --perturb out:mean --out out.safetensors
  narscope record runs/bf --input cities.csv --rescale --out cities.safetensors

In Python:
  from safetensors.numpy import load_file
  r = load_file('random.safetensors'); r['hidden'].shape, r['score'].mean()
  (r['predicted/output/pi'] == r['output/pi']).mean()")]
pub(crate) struct Record {
    /// Folder of the run
    run: PathBuf,
    /// File to write: .safetensors or .npz
    #[arg(long)]
    out: PathBuf,
    /// Algorithm to record; needed if the run has several
    #[arg(long)]
    algorithm: Option<String>,
    /// Checkpoint: best (highest validation score) or last
    #[arg(long, default_value = "best", value_parser = ["best", "last"])]
    checkpoint: String,
    /// Number of samples to draw
    #[arg(long, alias = "num_samples", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "input")]
    num: u32,
    /// Size of each sample
    #[arg(long, default_value_t = 64, conflicts_with = "input")]
    length: usize,
    /// Seed of the samples
    #[arg(long, default_value_t = 1, conflicts_with = "input")]
    seed: u32,
    #[command(flatten)]
    own: OwnOptions,
    #[command(flatten)]
    rescale: RescaleOption,
    /// Keep only samples on which the algorithm takes this many steps
    #[arg(long)]
    steps: Option<usize>,
    /// How hidden states are pooled over nodes
    #[arg(long, alias = "over_nodes", default_value = "max")]
    over_nodes: OverNodes,
    /// Perturb hidden states after every step: random, corrupt, or, along the directions of the nearest cluster of
    /// reweighted graphs, directional, out, onto (append :mean for the mean directions of all clusters)
    #[arg(long, value_name = "HOW", value_parser = perturbation)]
    perturb: Option<(Perturbation, Along)>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    options: SamplerOptions,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum OverNodes {
    /// Maximum of each channel
    Max,
    /// Mean of each channel
    Mean,
    /// Minimum of each channel
    Min,
    /// No pooling: the states of all nodes
    All,
}

impl Record {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { run, out, algorithm, checkpoint, num, length, seed, steps, .. } = self;
        let existing = if self.force { Existing::Replace } else { Existing::Keep };
        atomic::check(&out, existing)?;
        check_extension(&out)?;
        let which = options::checkpoint(&checkpoint);
        let model = AnalysedModel::open(&run, which, algorithm.as_deref())?;
        let entry = model.spec().entry;
        self.own.check_sampler(&self.options.clone().unchecked())?;
        let options = self.options.into_options(entry);
        let own = self.own.load(entry, options.direction)?;
        let given = own.as_ref().map(|own| for_network(own, &model, self.rescale)).transpose()?;
        let traces = match &given {
            Some(given) => together(given.iter().map(|it| (it.name.clone(), &it.traces)))?,
            None => model.draw(length, &options, seed, num as usize)?,
        };
        let length = if given.is_some() { traces.nodes } else { length };
        let traces = match steps {
            Some(steps) => with_steps(&traces, steps)?,
            None => traces,
        };
        let kept = match self.over_nodes {
            OverNodes::Max => Pooling::Max,
            OverNodes::Mean => Pooling::Mean,
            OverNodes::Min => Pooling::Min,
            OverNodes::All => Pooling::All,
        };
        let about = given.as_ref().map(|given| own_metadata(given, traces.nodes));
        let OwnMetadata { source, names, directed } = about.unwrap_or_else(|| OwnMetadata {
            source: serde_json::json!({
                "num": num, "length": length, "seed": seed, "steps": steps, "options": options,
            }),
            names: None,
            directed: None,
        });
        let takes_family = !model.spec().entry.ignored(&options).contains(&OptionName::Family);
        let has_symmetry = options.has_symmetry() && takes_family;
        let settings = Settings {
            source: Some(source),
            names,
            directed,
            hidden: Some(kept),
            // Classes alternate only in an unfiltered list of samples.
            classes: (has_symmetry && steps.is_none()).then(|| options.classes.unwrap_or(1)),
            perturbed: self
                .perturb
                .map(|how| {
                    let direction = options.direction;
                    let sampling = Sampling { length, seed, direction, ..Sampling::QUICK };
                    perturbed(how, &model, sampling)
                })
                .transpose()?,
            ..Settings::default()
        };

        write(&out, existing, &model, &traces, &settings)?;
        let mut stdout = std::io::stdout().lock();
        for (own, given) in own.iter().flatten().zip(given.iter().flatten()) {
            writeln!(stdout, "{}", own.describe(entry))?;
            if let Some(divided) = describe_file_divisor(given.divisor) {
                writeln!(stdout, "{divided}")?;
            }
        }
        let (samples, nodes) = (counted(traces.len(), "sample"), traces.nodes);
        writeln!(stdout, "{}: {samples} of {nodes} nodes", out.display())?;
        Ok(())
    }
}

/// Refuses names of files that are not arrays.
pub(super) fn check_extension(out: &Path) -> anyhow::Result<()> {
    if out.extension().is_none_or(|ending| ending != "npz" && ending != "safetensors") {
        bail!("expected a file name ending in .npz or .safetensors, found {}", out.display());
    }
    Ok(())
}

/// Runs a network on samples and writes what it does; exits if the user interrupts it.
pub(super) fn write(
    out: &Path,
    existing: Existing,
    model: &AnalysedModel,
    traces: &Traces,
    settings: &Settings,
) -> anyhow::Result<()> {
    interrupt::save_before_exit();
    let progress = Progress::new("samples", traces.len());
    let mut is_started = false;
    recording::write(out, existing, model, traces, settings, &mut |samples| {
        if is_started {
            progress.advance(samples);
        } else {
            progress.start_at(samples);
            is_started = true;
        }
        !interrupt::is_requested()
    })
    .inspect_err(|error| {
        if let narscope::analysis::Error::Interrupted = error {
            note(&format!(
                "{} is incomplete; run the same command again to continue",
                out.display()
            ));
            std::process::exit(interrupt::EXIT_CODE);
        }
    })?;
    Ok(())
}

/// What a file says about samples of the user.
pub(super) fn own_metadata(samples: &[OwnSample], nodes: usize) -> OwnMetadata {
    let all: Vec<_> = samples.iter().map(|it| (it.name.clone(), &it.reading, it.divisor)).collect();
    OwnMetadata::new(&all, nodes)
}

/// Parses `NAME` or `NAME:DIRECTION`.
fn perturbation(text: &str) -> Result<(Perturbation, Along), String> {
    let (name, along) = text.split_once(':').unwrap_or((text, Along::Closest.name()));
    let along = Along::ALL.into_iter().find(|it| it.name() == along);
    let found = Perturbation::find(name).zip(along);
    found.ok_or_else(|| {
        let names = Perturbation::ALL.map(Perturbation::name).join(", ");
        format!("expected one of {names}, optionally followed by :closest or :mean")
    })
}

/// The perturbation of the recording as stated, with directions from clusters of reweighted graphs.
fn perturbed(
    (perturbation, along): (Perturbation, Along),
    model: &AnalysedModel,
    sampling: Sampling,
) -> anyhow::Result<Perturbed> {
    let directions = if perturbation.is_directed() {
        with_progress(|| {
            let context = Context::new(model, sampling, &PROGRESS);
            Ok(Clusters::of(&context, "record", Protocol::AsStated)?.directions)
        })?
    } else {
        Directions::none(Protocol::AsStated, sampling.components())
    };
    Ok(Perturbed { perturbation, along, directions, seed: sampling.seed })
}

/// Selects the samples on which the algorithm takes `steps` steps.
fn with_steps(traces: &Traces, steps: usize) -> anyhow::Result<Traces> {
    let taken = |i: usize| Steps::Own.of(traces.steps(i));
    let selected: Vec<usize> = (0..traces.len()).filter(|&i| taken(i) == steps).collect();
    if selected.is_empty() {
        let mut found: Vec<usize> = (0..traces.len()).map(taken).collect();
        found.sort_unstable();
        found.dedup();
        let found: Vec<String> = found.iter().map(usize::to_string).collect();
        bail!("no sample takes {steps} steps; the samples take {}", found.join(", "));
    }
    Ok(traces.select(&selected))
}
