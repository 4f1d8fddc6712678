//! Test of the example crates outside the workspace, which use only the public interface.
//!
//! They share the target folder, the profiles (`.cargo/config.toml`) and the versions of the workspace,
//! so that dependencies are compiled once.

use std::fs;
use std::path::PathBuf;

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{cargo, run, target};

/// Folder of the example crates.
const FOLDER: &str = "examples-outside";

/// Tests every example crate.
pub(crate) fn check(_: &Arguments) -> Result {
    let fail = |error| format!("{FOLDER} could not be listed: {error}");
    let target = target();
    let mut manifests: Vec<PathBuf> = vec![];
    for entry in fs::read_dir(FOLDER).map_err(fail)? {
        manifests.push(entry.map_err(fail)?.path().join("Cargo.toml"));
    }
    manifests.sort();
    for manifest in manifests.iter().filter(|manifest| manifest.exists()) {
        run(cargo(&["test", "--manifest-path"]).arg(manifest).arg("--target-dir").arg(&target))?;
    }
    Ok(())
}
