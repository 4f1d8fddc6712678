//! Writing a few samples at a time, resumable after an interruption.

use std::fs::{File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{DONE, METADATA, TensorData, TensorSpec, samples_done};
use crate::atomic::{self, Existing};
use crate::tensors::read_header;
use crate::{Error, Result};

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
    metadata: Map<String, Value>,
    /// Offset of the data of the first tensor.
    data_start: u64,
}

impl TensorWriter {
    /// Creates a file for `samples` samples, or continues an unfinished one with the same header.
    ///
    /// `metadata` goes into the header. It should hold everything that the data depend on, so that a file of
    /// another network is not continued by mistake.
    ///
    /// # Errors
    /// [`Error::OtherRecording`] if the unfinished file has another header.
    pub fn open(
        path: &Path,
        existing: Existing,
        specs: Vec<TensorSpec>,
        samples: usize,
        metadata: &[(&str, String)],
    ) -> Result<Self> {
        atomic::check(path, existing)?;
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let metadata =
            metadata.iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true);
        let file = options.open(&part).map_err(Error::io("write", &part))?;
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
            metadata,
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
        let full_length = self.data_start + data as u64;
        let length = self.file.metadata().map_err(failed())?.len();
        if length == 0 {
            self.file.write_all(&header).map_err(failed())?;
            return self.file.set_len(full_length).map_err(failed());
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
            self.file.rewind().map_err(failed())?;
            self.file.write_all(&header).map_err(failed())?;
            self.file.set_len(full_length).map_err(failed())?;
        }
        Ok(())
    }

    /// The header with its length prefix; the same number of bytes for every `done`.
    fn header(&self, done: usize) -> Vec<u8> {
        let mut metadata = self.metadata.clone();
        metadata.insert(DONE.to_owned(), json!(format!("{done:020}")));
        let mut header = Map::new();
        header.insert(METADATA.to_owned(), Value::Object(metadata));
        let mut start = 0;
        for spec in &self.specs {
            let end = start + self.samples * spec.bytes_per_sample();
            let info = json!({
                "dtype": spec.dtype.name(),
                "shape": spec.full_shape(self.samples),
                "data_offsets": [start, end],
            });
            header.insert(spec.name.clone(), info);
            start = end;
        }
        let mut text = serde_json::to_vec(&header).expect("a map is JSON");
        // Aligns the data to 8 bytes.
        text.resize(text.len().next_multiple_of(8), b' ');
        [(text.len() as u64).to_le_bytes().as_slice(), &text].concat()
    }

    /// Appends `samples` samples: `data` has one entry per tensor, in the order of the specs.
    ///
    /// # Panics
    /// If the data have another size or type than the specs say.
    #[track_caller]
    pub fn append(&mut self, samples: usize, data: &[TensorData]) -> Result<()> {
        assert_eq!(data.len(), self.specs.len(), "number of tensors");
        assert!(self.done + samples <= self.samples, "more than {} samples", self.samples);
        let mut start = self.data_start;
        for (spec, data) in self.specs.iter().zip(data) {
            let (bytes, size) = (data.to_bytes(), spec.bytes_per_sample());
            assert_eq!(data.dtype(), spec.dtype, "type of {}", spec.name);
            assert_eq!(bytes.len(), samples * size, "bytes of {samples} samples of {}", spec.name);
            let offset = start + (self.done * size) as u64;
            let written = self.file.seek(SeekFrom::Start(offset));
            let written = written.and_then(|_| self.file.write_all(&bytes));
            written.map_err(Error::io("write", &self.part))?;
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

    /// Renames the finished file to its final path.
    ///
    /// # Panics
    /// If samples are missing.
    #[track_caller]
    pub fn finish(self) -> Result<()> {
        assert_eq!(self.done, self.samples, "number of samples");
        atomic::rename(&self.file, &self.part, &self.path, self.existing)
    }
}
