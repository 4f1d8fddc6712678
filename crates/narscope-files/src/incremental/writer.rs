//! Writing a few samples at a time, resumable after an interruption.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{DONE, TensorData, TensorReader, TensorSpec, TensorType, samples_done};
use crate::atomic::{self, Existing};
use crate::metadata::Metadata;
use crate::tensors::{self, TensorEntry, read_header};
use crate::{Error, Result, own_file};

/// Appends samples to an unfinished file.
#[derive(Debug)]
pub struct TensorWriter {
    file: File,
    /// Path of the unfinished file.
    part: PathBuf,
    /// Path of the finished file.
    path: PathBuf,
    existing: Existing,
    specs: Vec<TensorSpec>,
    samples: usize,
    done: usize,
    metadata: BTreeMap<String, String>,
    /// Scalars, which are known from the start.
    scalars: Vec<(String, f32)>,
    /// Offset of the data of the first tensor.
    data_start: u64,
}

impl TensorWriter {
    /// Creates a file for `samples` samples, or continues an unfinished one with the same header.
    ///
    /// `metadata` goes into the header. It should hold everything that the data depend on, so that a file of
    /// another network is not continued by mistake. The file is `.npz` if its name says so, else `.safetensors`.
    ///
    /// # Errors
    /// [`Error::OtherRecording`] if the unfinished file has another header.
    pub fn open(
        path: &Path,
        existing: Existing,
        specs: Vec<TensorSpec>,
        samples: usize,
        metadata: &Metadata,
    ) -> Result<Self> {
        Self::with_scalars(path, existing, specs, vec![], samples, metadata)
    }

    /// Creates or continues a file as [`Self::open`] does, with scalars of all samples together.
    pub fn with_scalars(
        path: &Path,
        existing: Existing,
        specs: Vec<TensorSpec>,
        scalars: Vec<(String, f32)>,
        samples: usize,
        metadata: &Metadata,
    ) -> Result<Self> {
        atomic::check(path, existing)?;
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true);
        let file = own_file::open(&part, &mut options).map_err(Error::io("write", &part))?;
        if let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
            let source = std::io::Error::other("another process is writing it");
            return Err(Error::io("write", &part)(source));
        }
        let mut writer = Self {
            file,
            part,
            path: path.to_owned(),
            existing,
            specs,
            samples,
            done: 0,
            metadata: metadata.to_strings(),
            scalars,
            data_start: 0,
        };
        writer.begin()?;
        Ok(writer)
    }

    /// Returns the number of samples written so far.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Writes the header of an empty file, or checks the header of an unfinished one.
    fn begin(&mut self) -> Result<()> {
        let header = self.header(0);
        self.data_start = header.len() as u64;
        let failed = || Error::io("write", &self.part);
        let data =
            self.samples * self.specs.iter().map(TensorSpec::bytes_per_sample).sum::<usize>();
        let scalars: Vec<u8> =
            self.scalars.iter().flat_map(|(_, value)| value.to_le_bytes()).collect();
        let full_length = self.data_start + (data + scalars.len()) as u64;
        let length = self.file.metadata().map_err(failed())?.len();
        let create = |file: &mut File| {
            file.rewind()?;
            file.write_all(&header)?;
            file.set_len(full_length)?;
            file.seek(SeekFrom::Start(full_length - scalars.len() as u64))?;
            file.write_all(&scalars)
        };
        if length == 0 {
            return create(&mut self.file).map_err(failed());
        }
        let other = || Error::OtherRecording { path: self.part.clone() };
        let found = read_header(&mut self.file).map_err(|_| other())?;
        let found: Value = serde_json::from_slice(&found.text).map_err(|_| other())?;
        self.done = samples_done(&found).filter(|&done| done <= self.samples).ok_or_else(other)?;
        let own: Value = serde_json::from_slice(&self.header(self.done)[8..]).expect("own header");
        if found != own {
            return Err(other());
        }
        if length != full_length {
            // The file was truncated: which samples are intact is unknown, so it starts again.
            self.done = 0;
            return create(&mut self.file).map_err(failed());
        }
        Ok(())
    }

    /// The header with its length prefix; the same number of bytes for every `done`.
    fn header(&self, done: usize) -> Vec<u8> {
        let mut metadata = self.metadata.clone();
        metadata.insert(DONE.to_owned(), format!("{done:020}"));
        let per_sample = self.specs.iter().map(|spec| TensorEntry {
            name: spec.name.clone(),
            dtype: spec.dtype.name(),
            shape: spec.full_shape(self.samples),
            bytes: self.samples * spec.bytes_per_sample(),
        });
        let scalars = self.scalars.iter().map(|(name, _)| TensorEntry {
            name: name.clone(),
            dtype: TensorType::F32.name(),
            shape: vec![],
            bytes: TensorType::F32.size(),
        });
        tensors::header(&metadata, &per_sample.chain(scalars).collect::<Vec<_>>())
    }

    /// Appends `samples` samples: `data` has one entry per tensor, in the order of the specs.
    ///
    /// # Panics
    /// If the data have another size or type than the specs say.
    #[track_caller]
    pub fn append(&mut self, samples: usize, data: &[TensorData]) -> Result<()> {
        assert_eq!(data.len(), self.specs.len(), "number of tensors");
        for (spec, data) in self.specs.iter().zip(data) {
            assert_eq!(data.dtype(), spec.dtype, "type of {}", spec.name);
        }
        self.append_with(samples, |tensor, file| file.write_all(&data[tensor].to_bytes()))
    }

    /// Appends `samples` samples: `fill` writes those of each tensor, given by its index among the specs, as
    /// little-endian bytes.
    ///
    /// # Panics
    /// If `fill` writes more or less than the specs say.
    #[track_caller]
    pub fn append_with(
        &mut self,
        samples: usize,
        mut fill: impl FnMut(usize, &mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        assert!(self.done + samples <= self.samples, "more than {} samples", self.samples);
        let mut start = self.data_start;
        for (tensor, spec) in self.specs.iter().enumerate() {
            let size = spec.bytes_per_sample();
            let offset = start + (self.done * size) as u64;
            let mut write = || {
                self.file.seek(SeekFrom::Start(offset))?;
                let mut buffer = BufWriter::with_capacity(1 << 16, &mut self.file);
                fill(tensor, &mut buffer)?;
                buffer.flush()?;
                drop(buffer);
                self.file.stream_position()
            };
            let end = write().map_err(Error::io("write", &self.part))?;
            let bytes = (end - offset) as usize;
            assert_eq!(bytes, samples * size, "bytes of {samples} samples of {}", spec.name);
            start += (self.samples * size) as u64;
        }
        // Sync before the header counts the samples: a power failure must not lose counted ones.
        let done = self.done + samples;
        let written = self.file.sync_data();
        let written = written.and_then(|()| self.file.rewind());
        let written = written.and_then(|()| self.file.write_all(&self.header(done)));
        written.map_err(Error::io("write", &self.part))?;
        self.done = done;
        Ok(())
    }

    /// Gives the finished file its final path and format.
    ///
    /// # Panics
    /// If samples are missing.
    #[track_caller]
    pub fn finish(self) -> Result<()> {
        assert_eq!(self.done, self.samples, "number of samples");
        if self.path.extension().is_some_and(|extension| extension == "npz") {
            TensorReader::open(&self.part)?.write_npz(&self.path, self.existing)?;
            return atomic::remove(&self.part);
        }
        atomic::rename(&self.file, &self.part, &self.path, self.existing)
    }
}
