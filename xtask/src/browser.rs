//! Browser test of the HTML report: trains a tiny network, writes its report and opens it in
//! Chromium.

use std::fs;
use std::process::Command;

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{cargo, ensure_installed, run, skip, succeeds, target};

/// Flags of a network that trains in seconds.
const TRAIN_FLAGS: &str = "--algorithms bellman_ford --processor_type linear_pgn --hidden_size 16 \
                     --batch_size 8 --train_lengths 8 --train_steps 40 --eval_every 20";
/// Flags of a report that is written in seconds.
const REPORT_FLAGS: &str =
    "--graphs 200 --length 12 --images 16 --clusters 8 --cluster-images 8 --scored 60";
/// Folder of the viewer's source and of the browser test.
const VIEWER: &str = "tools/viewer";

/// Writes a report and tests it in a browser.
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
    let network = folder.join("network");
    // Builds the program as the tests do. Other flags would enable other features and rebuild half
    // of the crates.
    run(&mut cargo(&["test", "--workspace", "--no-run"]))?;
    let program = target().join("debug/narscope");
    let narscope = |command: &str, flags: &str| {
        let mut narscope = Command::new(&program);
        narscope.args([command, "--quiet"]).args(flags.split_whitespace());
        narscope
    };
    run(narscope("train", TRAIN_FLAGS).arg("--out").arg(&network))?;
    run(narscope("report", REPORT_FLAGS).arg(&network))?;
    let page = network.join("report.html");
    let page = fs::canonicalize(&page)
        .map_err(|error| format!("{} was not written: {error}", page.display()))?;
    run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(VIEWER))?;
    // The script in the reports must be the one that this source builds.
    run(Command::new("npm").args(["run", "same"]).current_dir(VIEWER))?;
    run(Command::new("node").arg("check.mjs").arg(page).current_dir(VIEWER))
}
