//! `narscope import`: make a run from weights of dm-clrs.

use std::io::Write as _;
use std::path::PathBuf;

use narscope::files::arrays::read_arrays;
use narscope::model::generic::net::Net;
use narscope::model::run::Run;
use narscope::model::{Spec, haiku};

use crate::flags::ConfigFlags;

/// Make a run from the parameters of a dm-clrs model
///
/// The parameters are saved with `numpy.savez(f, **{f'{module}/{name}': array})`. The configuration
/// flags must be those that the model was created with.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope import params.npz --algorithms bellman_ford --processor_type mpnn --out runs/theirs
  narscope evaluate runs/theirs

In Python, from a model of dm-clrs:
  flat = {f'{module}/{name}': a for module, v in model.params.items() for name, a in v.items()}
  numpy.savez('params.npz', **flat)")]
pub(crate) struct Import {
    /// Parameters to read: .npz
    params: PathBuf,
    /// Folder of the new run
    #[arg(long)]
    out: PathBuf,
    /// Configuration files; later files override earlier ones, flags override files
    #[arg(long, short, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// Defaults to start from: `clrs` (those of dm-clrs) or `paper` (those of the latent-space paper); files and flags override them
    #[arg(long)]
    preset: Option<String>,
    #[command(flatten)]
    flags: ConfigFlags,
}

impl Import {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { params, out, config, preset, flags } = self;
        let config = flags.into_draft(preset.as_deref(), &config)?.finish()?;
        let declarations = Net::declarations(&config, &Spec::all(&config)?);
        let weights = haiku::import(&declarations, &read_arrays(&params)?)?;
        let size = weights.values.len();
        Run::install(&out, config, weights)?;
        writeln!(std::io::stdout(), "{}: a network with {size} weights", out.display())?;
        Ok(())
    }
}
