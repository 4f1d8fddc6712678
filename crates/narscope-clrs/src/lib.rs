//! The CLRS-30 benchmark: textbook algorithms that leave traces of what they do.
//!
//! The data flows one way: an [`Rng`](rng::Rng) draws an [`Instance`](instance::Instance), an
//! [`Algorithm`](algorithms::Algorithm) runs on it and leaves [`Traces`](trace::Traces), a
//! [`Sampler`](sampler::Sampler) cuts them into [batches](batch::Batch). Samples equal those of the
//! reference, dm-clrs 2.0.3, bit for bit; `docs/parity.md` lists every deliberate difference.
//!
//! This crate knows nothing about neural networks or files.

pub mod algorithms;
pub mod batch;
pub mod chunk;
pub mod column;
pub mod convert;
mod dense;
mod depth_first;
mod error;
pub mod family;
pub mod instance;
pub mod kind;
pub mod location;
mod mersenne;
mod nearest_first;
pub mod options;
pub mod probe;
pub mod records;
pub mod registry;
pub mod rng;
mod row;
pub mod sampler;
pub mod signature;
pub mod split;
pub mod symmetry;
pub mod trace;
pub mod validity;
pub mod values;
pub mod variants;

pub use error::{Error, Result};
