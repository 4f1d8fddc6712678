//! `narscope predict`: predictions for samples of a file, or for instances of the user.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use narscope::analysis::analysed::AnalysedModel;
use narscope::analysis::own::OwnSample;
use narscope::analysis::prediction::Prediction;
use narscope::analysis::recording::{KeptLogits, Settings};
use narscope::clrs::algorithms::Entry;
use narscope::clrs::batch::Batch;
use narscope::clrs::options::Direction;
use narscope::clrs::probe::{Kind, Stage};
use narscope::files::atomic::{self, Existing};
use narscope::files::checksum;
use narscope::files::samples;
use narscope::model::config::Config;
use narscope::model::engines::loss_and_gradient;
use narscope::model::generic::net::Net;
use narscope::model::optimise::{Adam, Update, norm};
use narscope::model::pooling::Pooling;
use narscope::model::rollout::Stochastic;
use narscope::model::spec::{check_precision, convert};

use super::record::{check_extension, own_metadata, write};
use crate::own::{
    Own, OwnMetadata, OwnOptions, RescaleOption, UndirectedOption, check_file, counted,
    describe_divisor, describe_file_divisor, for_network, together,
};
use crate::{answer, options};

/// Run a network on samples from a file, or on your own instances
///
/// With --input and without --out, prints what the network predicts for your own instances, beside the answer of the
/// algorithm, node by node. With --out, writes arrays. Their first axis is the sample, the second of arrays over time
/// the step of the network: `predicted/output/PROBE` at each sample's last step and `predicted/hint/PROBE` after every
/// step, in the encoding of the true values, which are there too (`input/…`, `hint/…`, `output/…`);
/// `logits/…`, the same before a decision is made; `lengths` (number of hints), `steps` (of the
/// network) and `score`. With flags also `hidden`, the hidden states, and losses as in training but
/// without dropout and noise. Everything after a sample's last step is zero. After an interruption,
/// the same command continues. docs/files.md describes all files.
#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
#[command(after_help = "Examples:
  narscope sample bellman_ford --length 16 --num 8 --seed 1 --out batch.npz
  narscope predict runs/bf --in batch.npz --out predictions.npz --hidden --loss
  narscope examples cities.csv                  # write a road map that comes with the program
  narscope predict runs/bf --input cities.csv --source Berlin --rescale

In Python:
  p = numpy.load('predictions.npz'); p['score'], p['hidden'].shape
  (p['predicted/output/pi'] == p['output/pi']).mean(), p['logits/output/pi'].argmax(-1)")]
pub(crate) struct Predict {
    /// Folder of the run
    run: PathBuf,
    /// Samples to read: .npz, .safetensors or .jsonl, as `narscope sample` writes them, or the arrays of dm-clrs
    #[arg(long, value_name = "FILE", required_unless_present = "input", conflicts_with = "input")]
    r#in: Option<PathBuf>,
    #[command(flatten)]
    own: OwnOptions,
    /// Read each edge of --input in one direction
    #[arg(long, requires = "input")]
    directed: bool,
    #[command(flatten)]
    undirected: UndirectedOption,
    #[command(flatten)]
    rescale: RescaleOption,
    /// Print the predictions for --input as JSON, one line per instance
    #[arg(long, requires = "input", conflicts_with = "out")]
    json: bool,
    /// File to write: .npz or .safetensors
    #[arg(long, required_unless_present = "input")]
    out: Option<PathBuf>,
    /// Algorithm of the samples; needed if the run has several
    #[arg(long)]
    algorithm: Option<String>,
    /// Checkpoint: best (highest validation score) or last
    #[arg(long, default_value = "best", value_parser = ["best", "last"])]
    checkpoint: String,
    /// Also write hidden states: `hidden`
    #[arg(long, requires = "out")]
    hidden: bool,
    /// Also write the raw outputs of every step: `logits/output_steps/PROBE`
    #[arg(long, alias = "all_steps", requires = "out")]
    all_steps: bool,
    /// Also write losses: `loss`, `loss/output/PROBE`, `loss/hint/PROBE`
    #[arg(long, requires = "out")]
    loss: bool,
    /// Also make one update with a fresh optimiser on these samples, and write the new weights under
    /// the names of dm-clrs
    #[arg(long, value_name = "PARAMS.npz", requires = "out")]
    updated: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

impl Predict {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { run, r#in, out, algorithm, checkpoint, .. } = self;
        let existing = if self.force { Existing::Replace } else { Existing::Keep };
        out.iter().try_for_each(|out| check_extension(out))?;
        if let Some(file) = self.updated.as_ref().filter(|file| !has_ending(file, "npz")) {
            bail!("expected a file name ending in .npz, found {}", file.display());
        }
        for file in out.iter().chain(&self.updated) {
            atomic::check(file, existing)?;
        }
        if let (Some(out), Some(updated)) = (&out, &self.updated)
            && is_same_file(updated, out)
        {
            bail!("--out and --updated name the same file, {}; choose two names", out.display());
        }
        let which = options::checkpoint(&checkpoint);
        let model = AnalysedModel::open(&run, which, algorithm.as_deref())?;
        let entry = model.spec().entry;
        let direction = self.undirected.or(self.directed.then_some(Direction::Directed));
        let own = self.own.load(entry, direction)?;
        let given = own.as_ref().map(|own| for_network(own, &model, self.rescale)).transpose()?;
        let own: Vec<(Own, OwnSample)> =
            own.into_iter().flatten().zip(given.into_iter().flatten()).collect();
        let Some(out) = out else { return print_own(&model, &own, self.json) };
        let (config, task) = (model.config(), model.task());

