//! Writing `.npz`: a zip of arrays, compressed, written slab by slab.
//!
//! A data set has gigabytes of zeros (one-hot vectors, padding); deflate at its fastest level makes
//! them vanish faster than a disk could take them.

use std::io::{self, Seek, Write};

use narscope_clrs::batch::Batch;
use narscope_clrs::probe::Dtype;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::format::{key, to_bytes};

pub(crate) fn write(batch: &Batch, file: impl Write + Seek) -> io::Result<()> {
    let mut zip = ZipWriter::new(file);
    match write_arrays(batch, &mut zip) {
        Ok(()) => zip.finish().map(drop).map_err(plain),
        Err(error) => {
            // Dropped, it would try to finish the archive and complain on standard error.
            std::mem::forget(zip);
            Err(error)
        }
    }
}

fn write_arrays(batch: &Batch, zip: &mut ZipWriter<impl Write + Seek>) -> io::Result<()> {
    // A fixed date, so that equal samples are equal files.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(1))
        .last_modified_time(zip::DateTime::default())
        .large_file(true);
    let mut bytes = Vec::new();
    for (place, probe) in batch.traces.probes.iter().enumerate() {
        zip.start_file(format!("{}.npy", key(probe)), options).map_err(plain)?;
        zip.write_all(&header(probe.dtype, &batch.shape(place)))?;
        batch.try_for_each_slab(place, |slab| {
            bytes.clear();
            to_bytes(slab, probe.dtype, &mut bytes);
            zip.write_all(&bytes)
        })?;
    }
    let lengths = batch.lengths();
    zip.start_file("lengths.npy", options).map_err(plain)?;
    zip.write_all(&header(Dtype::Float64, &[lengths.len()]))?;
    bytes.clear();
    to_bytes(&lengths, Dtype::Float64, &mut bytes);
    zip.write_all(&bytes)
}

/// What the system said, without the archive's words around it.
fn plain(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// The head of a `.npy` file, version 1.0: a Python literal, padded to 64 bytes.
fn header(dtype: Dtype, shape: &[usize]) -> Vec<u8> {
    let descr = match dtype {
        Dtype::Float64 => "<f8",
        Dtype::Int64 => "<i8",
    };
    let shape = match shape {
        // A tuple of one needs its comma.
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
