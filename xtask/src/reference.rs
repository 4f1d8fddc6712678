//! Comparisons of samples and networks with the reference, and fixtures from it.

use crate::Result;
use crate::arguments::Arguments;
use crate::python::python;
use crate::run::{cargo, release_binary, run, target};

/// Compares samples of `narscope sample` with the reference, bit for bit.
pub(crate) fn parity(arguments: &Arguments) -> Result {
    run(&mut cargo(&["build", "--release", "--package", "narscope"]))?;
    let mut parity = python("parity.py")?;
    run(parity.arg("--narscope").arg(release_binary("narscope")).args(arguments.to_flags()))
}

/// Compares predictions, losses and one training step of networks with the reference.
///
/// The results of the reference are cached in the target folder, so later comparisons are fast.
pub(crate) fn parity_networks(arguments: &Arguments) -> Result {
    run(&mut cargo(&["build", "--release", "--package", "narscope"]))?;
    let mut parity = python("networks.py")?;
    parity.arg("parity").arg(target().join("reference-networks"));
    run(parity.arg("--narscope").arg(release_binary("narscope")).args(arguments.to_flags()))
}

/// Regenerates the golden files and the fixtures.
pub(crate) fn golden(_: &Arguments) -> Result {
    run(python("golden.py")?.arg("crates/narscope-clrs/tests/golden"))?;
    let mut fixtures = python("networks.py")?;
    fixtures.arg("fixtures").arg(target().join("reference-fixtures"));
    run(fixtures.args(["--out", "crates/narscope-model/tests/fixtures"]))
}
