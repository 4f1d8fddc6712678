//! The formats that samples can be written in, by the ending of the file's name.

use std::path::Path;

use narscope_clrs::batch::Batch;
use narscope_clrs::probe::{Dtype, Probe};

use crate::whole::{self, Existing};
use crate::{Error, Result, jsonl, npz, tensors};

/// How samples are laid out in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// For `numpy.load`: a zip of arrays.
    Npz,
    /// For `safetensors.numpy.load_file` and its relatives in PyTorch and JAX.
    Safetensors,
    /// One JSON object per sample and line, nothing padded.
    Jsonl,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Npz, Self::Safetensors, Self::Jsonl];

    /// The ending of the names of such files.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Npz => "npz",
            Self::Safetensors => "safetensors",
            Self::Jsonl => "jsonl",
        }
    }

    /// The format that a file's name asks for.
    pub fn of(path: &Path) -> Result<Self> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        Self::ALL.into_iter().find(|format| format.ending() == ending).ok_or_else(|| {
            Error::UnknownEnding { wanted: ".npz, .safetensors or .jsonl", path: path.to_owned() }
        })
    }

    /// Writes samples of an algorithm.
    pub fn write(
        self,
        algorithm: &str,
        batch: &Batch,
        path: &Path,
        existing: Existing,
    ) -> Result<()> {
        match self {
            Self::Npz => whole::write(path, existing, |file| npz::write(batch, file)),
            Self::Safetensors => tensors::write(batch, path, existing),
            Self::Jsonl => {
                whole::write(path, existing, |file| jsonl::write(algorithm, batch, file))
            }
        }
    }
}

/// The name of the number of hints of each sample in a file of arrays.
pub(crate) const LENGTHS: &str = "lengths";

/// The name of a probe in a file of arrays.
pub(crate) fn key(probe: &Probe) -> String {
    format!("{}/{}", probe.stage.name(), probe.name)
}

/// Appends numbers as the bytes of the type that the reference stores them in.
pub(crate) fn to_bytes(numbers: &[f64], dtype: Dtype, bytes: &mut Vec<u8>) {
    match dtype {
        Dtype::Float64 => bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes())),
        Dtype::Int64 => bytes.extend(numbers.iter().flat_map(|&n| (n as i64).to_le_bytes())),
    }
}
