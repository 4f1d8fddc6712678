//! All checks of CI. Checks that cannot run on this machine are listed at the end.

use crate::arguments::Arguments;
use crate::run::{TESTED, cargo, report_skipped, run, succeeds};
use crate::{
    Result, browser, cluster, cycles, explorer, instructions, outside, package, portable,
    python_package, wasm,
};

/// Runs all checks, the fastest first.
pub(crate) fn check(arguments: &Arguments) -> Result {
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    cycles::check(arguments)?;
    run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    if succeeds(&mut cargo(&["nextest", "--version"])) {
        run(cargo(&["nextest", "run"]).args(TESTED))?;
        // nextest does not run documentation tests.
        run(cargo(&["test", "--doc"]).args(TESTED))?;
    } else {
        run(cargo(&["test"]).args(TESTED))?;
    }
    run(cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    package::check(arguments)?;
    outside::check(arguments)?;
    python_package::check(arguments)?;
    wasm::check(arguments)?;
    browser::check(arguments)?;
    explorer::check(arguments)?;
    if arguments.get("--cluster").is_some() {
        cluster::check(arguments)?;
    }
    portable::check(arguments)?;
    instructions::check(arguments)?;
    report_skipped();
    Ok(())
}
