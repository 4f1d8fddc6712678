//! `narscope table`: test scores of many runs, algorithms by variants.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::bail;
use narscope::report::figures::tables::pictures;
use narscope::results::{Format, ScoreCollector, ShowPublished, TableOptions, format};
use narscope::study::output;

use crate::pictures::PictureOptions;
use crate::progress::{is_quiet, note};
use crate::table::SCORE;

/// Tabulate the test scores of many runs: algorithms by variants, with standard deviations, intervals and tests
///
/// Folders are searched for runs, including all subfolders; runs without test scores are skipped. A .jsonl file is
/// one that `narscope sweep collect` wrote. A .csv file has the columns algorithm, seed and `test_score`, and
/// optionally processor, decay, softmax and `train_steps`. Variants are compared with the baseline seed by seed;
/// intervals are Student's t over seeds, limited to 0-100 %.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope table runs
  narscope table runs --format latex --out table.tex
  narscope table runs --baseline softmax          compare with the column named softmax
  narscope table experiments/results/ablations/results.jsonl --figures figures
  narscope table triplet_gmpnn_per_seed.csv --format markdown")]
pub(crate) struct Table {
    /// Folders of runs, .jsonl or .csv files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, default_value = "text")]
    format: OutputFormat,
    /// File to write [default: standard output]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Folder for pictures: scores, differences from the baseline, and learning curves
    #[arg(long, value_name = "FOLDER")]
    figures: Option<PathBuf>,
    #[command(flatten)]
    pictures: PictureOptions,
    /// Column to compare the others with, by name [default: the network without changes, or the one with the most runs]
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// When to show the paper's scores: `comparable` (for networks trained as the paper's), `always` or `never`
    #[arg(long, default_value = "comparable", hide_possible_values = true)]
    published: Published,
    /// Processor of .csv files without such a column
    #[arg(long, default_value = "triplet_gmpnn")]
    processor: String,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Published {
    Comparable,
    Always,
    Never,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum OutputFormat {
    /// Aligned columns for a terminal
    Text,
    /// Markdown
    Markdown,
    /// Compact Markdown: all processors side by side, only means and numbers of seeds
    Brief,
    /// A LaTeX tabular with the rules of booktabs
    Latex,
    /// CSV, a line per cell with all its statistics
    Csv,
    /// JSON with everything
    Json,
    /// HTML
    Html,
}

impl Table {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let mut collector = ScoreCollector::default();
        for path in &self.paths {
            collector.read(path, &self.processor)?;
        }
        let collected = collector.finish()?;
        if collected.scores.is_empty() {
            let paths: Vec<String> =
                self.paths.iter().map(|path| path.display().to_string()).collect();
            bail!("no run with test scores in {}", paths.join(", "));
        }
        let format = match self.format {
            OutputFormat::Text => Format::Text,
            OutputFormat::Markdown => Format::Markdown,
            OutputFormat::Brief => Format::Brief,
            OutputFormat::Latex => Format::Latex,
            OutputFormat::Csv => Format::Csv,
            OutputFormat::Json => Format::Json,
            OutputFormat::Html => Format::Html,
        };
        let published = match self.published {
            Published::Comparable => ShowPublished::Comparable,
            Published::Always => ShowPublished::Always,
            Published::Never => ShowPublished::Never,
        };
        let tables = collected.tables(&TableOptions { baseline: self.baseline, published })?;
        if tables.iter().any(|table| table.published_left_out) {
            note(
                "the paper's scores of some networks are left out: it trained them otherwise (--published always shows them)",
            );
        }
        if let Some(folder) = &self.figures {
            let rendering = self.pictures.rendering();
            for (name, picture) in pictures(&tables, &collected.learning_curves) {
                output::write_picture(&picture, &rendering, folder, &name)?;
                let (path, extensions) = (folder.join(name), self.pictures.extensions());
                note(&format!("{}.{extensions}: {}", path.display(), picture.title));
            }
        }
        let mut text = format::write(&tables, format);
        if format == Format::Text && self.out.is_none() && !is_quiet() {
            text.extend([SCORE, ".\n"]);
        }
        match self.out {
            Some(out) => output::write_text(&out, &text)?,
            None => std::io::stdout().write_all(text.as_bytes())?,
        }
        Ok(())
    }
}
