//! The names and versions of the arrays that every command writes; `docs/files.md` describes the layout.
//!
//! The sample is the first axis of every array, then the step, then the nodes.

use narscope_clrs::probe::{Dtype, Probe};

/// Version of the layout that is written.
///
/// Files without a version are of version 1: samples have the step as the first axis of hints, and recordings have
/// names and encodings of their own.
pub const VERSION: u32 = 2;

/// Number of hints of each sample.
pub const LENGTHS: &str = "lengths";
/// Number of steps that the network takes on each sample.
pub const STEPS: &str = "steps";
/// Hidden states of the network after each step.
pub const HIDDEN: &str = "hidden";
/// Mean score of the outputs of each sample.
pub const SCORE: &str = "score";
/// Index of the base graph of each sample, if samples are images of graphs.
pub const CLUSTER: &str = "cluster";

/// Name of the array of a probe's true values.
pub fn key(probe: &Probe) -> String {
    format!("{}/{}", probe.stage.name(), probe.name)
}

/// Name of the array of a probe's predicted values.
pub fn predicted_key(probe: &Probe) -> String {
    format!("predicted/{}", key(probe))
}

/// Appends values as bytes of the type that the reference implementation stores.
pub fn to_bytes(values: &[f64], dtype: Dtype, bytes: &mut Vec<u8>) {
    match dtype {
        Dtype::Float64 => bytes.extend(values.iter().flat_map(|value| value.to_le_bytes())),
        Dtype::Int64 => bytes.extend(values.iter().flat_map(|&value| (value as i64).to_le_bytes())),
    }
}
