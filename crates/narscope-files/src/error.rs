//! Errors of this crate.

use std::path::{Path, PathBuf};

/// Result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operation on a file or folder failed.
    #[error("cannot {verb} {}", .path.display())]
    Io {
        /// The operation.
        verb: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file exists and was to be kept.
    #[error("{} already exists", .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another process holds the lock of a folder.
    #[error("another process is writing to {}", .path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The extension of a file name is not that of a supported format.
    #[error("expected a file name that ends in {expected}, found {}", .path.display())]
    UnknownExtension {
        /// The supported extensions.
        expected: &'static str,
        /// The file name.
        path: PathBuf,
    },
    /// The content of a file is damaged, or not what its format or its algorithm requires.
    #[error("expected {expected}, found {found} in {}", .path.display())]
    BadFile {
        /// What the file should contain.
        expected: String,
        /// What it contains.
        found: String,
        /// The file.
        path: PathBuf,
    },
    /// A folder holds a data set with other settings.
    #[error("{} holds a data set with {found}; expected {expected}", .path.display())]
    OtherDataset {
        /// The requested settings.
        expected: String,
        /// The settings in the manifest.
        found: String,
        /// The folder.
        path: PathBuf,
    },
    /// An unfinished file cannot be continued: its header is that of another recording, or damaged.
    #[error("{} is a part of another recording, or damaged", .path.display())]
    OtherRecording {
        /// The unfinished file.
        path: PathBuf,
    },
    /// A recording lacks samples: it is still being written, or its writer was interrupted.
    #[error("{} is unfinished: it has {done} of {samples} samples", .path.display())]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// Number of samples written.
        done: usize,
        /// Number of samples of the complete file.
        samples: usize,
    },
    /// Samples could not be generated.
    #[error(transparent)]
    Samples(#[from] narscope_clrs::Error),
}

impl Error {
    /// Maps an I/O error of the operation `verb` on `path`.
    pub fn io(verb: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { verb, path: path.to_owned(), source }
    }
}

/// What a parser expected and what it found; becomes [`Error::BadFile`] once the file is known.
#[derive(Debug)]
pub(crate) struct Misread {
    pub(crate) expected: String,
    pub(crate) found: String,
}

pub(crate) fn misread(expected: impl Into<String>, found: impl Into<String>) -> Misread {
    Misread { expected: expected.into(), found: found.into() }
}

impl Misread {
    /// Adds the file.
    pub(crate) fn in_file(self, path: &Path) -> Error {
        let Self { expected, found } = self;
        Error::BadFile { expected, found, path: path.to_owned() }
    }

    /// Adds the part of the file to what was expected.
    pub(crate) fn expected_in(self, part: &str) -> Self {
        Self { expected: format!("{} in {part}", self.expected), ..self }
    }

    /// Adds the part of the file to what was found.
    pub(crate) fn found_in(self, part: &str) -> Self {
        Self { found: format!("{} in {part}", self.found), ..self }
    }
}

/// `narscope_clrs` validates the values of samples.
impl From<narscope_clrs::Error> for Misread {
    fn from(error: narscope_clrs::Error) -> Self {
        match error {
            narscope_clrs::Error::BadRecord { wanted, found } => misread(wanted, found),
            other => misread("samples", other.to_string()),
        }
    }
}