        let (batch, about) = if let Some(file) = r#in {
            let (batch, about) = samples::read_with_metadata(&file, entry)?;
            let batch = convert_samples(batch, config)
                .with_context(|| format!("{} does not fit this network", file.display()))?;
            check_file(&file.display().to_string(), &batch.traces, &about, &model)?;
            // The checksum, so that an interrupted command continues with the same samples only.
            let sha256 = checksum::of_file(&file)?.1;
            let source = serde_json::json!({ "file": file, "sha256": sha256 });
            let (names, directed) = (about.names, about.directed);
            (batch, OwnMetadata { source, names, directed })
        } else {
            let traces = together(own.iter().map(|(own, it)| (own.name(), &it.traces)))?;
            let given: Vec<OwnSample> = own.iter().map(|(_, it)| it.clone()).collect();
            let about = own_metadata(&given, traces.nodes);
            (Batch::new(traces, 0), about)
        };
        let traces = &batch.traces;
        let mut losses = vec![];
        if self.loss || self.updated.is_some() {
            let stochastic = Stochastic {
                teacher_forcing: config.hint_teacher_forcing,
                dropout: 0.0,
                gumbel_noise: false,
                seed: config.seed,
                update: 0,
            };
            let gradient = loss_and_gradient(task, traces, stochastic)?;
            if self.loss {
                losses.push(("loss".to_owned(), gradient.losses.total as f32));
                let of_probes = gradient.losses.probes.iter();
                losses
                    .extend(of_probes.map(|(probe, loss)| (format!("loss/{probe}"), *loss as f32)));
            }
            if let Some(path) = &self.updated {
                let mut weights = task.model().weights().clone();
                let update = Update::of(config, task.index());
                let mut adam = Adam::new(weights.values.len());
                let norm = norm(&gradient.values);
                let declarations = Net::declarations(config, task.model().specs());
                adam.update(&declarations, &mut weights.values, &gradient.values, norm, &update);
                super::export::write(config, &weights, path, existing)?;
            }
        }
        let settings = Settings {
            source: Some(about.source),
            names: about.names,
            directed: about.directed,
            hidden: self.hidden.then_some(Pooling::All),
            logits: if self.all_steps { KeptLogits::EveryStep } else { KeptLogits::AtEnd },
            losses,
            ..Settings::default()
        };
        write(&out, existing, &model, traces, &settings)?;
        print_descriptions(&own, entry, describe_file_divisor)?;
        let (samples, nodes) = (counted(traces.len(), "sample"), traces.nodes);
        writeln!(std::io::stdout(), "{}: {samples} of {nodes} nodes", out.display())?;
        Ok(())
    }
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found == ending)
}

/// Whether two paths name the same file, which need not exist.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let resolved = |path: &Path| {
        (atomic::parent_folder(path).canonicalize().ok(), path.file_name().map(OsStr::to_owned))
    };
    resolved(a) == resolved(b)
}

/// Says what each instance was read as, and what `describe_divisor` says about its divisor.
fn print_descriptions(
    own: &[(Own, OwnSample)],
    entry: &Entry,
    describe_divisor: fn(f64) -> Option<String>,
) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    for (own, sample) in own {
        writeln!(out, "{}", own.describe(entry))?;
        if let Some(divided) = describe_divisor(sample.divisor) {
            writeln!(out, "{divided}")?;
        }
    }
    Ok(())
}

/// Prints what the network predicts for each instance.
fn print_own(model: &AnalysedModel, own: &[(Own, OwnSample)], json: bool) -> anyhow::Result<()> {
    // All are made before the first is printed.
    let predictions = own.iter().map(|(_, sample)| Prediction::new(model, sample));
    let predictions: Vec<Prediction> = predictions.collect::<Result<_, _>>()?;
    for (i, prediction) in predictions.iter().enumerate() {
        if json {
            let mut out = std::io::stdout().lock();
            serde_json::to_writer(&mut out, prediction)?;
            writeln!(out)?;
            continue;
        }
        if i > 0 {
            writeln!(std::io::stdout())?;
        }
        print_descriptions(&own[i..=i], model.spec().entry, describe_divisor)?;
        answer::write_prediction(prediction, &mut std::io::stdout().lock())?;
    }
    Ok(())
}

/// Applies the conversions of the network's configuration, unless the file already has them.
fn convert_samples(batch: Batch, config: &Config) -> anyhow::Result<Batch> {
    let Batch { mut traces, steps } = batch;
    let permuted = traces.probes.iter().any(|probe| probe.kind == Kind::PermutationPointer);
    if permuted && !config.enforce_permutations {
        bail!(
            "the file has permutation pointers, but the network was trained with --enforce_permutations false"
        );
    }
    if traces.find(Stage::Input, "pred").is_some() && !config.enforce_pred_as_input {
        bail!(
            "the file has the input `pred`, but the network was trained with --enforce_pred_as_input false"
        );
    }
    check_precision(&traces)?;
    convert(&mut traces, config)?;
    Ok(Batch { traces, steps })
}
