//! `.safetensors` files of batches, with one dense array in memory at a time.

use std::borrow::Cow;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use narscope_clrs::batch::Batch;
use narscope_clrs::probe::Dtype;
use safetensors::View;
use safetensors::tensor::Metadata;

use crate::array_reader::{ArrayFile, ArrayReader, ElementType};
use crate::atomic::{self, Existing};
use crate::error::{Misread, misread};
use crate::format::{LENGTHS, key, to_bytes};
use crate::{Error, Result};

pub(crate) fn write(batch: &Batch, path: &Path, existing: Existing) -> Result<()> {
    atomic::check(path, existing)?;
    let probes = batch.traces.probes.iter().enumerate();
    let mut tensors: Vec<(String, Tensor)> =
        probes.map(|(index, probe)| (key(probe), Tensor::of(batch, index))).collect();
    tensors.push((LENGTHS.to_owned(), Tensor::lengths(batch)));

    let file = atomic::temporary(path)?;
    safetensors::serialize_to_file(tensors, None, file.path()).map_err(|error| {
        let source = match error {
            safetensors::SafeTensorError::IoError(source) => source,
            other => std::io::Error::other(other),
        };
        Error::io("write", path)(source)
    })?;
    atomic::persist(file, path, existing)
}

/// An array that is made dense only while it is written.
struct Tensor<'a> {
    batch: &'a Batch,
    /// Index of the probe; `None` for the lengths.
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

/// A `.safetensors` file open for reading.
pub(crate) struct Tensors<R> {
    file: R,
    metadata: Metadata,
    /// Offset of the data of the first tensor.
    data_start: u64,
}

impl<R: Read + Seek> Tensors<R> {
    pub(crate) fn new(mut file: R) -> Result<Self, Misread> {
        let Header { text, data_start, file_size } =
            read_header(&mut file).map_err(|error| damaged(&error))?;
        let metadata: Metadata = serde_json::from_slice(&text).map_err(|error| damaged(&error))?;
        if data_start.checked_add(metadata.data_len() as u64) != Some(file_size) {
            let expected = format!("{} bytes of data, as the header says", metadata.data_len());
            return Err(misread(expected, file_size.saturating_sub(data_start).to_string()));
        }
        Ok(Self { file, metadata, data_start })
    }
}

/// The header of a `.safetensors` file.
pub(crate) struct Header {
    /// Its JSON.
    pub(crate) text: Vec<u8>,
    /// Offset of the data, behind the header.
    pub(crate) data_start: u64,
    /// Size of the file in bytes.
    pub(crate) file_size: u64,
}

/// Reads the header of a `.safetensors` file.
pub(crate) fn read_header(file: &mut (impl Read + Seek)) -> io::Result<Header> {
    let file_size = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut length = [0; 8];
    file.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    // A damaged length may exceed the memory.
    if length > file_size - 8 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut text = vec![0; length as usize];
    file.read_exact(&mut text)?;
    Ok(Header { text, data_start: 8 + length, file_size })
}

impl<R: Read + Seek> ArrayFile for Tensors<R> {
    fn names(&self) -> Vec<String> {
        self.metadata.offset_keys()
    }

    fn open(&mut self, name: &str) -> Result<ArrayReader<Box<dyn Read + '_>>, Misread> {
        let info = self.metadata.info(name);
        let info = info.ok_or_else(|| misread(format!("a tensor {name}"), "none"))?;
        let element = match info.dtype {
            safetensors::Dtype::F16 => ElementType::F16,
            safetensors::Dtype::F32 => ElementType::F32,
            safetensors::Dtype::F64 => ElementType::F64,
            safetensors::Dtype::I8 => ElementType::I8,
            safetensors::Dtype::I16 => ElementType::I16,
            safetensors::Dtype::I32 => ElementType::I32,
            safetensors::Dtype::I64 => ElementType::I64,
            safetensors::Dtype::U8 | safetensors::Dtype::BOOL => ElementType::U8,
            safetensors::Dtype::U16 => ElementType::U16,
            safetensors::Dtype::U32 => ElementType::U32,
            safetensors::Dtype::U64 => ElementType::U64,
            other => return Err(misread("a tensor of numbers", format!("type {other:?}"))),
        };
        let (start, end) = info.data_offsets;
        self.file
            .seek(SeekFrom::Start(self.data_start + start as u64))
            .map_err(|error| damaged(&error))?;
        let bytes = self.file.by_ref().take((end - start) as u64);
        ArrayReader::new(info.shape.clone(), element, Box::new(bytes))
    }
}

fn damaged(error: &dyn std::error::Error) -> Misread {
    misread("a complete .safetensors file", error.to_string())
}
