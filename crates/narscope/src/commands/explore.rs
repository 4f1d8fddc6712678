//! `narscope explore`: networks that run in the browser, on the user's own problems.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use narscope::files::atomic::{self, Existing};

use crate::explore::networks::{self, Network};
use crate::explore::{export, server};
use crate::progress::note;

/// Run networks in the browser: edit a problem and watch the algorithm and the network side by side
///
/// The page runs the networks itself, on any algorithm that they know: step by step, with other aggregators and
/// temperatures, with states that you push, among the states of other graphs. Without runs, it shows the networks
/// that come with the program. Only this computer can open it, at the address that is printed; Ctrl-C ends it.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope explore                                  # the networks that come with the program
  narscope explore runs/bf runs/softmax             # your own
  narscope explore runs/bf --export bf.html --half  # one file to share, which needs no network")]
pub(crate) struct Explore {
    /// Folders of runs [default: the networks that come with the program]
    #[arg(value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Write the page with everything that it needs to a file, instead of serving it
    #[arg(long, value_name = "FILE.html")]
    export: Option<PathBuf>,
    /// Store weights in half precision: half the bytes, almost the same predictions
    #[arg(long)]
    half: bool,
    /// Overwrite an existing file
    #[arg(long, requires = "export")]
    force: bool,
    /// Do not open the browser
    #[arg(long, alias = "no_open", conflicts_with = "export")]
    no_open: bool,
    /// Port to listen on; 0: any that is free
    #[arg(long, default_value_t = 0, conflicts_with = "export")]
    port: u16,
}

impl Explore {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { runs, export, half, force, no_open, port } = self;
        let existing = if force { Existing::Replace } else { Existing::Keep };
        if let Some(file) = &export {
            atomic::check(file, existing)?;
        }
        let networks = networks::open(&runs, half)?;
        match export {
            Some(file) => {
                let page = export::page(&networks)?;
                atomic::write(&file, existing, |out| out.write_all(page.as_bytes()))?;
                let megabytes = page.len() as f64 / 1e6;
                let names = names(&networks);
                writeln!(std::io::stdout(), "{}: {names}, {megabytes:.1} MB", file.display())?;
                Ok(())
            }
            None => server::serve(&networks, port, |address| {
                let mut stdout = std::io::stdout().lock();
                writeln!(stdout, "{address}")?;
                stdout.flush()?;
                note(&format!("exploring {}; Ctrl-C ends it", names(&networks)));
                // Whoever reads the address through a pipe opens it as well.
                if !no_open && stdout.is_terminal() && !open_browser(address) {
                    note("no browser could be opened: open the address above");
                }
                Ok(())
            }),
        }
    }
}

fn names(networks: &[Network]) -> String {
    let names: Vec<&str> = networks.iter().map(|network| network.name.as_str()).collect();
    names.join(", ")
}

/// Opens an address in the user's browser; returns whether a program was found that does it.
fn open_browser(address: &str) -> bool {
    let (program, arguments): (_, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let quiet = || Stdio::null();
    let mut command = Command::new(program);
    command.args(arguments).arg(address).stdin(quiet()).stdout(quiet()).stderr(quiet());
    command.spawn().is_ok()
}
