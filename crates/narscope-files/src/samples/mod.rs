//! Reading samples that `narscope sample` or another program wrote in the same layout.
//!
//! Every value is validated against the algorithm's spec, because a network would train on invalid values without
//! an error.

pub(crate) mod keys;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek};
use std::path::Path;

use narscope_clrs::algorithms::Entry;
use narscope_clrs::batch::{Batch, Gather};
use narscope_clrs::probe::Stage;
use narscope_clrs::trace::Traces;

use crate::array_reader::ArrayFile;
use crate::error::{Misread, misread};
use crate::format::{Format, LENGTHS, key};
use crate::npz::Npz;
use crate::tensors::Tensors;
use crate::{Error, Result, jsonl};
use keys::{Keys, missing_key};

/// Reads samples of an algorithm from a `.npz`, `.safetensors` or `.jsonl` file.
///
/// The file follows the algorithm's spec, or the spec after [`convert::pred_as_input`] and
/// [`convert::permutations`]; its keys tell which. Node pointers of a sorting algorithm are read as
/// `ShouldBePermutation`, even if they were converted without `enforce`: the file does not show it. Hints after the last step
/// of a sample are padding and are not validated.
///
/// [`convert::pred_as_input`]: narscope_clrs::convert::pred_as_input
/// [`convert::permutations`]: narscope_clrs::convert::permutations
pub fn read(path: &Path, entry: &'static Entry) -> Result<Batch> {
    let format = Format::from_path(path)?;
    let file = File::open(path).map_err(Error::io("read", path))?;
    parse(format, entry, BufReader::new(file)).map_err(|misread| misread.in_file(path))
}

fn parse(format: Format, entry: &Entry, file: impl BufRead + Seek) -> Result<Batch, Misread> {
    match format {
        Format::Npz => gather(entry, &mut Npz::new(file)?),
        Format::Safetensors => gather(entry, &mut Tensors::new(file)?),
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

/// Reads samples from a file of arrays.
fn gather(entry: &Entry, arrays: &mut dyn ArrayFile) -> Result<Batch, Misread> {
    let names = arrays.names();
    let mut shapes = BTreeMap::new();
    let mut keys = Keys::default();
    for name in &names {
        let outer = match name.split_once('/') {
            Some(("hint", _)) => 2,
            Some(("input" | "output", _)) => 1,
            // Other arrays are the user's own.
            _ => continue,
        };
        let array = arrays.open(name).map_err(|misread| misread.found_in(name))?;
        keys.0.insert(name.clone(), array.shape.len().saturating_sub(outer));
        shapes.insert(name.clone(), array.shape);
    }
    let probes = keys.spec(entry, key);
    keys.check(entry, &probes, key)?;
    if !names.iter().any(|name| name == LENGTHS) {
        return Err(missing_key(entry, LENGTHS, names.iter()));
    }

    // Every algorithm has the input `pos`.
    let &[runs, nodes] = shapes["input/pos"].as_slice() else {
        let found = format!("shape {:?}", shapes["input/pos"]);
        return Err(misread("input/pos of shape [samples, nodes]", found));
    };
    check_nodes(nodes)?;
    let hint = probes.iter().find(|probe| probe.stage == Stage::Hint).map(key);
    let steps = hint.as_ref().and_then(|hint| shapes[hint].first().copied());
    let lengths = lengths(arrays, runs, steps).map_err(|misread| misread.expected_in(LENGTHS))?;
    let steps = steps.unwrap_or(0);

    let mut columns = Vec::with_capacity(probes.len());
    for probe in &probes {
        let mut gather = Gather::new(probe, nodes, &lengths);
        let mut slab = vec![runs];
        slab.extend(probe.shape(nodes));
        let slabs = (probe.stage == Stage::Hint).then_some(steps);
        fill(&mut gather, arrays, &key(probe), slabs, &slab)
            .map_err(|misread| misread.expected_in(&key(probe)))?;
        columns.push(gather.finish());
    }
    Ok(Batch { traces: Traces::from_columns(probes, nodes, columns, &lengths), steps })
}

/// Reads the number of steps of each sample; `most` is the number of steps of the padded hints.
fn lengths(
    arrays: &mut dyn ArrayFile,
    runs: usize,
    most: Option<usize>,
) -> Result<Vec<usize>, Misread> {
    let mut array = arrays.open(LENGTHS)?;
    check_shape(&array.shape, &[runs])?;
    if runs == 0 {
        return Err(misread("at least one sample", "none"));
    }
    let most = most.unwrap_or(usize::MAX);
    let length = |(i, length): (usize, f64)| {
        if length.fract() == 0.0 && length >= 1.0 && length <= most as f64 {
            return Ok(length as usize);
        }
        let expected = format!("integers from 1 to {most}, the number of steps,");
        Err(misread(expected, format!("{length} for sample {i}")))
    };
    let lengths = array.all()?.into_iter().enumerate().map(length).collect::<Result<_, _>>()?;
    array.end()?;
    Ok(lengths)
}

/// Reads an array of the shape `slab`, with a leading axis of size `slabs` if there is one.
fn fill(
    gather: &mut Gather<'_>,
    arrays: &mut dyn ArrayFile,
    key: &str,
    slabs: Option<usize>,
    slab: &[usize],
) -> Result<(), Misread> {
    let mut array = arrays.open(key)?;
    let shape: Vec<usize> = slabs.into_iter().chain(slab.iter().copied()).collect();
    check_shape(&array.shape, &shape)?;
    array.try_for_each_slab(slab.iter().product(), |slab| Ok(gather.push(slab)?))?;
    array.end()
}

fn check_shape(found: &[usize], expected: &[usize]) -> Result<(), Misread> {
    if found == expected {
        return Ok(());
    }
    Err(misread(format!("shape {expected:?}"), format!("shape {found:?}")))
}
