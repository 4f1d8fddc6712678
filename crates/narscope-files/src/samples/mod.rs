//! Files of samples: inputs, hints and outputs of an algorithm.
//!
//! Every value that is read is validated against the algorithm's spec, because a network would train on invalid
//! values without an error.
//!
//! ```
//! use narscope_clrs::algorithms::find;
//! use narscope_clrs::batch::Batch;
//! use narscope_clrs::options::Options;
//! use narscope_clrs::rng::Rng;
//! use narscope_files::atomic::Existing;
//! use narscope_files::metadata::Metadata;
//! use narscope_files::samples;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bfs = find("bfs")?;
//! let (nodes, count, rng) = (16, 4, &mut Rng::seeded(1));
//! let batch = Batch::new(bfs.generate(rng, nodes, &Options::default(), count)?, 0);
//!
//! let folder = tempfile::tempdir()?;
//! for name in ["bfs.npz", "bfs.safetensors", "bfs.jsonl"] {
//!     let path = folder.path().join(name);
//!     samples::write(&path, Existing::Keep, &batch, &Metadata::new(bfs.name))?;
//!     assert_eq!(samples::read(&path, bfs)?, batch);
//! }
//! # Ok(())
//! # }
//! ```

pub mod jsonl;
pub(crate) mod keys;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek};
use std::path::Path;

use narscope_clrs::algorithms::Entry;
use narscope_clrs::batch::{Batch, Gather};
use narscope_clrs::column::Column;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;

use crate::array_reader::ArrayFile;
use crate::error::{Misread, misread};
use crate::format::Format;
use crate::layout::{LENGTHS, key};
use crate::metadata::Metadata;
use crate::npz::Npz;
use crate::tensors::Tensors;
use crate::{Error, Result, memory};
use keys::{Keys, is_of_spec, missing_key};
pub use write::write;

/// Reads samples of an algorithm from a `.npz`, `.safetensors` or `.jsonl` file.
///
/// The file follows the algorithm's spec, or the spec after [`convert::pred_as_input`] and
/// [`convert::permutations`]; its keys tell which. Node pointers of a sorting algorithm are read as
/// `ShouldBePermutation`, even if they were converted without `enforce`: the file does not show it. Hints after the last step
/// of a sample are padding and are not validated. Predictions and other arrays are ignored.
///
/// A file without a version is of version 1, or made from the arrays of the reference: the first axis of its hints
/// is the step.
///
/// [`convert::pred_as_input`]: narscope_clrs::convert::pred_as_input
/// [`convert::permutations`]: narscope_clrs::convert::permutations
pub fn read(path: &Path, entry: &'static Entry) -> Result<Batch> {
    read_with_metadata(path, entry).map(|(batch, _)| batch)
}

/// Reads samples as [`read`] does, and what the file says about them.
pub fn read_with_metadata(path: &Path, entry: &'static Entry) -> Result<(Batch, Metadata)> {
    let format = Format::from_path(path)?;
    let file = File::open(path).map_err(Error::io("read", path))?;
    parse(format, entry, BufReader::new(file)).map_err(|misread| misread.in_file(path))
}

fn parse(
    format: Format,
    entry: &Entry,
    file: impl BufRead + Seek,
) -> Result<(Batch, Metadata), Misread> {
    match format {
        Format::Npz => from_arrays(entry, &mut Npz::new(file)?),
        Format::Safetensors => from_arrays(entry, &mut Tensors::new(file)?),
        Format::Jsonl => jsonl::read(entry, file),
    }
}

/// Refuses unrealistic numbers of nodes, for which the sizes of records could overflow.
pub(crate) fn check_nodes(nodes: usize) -> Result<(), Misread> {
    const MAX_NODES: usize = 1 << 20;
    if (1..=MAX_NODES).contains(&nodes) {
        return Ok(());
    }
    Err(misread(format!("samples of 1 to {MAX_NODES} nodes"), format!("{nodes} nodes")))
}

/// Which of the first two axes of hints is the sample.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    SampleFirst,
    /// As in the reference, and in version 1.
    StepFirst,
}

