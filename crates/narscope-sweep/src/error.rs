//! What can go wrong in this crate.

use std::path::PathBuf;

/// Everything that can go wrong with a sweep.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file does not declare runs.
    #[error("{}{}: {what}", .path.display(), .line.map_or(String::new(), |line| format!(", line {line}")))]
    File {
        /// What is wrong.
        what: String,
        /// Where.
        line: Option<usize>,
        /// The file.
        path: PathBuf,
    },
    /// There are fewer runs than that.
    #[error("there is no run {index}: the sweep has {count}, counted from 0")]
    NoSuchRun {
        /// The run that was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The folder of a run has another run in it.
    #[error(
        "the run in {} has another configuration than the sweep: move it away, or choose another `out`", .0.display()
    )]
    OtherRun(PathBuf),
    /// Results that were kept cannot be used.
    #[error("results of runs were wanted in {}: {why}", .path.display())]
    Results {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file or a process fails.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The scheduler does not take the jobs.
    #[error("{0}")]
    Refused(String),
    /// A run fails.
    #[error(transparent)]
    Run(#[from] narscope_model::Error),
    /// A file cannot be written.
    #[error(transparent)]
    Files(#[from] narscope_files::Error),
}

/// What functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;
