//! `.npz`: a zip archive of `.npy` arrays, compressed and written slab by slab.
//!
//! A data set has gigabytes of zeros (one-hot vectors, padding). Deflate at its fastest level is faster than
//! writing them to a disk.

use std::io::{self, Read, Seek, Write};

use narscope_clrs::batch::Batch;
use narscope_clrs::probe::Dtype;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::array_reader::{ArrayFile, ArrayReader};
use crate::error::{Misread, misread};
use crate::format::{LENGTHS, key, to_bytes};

pub(crate) fn write(batch: &Batch, file: impl Write + Seek) -> io::Result<()> {
    archive(file, |zip| write_batch(batch, zip))
}

/// Writes a zip archive through `fill`.
pub(crate) fn archive<W: Write + Seek>(
    file: W,
    fill: impl FnOnce(&mut ZipWriter<W>) -> io::Result<()>,
) -> io::Result<()> {
    let mut zip = ZipWriter::new(file);
    match fill(&mut zip) {
        Ok(()) => zip.finish().map(drop).map_err(io_error),
        Err(error) => {
            // Its `drop` would try to finish the archive and print to standard error.
            std::mem::forget(zip);
            Err(error)
        }
    }
}

/// Writes the header of an array; the caller writes its data next.
pub(crate) fn start_array(
    zip: &mut ZipWriter<impl Write + Seek>,
    name: &str,
    method: CompressionMethod,
    descr: &str,
    shape: &[usize],
) -> io::Result<()> {
    let level = (method == CompressionMethod::Deflated).then_some(1);
    // A fixed date, so that equal arrays make equal files.
    let options = SimpleFileOptions::default()
        .compression_method(method)
        .compression_level(level)
        .last_modified_time(zip::DateTime::default())
        .large_file(true);
    zip.start_file(format!("{name}.npy"), options).map_err(io_error)?;
    zip.write_all(&header(descr, shape))
}

fn write_batch(batch: &Batch, zip: &mut ZipWriter<impl Write + Seek>) -> io::Result<()> {
    let method = CompressionMethod::Deflated;
    let mut bytes = Vec::new();
    for (index, probe) in batch.traces.probes.iter().enumerate() {
        start_array(zip, &key(probe), method, descr(probe.dtype), &batch.shape(index))?;
        batch.try_for_each_slab(index, |slab| {
            bytes.clear();
            to_bytes(slab, probe.dtype, &mut bytes);
            zip.write_all(&bytes)
        })?;
    }
    let lengths = batch.lengths();
    start_array(zip, LENGTHS, method, descr(Dtype::Float64), &[lengths.len()])?;
    bytes.clear();
    to_bytes(&lengths, Dtype::Float64, &mut bytes);
    zip.write_all(&bytes)
}

fn descr(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::Float64 => "<f8",
        Dtype::Int64 => "<i8",
    }
}

/// Unwraps the I/O error of a zip error.
fn io_error(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// Header of a `.npy` file, version 1.0: a Python literal, padded to a multiple of 64 bytes.
fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let shape = match shape {
        // A Python tuple of one element needs a comma.
        [size] => format!("({size},)"),
        sizes => format!("{sizes:?}").replace('[', "(").replace(']', ")"),
    };
    let literal = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    let padded = (header.len() + 2 + literal.len() + 1).next_multiple_of(64);
    let length = (padded - header.len() - 2) as u16;
    header.extend(length.to_le_bytes());
    header.extend(literal.bytes());
    header.resize(padded - 1, b' ');
    header.push(b'\n');
    header
}

/// A `.npz` file open for reading.
pub(crate) struct Npz<R> {
    zip: ZipArchive<R>,
}

impl<R: Read + Seek> Npz<R> {
    pub(crate) fn new(file: R) -> Result<Self, Misread> {
        let zip = ZipArchive::new(file).map_err(damaged)?;
        if zip.has_duplicate_names() {
            return Err(misread("unique names of arrays", "a name twice"));
        }
        Ok(Self { zip })
    }
}

impl<R: Read + Seek> ArrayFile for Npz<R> {
    fn names(&self) -> Vec<String> {
        let names = self.zip.file_names().filter_map(Result::ok);
        names.filter_map(|name| name.strip_suffix(".npy").map(str::to_owned)).collect()
    }

    fn open(&mut self, name: &str) -> Result<ArrayReader<Box<dyn Read + '_>>, Misread> {
        let file = self.zip.by_name(&format!("{name}.npy")).map_err(damaged)?;
        ArrayReader::npy(Box::new(file) as Box<dyn Read>)
    }
}

fn damaged(error: ZipError) -> Misread {
    misread("a complete .npz file", io_error(error).to_string())
}
