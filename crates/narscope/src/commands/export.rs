//! `narscope export`: weights for the reference, or for other people.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::bail;
use narscope::files::arrays::write_arrays;
use narscope::files::whole::{self, Existing};
use narscope::model::run::Run;
use narscope::model::weights::Weights;

use crate::options;

/// Write a network's weights as the reference's parameters, or as a run to hand on
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope export runs/bf --out params.npz
  narscope export runs/bf --out weights/bf       a folder with nothing but what using it takes

In Python, for a model of dm-clrs:
  params = {}
  for key, value in numpy.load('params.npz').items():
      module, name = key.rsplit('/', 1)
      params.setdefault(module, {})[name] = value
  model.params = params")]
pub(crate) struct Export {
    /// Folder of the run
    run: PathBuf,
    /// File to write: .npz, or a folder to make
    #[arg(long)]
    out: PathBuf,
    /// Which checkpoint: best or last
    #[arg(long, default_value = "best", value_parser = ["best", "last"])]
    checkpoint: String,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

impl Export {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { run, out, checkpoint, force } = self;
        let existing = if force { Existing::Replace } else { Existing::Keep };
        let which = options::checkpoint(&checkpoint);
        let run = Run::open(&run)?;
        let ending = out.extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
        if ending != "npz" {
            // The name of a folder may have a number behind a dot.
            let is_kind = ending.chars().all(char::is_alphabetic) && !ending.is_empty();
            if is_kind {
                bail!("a file name that ends in .npz or a folder is needed, got {}", out.display());
            }
            if force && out.exists() {
                bail!("--force replaces files only: remove the folder {} first", out.display());
            }
            run.export(which, &out)?;
            writeln!(std::io::stdout(), "{}: weights and configuration", out.display())?;
            return Ok(());
        }
        whole::check(&out, existing)?;
        let weights = run.checkpoint(which)?.weights;
        write(&weights, &out, existing)?;
        let (count, size) = (weights.parameters.len(), weights.values.len());
        writeln!(std::io::stdout(), "{}: {count} parameters, {size} numbers", out.display())?;
        Ok(())
    }
}

/// Writes weights under the reference's names.
pub(crate) fn write(weights: &Weights, path: &Path, existing: Existing) -> anyhow::Result<()> {
    let named = weights
        .iter()
        .map(|(parameter, values)| (parameter.haiku.clone(), parameter.shape.as_slice(), values));
    Ok(write_arrays(path, existing, named)?)
}
