//! Tasks that ask the reference what is right: samples, and what networks make of them.

use crate::Result;
use crate::arguments::Arguments;
use crate::python::python;
use crate::run::{built, cargo, run, target};

/// Compares what the `narscope` command writes with the reference, bit for bit.
pub(crate) fn parity(arguments: &Arguments) -> Result {
    run(&mut cargo(&["build", "--release", "--package", "narscope"]))?;
    let mut parity = python("parity.py")?;
    run(parity.arg("--narscope").arg(built("narscope")).args(arguments.pass_on()))
}

/// Compares what networks predict, lose and learn with the reference.
///
/// The answers of the reference stay in the target folder: the second comparison is quick.
pub(crate) fn parity_networks(arguments: &Arguments) -> Result {
    run(&mut cargo(&["build", "--release", "--package", "narscope"]))?;
    let mut parity = python("networks.py")?;
    parity.arg("parity").arg(target().join("reference-networks"));
    run(parity.arg("--narscope").arg(built("narscope")).args(arguments.pass_on()))
}

/// Writes the golden files and the fixtures again.
pub(crate) fn golden(_: &Arguments) -> Result {
    run(python("golden.py")?.arg("crates/narscope-clrs/tests/golden"))?;
    let mut fixtures = python("networks.py")?;
    fixtures.arg("fixtures").arg(target().join("reference-fixtures"));
    run(fixtures.args(["--out", "crates/narscope-model/tests/fixtures"]))
}
