//! `.safetensors` files: their header, and reading their tensors.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};

use safetensors::tensor::Metadata as TensorHeader;
use serde_json::{Map, json};

use crate::array_reader::{ArrayFile, ArrayReader};
use crate::element_type::ElementType;
use crate::error::{Misread, misread};
use crate::metadata::Metadata;

/// A tensor in the header of a file.
pub(crate) struct TensorEntry {
    pub(crate) name: String,
    /// Name of its element type.
    pub(crate) dtype: &'static str,
    pub(crate) shape: Vec<usize>,
    /// Its size in bytes.
    pub(crate) bytes: usize,
}

/// The header with its length prefix, for tensors that follow each other in this order.
pub(crate) fn header(metadata: &BTreeMap<String, String>, tensors: &[TensorEntry]) -> Vec<u8> {
    let mut header = Map::new();
    header.insert(METADATA.to_owned(), json!(metadata));
    let mut start = 0;
    for TensorEntry { name, dtype, shape, bytes } in tensors {
        let end = start + bytes;
        let info = json!({ "dtype": dtype, "shape": shape, "data_offsets": [start, end] });
        header.insert(name.clone(), info);
        start = end;
    }
    let mut text = serde_json::to_vec(&header).expect("a map is JSON");
    // Aligns the data to 8 bytes.
    text.resize(text.len().next_multiple_of(8), b' ');
    [(text.len() as u64).to_le_bytes().as_slice(), &text].concat()
}

/// Key of the metadata in the header.
pub(crate) const METADATA: &str = "__metadata__";

/// A `.safetensors` file open for reading.
pub(crate) struct Tensors<R> {
    file: R,
    header: TensorHeader,
    /// Offset of the data of the first tensor.
    data_start: u64,
}

impl<R: Read + Seek> Tensors<R> {
    pub(crate) fn new(mut file: R) -> Result<Self, Misread> {
        let Header { text, data_start, file_size } =
            read_header(&mut file).map_err(|error| damaged(&error))?;
        let header: TensorHeader =
            serde_json::from_slice(&text).map_err(|error| damaged(&error))?;
        if data_start.checked_add(header.data_len() as u64) != Some(file_size) {
            let expected = format!("{} bytes of data, as the header says", header.data_len());
            return Err(misread(expected, file_size.saturating_sub(data_start).to_string()));
        }
        Ok(Self { file, header, data_start })
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

/// The limit of the safetensors library.
const MAX_HEADER: u64 = 100_000_000;

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
    if length > MAX_HEADER {
        return Err(io::Error::other(format!("a header of {length} bytes")));
    }
    let mut text = vec![0; length as usize];
    file.read_exact(&mut text)?;
    Ok(Header { text, data_start: 8 + length, file_size })
}

impl<R: Read + Seek> ArrayFile for Tensors<R> {
    fn names(&self) -> Vec<String> {
        self.header.offset_keys()
    }

    fn metadata(&mut self) -> Result<Metadata, Misread> {
        let all = self.header.metadata().iter().flatten();
        Metadata::from_strings(all.map(|(key, value)| (key.clone(), value.clone())))
    }

    fn open(&mut self, name: &str) -> Result<ArrayReader<Box<dyn Read + '_>>, Misread> {
        let info = self.header.info(name);
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