/// Reads samples from a file of arrays.
fn from_arrays(entry: &Entry, arrays: &mut dyn ArrayFile) -> Result<(Batch, Metadata), Misread> {
    let metadata = arrays.metadata()?;
    let order = if metadata.version == 1 { Order::StepFirst } else { Order::SampleFirst };
    let names = arrays.names();
    let mut shapes = BTreeMap::new();
    let mut keys = Keys::default();
    for name in names.iter().filter(|name| is_of_spec(name)) {
        let array = arrays.open(name).map_err(|misread| misread.found_in(name))?;
        let outer = if name.starts_with("hint/") { 2 } else { 1 };
        keys.0.insert(name.clone(), array.shape.len().saturating_sub(outer));
        shapes.insert(name.clone(), array.shape);
    }
    let probes = keys.spec(entry);
    keys.check(entry, &probes)?;
    if !names.iter().any(|name| name == LENGTHS) {
        return Err(missing_key(entry, LENGTHS, names.iter()));
    }

    // Every algorithm has the input `pos`.
    let &[samples, nodes] = shapes["input/pos"].as_slice() else {
        let found = format!("shape {:?}", shapes["input/pos"]);
        return Err(misread("input/pos of shape [samples, nodes]", found));
    };
    check_nodes(nodes)?;
    let hint = probes.iter().find(|probe| probe.stage == Stage::Hint).map(key);
    let axis = match order {
        Order::StepFirst => 0,
        Order::SampleFirst => 1,
    };
    let most = hint.as_ref().and_then(|hint| shapes[hint].get(axis).copied());
    let steps = most.unwrap_or(0);
    // All shapes are checked before elements are read: a small file may hold gigabytes of compressed zeros.
    for probe in &probes {
        let outer: &[usize] = match (probe.stage, order) {
            (Stage::Input | Stage::Output, _) => &[samples],
            (Stage::Hint, Order::StepFirst) => &[steps, samples],
            (Stage::Hint, Order::SampleFirst) => &[samples, steps],
        };
        let shape = [outer, &probe.shape(nodes)].concat();
        check_shape(&shapes[&key(probe)], &shape)
            .map_err(|misread| misread.expected_in(&key(probe)))?;
        // What is in memory at once, besides the records that are made of it.
        let slab = slab_axis(probe, order, samples, steps).saturating_mul(probe.size(nodes));
        memory::check::<f64>(slab, || format!("{samples} samples of {nodes} nodes"))?;
    }
    let lengths = lengths(arrays, samples, most).map_err(|misread| misread.expected_in(LENGTHS))?;

    let mut columns = Vec::with_capacity(probes.len());
    for probe in &probes {
        let slab = slab_axis(probe, order, samples, steps) * probe.size(nodes);
        let column = column(arrays, probe, nodes, (order, slab), &lengths);
        columns.push(column.map_err(|misread| misread.expected_in(&key(probe)))?);
    }
    let traces = Traces::from_columns(probes, nodes, columns, &lengths);
    Ok((Batch { traces, steps }, metadata))
}

/// Number of records of a slab, which is read at once: those of a sample, or those of a step.
fn slab_axis(probe: &Probe, order: Order, samples: usize, steps: usize) -> usize {
    match (probe.stage, order) {
        (_, Order::StepFirst) => samples,
        (Stage::Hint, Order::SampleFirst) => steps,
        (Stage::Input | Stage::Output, Order::SampleFirst) => 1,
    }
}

/// Reads an array whose shape was checked, a slab at a time.
fn column(
    arrays: &mut dyn ArrayFile,
    probe: &Probe,
    nodes: usize,
    (order, slab): (Order, usize),
    lengths: &[usize],
) -> Result<Column, Misread> {
    let mut array = arrays.open(&key(probe))?;
    let column = match order {
        Order::StepFirst => {
            let mut gather = Gather::new(probe, nodes, lengths);
            array.try_for_each_slab(slab, |slab| Ok(gather.push(slab)?))?;
            gather.finish()
        }
        Order::SampleFirst => {
            let mut all = Column::of(probe, nodes);
            let mut sample = 0;
            array.try_for_each_slab(slab, |slab| {
                let one = of_sample(probe, nodes, slab, (sample, lengths[sample]))?;
                all.extend_from(&one, 0..one.len());
                sample += 1;
                Ok(())
            })?;
            all
        }
    };
    array.end()?;
    Ok(column)
}

/// The records of one sample, without padding.
fn of_sample(
    probe: &Probe,
    nodes: usize,
    slab: &[f64],
    (sample, length): (usize, usize),
) -> Result<Column, Misread> {
    let mut column = Column::of(probe, nodes);
    for (step, dense) in slab.chunks_exact(probe.size(nodes)).take(length).enumerate() {
        probe.compact(nodes, dense, &mut column).map_err(|error| {
            Misread::from(error).found_in(&match probe.stage {
                Stage::Hint => format!("step {step} of sample {sample}"),
                Stage::Input | Stage::Output => format!("sample {sample}"),
            })
        })?;
    }
    Ok(column)
}

/// Reads the number of hints of each sample; `most` is the number of padded hints.
fn lengths(
    arrays: &mut dyn ArrayFile,
    samples: usize,
    most: Option<usize>,
) -> Result<Vec<usize>, Misread> {
    let mut array = arrays.open(LENGTHS)?;
    check_shape(&array.shape, &[samples])?;
    if samples == 0 {
        return Err(misread("at least one sample", "none"));
    }
    memory::check::<usize>(samples, || format!("the lengths of {samples} samples"))?;
    let most = most.unwrap_or(usize::MAX);
    let mut lengths = vec![];
    array.try_for_each(|length| {
        if length.fract() == 0.0 && length >= 1.0 && length <= most as f64 {
            lengths.push(length as usize);
            return Ok(());
        }
        let expected = format!("integers from 1 to {most}, the number of steps,");
        Err(misread(expected, format!("{length} for sample {}", lengths.len())))
    })?;
    array.end()?;
    Ok(lengths)
}

fn check_shape(found: &[usize], expected: &[usize]) -> Result<(), Misread> {
    if found == expected {
        return Ok(());
    }
    Err(misread(format!("shape {expected:?}"), format!("shape {found:?}")))
}
