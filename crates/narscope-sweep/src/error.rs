//! Errors of this crate.

use std::path::{Path, PathBuf};

/// Why a sweep could not be read, run or submitted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The sweep file is invalid.
    #[error("{}{}: {what}", .path.display(), .line.map_or(String::new(), |line| format!(", line {line}")))]
    File {
        /// What is wrong.
        what: String,
        /// The line, counted from 1, if it is known.
        line: Option<usize>,
        /// The file.
        path: PathBuf,
    },
    /// The index of a run is out of range.
    #[error("there is no run {index}: the sweep has {count} runs, counted from 0")]
    NoSuchRun {
        /// The index.
        index: usize,
        /// Number of runs.
        count: usize,
    },
    /// The folder of a run has a run with another configuration.
    #[error("the run in {} has another configuration than the sweep", .0.display())]
    OtherRun(PathBuf),
    /// The folder of a run is a file.
    #[error("{} is a file; expected the folder of a run", .0.display())]
    NotAFolder(PathBuf),
    /// A results file cannot be used.
    #[error(transparent)]
    Results(#[from] narscope_results::Error),
    /// An operation on a file, folder or process failed.
    #[error("{what} ({reason})")]
    Io {
        /// The operation.
        what: String,
        /// The error of the operating system.
        reason: std::io::Error,
    },
    /// The task index that a scheduler gives is not a number.
    #[error("{variable} should be the index of a task, found \"{found}\"")]
    TaskIndex {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        found: String,
    },
    /// A line break or another control character in what becomes a line of a script.
    #[error("{what}")]
    Line {
        /// Which value should have none, and what it has.
        what: String,
    },
    /// The program of a scheduler cannot be started.
    #[error("cannot run {program} of {scheduler} ({reason})")]
    Scheduler {
        /// The program.
        program: String,
        /// The scheduler.
        scheduler: &'static str,
        /// The error of the operating system.
        reason: std::io::Error,
    },
    /// The scheduler rejected the jobs.
    #[error("`{command}` failed: {message}")]
    Rejected {
        /// The command.
        command: String,
        /// The message of the scheduler.
        message: String,
    },
    /// A run failed.
    #[error(transparent)]
    Run(#[from] narscope_model::Error),
    /// A file could not be written.
    #[error(transparent)]
    Files(#[from] narscope_files::Error),
}

impl Error {
    /// Maps an I/O error of the operation `what` on `path`.
    pub(crate) fn io(what: &str, path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let what = format!("cannot {what} {}", path.display());
        move |reason| Self::Io { what, reason }
    }

    /// Whether the request itself was wrong, so that nothing was tried.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::File { .. } | Self::Line { .. } | Self::NoSuchRun { .. } | Self::TaskIndex { .. }
        )
    }
}

/// Result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
