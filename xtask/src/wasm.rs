//! Build of the crates that run networks in the browser, for `wasm32-unknown-unknown`.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{cargo, ensure_installed, output, run, skip, succeeds};

const TARGET: &str = "wasm32-unknown-unknown";
/// Cargo arguments: build the crates together, without threads.
const CHECK: [&str; 9] = [
    "check",
    "--no-default-features",
    "--package",
    "narscope-clrs",
    "--package",
    "narscope-kernels",
    "--package",
    "narscope-net",
    "--lib",
];

/// Builds with the toolchain's own target if it can be installed. Otherwise builds with Debian's
/// compiler and the source of its standard library.
pub(crate) fn check(_: &Arguments) -> Result {
    let libraries = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .stderr(std::process::Stdio::null())
        .output();
    let has_target = libraries.is_ok_and(|output| {
        output.status.success()
            && Path::new(String::from_utf8_lossy(&output.stdout).trim()).exists()
    });
    if has_target || succeeds(Command::new("rustup").args(["target", "add", TARGET])) {
        return run(cargo(&CHECK).args(["--target", TARGET, "--target-dir", "target/wasm"]));
    }
    let packages = "rustc-web cargo-web rust-web-src lld-19";
    if !ensure_installed("wasm-ld-19", packages) || !Path::new("/usr/bin/cargo").exists() {
        skip(format!("build for {TARGET} skipped: no compiler could be installed"));
        return Ok(());
    }
    println!("{}", output(Command::new("/usr/bin/rustc").arg("--version"))?);
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
