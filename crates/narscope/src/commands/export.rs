//! `narscope export`: weights for dm-clrs, or a small run folder to share.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::bail;
use narscope::files::arrays::write_arrays;
use narscope::files::atomic::{self, Existing};
use narscope::model::config::Config;
use narscope::model::generic::net::Net;
use narscope::model::run::Run;
use narscope::model::{Spec, Weights, haiku};

use crate::options;

/// Export a network's weights: as parameters of dm-clrs, or as a small run folder to share
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope export runs/bf --out params.npz
  narscope export runs/bf --out weights/bf       # weights, configuration and test scores only

In Python, for a model of dm-clrs:
  params = {}
  for key, value in numpy.load('params.npz').items():
      module, name = key.rsplit('/', 1)
      params.setdefault(module, {})[name] = value
  model.params = params")]
pub(crate) struct Export {
    /// Folder of the run
    run: PathBuf,
    /// File to write (.npz, parameters of dm-clrs), or a new folder
    #[arg(long)]
    out: PathBuf,
    /// Checkpoint: best (highest validation score) or last
    #[arg(long, default_value = "best", value_parser = ["best", "last"])]
    checkpoint: String,
    /// For a folder: weights in half precision, half the bytes
    #[arg(long)]
    half: bool,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

impl Export {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { run, out, checkpoint, half, force } = self;
        let existing = if force { Existing::Replace } else { Existing::Keep };
        let which = options::checkpoint(&checkpoint);
        let run = Run::open(&run)?;
        let ending = out.extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
        if ending != "npz" {
            // A folder name may contain a version number: only letters are a file type.
            let is_file_type = ending.chars().all(char::is_alphabetic) && !ending.is_empty();
            if is_file_type {
                bail!("expected a file name ending in .npz, or a folder, found {}", out.display());
            }
            if force && out.exists() {
                bail!(
                    "--force overwrites files, not folders; remove the folder {} first",
                    out.display()
                );
            }
            run.export(which, half, &out)?;
            writeln!(std::io::stdout(), "{}: weights and configuration", out.display())?;
            return Ok(());
        }
        if half {
            bail!("--half is for folders; dm-clrs reads parameters in single precision");
        }
        atomic::check(&out, existing)?;
        let weights = run.checkpoint(which)?.weights;
        write(&run.config, &weights, &out, existing)?;
        let (count, size) = (weights.parameters.len(), weights.values.len());
        writeln!(std::io::stdout(), "{}: {count} arrays, {size} weights", out.display())?;
        Ok(())
    }
}

/// Writes weights under the names that dm-clrs gives them.
pub(crate) fn write(
    config: &Config,
    weights: &Weights,
    path: &Path,
    existing: Existing,
) -> anyhow::Result<()> {
    let declarations = Net::declarations(config, &Spec::all(config)?);
    Ok(write_arrays(path, existing, haiku::export(&declarations, weights))?)
}
