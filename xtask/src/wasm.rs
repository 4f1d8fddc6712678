//! Crates that run networks in the browser: they must compile for `wasm32-unknown-unknown`.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{answer, cargo, exists, installed, run, skip};

const TARGET: &str = "wasm32-unknown-unknown";
/// Built together, without threads.
const CHECK: [&str; 9] = [
    "build",
    "--no-default-features",
    "--package",
    "narscope-clrs",
    "--package",
    "narscope-kernels",
    "--package",
    "narscope-net",
    "--lib",
];

/// Builds for the browser: with the target of the toolchain, where it is installed, or with Debian's
/// compiler and the sources of its standard library.
pub(crate) fn check(_: &Arguments) -> Result {
    let libraries = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .stderr(std::process::Stdio::null())
        .output();
    let has_target = libraries.is_ok_and(|output| {
        output.status.success()
            && Path::new(String::from_utf8_lossy(&output.stdout).trim()).exists()
    });
    if has_target || exists(Command::new("rustup").args(["target", "add", TARGET])) {
        return run(cargo(&CHECK).args(["--target", TARGET, "--target-dir", "target/wasm"]));
    }
    let sources = "rustc-web cargo-web rust-web-src lld-19";
    if !installed("wasm-ld-19", sources) || !Path::new("/usr/bin/cargo").exists() {
        skip(format!("nothing is built for {TARGET}: no compiler can be installed from here"));
        return Ok(());
    }
    println!("{}", answer(Command::new("/usr/bin/rustc").arg("--version"))?);
    run(Command::new("/usr/bin/cargo")
        .args(CHECK)
        .args(["--target", TARGET, "--target-dir", "target/wasm"])
        .args(["-Z", "build-std=std,panic_abort"])
        .env("PATH", "/usr/bin:/bin")
        .env("RUSTC", "/usr/bin/rustc")
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-19")
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("CARGO"))
}
