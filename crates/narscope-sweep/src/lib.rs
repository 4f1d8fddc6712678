//! Many runs from one file: on this machine's cores, or through the scheduler that a cluster has.
//!
//! A [file](mod@file) declares runs; their folders are the only [state] there is, and what is [kept](narscope_results::run_result) of
//! them. One run is the [unit of work](one), and doing it twice does no harm: whoever starts it, a
//! [pool] of processes here or a [scheduler](submit) elsewhere, it ends in the same bits. Nothing here
//! schedules anything.

mod error;
pub mod file;
pub mod one;
pub mod pool;
pub mod state;
pub mod submit;

pub use error::{Error, Result};
