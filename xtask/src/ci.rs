//! What CI runs. Checks that this machine cannot run are listed at the end.

use crate::arguments::Arguments;
use crate::run::{cargo, exists, run, tell_skipped};
use crate::{Result, browser, cluster, cycles, instructions, outside, package, portable, wasm};

/// All checks; those that fail soonest come first.
pub(crate) fn check(arguments: &Arguments) -> Result {
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    cycles::check(arguments)?;
    run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    if exists(&mut cargo(&["nextest", "--version"])) {
        run(&mut cargo(&["nextest", "run", "--workspace"]))?;
        // nextest does not run the examples in documentation.
        run(&mut cargo(&["test", "--workspace", "--doc"]))?;
    } else {
        run(&mut cargo(&["test", "--workspace"]))?;
    }
    run(cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    package::check(arguments)?;
    outside::check(arguments)?;
    wasm::check(arguments)?;
    browser::check(arguments)?;
    if arguments.get("--cluster").is_some() {
        cluster::check(arguments)?;
    }
    portable::check(arguments)?;
    instructions::check(arguments)?;
    tell_skipped();
    Ok(())
}
