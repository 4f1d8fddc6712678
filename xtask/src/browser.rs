//! Browser test of the HTML report: opens the page of a whole study and that of two tiny networks in Chromium.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{ensure_installed, output, run, skip, succeeds, target, tested_binary};

/// Flags of a network that trains in seconds.
const TRAIN_FLAGS: &str = "--algorithms bellman_ford --processor_type linear_pgn --batch_size 8 \
                           --train_lengths 8 --train_steps 40 --eval_every 20";
/// Hidden sizes of the networks, which make two variants.
const HIDDEN_SIZES: [&str; 2] = ["16", "12"];
/// Flags of a report that is written in seconds.
const REPORT_FLAGS: &str =
    "--graphs 200 --length 12 --images 16 --clusters 8 --cluster-images 8 --scored 60";
/// Answers of the quick study, from which its page is written without a network.
const KEPT: &str = "experiments/results/paper-quick/networks";
/// Folder of the viewer's source and of the browser test.
const VIEWER: &str = "tools/viewer";

/// Writes two reports and tests them in a browser.
pub(crate) fn check(_: &Arguments) -> Result {
    let has_node = succeeds(Command::new("npm").arg("--version"));
    if !has_node || !ensure_installed("chromium", "chromium") {
        skip(
            "browser test skipped: Node.js (npm) is missing, or Chromium is missing and could not be installed",
        );
        return Ok(());
    }
    let folder = target().join("browser");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|error| format!("{} could not be removed: {error}", folder.display()))?;
    }
    let program = Program(tested_binary()?);
    let pages = [study(&program, &folder)?, two_networks(&program, &folder)?];
    run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(VIEWER))?;
    // The script in the reports must be the one that this source builds.
    run(Command::new("npm").args(["run", "same"]).current_dir(VIEWER))?;
    run(Command::new("npm").args(["test"]).current_dir(VIEWER))?;
    run(Command::new("node").arg("check.mjs").args(pages).current_dir(VIEWER))
}

struct Program(PathBuf);

impl Program {
    fn command(&self, command: &str, flags: &str) -> Command {
        let mut narscope = Command::new(&self.0);
        narscope.args([command, "--quiet"]).args(flags.split_whitespace());
        narscope
    }
}

/// Writes the page of the paper's study from the answers in the repository.
fn study(program: &Program, folder: &Path) -> Result<PathBuf> {
    let out = folder.join("study");
    fs::create_dir_all(&out)
        .map_err(|error| format!("{} could not be created: {error}", out.display()))?;
    run(Command::new("cp").args(["-r", KEPT]).arg(&out))?;
    let plan = output(program.command("reproduce", "--plan --out").arg(&out))?;
    if !plan.contains("\n0 answers to compute") {
        return Err(format!(
            "expected all answers of the study in {KEPT}, but this version computes others:\n{plan}"
        ));
    }
    run(program.command("reproduce", "--out").arg(&out))?;
    written(&out.join("report.html"))
}

/// Trains two networks and writes their report.
fn two_networks(program: &Program, folder: &Path) -> Result<PathBuf> {
    let page = folder.join("two.html");
    let mut report = program.command("report", REPORT_FLAGS);
    for size in HIDDEN_SIZES {
        let network = folder.join(size);
        run(program
            .command("train", TRAIN_FLAGS)
            .args(["--hidden_size", size, "--out"])
            .arg(&network))?;
        report.arg(network);
    }
    run(report.arg("--out").arg(&page))?;
    written(&page)
}

/// Returns the absolute path of a page that was written.
fn written(page: &Path) -> Result<PathBuf> {
    fs::canonicalize(page).map_err(|error| format!("{} was not written: {error}", page.display()))
}
