//! Kernel tests on other processors, emulated with QEMU.

use std::process::Command;

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{cargo, ensure_installed, run, skip, succeeds};

/// x86-64 without AVX, and with AVX2 but without AVX-512. Features that QEMU does not support are
/// switched off.
const OLDER_X86: [&str; 2] = ["Nehalem", "Haswell-noTSX,-pcid,-x2apic,-tsc-deadline,-invpcid"];
const AARCH64: &str = "aarch64-unknown-linux-gnu";
const TESTS: [&str; 4] = ["test", "--package", "narscope-kernels", "--lib"];

/// Runs the kernel tests on older x86-64 CPUs and on aarch64, if the emulators are available.
pub(crate) fn check(_: &Arguments) -> Result {
    let is_x86 = cfg!(all(target_arch = "x86_64", target_os = "linux"));
    if !is_x86 || !ensure_installed("qemu-aarch64", "qemu-user") {
        skip(
            "kernel tests on other processors skipped: QEMU is missing and could not be installed",
        );
        return Ok(());
    }
    for processor in OLDER_X86 {
        println!("kernel tests on {processor}");
        let emulator = format!("qemu-x86_64 -cpu {processor}");
        run(cargo(&TESTS).env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", emulator))?;
    }
    let compiler = "gcc-aarch64-linux-gnu libc6-dev-arm64-cross";
    let can_build = ensure_installed("aarch64-linux-gnu-gcc", compiler)
        && succeeds(Command::new("rustup").args(["target", "add", AARCH64]));
    if !can_build {
        skip("kernel tests on aarch64 skipped: its compiler could not be installed");
        return Ok(());
    }
    println!("kernel tests on aarch64");
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
