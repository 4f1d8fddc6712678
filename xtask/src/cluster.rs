//! Test of sweeps on a local Slurm cluster.

use crate::Result;
use crate::arguments::Arguments;
use crate::run::{TESTED, cargo, ensure_installed, run, skip};

/// Starts a cluster, submits a sweep and lets parts of the cluster fail.
pub(crate) fn check(_: &Arguments) -> Result {
    // `slurmd` is the Slurm program that prints its version without a configuration file.
    if !ensure_installed("munged", "munge") || !ensure_installed("slurmd", "slurm-wlm") {
        skip("cluster test skipped: Slurm is missing and could not be installed");
        return Ok(());
    }
    // The same flags as for all tests, so that nothing is rebuilt.
    run(cargo(&["test"]).args(TESTED).args(["--test", "cluster", "--", "--ignored"]))
}
