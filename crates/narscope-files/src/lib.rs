//! How data gets into files and out of them, whole or not at all.
//!
//! A crate of its own, so that the benchmark needs no zip library and so that everything that
//! narscope writes is written in one way: aside, synced, renamed ([`whole`]).

pub mod alone;
pub mod arrays;
pub mod checksum;
pub mod dataset;
mod error;
pub mod events;
pub mod format;
pub mod growing;
pub mod jsonl;
mod npz;
mod numbers;
pub mod points;
pub mod read;
pub mod samples;
mod tensors;
pub mod whole;

pub use error::{Error, Result};
