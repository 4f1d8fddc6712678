//! `narscope dataset`: generate CLRS-30, or a part of it, in a folder.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum;
use narscope::clrs::algorithms::{self, Entry};
use narscope::clrs::split::{Edition, Split};
use narscope::files::atomic::Existing;
use narscope::files::dataset::DatasetPlan;
use narscope::files::format::Format;

use crate::progress::Progress;

/// Generate the CLRS-30 benchmark: one file per algorithm and split, and a manifest
///
/// The samples equal, bit for bit, those that the samplers of dm-clrs generate for the splits of
/// CLRS-30. After an interruption, the same command continues.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope dataset --split all --out clrs30
  narscope dataset --split test --algorithms bfs,dijkstra --format safetensors --out two
  narscope dataset --split all --archive-2022 --out clrs30-2022     # the published archive")]
pub(crate) struct Dataset {
    /// Split to generate
    #[arg(long)]
    split: SplitChoice,
    /// Algorithms, separated by commas; `all`: the thirty of CLRS-30
    #[arg(long, value_delimiter = ',', default_value = "all")]
    algorithms: Vec<String>,
    /// Use the samplers of 2022, as in the published archive: longer strings, no pivot hint, collinear points allowed
    #[arg(long, alias = "archive_2022")]
    archive_2022: bool,
    /// Folder to write to; created if missing
    #[arg(long)]
    out: PathBuf,
    /// Format of the files
    #[arg(long, default_value = "npz")]
    format: FormatChoice,
    /// Overwrite existing files in the folder
    #[arg(long)]
    force: bool,
    /// Print the manifest as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum SplitChoice {
    Train,
    Val,
    Test,
    All,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatChoice {
    Npz,
    Safetensors,
    Jsonl,
}

impl Dataset {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { split, algorithms, archive_2022, out: folder, format, force, json } = self;
        let start = Instant::now();
        let splits: &[Split] = match split {
            SplitChoice::Train => &[Split::Train],
            SplitChoice::Val => &[Split::Val],
            SplitChoice::Test => &[Split::Test],
            SplitChoice::All => &Split::ALL,
        };
        let algorithms = selected(&algorithms)?;
        let plan = DatasetPlan {
            folder: &folder,
            algorithms: &algorithms,
            splits,
            edition: if archive_2022 { Edition::Archive2022 } else { Edition::Current },
            format: match format {
                FormatChoice::Npz => Format::Npz,
                FormatChoice::Safetensors => Format::Safetensors,
                FormatChoice::Jsonl => Format::Jsonl,
            },
            existing: if force { Existing::Replace } else { Existing::Keep },
        };

        let progress = Progress::new("files", algorithms.len() * splits.len());
        let manifest = plan.run(&|row| {
            progress.set_message(&row.file);
            progress.advance(1);
        })?;
        drop(progress);

        let mut out = std::io::stdout().lock();
        if json {
            serde_json::to_writer_pretty(&mut out, &manifest)?;
            writeln!(out)?;
        } else {
            let (samples, bytes) = manifest
                .files
                .iter()
                .fold((0, 0), |(samples, bytes), row| (samples + row.samples, bytes + row.bytes));
            let (files, seconds) = (manifest.files.len(), start.elapsed().as_secs_f64());
            let (megabytes, folder) = (bytes as f64 / 1e6, folder.display());
            writeln!(
                out,
                "{folder}: {samples} samples in {files} files, {megabytes:.0} MB, {seconds:.1} s"
            )?;
        }
        Ok(())
    }
}

/// The algorithms of the given names, without duplicates.
fn selected(names: &[String]) -> anyhow::Result<Vec<&'static Entry>> {
    let mut selected: Vec<&'static Entry> = vec![];
    for name in names {
        let entries: Vec<&'static Entry> = if name == "all" {
            algorithms::ALL.iter().filter(|entry| entry.in_clrs_30).collect()
        } else {
            vec![algorithms::find(name)?]
        };
        for entry in entries {
            if !selected.iter().any(|other| other.name == entry.name) {
                selected.push(entry);
            }
        }
    }
    Ok(selected)
}
