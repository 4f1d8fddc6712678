//! Sweeps: many training runs declared by one file, run on this machine or by a cluster's scheduler.
//!
//! A [sweep file](mod@file) declares runs. Their [state](run_state) is read from their folders and from the results
//! file ([`narscope_results::RunResult`]); nothing else is stored. [`execute()`] does one run; it is idempotent and
//! resumable, with the same result bit for bit. A [pool] of processes does all runs on this machine; [`submit`] hands
//! them to a scheduler. This crate schedules nothing itself.

mod error;
mod execute;
pub mod file;
pub mod pool;
pub mod run_state;
pub mod submit;

pub use error::{Error, Result};
pub use execute::{RunOutcome, execute};
