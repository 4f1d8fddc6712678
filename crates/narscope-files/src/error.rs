//! What can go wrong with files.

use std::path::{Path, PathBuf};

/// The result of a fallible operation in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong with files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused.
    #[error("cannot {verb} {}", .path.display())]
    Io {
        /// What was tried.
        verb: &'static str,
        /// The file or folder it was tried on.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Nothing is overwritten unasked.
    #[error("{} exists already; give --force to replace it, or another name", .path.display())]
    Exists {
        /// What is in the way.
        path: PathBuf,
    },
    /// Two at once would lose what the other one writes.
    #[error("another process is writing to {}: wait for it, or choose another place", .path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The ending of a file's name says what is in it.
    #[error("a file name that ends in {wanted} is needed, got {}", .path.display())]
    UnknownEnding {
        /// The endings that are known.
        wanted: &'static str,
        /// The name that was given.
        path: PathBuf,
    },
    /// A file does not hold what its ending promises.
    #[error("wanted {wanted}, found {found} in {}", .path.display())]
    BadFile {
        /// What should be there.
        wanted: String,
        /// What is there.
        found: String,
        /// The file.
        path: PathBuf,
    },
    /// A folder holds a data set that was made in another way.
    #[error(
        "{} holds a data set with {found}, and this one has {wanted}; \
         choose another folder, or give --force to replace it", .path.display()
    )]
    OtherDataset {
        /// What was asked for.
        wanted: String,
        /// What is there.
        found: String,
        /// The folder.
        path: PathBuf,
    },
    /// What was interrupted was something else.
    #[error(
        "{} is the beginning of another recording, or damaged; remove it, or choose another name",
        .path.display()
    )]
    OtherRecording {
        /// The file.
        path: PathBuf,
    },
    /// The samples could not be made.
    #[error(transparent)]
    Samples(#[from] narscope_clrs::Error),
}

impl Error {
    /// Of something that was tried with a file.
    pub fn io(verb: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { verb, path: path.to_owned(), source }
    }
}

/// What a reader wanted and what it found.
#[derive(Debug)]
pub(crate) struct Misread {
    pub(crate) wanted: String,
    pub(crate) found: String,
}

pub(crate) fn misread(wanted: impl Into<String>, found: impl Into<String>) -> Misread {
    Misread { wanted: wanted.into(), found: found.into() }
}

impl Misread {
    /// Says which file it was.
    pub(crate) fn of(self, path: &Path) -> Error {
        let Self { wanted, found } = self;
        Error::BadFile { wanted, found, path: path.to_owned() }
    }

    /// Says which part of the file was wanted.
    pub(crate) fn wanted_in(self, part: &str) -> Self {
        Self { wanted: format!("{} in {part}", self.wanted), ..self }
    }

    /// Says where in the file it was found.
    pub(crate) fn found_in(self, part: &str) -> Self {
        Self { found: format!("{} in {part}", self.found), ..self }
    }
}

/// Samples are checked by those who know what they mean.
impl From<narscope_clrs::Error> for Misread {
    fn from(error: narscope_clrs::Error) -> Self {
        match error {
            narscope_clrs::Error::BadRecord { wanted, found } => Self { wanted, found },
            other => misread("samples", other.to_string()),
        }
    }
}
