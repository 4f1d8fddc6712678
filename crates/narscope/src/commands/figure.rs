//! `narscope figure`: pictures of what analyses found.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use narscope::analysis::analyses;
use narscope::analysis::subject::Subject;
use narscope::files::whole::{self, Existing};
use narscope::model::run::Which;
use narscope::report::figures::{self, Figure as Drawing};
use narscope::report::plot::{Look, Picture};

use crate::ask::{Asker, SizeOptions, wanted};
use crate::options::OwnOptions;

/// Draw what analyses found, as SVG and as PNG of 300 dots per inch
///
/// What has not been asked yet is asked first, as `narscope analyse` does.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope figure runs/bf                           every figure, into runs/bf/figures
  narscope figure runs/bf attractors --dark --out slides
  narscope figure runs/bf walkthrough --input roads.csv --source 2     your own graph, step by step
  narscope list analyses                            what there is to draw")]
pub(crate) struct Figure {
    /// Folder of the run
    run: PathBuf,
    /// Names of figures, which are those of analyses; all if none is given
    figures: Vec<String>,
    /// Folder to write to [default: figures in that of the run]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Which of the algorithms of the run
    #[arg(long)]
    algorithm: Option<String>,
    /// White on black
    #[arg(long)]
    dark: bool,
    #[command(flatten)]
    own: OwnOptions,
    #[command(flatten)]
    size: SizeOptions,
}

impl Figure {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { run, figures, out, algorithm, dark, own, size } = self;
        let chosen: Vec<&Drawing> = match figures.as_slice() {
            [] => figures::ALL.iter().collect(),
            names => names.iter().map(|name| figures::find(name)).collect::<Result<_, _>>()?,
        };
        let is_named = !figures.is_empty();
        let folder = out.unwrap_or_else(|| run.join("figures"));
        let subject = Subject::open(&run, Which::Best, algorithm.as_deref())?;
        let size = size.size()?;
        let asker = Asker::new(&run, &subject, size).on(own.read(size.direction)?)?;
        make(&folder)?;
        let mut drawn = vec![];
        let look = if dark { Look::Dark } else { Look::Light };
        for figure in chosen {
            let answer = asker.answer(analyses::find(figure.name)?);
            let Some(answer) = wanted(answer, is_named)? else { continue };
            for (name, picture) in figure.pictures(&answer)? {
                write(&picture, look, &folder, &name)?;
                let path = folder.join(name);
                drawn.push(format!("{}.svg, .png: {}", path.display(), picture.title));
            }
        }
        // Who reads only the first line gets all pictures nevertheless.
        let mut out = std::io::stdout().lock();
        drawn.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        Ok(())
    }
}

/// Makes a folder for pictures, if there is none.
pub(crate) fn make(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("the folder {} cannot be made", folder.display()))
}

/// Writes a picture as SVG and as PNG.
pub(crate) fn write(
    picture: &Picture,
    look: Look,
    folder: &Path,
    name: &str,
) -> anyhow::Result<()> {
    let (svg, png) = (picture.svg(look), picture.png(look)?);
    for (ending, bytes) in [("svg", svg.as_bytes()), ("png", png.as_slice())] {
        let path = folder.join(format!("{name}.{ending}"));
        whole::write(&path, Existing::Replace, |file| file.write_all(bytes))?;
    }
    Ok(())
}
