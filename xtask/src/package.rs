//! Check that every library can be packaged, with complete metadata.

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{cargo, run};

const LIBRARIES: [&str; 12] = [
    "narscope-clrs",
    "narscope-kernels",
    "narscope-net",
    "narscope-files",
    "narscope-model",
    "narscope-analysis",
    "narscope-results",
    "narscope-plot",
    "narscope-report",
    "narscope-study",
    "narscope-sweep",
    "narscope-web",
];

/// Packages every library without building the packages.
pub(crate) fn check(_: &Arguments) -> Result {
    let mut command = cargo(&["package", "--no-verify", "--allow-dirty", "--quiet"]);
    for library in LIBRARIES {
        command.args(["--package", library]);
    }
    run(&mut command)
}
