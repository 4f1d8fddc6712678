//! `narscope dataset`: CLRS-30, or a part of it, into a folder.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum;
use narscope::clrs::algorithms::{self, Entry};
use narscope::clrs::split::{Edition, Split};
use narscope::files::dataset::Plan;
use narscope::files::format::Format;
use narscope::files::whole::Existing;

use crate::progress::Progress;

/// Make the CLRS-30 benchmark: a file per algorithm and split, with a manifest
///
/// The samples equal those that the reference's samplers make for the splits of CLRS-30. A run
/// that was interrupted goes on where it stopped.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope dataset --split all --out clrs30
  narscope dataset --split test --algorithms bfs,dijkstra --format safetensors --out two
  narscope dataset --split all --archive-2022 --out clrs30-2022     as the published archive was made")]
pub(crate) struct Dataset {
    /// The split, or all three
    #[arg(long)]
    split: SplitChoice,
    /// Names of algorithms, or `all` for the thirty of CLRS-30
    #[arg(long, value_delimiter = ',', default_value = "all")]
    algorithms: Vec<String>,
    /// Follow the samplers of 2022: longer strings, no pivot hint, points on a line
    #[arg(long, alias = "archive_2022")]
    archive_2022: bool,
    /// Folder to write to; made if it does not exist
    #[arg(long)]
    out: PathBuf,
    /// Format of the files
    #[arg(long, default_value = "npz")]
    format: FormatChoice,
    /// Replace what is in the folder
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
        let algorithms = chosen(&algorithms)?;
        let plan = Plan {
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
            progress.say(&row.file);
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

fn chosen(names: &[String]) -> anyhow::Result<Vec<&'static Entry>> {
    let mut chosen: Vec<&'static Entry> = vec![];
    for name in names {
        let entries: Vec<&'static Entry> = if name == "all" {
            algorithms::ALL.iter().filter(|entry| entry.in_clrs_30).collect()
        } else {
            vec![algorithms::find(name)?]
        };
        for entry in entries {
            if !chosen.iter().any(|other| other.name == entry.name) {
                chosen.push(entry);
            }
        }
    }
    Ok(chosen)
}
