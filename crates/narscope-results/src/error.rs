//! Errors of this crate.

use std::path::{Path, PathBuf};

/// Why results could not be read, kept or tabulated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A line of a results file is invalid.
    #[error("{} is not a results file: line {line}, {what}", .path.display())]
    NotResults {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A file in the folder of a run is damaged.
    #[error("{} is damaged: {what}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and how to repair it.
        what: String,
    },
    /// A results file has a run of the same name with another configuration.
    #[error(
        "{} has {name} with another configuration: choose another results file, or remove the run from this one", .path.display()
    )]
    OtherConfig {
        /// The file.
        path: PathBuf,
        /// The name of the run.
        name: String,
    },
    /// A path has no scores.
    #[error(
        "expected a folder of runs, a .jsonl file of results or a .csv file of scores: {} {}",
        .path.display(),
        if *.exists { "is none of these" } else { "does not exist" }
    )]
    NoScores {
        /// The path.
        path: PathBuf,
        /// Whether there is something at the path.
        exists: bool,
    },
    /// A `.csv` file of scores is invalid.
    #[error("{} is not a file of scores: {what}", .path.display())]
    NotScores {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A network has two scores for one algorithm and seed.
    #[error(
        "{run} is listed twice, {}",
        if .first == .second {
            format!("in {}: remove one of the two", .first.display())
        } else {
            format!("in {} and in {}: read only one of them", .first.display(), .second.display())
        }
    )]
    Duplicate {
        /// The algorithm, the network and the seed.
        run: String,
        /// Where it was found first.
        first: PathBuf,
        /// Where it was found again.
        second: PathBuf,
    },
    /// No column of a table has the name of the baseline.
    #[error("no column is named \"{name}\"; the columns are {}", .known.join(", "))]
    UnknownBaseline {
        /// The name.
        name: String,
        /// Names of all columns.
        known: Vec<String>,
    },
    /// Networks do not allow the question of [`Kinds`](crate::Kinds).
    #[error("expected {wanted}, found {found}")]
    Kinds {
        /// What was expected.
        wanted: String,
        /// What was found.
        found: String,
    },
    /// An operation on a file or a folder failed.
    #[error("{what} ({why})")]
    Io {
        /// What was tried.
        what: String,
        /// The error of the operating system.
        why: std::io::Error,
    },
    /// The folder of a run cannot be used.
    #[error(transparent)]
    Run(#[from] narscope_model::Error),
    /// A file cannot be written.
    #[error(transparent)]
    Files(#[from] narscope_files::Error),
}

impl Error {
    pub(crate) fn kinds(wanted: impl Into<String>, found: impl Into<String>) -> Self {
        Self::Kinds { wanted: wanted.into(), found: found.into() }
    }

    /// Maps an I/O error of an operation on `path`.
    pub(crate) fn io(what: &str, path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let what = format!("cannot {what} {}", path.display());
        move |why| Self::Io { what, why }
    }
}

/// Result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
