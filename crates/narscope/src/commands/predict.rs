//! `narscope predict`: predictions for samples of a file, as arrays.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use narscope::clrs::batch::Batch;
use narscope::clrs::column::Column;
use narscope::clrs::probe::{Kind, Stage};
use narscope::clrs::trace::Traces;
use narscope::files::arrays::write_arrays;
use narscope::files::atomic::{self, Existing};
use narscope::files::samples;
use narscope::model::config::Config;
use narscope::model::engines::loss_and_gradient;
use narscope::model::generic::net::Net;
use narscope::model::optimise::{Adam, Update, norm};
use narscope::model::predict::{Array, PredictOptions};
use narscope::model::rollout::Stochastic;
use narscope::model::spec::convert;
use narscope::model::{Model, OpenModel as _};

use crate::options;

/// Run a network on samples from a file and write its predictions as arrays
///
/// Predictions are raw (logits): `output/PROBE` at each sample's last step, `hint/PROBE` at every
/// step. With flags also `hidden`, the hidden states (zero after a sample's last step), and losses
/// as in training but without dropout and noise.
#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
#[command(after_help = "Examples:
  narscope sample bellman_ford --length 16 --num 8 --seed 1 --out batch.npz
  narscope predict runs/bf --in batch.npz --out predictions.npz --hidden --loss

In Python:
  p = numpy.load('predictions.npz'); p['output/pi'].argmax(-1), p['hidden'].shape")]
pub(crate) struct Predict {
    /// Folder of the run
    run: PathBuf,
    /// Samples to read: .npz, .safetensors or .jsonl, as `narscope sample` writes them
    #[arg(long, value_name = "FILE")]
    r#in: PathBuf,
    /// File to write: .npz
    #[arg(long)]
    out: PathBuf,
    /// Algorithm of the samples; needed if the run has several
    #[arg(long)]
    algorithm: Option<String>,
    /// Checkpoint: best (highest validation score) or last
    #[arg(long, default_value = "best", value_parser = ["best", "last"])]
    checkpoint: String,
    /// Also write hidden states: `hidden`
    #[arg(long)]
    hidden: bool,
    /// Also write the outputs of every step: `output_steps/PROBE`
    #[arg(long, alias = "all_steps")]
    all_steps: bool,
    /// Also write losses: `loss`, `loss/output/PROBE`, `loss/hint/PROBE`
    #[arg(long)]
    loss: bool,
    /// Also make one update with a fresh optimiser on these samples, and write the new weights under
    /// the names of dm-clrs
    #[arg(long, value_name = "PARAMS.npz")]
    updated: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

impl Predict {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { run, r#in, out, algorithm, checkpoint, .. } = &self;
        let existing = if self.force { Existing::Replace } else { Existing::Keep };
        for file in std::iter::once(out).chain(&self.updated) {
            if file.extension().is_none_or(|ending| ending != "npz") {
                bail!("expected a file name ending in .npz, found {}", file.display());
            }
            atomic::check(file, existing)?;
        }
        if self.updated.as_ref().is_some_and(|updated| is_same_file(updated, out)) {
            bail!("--out and --updated name the same file, {}; choose two names", out.display());
        }
        let model = Model::open(run, options::checkpoint(checkpoint))?;
        let (config, task) = (model.config(), model.task_or_only(algorithm.as_deref())?);

        let batch = samples::read(r#in, task.spec().entry)?;
        let steps = batch.steps.saturating_sub(1).max(1);
        let batch = convert_samples(batch, config)
            .with_context(|| format!("{} does not fit this network", r#in.display()))?;
        let traces = &batch.traces;

        let options = PredictOptions { hidden: self.hidden, all_steps: self.all_steps };
        let mut arrays = task.predict(traces, steps, options)?;
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
                let scalar = |value: f64| Array { shape: vec![], data: vec![value as f32] };
                arrays.push(("loss".to_owned(), scalar(gradient.losses.total)));
                for (probe, loss) in &gradient.losses.probes {
                    arrays.push((format!("loss/{probe}"), scalar(*loss)));
                }
            }
            if let Some(path) = &self.updated {
                let mut weights = model.weights().clone();
                let update = Update::of(config, task.index());
                let mut adam = Adam::new(weights.values.len());
                let norm = norm(&gradient.values);
                let declarations = Net::declarations(config, model.specs());
                adam.update(&declarations, &mut weights.values, &gradient.values, norm, &update);
                super::export::write(config, &weights, path, existing)?;
            }
        }
        let named = arrays
            .iter()
            .map(|(name, array)| (name.clone(), array.shape.as_slice(), array.data.as_slice()));
        write_arrays(out, existing, named)?;
        let (samples, nodes) = (traces.len(), traces.nodes);
        writeln!(
            std::io::stdout(),
            "{}: {} arrays for {samples} samples of {nodes} nodes",
            out.display(),
            arrays.len()
        )?;
        Ok(())
    }
}

/// Whether two paths name the same file, which need not exist.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let resolved = |path: &Path| {
        (atomic::parent_folder(path).canonicalize().ok(), path.file_name().map(OsStr::to_owned))
    };
    resolved(a) == resolved(b)
}

/// Rejects values that overflow single precision, in which networks compute.
fn check_precision(traces: &Traces) -> anyhow::Result<()> {
    for (probe, column) in traces.probes.iter().zip(&traces.columns) {
        let Column::Real(records) = column else { continue };
        let unpacked = records.unpacked();
        if let Some(x) = unpacked.plain().iter().find(|x| !(**x as f32).is_finite()) {
            bail!("{} should have values of at most {:e}, found {x:e}", probe.name, f32::MAX);
        }
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
