//! Reading a few samples at a time.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;
use zip::CompressionMethod;

use super::{METADATA, TensorData, TensorSpec, TensorType, samples_done};
use crate::atomic::{self, Existing};
use crate::error::misread;
use crate::npz;
use crate::tensors::read_header;
use crate::{Error, Result};

/// Reads samples of a finished file.
#[derive(Debug)]
pub struct TensorReader {
    file: File,
    path: PathBuf,
    header: Value,
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
        let reader = Self { file, path: path.to_owned(), header, data_start };
        let ends = reader.names().map(|name| reader.byte_range(name).map(|range| range.end));
        let end = ends.collect::<Result<Vec<_>>>()?.into_iter().max().unwrap_or(0);
        if data_start.checked_add(end) != Some(file_size) {
            let found =
                format!("{} bytes of data, where its header says {end}", file_size - data_start);
            return Err(damaged(found));
        }
        let done = samples_done(&reader.header);
        for name in reader.names() {
            let samples = reader.shape(name)?[0];
            if let Some(done) = done.filter(|&done| done < samples) {
                return Err(Error::Unfinished { path: path.to_owned(), done, samples });
            }
        }
        Ok(reader)
    }

    /// Returns a value of the metadata.
    pub fn metadata(&self, key: &str) -> Result<&str> {
        let text = self.header[METADATA][key].as_str();
        text.ok_or_else(|| self.misread(&format!("{key} in its metadata"), "nothing"))
    }

    /// Returns the names of the tensors.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let all = self.header.as_object().into_iter().flatten();
        all.map(|(name, _)| name.as_str()).filter(|name| *name != METADATA)
    }

    /// Returns the shape of a tensor; the first axis is the sample.
    pub fn shape(&self, name: &str) -> Result<Vec<usize>> {
        let sizes = self.header[name]["shape"].as_array().into_iter().flatten();
        let shape: Option<Vec<usize>> =
            sizes.map(|size| size.as_u64().map(|size| size as usize)).collect();
        let shape = shape.filter(|shape| !shape.is_empty());
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
            let expected = format!("type F32, F64, I32 or I8 of {name}");
            self.misread(&expected, found.unwrap_or("none"))
        })
    }

    /// Reads a range of samples of a tensor.
    pub fn read(&mut self, name: &str, samples: Range<usize>) -> Result<TensorData> {
        let (shape, bytes) = (self.shape(name)?, self.byte_range(name)?);
        let dtype = self.dtype(name)?;
        let sizes = [&[dtype.size()], &shape[1..]].concat();
        let size = sizes.iter().try_fold(1_u64, |all, &size| all.checked_mul(size as u64));
        let total = size.and_then(|size| size.checked_mul(shape[0] as u64));
        let Some(size) = size.filter(|_| total == Some(bytes.end - bytes.start)) else {
            let found = format!("{} bytes", bytes.end - bytes.start);
            return Err(self.misread(&format!("{name} of shape {shape:?}"), &found));
        };
        if samples.end > shape[0] {
            let expected = format!("{} samples in {name}", samples.end);
            return Err(self.misread(&expected, &shape[0].to_string()));
        }
        let offset = self.data_start + bytes.start + samples.start as u64 * size;
        let mut bytes = vec![0; samples.len() * size as usize];
        let read = self.file.seek(SeekFrom::Start(offset));
        let read = read.and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(Error::io("read", &self.path))?;
        Ok(dtype.decode(&bytes))
    }

    /// Writes all tensors as `.npz`, a few samples at a time.
    pub fn write_npz(&mut self, path: &Path, existing: Existing) -> Result<()> {
        const SAMPLES_AT_ONCE: usize = 256;
        let names: Vec<String> = self.names().map(str::to_owned).collect();
        let mut tensors = vec![];
        for name in &names {
            tensors.push((name, self.shape(name)?, self.dtype(name)?.numpy_descr()));
        }
        atomic::write(path, existing, |file| {
            npz::archive(file, |zip| {
                for (name, shape, descr) in &tensors {
                    npz::start_array(zip, name, CompressionMethod::Stored, descr, shape)?;
                    for start in (0..shape[0]).step_by(SAMPLES_AT_ONCE) {
                        let samples = start..shape[0].min(start + SAMPLES_AT_ONCE);
                        let data = self.read(name, samples).map_err(io::Error::other)?;
                        zip.write_all(&data.to_bytes())?;
                    }
                }
                Ok(())
            })
        })
    }
}
