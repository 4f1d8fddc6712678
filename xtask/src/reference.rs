//! Tasks that ask the reference what the right samples are.

use crate::Result;
use crate::arguments::Arguments;
use crate::python::python;
use crate::run::{built, cargo, run};

/// Compares what the `narscope` command writes with the reference, bit for bit.
pub(crate) fn parity(arguments: &Arguments) -> Result {
    run(&mut cargo(&["build", "--release", "--package", "narscope"]))?;
    let mut parity = python("parity.py")?;
    run(parity.arg("--narscope").arg(built("narscope")).args(arguments.pass_on()))
}

/// Writes the golden files again.
pub(crate) fn golden(_: &Arguments) -> Result {
    run(python("golden.py")?.arg("crates/narscope-clrs/tests/golden"))
}
