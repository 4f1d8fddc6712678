//! `narscope figure`: figures of the answers of analyses.

use std::io::Write as _;
use std::path::PathBuf;

use narscope::analysis::analysed::AnalysedModel;
use narscope::analysis::analyses;
use narscope::analysis::answers::CachedAnswers;
use narscope::model::run::Which;
use narscope::report::figures::{self, Figure as Drawing};
use narscope::results::{AnswerGroup, is_comparable, variant_name};
use narscope::study::output;

use crate::interrupt;
use crate::own::{OwnOptions, RescaleOption, UndirectedOption, describe_divisor, for_network};
use crate::pictures::PictureOptions;
use crate::sampling::{PROGRESS, SamplingOptions, if_suitable, with_progress};

/// Draw the answers of analyses, as SVG, PNG and PDF
///
/// Analyses without a cached answer run first, as with `narscope analyse`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope figure runs/bf                           # all figures, into runs/bf/figures
  narscope figure runs/bf attractors --dark --dpi 150 --picture-format png --out slides
  narscope figure runs/bf attractors --width single --picture-format pdf
  narscope figure runs/bf walkthrough --input cities.csv --source Berlin --rescale
  narscope list analyses                            # names of analyses and their figures")]
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
    #[command(flatten)]
    pictures: PictureOptions,
    #[command(flatten)]
    own: OwnOptions,
    #[command(flatten)]
    undirected: UndirectedOption,
    #[command(flatten)]
    rescale: RescaleOption,
    #[command(flatten)]
    sampling: SamplingOptions,
}

impl Figure {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { run, figures, out, algorithm, pictures, own, undirected, rescale, sampling } =
            self;
        let named: Vec<&Drawing> =
            figures.iter().map(|name| figures::find(name)).collect::<Result<_, _>>()?;
        let is_named = !figures.is_empty();
        let folder = out.unwrap_or_else(|| run.join("figures"));
        let model = AnalysedModel::open(&run, Which::Best, algorithm.as_deref())?;
        let applicable = analyses::for_algorithms(model.config().algorithms.len());
        let chosen = if is_named {
            named
        } else {
            applicable.map(|entry| figures::find(entry.name)).collect::<Result<_, _>>()?
        };
        sampling.check_own(own.is_given())?;
        let sampling = sampling.sampling()?;
        interrupt::save_before_exit();
        let entry = model.spec().entry;
        let own = own.load(entry, undirected.or(sampling.direction))?;
        let samples = match &own {
            Some(own) => for_network(own, &model, rescale)?.into_iter().map(Some).collect(),
            None => vec![None],
        };
        output::create_folder(&folder)?;
        let mut drawn = vec![];
        let (rendering, extensions) = (pictures.rendering(), pictures.extensions());
        let variant = variant_name(model.config());
        let is_one = samples.len() == 1;
        for (i, sample) in samples.into_iter().enumerate() {
            let mut answers = CachedAnswers::new(&run, &model, sampling, &PROGRESS);
            let mut suffix = String::new();
            let drawn_samples = sample.is_none().then_some(&sampling);
            if let (Some(sample), Some(own)) = (sample, &own) {
                drawn.push(own[i].describe(entry));
                drawn.extend(describe_divisor(sample.divisor));
                if !is_one {
                    suffix = format!("-{}", file_name(&sample.name));
                }
                answers = answers.with_sample(sample);
            }
            for figure in &chosen {
                let entry = analyses::find(figure.name)?;
                let answer = with_progress(|| answers.answer(entry));
                let Some(answer) = if_suitable(answer, is_named)? else { continue };
                let group = AnswerGroup {
                    variant: &variant,
                    answers: vec![(model.config().seed, &answer)],
                    is_comparable: is_comparable(figure.name, model.config(), drawn_samples),
                };
                for (name, picture) in figure.all_pictures(&group)? {
                    let name = format!("{name}{suffix}");
                    output::write_picture(&picture, &rendering, &folder, &name)?;
                    let path = folder.join(name);
                    drawn.push(format!("{}.{extensions}: {}", path.display(), picture.title));
                }
            }
        }
        // Printed at the end: a reader that closes the pipe after the first line still gets all files.
        let mut out = std::io::stdout().lock();
        drawn.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        Ok(())
    }
}

/// The name of an instance as part of a file name.
fn file_name(instance: &str) -> String {
    instance.chars().map(|it| if it.is_alphanumeric() { it } else { '-' }).collect()
}
