//! Algorithms, splits and options, by name.

use narscope::clrs::{Options, Split, algorithms};
use pyo3::prelude::*;

use crate::error::{Result, guard, input_error};

/// Name, stage, location and type of a probe, in the words of the reference, and whether the hint never changes.
type Row = (String, &'static str, String, String, bool);

/// Reads options that `narscope.clrs` has written as JSON.
pub(super) fn options(settings: &str) -> Result<Options> {
    serde_json::from_str(settings)
        .map_err(|error| input_error(format!("a sampler option has the wrong type: {error}")))
}

/// Name, multiplier, whether it is in CLRS-30, and probes of every algorithm.
#[pyfunction]
pub(super) fn algorithm_specs() -> Vec<(&'static str, usize, bool, Vec<Row>)> {
    let row = |probe: &narscope::clrs::Probe| {
        let [location, kind] = [probe.location.name(), probe.kind.info().name];
        (probe.name.to_string(), probe.stage.name(), location.into(), kind.into(), probe.constant)
    };
    let spec = |entry: &&'static algorithms::Entry| {
        (entry.name, entry.multiplier, entry.in_clrs_30, entry.probes.iter().map(row).collect())
    };
    algorithms::ALL.iter().map(|entry| spec(&entry)).collect()
}

/// The names of the sampler options that an algorithm accepts.
#[pyfunction]
pub(super) fn accepted_options(algorithm: &str, settings: &str) -> PyResult<Vec<&'static str>> {
    guard(|| {
        let accepted = algorithms::find(algorithm)?.options(&options(settings)?);
        Ok(accepted.into_iter().map(|option| option.name()).collect())
    })
}

/// Name, number of samples before the multiplier, length and seed of every split.
#[pyfunction]
pub(super) fn splits() -> Vec<(&'static str, usize, usize, u32)> {
    let single = algorithms::ALL.iter().find(|entry| entry.multiplier == 1);
    let count = |split: Split| single.map_or(0, |entry| split.count(entry));
    Split::ALL.map(|split| (split.name(), count(split), split.length(), split.seed())).to_vec()
}
