//! File formats of arrays, selected by the file extension.

use std::path::Path;

use crate::{Error, Result};

/// File format of samples and predictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// A zip archive of arrays, for `numpy.load`.
    Npz,
    /// Tensors for `safetensors.numpy.load_file` and its counterparts for PyTorch and JAX.
    Safetensors,
    /// One JSON object per sample and line, without padding.
    Jsonl,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Npz, Self::Safetensors, Self::Jsonl];

    /// Returns the file extension, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Npz => "npz",
            Self::Safetensors => "safetensors",
            Self::Jsonl => "jsonl",
        }
    }

    /// Returns the format of a file name.
    pub fn from_path(path: &Path) -> Result<Self> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        Self::ALL.into_iter().find(|format| format.extension() == extension).ok_or_else(|| {
            Error::UnknownExtension {
                expected: ".npz, .safetensors or .jsonl",
                path: path.to_owned(),
            }
        })
    }
}
