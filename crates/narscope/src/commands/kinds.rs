//! `narscope kinds`: do networks that differ in their seeds learn different algorithms?

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::bail;
use narscope::analysis::behaviour::Graphs;
use narscope::analysis::context;
use narscope::report::figures;
use narscope::results;
use narscope::results::kinds::{Draws, KindsOptions, MeasuredNetwork};
use narscope::study::{self, FoundRuns, measure_networks, output};

use crate::interrupt;
use crate::pictures::PictureOptions;
use crate::progress::{Progress, note};

/// Compare hundreds of networks that differ in their seeds: do they learn different algorithms?
///
/// Each network is measured on the same few random graphs: how often it agrees with the algorithm and with each of
/// its faulty variants, and how it behaves beyond the end of the algorithm, on sparser graphs, and without being
/// told when to stop. Then the distribution over all networks is tested for two kinds (dip test, mixture of two
/// normal distributions), the variance is divided between the seed of the weights and the seed of the data, and
/// the behaviour of both kinds is compared. The tests and their limits are those of experiments/kinds.md.
///
/// The algorithm needs faulty variants, see `narscope list algorithms`. Runs that are not finished are left out.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope kinds runs/kinds --results kinds.jsonl                # all finished runs of a folder
  narscope kinds runs/kinds --results kinds.jsonl --out kinds    # and a picture
  narscope kinds --results kinds.jsonl                     # without the networks
  narscope kinds runs/a runs/b runs/c --variant greedy --json")]
pub(crate) struct Kinds {
    /// Folders of runs, or of many runs
    #[arg(value_name = "RUN|FOLDER")]
    paths: Vec<PathBuf>,
    /// File that keeps a line for each network: an interrupted command continues, and the networks of earlier
    /// calls count
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Faulty variant of the algorithm
    #[arg(long, default_value = "decay")]
    variant: String,
    /// Number of networks that were planned, for the answer
    #[arg(long, default_value_t = 200)]
    planned: usize,
    /// Algorithm, for runs of several
    #[arg(long)]
    algorithm: Option<String>,
    /// Number of graphs of each of two kinds: directed with p = 0.5, undirected with p = 0.25
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(2..=65536))]
    graphs: u32,
    /// Number of nodes of each graph
    #[arg(long, default_value_t = 64)]
    length: usize,
    /// Seed of the graphs
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Folder for kinds.md, kinds.json and the picture
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pictures: PictureOptions,
}

/// Seed of permutations and simulated samples.
const SEED_OF_DRAWS: u32 = 1;

impl Kinds {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        if self.paths.is_empty() && self.results.is_none() {
            bail!("expected folders of runs, or --results with networks that were measured before");
        }
        let networks = self.measure()?;
        if networks.is_empty() {
            bail!("found no finished run: each needs best.safetensors and test.json");
        }
        let options = KindsOptions {
            variant: self.variant.clone(),
            planned: self.planned,
            draws: Draws::default(),
            seed: SEED_OF_DRAWS,
        };
        let kinds = results::Kinds::of(&networks, &options)?;
        let (text, json) = (kinds.markdown(), serde_json::to_string_pretty(&kinds)? + "\n");
        if let Some(folder) = &self.out {
            self.write(folder, &kinds, &text, &json)?;
        }
        let answer = if self.json { json } else { text };
        Ok(std::io::stdout().lock().write_all(answer.as_bytes())?)
    }

    /// Measures the runs that were not measured before.
    fn measure(&self) -> anyhow::Result<Vec<MeasuredNetwork>> {
        let runs = FoundRuns::find(&self.paths)?;
        if runs.unfinished > 0 {
            note(&format!("{} runs are not finished and left out", runs.unfinished));
        }
        let graphs = Graphs { count: self.graphs as usize, nodes: self.length, seed: self.seed };
        let (algorithm, kept) = (self.algorithm.as_deref(), self.results.as_deref());
        let progress = Progress::new("networks", runs.finished.len());
        let measured =
            measure_networks(&runs.finished, graphs, algorithm, kept, &Interruptible, &mut || {
                progress.advance(1);
            });
        drop(progress);
        match measured {
            Err(study::Error::Interrupted) => std::process::exit(interrupt::EXIT_CODE),
            measured => Ok(measured?),
        }
    }

    fn write(
        &self,
        folder: &Path,
        kinds: &results::Kinds,
        text: &str,
        json: &str,
    ) -> anyhow::Result<()> {
        output::create_folder(folder)?;
        for (name, text) in [("kinds.md", text), ("kinds.json", json)] {
            let file = folder.join(name);
            output::write_text(&file, text)?;
            note(&format!("{}", file.display()));
        }
        let picture = figures::kinds::picture(kinds);
        output::write_picture(&picture, &self.pictures.rendering(), folder, "kinds")?;
        let (path, extensions) = (folder.join("kinds"), self.pictures.extensions());
        note(&format!("{}.{extensions}: {}", path.display(), picture.title));
        Ok(())
    }
}

/// Progress is shown by network, not by sample.
struct Interruptible;

impl context::Progress for Interruptible {
    fn begin(&self, _: &str, _: usize) {}

    fn advance(&self, _: usize) {}

    fn is_interrupted(&self) -> bool {
        interrupt::is_requested()
    }
}
