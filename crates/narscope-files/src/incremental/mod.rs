//! `.safetensors` files that are written and read a few samples at a time.
//!
//! For tensors that do not fit into memory, and for writers that may be interrupted. The first axis of every
//! tensor is the sample, so the offset of each sample is known before anything is written. Until all samples
//! are there, the file is called `….part` and its header stores how many are. A `.npz` file is made of the
//! finished part: the arrays of an archive cannot be written side by side.
//!
//! ```
//! use narscope_files::atomic::Existing;
//! use narscope_files::incremental::{
//!     TensorData, TensorReader, TensorSpec, TensorType, TensorWriter,
//! };
//! use narscope_files::metadata::Metadata;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("states.safetensors");
//! let spec = TensorSpec { name: "states".to_owned(), shape: vec![2], dtype: TensorType::F32 };
//! let mut metadata = Metadata::new("bfs");
//! metadata.set("network", "mpnn");
//! let samples = 3;
//!
//! let mut writer = TensorWriter::open(&path, Existing::Keep, vec![spec], samples, &metadata)?;
//! writer.append(2, &[TensorData::F32(vec![0.0, 1.0, 2.0, 3.0])])?;
//! writer.append(1, &[TensorData::F32(vec![4.0, 5.0])])?;
//! writer.finish()?;
//!
//! let mut reader = TensorReader::open(&path)?;
//! assert_eq!(reader.metadata().get("network"), Some("mpnn"));
//! assert_eq!(reader.read("states", 1..3)?, TensorData::F32(vec![2.0, 3.0, 4.0, 5.0]));
//! # Ok(())
//! # }
//! ```

mod reader;
#[cfg(test)]
mod tests;
mod writer;

use serde_json::Value;

use crate::tensors::METADATA;

pub use reader::TensorReader;
pub use writer::TensorWriter;

/// Element type of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorType {
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
    /// 64-bit integer.
    I64,
    /// 32-bit integer.
    I32,
    /// 8-bit integer.
    I8,
}

impl TensorType {
    const ALL: [Self; 5] = [Self::F32, Self::F64, Self::I64, Self::I32, Self::I8];

    /// Name in the header of a `.safetensors` file.
    fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::F64 => "F64",
            Self::I64 => "I64",
            Self::I32 => "I32",
            Self::I8 => "I8",
        }
    }

    /// Type descriptor in the header of a `.npy` file.
    fn numpy_descr(self) -> &'static str {
        match self {
            Self::F32 => "<f4",
            Self::F64 => "<f8",
            Self::I64 => "<i8",
            Self::I32 => "<i4",
            Self::I8 => "|i1",
        }
    }

    /// Size of an element in bytes.
    fn size(self) -> usize {
        match self {
            Self::F32 | Self::I32 => 4,
            Self::F64 | Self::I64 => 8,
            Self::I8 => 1,
        }
    }

    /// Decodes little-endian elements.
    fn decode(self, bytes: &[u8]) -> TensorData {
        fn each<T, const W: usize>(bytes: &[u8], decode: fn([u8; W]) -> T) -> Vec<T> {
            bytes.as_chunks().0.iter().map(|&bytes| decode(bytes)).collect()
        }
        match self {
            Self::F32 => TensorData::F32(each(bytes, f32::from_le_bytes)),
            Self::F64 => TensorData::F64(each(bytes, f64::from_le_bytes)),
            Self::I64 => TensorData::I64(each(bytes, i64::from_le_bytes)),
            Self::I32 => TensorData::I32(each(bytes, i32::from_le_bytes)),
            Self::I8 => TensorData::I8(each(bytes, i8::from_le_bytes)),
        }
    }
}

/// Elements of a tensor in C order.
#[derive(Clone, Debug, PartialEq)]
pub enum TensorData {
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 64-bit floats.
    F64(Vec<f64>),
    /// 64-bit integers.
    I64(Vec<i64>),
    /// 32-bit integers.
    I32(Vec<i32>),
    /// 8-bit integers.
    I8(Vec<i8>),
}

impl TensorData {
    /// The element type.
    pub fn dtype(&self) -> TensorType {
        match self {
            Self::F32(_) => TensorType::F32,
            Self::F64(_) => TensorType::F64,
            Self::I64(_) => TensorType::I64,
            Self::I32(_) => TensorType::I32,
            Self::I8(_) => TensorType::I8,
        }
    }

    /// Encodes the elements as little-endian bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::F32(all) => all.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::F64(all) => all.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::I64(all) => all.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::I32(all) => all.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::I8(all) => all.iter().map(|&x| x as u8).collect(),
        }
    }
}

/// Name, shape and element type of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorSpec {
    /// The name.
    pub name: String,
    /// Shape of one sample, without the sample axis.
    pub shape: Vec<usize>,
    /// Element type.
    pub dtype: TensorType,
}

impl TensorSpec {
    /// Size of one sample in bytes.
    pub fn bytes_per_sample(&self) -> usize {
        self.dtype.size() * self.shape.iter().product::<usize>()
    }

    /// Shape of the whole tensor.
    pub fn full_shape(&self, samples: usize) -> Vec<usize> {
        [&[samples], self.shape.as_slice()].concat()
    }
}

/// Metadata key of the number of samples written so far.
const DONE: &str = "done";

/// Number of samples written so far, according to a header.
fn samples_done(header: &Value) -> Option<usize> {
    header[METADATA][DONE].as_str()?.parse().ok()
}
