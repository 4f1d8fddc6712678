//! Builds for `wasm32-unknown-unknown`: the crates that run networks in the browser.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{cargo, ensure_installed, output, run, skip, succeeds, target};

pub(crate) const TARGET: &str = "wasm32-unknown-unknown";
/// Cargo arguments: build the crates together, without threads.
const CHECK: [&str; 11] = [
    "check",
    "--no-default-features",
    "--package",
    "narscope-clrs",
    "--package",
    "narscope-kernels",
    "--package",
    "narscope-net",
    "--package",
    "narscope-web",
    "--lib",
];

/// What builds for the browser.
#[derive(Clone, Copy)]
pub(crate) enum Toolchain {
    /// The toolchain of the workspace, with the target's standard library.
    Own,
    /// Debian's compiler, with the sources of its standard library.
    Debian,
}

impl Toolchain {
    /// The toolchain's own target if it can be installed, otherwise Debian's compiler.
    pub(crate) fn find() -> Option<Self> {
        Self::own().or_else(Self::debian)
    }

    /// The one that makes the smallest modules, because it builds their standard library.
    pub(crate) fn smallest() -> Option<Self> {
        Self::debian().or_else(Self::own)
    }

    fn own() -> Option<Self> {
        let libraries = Command::new("rustc")
            .args(["--print", "target-libdir", "--target", TARGET])
            .stderr(std::process::Stdio::null())
            .output();
        let has_target = libraries.is_ok_and(|output| {
            output.status.success()
                && Path::new(String::from_utf8_lossy(&output.stdout).trim()).exists()
        });
        let is_there =
            has_target || succeeds(Command::new("rustup").args(["target", "add", TARGET]));
        is_there.then_some(Self::Own)
    }

    fn debian() -> Option<Self> {
        let packages = "rustc-web cargo-web rust-web-src lld-19";
        let is_there =
            ensure_installed("wasm-ld-19", packages) && Path::new("/usr/bin/cargo").exists();
        is_there.then_some(Self::Debian)
    }

    /// Whether it builds the standard library, and may therefore change how panics end.
    pub(crate) fn builds_std(self) -> bool {
        matches!(self, Self::Debian)
    }

    /// The version of the compiler.
    pub(crate) fn version(self) -> Result<String> {
        output(
            Command::new(match self {
                Self::Own => "rustc",
                Self::Debian => "/usr/bin/rustc",
            })
            .arg("--version"),
        )
    }

    /// A cargo command for the target.
    pub(crate) fn cargo(self, arguments: &[&str]) -> Command {
        let mut command = match self {
            Self::Own => cargo(arguments),
            Self::Debian => {
                let mut command = Command::new("/usr/bin/cargo");
                command
                    .args(arguments)
                    .args(["-Z", "build-std=std,panic_abort"])
                    .env("PATH", "/usr/bin:/bin")
                    .env("RUSTC", "/usr/bin/rustc")
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-19")
                    .env_remove("RUSTUP_TOOLCHAIN")
                    .env_remove("CARGO");
                command
            }
        };
        command.args(["--target", TARGET, "--target-dir"]).arg(target().join("wasm"));
        command
    }
}

/// Checks that the crates build.
pub(crate) fn check(_: &Arguments) -> Result {
    let Some(toolchain) = Toolchain::find() else {
        skip(format!("build for {TARGET} skipped: no compiler could be installed"));
        return Ok(());
    };
    println!("{}", toolchain.version()?);
    run(&mut toolchain.cargo(&CHECK))
}
