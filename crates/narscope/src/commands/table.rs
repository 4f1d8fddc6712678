//! `narscope table`: scores of many runs, algorithms by variants.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use narscope::files::whole::{self, Existing};
use narscope::report::figures::tables::pictures;
use narscope::report::plot::Look;
use narscope::results::{CollectedScores, Format, ScoreCollector, format, tables};

use crate::progress::note;

/// Put the test scores of many runs into a table: algorithms by variants, with spread, intervals and tests
///
/// Runs are found in folders, however deep; those without test scores are not done and left out. A .jsonl
/// file is what `narscope sweep collect` kept. A .csv file has columns algorithm, seed and `test_score`, and,
/// where they matter, processor, decay, softmax and `train_steps`. A variant is compared with the baseline
/// seed by seed.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope table runs
  narscope table runs --format latex --out table.tex
  narscope table experiments/results/ablations/results.jsonl --figures figures
  narscope table triplet_gmpnn_per_seed.csv --format markdown")]
pub(crate) struct Table {
    /// Folders of runs, .jsonl or .csv files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What to write
    #[arg(long, default_value = "text")]
    format: As,
    /// File to write [default: standard output]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Folder for pictures of it: scores, differences from the baseline, and how networks learned
    #[arg(long, value_name = "FOLDER")]
    figures: Option<PathBuf>,
    /// Pictures that are white on black
    #[arg(long, requires = "figures")]
    dark: bool,
    /// The processor of .csv files without such a column
    #[arg(long, default_value = "triplet_gmpnn")]
    processor: String,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum As {
    /// Columns for a terminal
    Text,
    /// For a README
    Markdown,
    /// For a README with little room: all processors side by side, means and numbers of seeds alone
    Brief,
    /// For a paper, with the rules of booktabs
    Latex,
    /// A line per cell, with everything that is known of it
    Csv,
    /// Everything
    Json,
    /// For a page
    Html,
}

impl Table {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let mut found = ScoreCollector::default();
        for path in &self.paths {
            found.read(path, &self.processor)?;
        }
        let CollectedScores { scores, learning_curves, mut baselines } = found.finish()?;
        if scores.is_empty() {
            let paths: Vec<String> =
                self.paths.iter().map(|path| path.display().to_string()).collect();
            bail!("no run with test scores in {}", paths.join(", "));
        }
        let format = match self.format {
            As::Text => Format::Text,
            As::Markdown => Format::Markdown,
            As::Brief => Format::Brief,
            As::Latex => Format::Latex,
            As::Csv => Format::Csv,
            As::Json => Format::Json,
            As::Html => Format::Html,
        };
        let mut tables = tables(&scores);
        for table in &mut tables {
            table.baseline = baselines.remove(&table.processor);
        }
        if let Some(folder) = &self.figures {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
            let look = if self.dark { Look::Dark } else { Look::Light };
            for (name, picture) in pictures(&tables, &learning_curves) {
                narscope::study::output::write_picture(&picture, look, folder, &name)?;
                note(&format!("{}.svg, .png: {}", folder.join(name).display(), picture.title));
            }
        }
        let text = format::write(&tables, format);
        match self.out {
            Some(out) => {
                whole::write(&out, Existing::Replace, |file| file.write_all(text.as_bytes()))?;
            }
            None => std::io::stdout().write_all(text.as_bytes())?,
        }
        Ok(())
    }
}
