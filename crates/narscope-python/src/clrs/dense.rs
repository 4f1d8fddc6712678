//! Batches as NumPy arrays in the layout of the reference, and back.

use narscope::clrs::batch::{Batch, Gather};
use narscope::clrs::column::Column;
use narscope::clrs::kind::Storage;
use narscope::clrs::records::Records;
use narscope::clrs::{Dtype, Probe, Stage, Traces};
use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods as _};
use pyo3::prelude::*;

use crate::arrays;
use crate::error::{Result, input_error};

/// The values of a probe, in the type that the reference stores them in.
enum Values {
    Real(Vec<f64>),
    Whole(Vec<i64>),
}

/// A batch in the layout of the reference, not yet owned by Python.
pub(super) struct Dense {
    /// One per probe, with its shape.
    probes: Vec<(Values, Vec<usize>)>,
    lengths: Vec<f64>,
}

/// What Python gets: an array per probe, inputs before outputs before hints, and the number of hints per sample.
pub(super) type Arrays<'py> = (Vec<Bound<'py, PyAny>>, Bound<'py, PyAny>);

impl Dense {
    /// Expands a batch. This is most of the work; it needs no interpreter.
    pub(super) fn of(batch: &Batch) -> Self {
        let expand = |(place, probe): (usize, &Probe)| {
            let dense = batch.dense(place);
            let values = match probe.dtype {
                Dtype::Float64 => Values::Real(dense),
                Dtype::Int64 => Values::Whole(dense.into_iter().map(|x| x as i64).collect()),
            };
            (values, batch.shape(place))
        };
        Self {
            probes: batch.traces.probes.iter().enumerate().map(expand).collect(),
            lengths: batch.lengths(),
        }
    }

    /// Moves the memory to NumPy.
    pub(super) fn into_arrays(self, py: Python<'_>) -> PyResult<Arrays<'_>> {
        let samples = self.lengths.len();
        let arrays = self.probes.into_iter().map(|(values, shape)| match values {
            Values::Real(values) => arrays::array(py, values, &shape),
            Values::Whole(values) => arrays::array(py, values, &shape),
        });
        Ok((arrays.collect::<PyResult<_>>()?, arrays::array(py, self.lengths, &[samples])?))
    }
}

/// Dense arrays that Python passed, one per probe.
pub(super) struct Given {
    nodes: usize,
    /// The number of hints of each sample.
    steps: Vec<usize>,
    /// The values of each probe; `None` for outputs that are not known.
    values: Vec<Option<Vec<f64>>>,
}

impl Given {
    /// Copies arrays and checks their shapes. `arrays` are in the order of `probes`.
    pub(super) fn read(
        probes: &[Probe],
        arrays: &[Option<PyReadonlyArrayDyn<'_, f64>>],
        lengths: &[f64],
    ) -> Result<Self> {
        let nodes = node_count(probes, arrays)?;
        let steps: Vec<usize> = lengths.iter().map(|&length| length as usize).collect();
        let longest = steps.iter().copied().max().unwrap_or(0);
        let samples = steps.len();
        let mut values = vec![];
        for (probe, array) in probes.iter().zip(arrays) {
            let Some(array) = array else {
                values.push(None);
                continue;
            };
            let record = probe.shape(nodes);
            let (wanted, fits) = match probe.stage {
                Stage::Hint => {
                    let found = array.shape().first().copied().unwrap_or(0);
                    let shape = [&[found.max(longest), samples], record.as_slice()].concat();
                    let fits = array.shape() == shape;
                    (shape, fits)
                }
                Stage::Input | Stage::Output => {
                    let shape = [&[samples], record.as_slice()].concat();
                    let fits = array.shape() == shape;
                    (shape, fits)
                }
            };
            if !fits {
                return Err(input_error(format!(
                    "{} {} must have shape {wanted:?}, found {:?}",
                    probe.stage.name(),
                    probe.name,
                    array.shape()
                )));
            }
            values.push(Some(array.as_array().iter().copied().collect()));
        }
        Ok(Self { nodes, steps, values })
    }

    /// The arrays as traces of an algorithm with these probes.
    pub(super) fn into_traces(self, probes: &[Probe]) -> Result<Traces> {
        let Self { nodes, steps, values } = self;
        let mut columns = vec![];
        for (probe, values) in probes.iter().zip(values) {
            let Some(values) = values else {
                columns.push(unknown(probe, nodes, steps.len()));
                continue;
            };
            let mut gather = Gather::new(probe, nodes, &steps);
            let slab = probe.size(nodes) * steps.len();
            for slab in values.chunks_exact(slab.max(1)) {
                gather.push(slab)?;
            }
            columns.push(gather.finish());
        }
        Ok(Traces::from_columns(probes.to_vec(), nodes, columns, &steps))
    }
}

/// Stands in for outputs that are not given: predictions read inputs and hints only.
fn unknown(probe: &Probe, nodes: usize, samples: usize) -> Column {
    let width = probe.locations(nodes);
    match probe.kind.info().storage {
        Storage::Real => Column::Real(Records::from_plain(width, &vec![0.0; width * samples])),
        Storage::Class => Column::Class(Records::from_plain(width, &vec![0; width * samples])),
        Storage::Index => Column::Index(Records::from_plain(width, &vec![0; width * samples])),
    }
}

/// The number of nodes: the last axis of `pos`, which every algorithm has.
fn node_count(probes: &[Probe], arrays: &[Option<PyReadonlyArrayDyn<'_, f64>>]) -> Result<usize> {
    let positions = probes.iter().zip(arrays).find(|(probe, _)| probe.name == "pos");
    match positions.and_then(|(_, array)| array.as_ref()).map(|array| array.shape()) {
        Some(&[_, nodes]) => Ok(nodes),
        Some(shape) => {
            Err(input_error(format!("input pos must have shape [samples, nodes], found {shape:?}")))
        }
        None => Err(input_error("the batch has no input pos")),
    }
}
