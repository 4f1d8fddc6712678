//! File formats of samples, selected by the file extension.
//!
//! ```
//! use narscope_clrs::algorithms::find;
//! use narscope_clrs::batch::Batch;
//! use narscope_clrs::options::Options;
//! use narscope_clrs::rng::Rng;
//! use narscope_files::atomic::Existing;
//! use narscope_files::format::Format;
//! use narscope_files::samples;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bfs = find("bfs")?;
//! let (nodes, count, rng) = (16, 4, &mut Rng::seeded(1));
//! let batch = Batch::new(bfs.generate(rng, nodes, &Options::default(), count)?, 0);
//!
//! let folder = tempfile::tempdir()?;
//! for name in ["bfs.npz", "bfs.safetensors", "bfs.jsonl"] {
//!     let path = folder.path().join(name);
//!     Format::from_path(&path)?.write(bfs.name, &batch, &path, Existing::Keep)?;
//!     assert_eq!(samples::read(&path, bfs)?, batch);
//! }
//! # Ok(())
//! # }
//! ```

use std::path::Path;

use narscope_clrs::batch::Batch;
use narscope_clrs::probe::{Dtype, Probe};

use crate::atomic::{self, Existing};
use crate::{Error, Result, jsonl, npz, tensors};

/// File format of samples.
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

    /// Writes samples of an algorithm.
    pub fn write(
        self,
        algorithm: &str,
        batch: &Batch,
        path: &Path,
        existing: Existing,
    ) -> Result<()> {
        match self {
            Self::Npz => atomic::write(path, existing, |file| npz::write(batch, file)),
            Self::Safetensors => tensors::write(batch, path, existing),
            Self::Jsonl => {
                atomic::write(path, existing, |file| jsonl::write(algorithm, batch, file))
            }
        }
    }
}

/// Name of the array with the number of steps of each sample.
pub(crate) const LENGTHS: &str = "lengths";

/// Name of the array of a probe.
pub(crate) fn key(probe: &Probe) -> String {
    format!("{}/{}", probe.stage.name(), probe.name)
}

/// Appends values as bytes of the type that the reference implementation stores.
pub(crate) fn to_bytes(values: &[f64], dtype: Dtype, bytes: &mut Vec<u8>) {
    match dtype {
        Dtype::Float64 => bytes.extend(values.iter().flat_map(|value| value.to_le_bytes())),
        Dtype::Int64 => bytes.extend(values.iter().flat_map(|&value| (value as i64).to_le_bytes())),
    }
}
