//! The report in a real browser: a network of a moment, its page, and somebody who uses it.

use std::fs;
use std::process::Command;

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{cargo, exists, installed, run, skip, target};

const TRAIN: &str = "--algorithms bellman_ford --processor_type linear_pgn --hidden_size 16 \
                     --batch_size 8 --train_lengths 8 --train_steps 40 --eval_every 20";
const FEW: &str =
    "--graphs 200 --length 12 --images 16 --clusters 8 --cluster-images 8 --scored 60";
const VIEWER: &str = "tools/viewer";

/// Makes a report and opens it.
pub(crate) fn check(_: &Arguments) -> Result {
    let has_node = exists(Command::new("npm").arg("--version"));
    if !has_node || !installed("chromium", "chromium") {
        skip(
            "the report is not opened: Node.js (npm) is missing, or Chromium is and cannot be installed from here",
        );
        return Ok(());
    }
    let folder = target().join("browser");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|error| format!("{} could not be removed: {error}", folder.display()))?;
    }
    let network = folder.join("network");
    // As for tests, which have built it: any other way, half of all crates would be built once more,
    // with other features.
    run(&mut cargo(&["test", "--workspace", "--no-run"]))?;
    let program = target().join("debug/narscope");
    let narscope = |command: &str, more: &str| {
        let mut narscope = Command::new(&program);
        narscope.args([command, "--quiet"]).args(more.split_whitespace());
        narscope
    };
    run(narscope("train", TRAIN).arg("--out").arg(&network))?;
    run(narscope("report", FEW).arg(&network))?;
    let page = network.join("report.html");
    let page = fs::canonicalize(&page)
        .map_err(|error| format!("{} was not made: {error}", page.display()))?;
    run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(VIEWER))?;
    // The script that pages carry is the one that this source makes.
    run(Command::new("npm").args(["run", "same"]).current_dir(VIEWER))?;
    run(Command::new("node").arg("check.mjs").arg(page).current_dir(VIEWER))
}
