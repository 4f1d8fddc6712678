//! What can go wrong in this crate.

use std::path::{Path, PathBuf};

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
    /// A file has the name of a run's folder.
    #[error("a file is in the way of a run: move {} away", .0.display())]
    InTheWay(PathBuf),
    /// A results file cannot be used.
    #[error(transparent)]
    Results(#[from] narscope_results::Error),
    /// A file or a process fails.
    #[error("{what} ({why})")]
    Io {
        /// What was tried.
        what: String,
        /// What the system says.
        why: std::io::Error,
    },
    /// A scheduler gives a number that is none.
    #[error("{variable} should be the number of a task, found \"{found}\"")]
    Number {
        /// Where it was looked for.
        variable: &'static str,
        /// What was there.
        found: String,
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

impl Error {
    /// Of something that was tried with a file.
    pub(crate) fn io(what: &str, path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let what = format!("cannot {what} {}", path.display());
        move |why| Self::Io { what, why }
    }

    /// Whether nothing was tried because what was asked for cannot be understood.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::File { .. } | Self::NoSuchRun { .. } | Self::Number { .. })
    }
}

/// What functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;
