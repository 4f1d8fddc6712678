//! `narscope compare`: runs next to each other.

use std::io::Write as _;
use std::path::PathBuf;

use narscope::report::figures::compare::pictures;
use narscope::study::{self, CompareOptions, compare_runs, output};

use crate::pictures::PictureOptions;
use crate::progress::note;
use crate::sampling::PROGRESS;
use crate::{interrupt, options, table};

/// Compare runs: configuration, learning curves, test scores and hidden states
///
/// All runs are tested on the same samples of the benchmark, and compared with the first. Variants that have
/// two or more seeds in common are paired by seed; single runs are paired by sample, which says how sure the
/// difference of these two networks is, not that of other seeds. Hidden states are compared on the same
/// random samples by linear CKA, which is 1 for states that are equal up to rotation and scale; debiased CKA and
/// RSA stand beside those of untrained networks of the same configurations. The runs need an algorithm in
/// common; their processors may differ.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope compare runs/bf runs/bf-decay                      # two runs, paired by sample
  narscope compare runs/bf-4? runs/bf-decay-4?                # two variants, paired by seed
  narscope compare runs/mpnn runs/pgn --out comparison        # also as JSON and pictures
  narscope compare runs/bf runs/bf-decay --json")]
pub(crate) struct Compare {
    /// Folders of runs; the others are compared with the first
    #[arg(required = true, value_name = "RUN", num_args = 2..)]
    runs: Vec<PathBuf>,
    /// Algorithm, for runs with several in common
    #[arg(long)]
    algorithm: Option<String>,
    /// Checkpoint: best (highest validation score) or last
    #[arg(long, default_value = "best", value_parser = ["best", "last"])]
    checkpoint: String,
    /// Number of random samples whose hidden states are compared
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(2..=65536))]
    graphs: u32,
    /// Number of nodes of these samples
    #[arg(long, default_value_t = 64)]
    length: usize,
    /// Seed of these samples
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Folder for comparison.json and pictures: learning curves, scores, similarity, estimates, trajectories
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pictures: PictureOptions,
}

impl Compare {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let options = CompareOptions {
            algorithm: self.algorithm,
            checkpoint: options::checkpoint(&self.checkpoint),
            samples: self.graphs as usize,
            nodes: self.length,
            seed: self.seed,
        };
        let compared = compare_runs(&self.runs, &options, &PROGRESS);
        PROGRESS.clear();
        let comparison = match compared {
            Err(study::Error::Interrupted) => std::process::exit(interrupt::EXIT_CODE),
            compared => compared?,
        };
        let json = serde_json::to_string_pretty(&comparison)? + "\n";
        if let Some(folder) = &self.out {
            output::create_folder(folder)?;
            let file = folder.join("comparison.json");
            output::write_text(&file, &json)?;
            note(&format!("{}", file.display()));
            let (rendering, extensions) = (self.pictures.rendering(), self.pictures.extensions());
            for (name, picture) in pictures(&comparison) {
                output::write_picture(&picture, &rendering, folder, &name)?;
                let path = folder.join(name);
                note(&format!("{}.{extensions}: {}", path.display(), picture.title));
            }
        }
        let mut out = std::io::stdout().lock();
        if self.json {
            out.write_all(json.as_bytes())?;
            return Ok(());
        }
        out.write_all(comparison.text().as_bytes())?;
        Ok(table::definitions(&mut out)?)
    }
}
