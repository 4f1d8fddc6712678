//! Studies, from their file to their report.

mod bad_input;
mod counter;
mod execution;
