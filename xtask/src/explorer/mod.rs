//! The explorer: builds its page, checks that the kept page belongs to its sources, tests it.

mod sources;
mod speed;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) use speed::compare;

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{ensure_installed, run, skip, succeeds, target, tested_binary};
use crate::wasm::{TARGET, Toolchain};

/// The page that is part of the program.
const KEPT: &str = "crates/narscope/explorer";
/// Its sources and tests.
const PAGE: &str = "tools/explorer";
/// The module in the page.
const MODULE: &str = "engine.wasm";
/// Largest size of the module: one MiB.
const LARGEST: u64 = 1 << 20;
/// The npm package with `wasm-opt`.
const BINARYEN: &str = "binaryen@132.0.0";

/// Builds and tests the page; with `--check`, tests the kept one.
pub(crate) fn task(arguments: &Arguments) -> Result {
    if arguments.get("--check").is_none() {
        build()?;
    }
    check(arguments)
}

/// Builds the module and the page, and keeps them.
fn build() -> Result {
    let toolchain = Toolchain::smallest().ok_or_else(|| {
        format!("the explorer is built for {TARGET}: run `rustup target add {TARGET}`")
    })?;
    println!("{}", toolchain.version()?);
    // A baseline: WebAssembly has no choice of instructions at run time.
    let mut flags = "-C target-feature=+simd128".to_owned();
    if toolchain.builds_std() {
        // A fifth of the module would be messages of panics.
        flags += " -Z unstable-options -C panic=immediate-abort";
    }
    run(toolchain
        .cargo(&["build", "--profile", "explorer", "--package", "narscope-web", "--lib"])
        .env("RUSTFLAGS", flags))?;
    fs::create_dir_all(KEPT).map_err(|error| format!("{KEPT} could not be created: {error}"))?;
    optimise(
        &target().join("wasm").join(TARGET).join("explorer/narscope_web.wasm"),
        &Path::new(KEPT).join(MODULE),
    )?;
    npm(&["ci", "--no-audit", "--no-fund"])?;
    npm(&["run", "build"])?;
    sources::write()
}

/// Runs `wasm-opt`; the module is a third smaller after it.
fn optimise(module: &Path, to: &Path) -> Result {
    let folder = target().join("binaryen");
    let program = folder.join("node_modules/.bin/wasm-opt");
    if !program.exists() {
        run(Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix"])
            .arg(&folder)
            .arg(BINARYEN))?;
    }
    let features = ["--enable-simd", "--enable-bulk-memory", "--enable-nontrapping-float-to-int"];
    let others = ["--enable-sign-ext", "--enable-mutable-globals", "--enable-multivalue"];
    run(Command::new(program)
        .args(["-Oz", "--strip-debug", "--strip-producers", "--strip-target-features"])
        .args(features)
        .args(others)
        .arg("--enable-reference-types")
        .arg(module)
        .arg("-o")
        .arg(to))
}

/// Checks that the kept page belongs to its sources and that the module is small, then tests both.
pub(crate) fn check(_: &Arguments) -> Result {
    sources::check()?;
    let module = Path::new(KEPT).join(MODULE);
    let size = fs::metadata(&module)
        .map_err(|error| format!("{} is missing: {error}", module.display()))?
        .len();
    if size > LARGEST {
        return Err(format!(
            "{MODULE} should have at most {LARGEST} bytes, found {size}; it is smallest if its standard library is built with it, by Debian's compiler"
        ));
    }
    println!("{MODULE}: {size} bytes");
    if !succeeds(Command::new("npm").arg("--version")) {
        skip("tests of the explorer skipped: Node.js (npm) is missing");
        return Ok(());
    }
    npm(&["ci", "--no-audit", "--no-fund"])?;
    for script in ["types", "lint", "test"] {
        npm(&["run", script])?;
    }
    run(Command::new("node").arg("test/engine/run.mjs").current_dir(PAGE))?;
    if !ensure_installed("chromium", "chromium") {
        skip("browser test of the explorer skipped: Chromium could not be installed");
        return Ok(());
    }
    browser(&tested_binary()?)
}

/// Tests the served page and an exported one in Chromium.
fn browser(program: &Path) -> Result {
    let exported = target().join("explorer.html");
    run(Command::new(program).args(["explore", "--force", "--export"]).arg(&exported))?;
    let exported = fs::canonicalize(&exported)
        .map_err(|error| format!("{} was not written: {error}", exported.display()))?;
    let mut server = Command::new(program)
        .args(["explore", "--no-open", "--quiet"])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{} could not be started: {error}", program.display()))?;
    let stdout = server.stdout.take().expect("stdout is piped");
    let mut address = String::new();
    let read = BufReader::new(stdout).read_line(&mut address);
    let tested = match read {
        Ok(length) if length > 0 => {
            npm(&["run", "browser", "--", address.trim(), &exported.to_string_lossy()])
        }
        _ => Err("`narscope explore` printed no address".to_owned()),
    };
    // It serves until it is ended; whether it had ended before does not matter.
    let _ = server.kill();
    let _ = server.wait();
    tested
}

fn npm(arguments: &[&str]) -> Result {
    run(Command::new("npm").args(arguments).current_dir(PAGE))
}

/// A file of the kept page.
fn kept(name: &str) -> PathBuf {
    Path::new(KEPT).join(name)
}
