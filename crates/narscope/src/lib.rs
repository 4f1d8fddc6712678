//! Neural algorithmic reasoning: make traces, train networks, look inside them.
//!
//! This crate is the front door. It re-exports the others and holds the `narscope` command.

pub use narscope_analysis as analysis;
pub use narscope_clrs as clrs;
pub use narscope_files as files;
pub use narscope_kernels as kernels;
pub use narscope_model as model;
pub use narscope_report as report;
pub use narscope_sweep as sweep;
