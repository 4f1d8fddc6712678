//! Kernels on processors that this machine does not have: their tests, in an emulator.

use std::process::Command;

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{cargo, exists, installed, run, skip};

/// x86-64 without AVX, and with AVX2 but without AVX-512; and without what the emulator does not know.
const OLDER: [&str; 2] = ["Nehalem", "Haswell-noTSX,-pcid,-x2apic,-tsc-deadline,-invpcid"];
const AARCH64: &str = "aarch64-unknown-linux-gnu";
const TESTS: [&str; 4] = ["test", "--package", "narscope-kernels", "--lib"];

/// Runs the tests of kernels on older x86-64 and on aarch64, as far as emulators can be had here.
pub(crate) fn check(_: &Arguments) -> Result {
    let is_x86 = cfg!(all(target_arch = "x86_64", target_os = "linux"));
    if !is_x86 || !installed("qemu-aarch64", "qemu-user") {
        skip(
            "kernels are not tried on other processors: qemu is not installed and cannot be from here",
        );
        return Ok(());
    }
    for processor in OLDER {
        println!("kernels on {processor}");
        let emulator = format!("qemu-x86_64 -cpu {processor}");
        run(cargo(&TESTS).env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", emulator))?;
    }
    let compiler = "gcc-aarch64-linux-gnu libc6-dev-arm64-cross";
    let can_build = installed("aarch64-linux-gnu-gcc", compiler)
        && exists(Command::new("rustup").args(["target", "add", AARCH64]));
    if !can_build {
        skip("kernels are not tried on aarch64: its compiler cannot be installed from here");
        return Ok(());
    }
    println!("kernels on aarch64");
    let mut tests = cargo(&TESTS);
    tests
        .args(["--target", AARCH64])
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc")
        .env(
            "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER",
            "qemu-aarch64 -L /usr/aarch64-linux-gnu",
        );
    run(&mut tests)
}
