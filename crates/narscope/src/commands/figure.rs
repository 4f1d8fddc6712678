//! `narscope figure`: figures of the answers of analyses.

use std::io::Write as _;
use std::path::PathBuf;

use narscope::analysis::analysed::AnalysedModel;
use narscope::analysis::analyses;
use narscope::analysis::answers::CachedAnswers;
use narscope::model::run::Which;
use narscope::report::figures::{self, Figure as Drawing};
use narscope::report::plot::ColourScheme;
use narscope::study::output;

use crate::interrupt;
use crate::options::OwnOptions;
use crate::sampling::{PROGRESS, SamplingOptions, if_suitable, with_progress};

/// Draw the answers of analyses, as SVG and as PNG with 300 dots per inch
///
/// Analyses without a cached answer run first, as with `narscope analyse`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope figure runs/bf                           all figures, into runs/bf/figures
  narscope figure runs/bf attractors --dark --out slides
  narscope figure runs/bf walkthrough --input roads.csv --source 2     your own graph, step by step
  narscope list analyses                            names of analyses and their figures")]
pub(crate) struct Figure {
    /// Folder of the run
    run: PathBuf,
    /// Names of figures, which are those of analyses [default: all]
    figures: Vec<String>,
    /// Folder to write to [default: figures in the folder of the run]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Algorithm to analyse, for a run of several
    #[arg(long)]
    algorithm: Option<String>,
    /// Dark background
    #[arg(long)]
    dark: bool,
    #[command(flatten)]
    own: OwnOptions,
    #[command(flatten)]
    sampling: SamplingOptions,
}

impl Figure {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { run, figures, out, algorithm, dark, own, sampling } = self;
        let chosen: Vec<&Drawing> = match figures.as_slice() {
            [] => figures::ALL.iter().collect(),
            names => names.iter().map(|name| figures::find(name)).collect::<Result<_, _>>()?,
        };
        let is_named = !figures.is_empty();
        let folder = out.unwrap_or_else(|| run.join("figures"));
        let model = AnalysedModel::open(&run, Which::Best, algorithm.as_deref())?;
        let sampling = sampling.sampling()?;
        interrupt::save_before_exit();
        let mut answers = CachedAnswers::new(&run, &model, sampling, &PROGRESS);
        if let Some((own, _)) = own.read(sampling.direction)? {
            answers = answers.with_samples(model.own(&own)?);
        }
        output::create_folder(&folder)?;
        let mut drawn = vec![];
        let scheme = if dark { ColourScheme::Dark } else { ColourScheme::Light };
        for figure in chosen {
            let entry = analyses::find(figure.name)?;
            let answer = with_progress(|| answers.answer(entry));
            let Some(answer) = if_suitable(answer, is_named)? else { continue };
            for (name, picture) in figure.pictures(&answer)? {
                output::write_picture(&picture, scheme, &folder, &name)?;
                let path = folder.join(name);
                drawn.push(format!("{}.svg, .png: {}", path.display(), picture.title));
            }
        }
        // Printed at the end: a reader that closes the pipe after the first line still gets all files.
        let mut out = std::io::stdout().lock();
        drawn.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        Ok(())
    }
}
