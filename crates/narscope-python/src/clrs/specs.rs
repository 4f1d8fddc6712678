//! Algorithms, splits and options, by name.

use narscope::clrs::{Entry, Location, OptionName, Options, Probe, Split, algorithms};
use pyo3::prelude::*;

use crate::error::{Result, guard, input_error};

/// Name, stage, location and type of a probe, in the words of the reference.
pub(super) type Row = (String, &'static str, &'static str, &'static str);

/// Name, multiplier, whether it is in CLRS-30, probes, and the name of the hint that never changes.
type Algorithm = (&'static str, usize, bool, Vec<Row>, Option<String>);

/// The row of a probe.
pub(super) fn row(probe: &Probe) -> Row {
    let location = match probe.location {
        Location::Node => "node",
        Location::Edge => "edge",
        Location::Graph => "graph",
    };
    (probe.name.to_string(), probe.stage.name(), location, probe.kind.info().name)
}

/// Reads options that `narscope.clrs` has written as JSON.
pub(super) fn options(settings: &str) -> Result<Options> {
    serde_json::from_str(settings)
        .map_err(|error| input_error(format!("a sampler option cannot be used: {error}")))
}

/// All algorithms of the reference.
#[pyfunction]
pub(super) fn algorithm_specs() -> Vec<Algorithm> {
    let algorithm = |entry: &Entry| {
        let rows = entry.probes.iter().map(row).collect();
        let constant = entry.probes.iter().find(|probe| probe.constant);
        let constant = constant.map(|probe| probe.name.to_string());
        (entry.name, entry.multiplier, entry.in_clrs_30, rows, constant)
    };
    algorithms::ALL.iter().map(algorithm).collect()
}

/// The names of the sampler options that an algorithm accepts.
#[pyfunction]
pub(super) fn accepted_options(algorithm: &str, settings: &str) -> PyResult<Vec<&'static str>> {
    guard(|| {
        let accepted = algorithms::find(algorithm)?.options(&options(settings)?);
        Ok(accepted.into_iter().map(OptionName::name).collect())
    })
}

/// Name, length and seed of every split.
#[pyfunction]
pub(super) fn splits() -> Vec<(&'static str, usize, u32)> {
    Split::ALL.map(|split| (split.name(), split.length(), split.seed())).to_vec()
}
