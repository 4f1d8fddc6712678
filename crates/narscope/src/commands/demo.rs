//! `narscope demo`: a short tour for new users.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Parser as _;

/// A short tour: trace an algorithm, then generate a small data set
#[derive(clap::Args)]
#[command(after_help = "Example:
  narscope demo --out runs/demo")]
pub(crate) struct Demo {
    /// Folder to write to
    #[arg(long, default_value = "runs/demo")]
    out: PathBuf,
}

impl Demo {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { out } = self;
        let folder = out.join("clrs30-val");
        let folder = folder.to_str().ok_or_else(|| {
            anyhow::anyhow!("expected a folder name in UTF-8, found {}", out.display())
        })?;
        let commands = [
            vec!["trace", "dijkstra", "--length", "6", "--seed", "8", "--p", "0.7"],
            vec!["dataset", "--split", "val", "--out", folder],
        ];
        for words in commands {
            writeln!(std::io::stdout(), "$ narscope {}", words.join(" "))?;
            let words = std::iter::once("narscope").chain(words);
            crate::Cli::parse_from(words).command.run()?;
            writeln!(std::io::stdout())?;
        }
        Ok(())
    }
}
