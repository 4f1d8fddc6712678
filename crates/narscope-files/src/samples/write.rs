//! Writing samples, one after the other, so that a dense array need not fit into memory.

use std::io::{self, Seek, Write};
use std::path::Path;

use narscope_clrs::batch::Batch;
use narscope_clrs::probe::{Dtype, Stage};
use zip::CompressionMethod;

use super::jsonl;
use crate::Result;
use crate::atomic::{self, Existing};
use crate::format::Format;
use crate::layout::{LENGTHS, key, to_bytes};
use crate::metadata::Metadata;
use crate::npz;
use crate::tensors::{self, TensorEntry};

/// Writes samples of an algorithm to a `.npz`, `.safetensors` or `.jsonl` file.
pub fn write(path: &Path, existing: Existing, batch: &Batch, metadata: &Metadata) -> Result<()> {
    match Format::from_path(path)? {
        Format::Npz => atomic::write(path, existing, |file| npz(batch, metadata, file)),
        Format::Safetensors => {
            atomic::write(path, existing, |file| safetensors(batch, metadata, file))
        }
        Format::Jsonl => atomic::write(path, existing, |file| jsonl::write(batch, metadata, file)),
    }
}

/// An array of a batch.
struct BatchArray<'a> {
    batch: &'a Batch,
    name: String,
    /// Index of the probe; `None` for the lengths.
    probe: Option<usize>,
    shape: Vec<usize>,
    dtype: Dtype,
}

fn arrays(batch: &Batch) -> Vec<BatchArray<'_>> {
    let (traces, samples) = (&batch.traces, batch.traces.len());
    let mut arrays = vec![];
    for (index, probe) in traces.probes.iter().enumerate() {
        let outer: &[usize] = match probe.stage {
            Stage::Hint => &[samples, batch.steps],
            Stage::Input | Stage::Output => &[samples],
        };
        let shape = [outer, &probe.shape(traces.nodes)].concat();
        let (name, dtype) = (key(probe), probe.dtype);
        arrays.push(BatchArray { batch, name, probe: Some(index), shape, dtype });
    }
    // Differs: the reference has them as floats.
    let (name, dtype) = (LENGTHS.to_owned(), Dtype::Int64);
    arrays.push(BatchArray { batch, name, probe: None, shape: vec![samples], dtype });
    arrays
}

impl BatchArray<'_> {
    fn write(&self, file: &mut impl Write) -> io::Result<()> {
        let traces = &self.batch.traces;
        let mut bytes = vec![];
        let Some(probe) = self.probe else {
            to_bytes(&self.batch.lengths(), self.dtype, &mut bytes);
            return file.write_all(&bytes);
        };
        let size = size_of::<f64>() * self.shape[1..].iter().product::<usize>();
        for i in 0..traces.len() {
            bytes.clear();
            to_bytes(&traces.dense(probe, i), self.dtype, &mut bytes);
            // Padding is 0 for every kind of probe.
            bytes.resize(size, 0);
            file.write_all(&bytes)?;
        }
        Ok(())
    }
}

fn npz(batch: &Batch, metadata: &Metadata, file: impl Write + Seek) -> io::Result<()> {
    npz::archive(file, |zip| {
        for array in arrays(batch) {
            let descr = match array.dtype {
                Dtype::Float64 => "<f8",
                Dtype::Int64 => "<i8",
            };
            let method = CompressionMethod::Deflated;
            npz::start_array(zip, &array.name, method, descr, &array.shape)?;
            array.write(zip)?;
        }
        npz::write_metadata(zip, metadata)
    })
}

fn safetensors(batch: &Batch, metadata: &Metadata, mut file: impl Write) -> io::Result<()> {
    let arrays = arrays(batch);
    let entry = |array: &BatchArray<'_>| TensorEntry {
        name: array.name.clone(),
        dtype: match array.dtype {
            Dtype::Float64 => "F64",
            Dtype::Int64 => "I64",
        },
        shape: array.shape.clone(),
        bytes: size_of::<f64>() * array.shape.iter().product::<usize>(),
    };
    let entries: Vec<TensorEntry> = arrays.iter().map(entry).collect();
    file.write_all(&tensors::header(&metadata.to_strings(), &entries))?;
    arrays.iter().try_for_each(|array| array.write(&mut file))
}
