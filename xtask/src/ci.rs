//! What CI runs. Green here means green there, but for what a machine lacks, which is said at the end.

use crate::arguments::Arguments;
use crate::run::{cargo, exists, run, tell_skipped};
use crate::{Result, browser, cluster, instructions, portable};

/// Format, lints, tests, documentation, a report in a browser, kernels elsewhere, instructions: the quickest to fail comes first.
pub(crate) fn check(arguments: &Arguments) -> Result {
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    if exists(&mut cargo(&["nextest", "--version"])) {
        run(&mut cargo(&["nextest", "run", "--workspace"]))?;
        // nextest does not run the examples in documentation.
        run(&mut cargo(&["test", "--workspace", "--doc"]))?;
    } else {
        run(&mut cargo(&["test", "--workspace"]))?;
    }
    run(cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    browser::check(arguments)?;
    if arguments.get("--cluster").is_some() {
        cluster::check(arguments)?;
    }
    portable::check(arguments)?;
    instructions::check(arguments)?;
    tell_skipped();
    Ok(())
}
