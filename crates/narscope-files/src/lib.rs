//! File formats of narscope and atomic file writes.
//!
//! - [`layout`] has the names and versions of arrays, [`metadata`] what a file says about them.
//! - [`samples`] writes, reads and validates batches of samples, as `.npz`, `.safetensors` or `.jsonl`
//!   ([`mod@format`]); [`dataset`] generates a folder of them with a manifest.
//! - [`arrays`] has the parameters of networks as `.npz`; [`incremental`] has tensors that do not fit into memory.
//! - [`instance`] reads the user's own problem instances.
//! - [`events`] writes TensorBoard event files; [`labelled_points`] exports points for embedding viewers.
//! - [`atomic`] is how every file is written: temporary file, fsync, rename. [`folder_lock`] locks a folder;
//!   [`own_file`] opens files that are never links.
//! - [`shapes`], [`memory`] and [`text`] are what is checked before a file is believed: its arrays, their sizes, and
//!   the characters of its names.
//!
//! These are a crate of their own so that `narscope-clrs` needs no file formats.

mod array_reader;
pub mod arrays;
pub mod atomic;
pub mod checksum;
pub mod dataset;
mod element_type;
mod error;
pub mod events;
pub mod folder_lock;
pub mod format;
pub mod incremental;
pub mod instance;
pub mod labelled_points;
pub mod layout;
pub mod memory;
pub mod metadata;
mod npy_header;
mod npy_text;
mod npz;
pub mod own_file;
pub mod samples;
pub mod shapes;
mod tensors;
pub mod text;

pub use error::{Error, Result};
