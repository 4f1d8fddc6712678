//! `narscope examples`: files that come with the program.

use std::io::Write as _;
use std::path::PathBuf;

use narscope::clrs::registry;
use narscope::files::atomic::{self, Existing};
use narscope::study::output;

use crate::bundled;

/// List the example files that come with the program, or write some of them
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope examples                       # list them
  narscope examples cities.csv            # write one into the current folder
  narscope examples --out examples        # write all")]
pub(crate) struct Examples {
    /// Files to write [default: with --out all, without it none]
    files: Vec<String>,
    /// Folder to write to [default: the current folder]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

impl Examples {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { files, out, force } = self;
        if files.is_empty() && out.is_none() {
            return list();
        }
        let all = || Ok(bundled::ALL.iter().collect());
        let find = |name: &String| registry::find("file", bundled::ALL, |file| file.name, name);
        let chosen: Vec<_> =
            if files.is_empty() { all() } else { files.iter().map(find).collect() }?;
        let folder = out.unwrap_or_default();
        let existing = if force { Existing::Replace } else { Existing::Keep };
        if !folder.as_os_str().is_empty() {
            output::create_folder(&folder)?;
        }
        // Checked first, so that a refusal leaves no part of the files.
        let paths: Vec<PathBuf> = chosen.iter().map(|file| folder.join(file.name)).collect();
        paths.iter().try_for_each(|path| atomic::check(path, existing))?;
        for (path, file) in paths.iter().zip(&chosen) {
            atomic::write(path, existing, |out| out.write_all(file.text.as_bytes()))?;
            writeln!(std::io::stdout(), "{}: {}, {}", path.display(), file.kind, file.summary)?;
        }
        Ok(())
    }
}

fn list() -> anyhow::Result<()> {
    let width = bundled::ALL.iter().map(|file| file.name.len()).max().unwrap_or(0);
    let mut out = std::io::stdout().lock();
    for file in bundled::ALL {
        writeln!(out, "{:width$}  {}: {}", file.name, file.kind, file.summary)?;
    }
    Ok(())
}
