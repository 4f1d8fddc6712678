//! `narscope import`: make a run from weights of dm-clrs.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use narscope::files::arrays::read_arrays;
use narscope::files::shapes;
use narscope::model::generic::net::Net;
use narscope::model::run::Run;
use narscope::model::{Spec, haiku};

use crate::flags::ConfigFlags;
use crate::progress::note;

/// Make a run from the parameters of a dm-clrs model
///
/// The parameters are saved with `numpy.savez(f, **{f'{module}/{name}': array})`. The configuration
/// flags must be those that the model was created with; weights of another processor are refused, as far as
/// their names and shapes tell.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope import params.npz --algorithms bellman_ford --processor_type mpnn --out runs/theirs
  narscope evaluate runs/theirs

In Python, from a model of dm-clrs:
  flat = {f'{module}/{name}': a for module, v in model.params.items() for name, a in v.items()}
  numpy.savez('params.npz', **flat)

In Python, from the best.pkl that dm-clrs saves:
  import numpy, pickle
  params = pickle.load(open('best.pkl', 'rb'))['params']
  numpy.savez('params.npz', **{f'{m}/{k}': a for m, v in params.items() for k, a in v.items()})")]
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
        let config = flags.into_config(preset.as_deref(), &config)?;
        if is_pickle(&params) {
            let file = params.display();
            let new = params.with_extension("npz");
            let new = new.display();
            bail!(
                "{file} is a Python pickle; save its parameters as .npz with these lines of Python, where dm-clrs is installed:\n  \
                 import numpy, pickle\n  \
                 params = pickle.load(open('{file}', 'rb'))['params']\n  \
                 numpy.savez('{new}', **{{f'{{m}}/{{k}}': a for m, v in params.items() for k, a in v.items()}})\n\
                 then import {new}"
            );
        }
        let file = || params.display().to_string();
        // An array of gigabytes that belongs to no parameter is refused before it is read.
        let shapes = shapes::read(&params)?;
        let fitting = haiku::check_processor(&config, &shapes).with_context(file)?;
        let declarations = Net::declarations(&config, &Spec::all(&config)?);
        haiku::check(&declarations, &shapes).with_context(file)?;
        let weights = haiku::import(&declarations, &read_arrays(&params)?).with_context(file)?;
        if fitting.len() > 1 {
            let (file, processor) = (file(), &config.processor_type);
            note(&format!(
                "{file} does not tell {} apart, whose weights have the same names and shapes: imported as {processor}",
                fitting.join(", ")
            ));
        }
        let size = weights.values.len();
        Run::install(&out, config, weights)?;
        writeln!(std::io::stdout(), "{}: a network with {size} weights", out.display())?;
        Ok(())
    }
}

/// Whether a file starts as a pickle of Python does.
fn is_pickle(path: &Path) -> bool {
    let mut start = [0; 2];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    // The first operation names the protocol, which is at least 2 for arrays.
    read.is_ok() && start[0] == 0x80 && (2..=5).contains(&start[1])
}
