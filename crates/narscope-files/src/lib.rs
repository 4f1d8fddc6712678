//! File formats of narscope and atomic file writes.
//!
//! - [`mod@format`] writes batches of samples as `.npz`, `.safetensors` or `.jsonl`; [`samples`] reads and
//!   validates them; [`dataset`] generates a folder of them with a manifest.
//! - [`arrays`] has the parameters of networks as `.npz`; [`incremental`] has tensors that do not fit into memory.
//! - [`instance`] reads the user's own problem instances.
//! - [`events`] writes TensorBoard event files; [`labelled_points`] exports points for embedding viewers.
//! - [`atomic`] is how every file is written: temporary file, fsync, rename. [`folder_lock`] locks a folder.
//!
//! These are a crate of their own so that `narscope-clrs` needs no file formats.

mod array_reader;
pub mod arrays;
pub mod atomic;
pub mod checksum;
pub mod dataset;
mod error;
pub mod events;
pub mod folder_lock;
pub mod format;
pub mod incremental;
pub mod instance;
pub mod jsonl;
pub mod labelled_points;
mod npz;
pub mod samples;
mod tensors;

pub use error::{Error, Result};
