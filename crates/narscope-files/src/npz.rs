//! `.npz`: a zip archive of `.npy` arrays, and one array of text with what the file says about them.
//!
//! A data set has gigabytes of zeros (one-hot vectors, padding). Deflate at its fastest level is faster than
//! writing them to a disk.

use std::io::{self, Read, Seek, Write};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::array_reader::{ArrayFile, ArrayReader};
use crate::error::{Misread, misread};
use crate::metadata::Metadata;
use crate::npy_header::NpyHeader;
use crate::npy_text::{self, MAX_TEXT};

/// Name of the array of metadata.
pub(crate) const METADATA: &str = "metadata";

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

/// Writes the metadata as an array of one text, which `numpy.load` reads without pickle.
pub(crate) fn write_metadata(
    zip: &mut ZipWriter<impl Write + Seek>,
    metadata: &Metadata,
) -> io::Result<()> {
    let text = serde_json::to_string(&metadata.to_json())?;
    let units: Vec<u32> = text.chars().map(u32::from).collect();
    let descr = format!("<U{}", units.len());
    start_array(zip, METADATA, CompressionMethod::Deflated, &descr, &[])?;
    units.iter().try_for_each(|unit| zip.write_all(&unit.to_le_bytes()))
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
        let names = names.filter_map(|name| name.strip_suffix(".npy").map(str::to_owned));
        names.filter(|name| name != METADATA).collect()
    }

    fn metadata(&mut self) -> Result<Metadata, Misread> {
        match self.zip.by_name(&format!("{METADATA}.npy")) {
            Err(ZipError::FileNotFound) => Ok(Metadata::unversioned()),
            Err(error) => Err(damaged(error)),
            Ok(file) if file.size() > MAX_TEXT => {
                Err(misread("metadata of at most 64 MB", format!("{} bytes", file.size())))
            }
            Ok(mut file) => {
                // An array of numbers with this name is the user's own.
                let Some(text) = npy_text::read(&mut file)? else {
                    return Ok(Metadata::unversioned());
                };
                let all = serde_json::from_str(&text);
                let all = all.map_err(|error| misread("JSON", error.to_string()));
                let metadata = all.and_then(Metadata::from_json);
                metadata.map_err(|misread| misread.expected_in("the array metadata"))
            }
        }
    }

    fn open(&mut self, name: &str) -> Result<ArrayReader<Box<dyn Read + '_>>, Misread> {
        let file = self.zip.by_name(&format!("{name}.npy")).map_err(damaged)?;
        let stored = file.size();
        let mut file = Counting { file, read: 0 };
        let header = NpyHeader::read(&mut file)?;
        let data = stored.saturating_sub(file.read);
        let array = ArrayReader::with_header(header, Box::new(file.file) as Box<dyn Read>)?;
        // The elements may be compressed a thousandfold: a wrong shape is refused before they are read.
        if array.byte_len() as u64 != data {
            let expected = format!("the {} bytes of shape {:?}", array.byte_len(), array.shape);
            return Err(misread(expected, data.to_string()));
        }
        Ok(array)
    }
}

/// Counts the bytes that are read from a file.
struct Counting<R> {
    file: R,
    read: u64,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read += read as u64;
        Ok(read)
    }
}

fn damaged(error: ZipError) -> Misread {
    misread("a complete .npz file", io_error(error).to_string())
}
