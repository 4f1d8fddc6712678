//! A sweep on a real Slurm, on this machine.

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{cargo, installed, run, skip};

/// Starts a cluster, and loses parts of it.
pub(crate) fn check(_: &Arguments) -> Result {
    // Of Slurm's programs, this one says its version without a configuration.
    if !installed("munged", "munge") || !installed("slurmd", "slurm-wlm") {
        skip("no sweep is submitted: Slurm is missing and cannot be installed from here");
        return Ok(());
    }
    // As for tests, which have built it.
    run(&mut cargo(&["test", "--workspace", "--test", "cluster", "--", "--ignored"]))
}
