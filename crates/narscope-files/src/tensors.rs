//! Writing `.safetensors`, one dense array in memory at a time.

use std::borrow::Cow;
use std::path::Path;

use narscope_clrs::batch::Batch;
use narscope_clrs::probe::Dtype;
use safetensors::View;

use crate::format::{key, to_bytes};
use crate::whole::{self, Existing};
use crate::{Error, Result};

pub(crate) fn write(batch: &Batch, path: &Path, existing: Existing) -> Result<()> {
    whole::check(path, existing)?;
    let probes = batch.traces.probes.iter().enumerate();
    let mut tensors: Vec<(String, Tensor)> =
        probes.map(|(place, probe)| (key(probe), Tensor::of(batch, place))).collect();
    tensors.push(("lengths".to_owned(), Tensor::lengths(batch)));

    let aside = whole::aside(path)?;
    safetensors::serialize_to_file(tensors, None, aside.path()).map_err(|error| {
        let source = match error {
            safetensors::SafeTensorError::IoError(source) => source,
            other => std::io::Error::other(other),
        };
        Error::io("write", path)(source)
    })?;
    whole::publish(aside, path, existing)
}

/// An array that becomes dense only while it is written.
struct Tensor<'a> {
    batch: &'a Batch,
    /// Which probe, or none for the lengths.
    probe: Option<usize>,
    shape: Vec<usize>,
    dtype: Dtype,
}

impl<'a> Tensor<'a> {
    fn of(batch: &'a Batch, probe: usize) -> Self {
        let dtype = batch.traces.probes[probe].dtype;
        Self { batch, probe: Some(probe), shape: batch.shape(probe), dtype }
    }
    fn lengths(batch: &'a Batch) -> Self {
        Self { batch, probe: None, shape: vec![batch.traces.len()], dtype: Dtype::Float64 }
    }
}

impl View for Tensor<'_> {
    fn dtype(&self) -> safetensors::Dtype {
        match self.dtype {
            Dtype::Float64 => safetensors::Dtype::F64,
            Dtype::Int64 => safetensors::Dtype::I64,
        }
    }
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn data(&self) -> Cow<'_, [u8]> {
        let mut bytes = Vec::with_capacity(self.data_len());
        match self.probe {
            None => to_bytes(&self.batch.lengths(), self.dtype, &mut bytes),
            Some(probe) => {
                let Ok(()) = self.batch.try_for_each_slab(probe, |slab| {
                    to_bytes(slab, self.dtype, &mut bytes);
                    Ok::<(), std::convert::Infallible>(())
                });
            }
        }
        bytes.into()
    }
    fn data_len(&self) -> usize {
        8 * self.shape.iter().product::<usize>()
    }
}
