//! Reading a few samples at a time.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;
use zip::CompressionMethod;

use super::{DONE, TensorData, TensorSpec, TensorType, samples_done};
use crate::atomic::{self, Existing};
use crate::error::misread;
use crate::metadata::Metadata;
use crate::npz;
use crate::tensors::{METADATA, read_header};
use crate::{Error, Result};

/// Reads samples of a finished file.
#[derive(Debug)]
pub struct TensorReader {
    file: File,
    path: PathBuf,
    header: Value,
    metadata: Metadata,
    /// Offset of the data of the first tensor.
    data_start: u64,
}

impl TensorReader {
    /// Opens a file and checks that it is complete.
    pub fn open(path: &Path) -> Result<Self> {
        let mut file = File::open(path).map_err(Error::io("read", path))?;
        let damaged = |found: String| misread("a complete recording", found).in_file(path);
        let header = read_header(&mut file).map_err(|error| damaged(error.to_string()))?;
        let (data_start, file_size) = (header.data_start, header.file_size);
        let header: Value =
            serde_json::from_slice(&header.text).map_err(|error| damaged(error.to_string()))?;
        let texts = header[METADATA].as_object().into_iter().flatten();
        let texts = texts.filter_map(|(key, text)| Some((key.clone(), text.as_str()?.to_owned())));
        let metadata = Metadata::from_strings(texts.filter(|(key, _)| key != DONE));
        let metadata = metadata.map_err(|misread| misread.in_file(path))?;
        let reader = Self { file, path: path.to_owned(), header, metadata, data_start };
        let ends = reader.names().map(|name| reader.byte_range(name).map(|range| range.end));
        let end = ends.collect::<Result<Vec<_>>>()?.into_iter().max().unwrap_or(0);
        if data_start.checked_add(end) != Some(file_size) {
            let found =
                format!("{} bytes of data, where its header says {end}", file_size - data_start);
            return Err(damaged(found));
        }
        let done = samples_done(&reader.header);
        for name in reader.names() {
            let Some(&samples) = reader.shape(name)?.first() else { continue };
            if let Some(done) = done.filter(|&done| done < samples) {
                return Err(Error::Unfinished { path: path.to_owned(), done, samples });
            }
        }
        Ok(reader)
    }

    /// Returns what the file says about its tensors.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Returns a value of the metadata that a recording must have.
    pub fn required(&self, key: &str) -> Result<&str> {
        let text = self.metadata.get(key);
        text.ok_or_else(|| self.misread(&format!("{key} in its metadata"), "nothing"))
    }

    /// Returns the names of the tensors.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let all = self.header.as_object().into_iter().flatten();
        all.map(|(name, _)| name.as_str()).filter(|name| *name != METADATA)
    }

    /// Returns the shape of a tensor; the first axis is the sample, unless it is a scalar.
    pub fn shape(&self, name: &str) -> Result<Vec<usize>> {
        let sizes = self.header[name]["shape"].as_array();
        let shape: Option<Vec<usize>> = sizes.and_then(|sizes| {
            sizes.iter().map(|size| size.as_u64().map(|size| size as usize)).collect()
        });
        shape.ok_or_else(|| self.misread(&format!("a tensor {name}"), "none"))
    }

    /// Checks that the file has a tensor of this spec for `samples` samples.
    pub fn check(&self, spec: &TensorSpec, samples: usize) -> Result<()> {
        let name = &spec.name;
        let (expected, found) = (spec.full_shape(samples), self.shape(name)?);
        let found_type = self.header[name]["dtype"].as_str().unwrap_or_default();
        if (&found, found_type) == (&expected, spec.dtype.name()) {
            return Ok(());
        }
        let expected = format!("{name} of shape {expected:?} and type {}", spec.dtype.name());
        Err(self.misread(&expected, &format!("shape {found:?} and type {found_type}")))
    }

    /// Byte range of a tensor, relative to the start of the data.
    fn byte_range(&self, name: &str) -> Result<Range<u64>> {
        let offsets = &self.header[name]["data_offsets"];
        let range = offsets[0].as_u64().zip(offsets[1].as_u64());
        let range = range.filter(|(start, end)| start <= end).map(|(start, end)| start..end);
        range.ok_or_else(|| self.misread(&format!("data offsets of {name}"), &offsets.to_string()))
    }

    fn misread(&self, expected: &str, found: &str) -> Error {
        misread(expected, found).in_file(&self.path)
    }

    /// Element type of a tensor.
    fn dtype(&self, name: &str) -> Result<TensorType> {
        let found = self.header[name]["dtype"].as_str();
        let dtype = TensorType::ALL.into_iter().find(|dtype| Some(dtype.name()) == found);
        dtype.ok_or_else(|| {
            let expected = format!("type F32, F64, I64, I32 or I8 of {name}");
            self.misread(&expected, found.unwrap_or("none"))
        })
    }

    /// Shape, element type and byte range of a tensor, which agree.
    fn tensor(&self, name: &str) -> Result<(Vec<usize>, TensorType, Range<u64>)> {
        let (shape, dtype, bytes) = (self.shape(name)?, self.dtype(name)?, self.byte_range(name)?);
        let sizes =
            shape.iter().try_fold(dtype.size() as u64, |all, &size| all.checked_mul(size as u64));
        if sizes == Some(bytes.end - bytes.start) {
            return Ok((shape, dtype, bytes));
        }
        let found = format!("{} bytes", bytes.end - bytes.start);
        Err(self.misread(&format!("{name} of shape {shape:?}"), &found))
    }

    /// Reads a range of samples of a tensor.
    pub fn read(&mut self, name: &str, samples: Range<usize>) -> Result<TensorData> {
        let (shape, dtype, bytes) = self.tensor(name)?;
        if shape.is_empty() {
            return Err(self.misread(&format!("{name} for every sample"), "a scalar"));
        }
        if samples.end > shape[0] {
            let expected = format!("{} samples in {name}", samples.end);
            return Err(self.misread(&expected, &shape[0].to_string()));
        }
        let size = (bytes.end - bytes.start).checked_div(shape[0] as u64).unwrap_or(0);
        let offset = self.data_start + bytes.start + samples.start as u64 * size;
        let mut bytes = vec![0; samples.len() * size as usize];
        let read = self.file.seek(SeekFrom::Start(offset));
        let read = read.and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(Error::io("read", &self.path))?;
        Ok(dtype.decode(&bytes))
    }

    /// Writes all tensors and the metadata as `.npz`.
    pub fn write_npz(&mut self, path: &Path, existing: Existing) -> Result<()> {
        let names: Vec<String> = self.names().map(str::to_owned).collect();
        let mut tensors = vec![];
        for name in &names {
            tensors.push((name, self.tensor(name)?));
        }
        atomic::write(path, existing, |file| {
            npz::archive(file, |zip| {
                for (name, (shape, dtype, bytes)) in &tensors {
                    let method = match dtype {
                        // States and logits do not compress: deflate would only take time.
                        TensorType::F32 => CompressionMethod::Stored,
                        _ => CompressionMethod::Deflated,
                    };
                    npz::start_array(zip, name, method, dtype.numpy_descr(), shape)?;
                    self.file.seek(SeekFrom::Start(self.data_start + bytes.start))?;
                    let mut data = (&mut self.file).take(bytes.end - bytes.start);
                    io::copy(&mut data, zip)?;
                }
                npz::write_metadata(zip, &self.metadata)
            })
        })
    }
}
