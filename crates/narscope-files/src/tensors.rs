//! `.safetensors`, one dense array in memory at a time.

use std::borrow::Cow;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use narscope_clrs::batch::Batch;
use narscope_clrs::probe::Dtype;
use safetensors::View;
use safetensors::tensor::Metadata;

use crate::error::{Misread, misread};
use crate::format::{LENGTHS, key, to_bytes};
use crate::numbers::{Arrays, Item, Numbers};
use crate::whole::{self, Existing};
use crate::{Error, Result};

pub(crate) fn write(batch: &Batch, path: &Path, existing: Existing) -> Result<()> {
    whole::check(path, existing)?;
    let probes = batch.traces.probes.iter().enumerate();
    let mut tensors: Vec<(String, Tensor)> =
        probes.map(|(place, probe)| (key(probe), Tensor::of(batch, place))).collect();
    tensors.push((LENGTHS.to_owned(), Tensor::lengths(batch)));

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

/// A `.safetensors` file that is open for reading.
pub(crate) struct Tensors<R> {
    file: R,
    metadata: Metadata,
    /// Where the numbers of the first tensor are.
    start: u64,
}

impl<R: Read + Seek> Tensors<R> {
    pub(crate) fn new(mut file: R) -> Result<Self, Misread> {
        let (start, head, size) = head(&mut file).map_err(|error| broken(&error))?;
        let metadata: Metadata = serde_json::from_slice(&head).map_err(|error| broken(&error))?;
        if start.checked_add(metadata.data_len() as u64) != Some(size) {
            let wanted = format!("{} bytes of numbers, as the header says", metadata.data_len());
            return Err(misread(wanted, size.saturating_sub(start).to_string()));
        }
        Ok(Self { file, metadata, start })
    }
}

/// Where the head of a file ends, what it says, and how large the file is.
pub(crate) fn head(file: &mut (impl Read + Seek)) -> io::Result<(u64, Vec<u8>, u64)> {
    let size = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut length = [0; 8];
    file.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    // A damaged length may be more than any memory holds.
    if length > size - 8 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut head = vec![0; length as usize];
    file.read_exact(&mut head)?;
    Ok((8 + length, head, size))
}

impl<R: Read + Seek> Arrays for Tensors<R> {
    fn names(&self) -> Vec<String> {
        self.metadata.offset_keys()
    }

    fn open(&mut self, name: &str) -> Result<Numbers<Box<dyn Read + '_>>, Misread> {
        let info = self.metadata.info(name);
        let info = info.ok_or_else(|| misread(format!("a tensor {name}"), "none"))?;
        let item = match info.dtype {
            safetensors::Dtype::F16 => Item::F16,
            safetensors::Dtype::F32 => Item::F32,
            safetensors::Dtype::F64 => Item::F64,
            safetensors::Dtype::I8 => Item::I8,
            safetensors::Dtype::I16 => Item::I16,
            safetensors::Dtype::I32 => Item::I32,
            safetensors::Dtype::I64 => Item::I64,
            safetensors::Dtype::U8 | safetensors::Dtype::BOOL => Item::U8,
            safetensors::Dtype::U16 => Item::U16,
            safetensors::Dtype::U32 => Item::U32,
            safetensors::Dtype::U64 => Item::U64,
            other => return Err(misread("a tensor of numbers", format!("one of type {other:?}"))),
        };
        let (start, end) = info.data_offsets;
        self.file
            .seek(SeekFrom::Start(self.start + start as u64))
            .map_err(|error| broken(&error))?;
        let bytes = self.file.by_ref().take((end - start) as u64);
        Numbers::new(info.shape.clone(), item, Box::new(bytes))
    }
}

fn broken(error: &dyn std::error::Error) -> Misread {
    misread("a whole .safetensors file", error.to_string())
}
