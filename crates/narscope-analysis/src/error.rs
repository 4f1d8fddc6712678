//! What can go wrong in this crate.

use std::path::PathBuf;

/// Everything that can go wrong while networks are looked at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Samples could not be made.
    #[error(transparent)]
    Samples(#[from] narscope_clrs::Error),
    /// A file could not be read or written.
    #[error(transparent)]
    Files(#[from] narscope_files::Error),
    /// A network could not be read or run.
    #[error(transparent)]
    Model(#[from] narscope_model::Error),
    /// There is nothing to reduce.
    #[error("principal components need at least {least} points, found {found}")]
    TooFewPoints {
        /// How many it takes.
        least: usize,
        /// How many there are.
        found: usize,
    },
    /// A coordinate is no number.
    #[error("point {point} has a coordinate that is {value}: is the recording damaged?")]
    NotFinite {
        /// Which point.
        point: usize,
        /// The coordinate.
        value: f32,
    },
    /// A decomposition of matrices did not end.
    #[error("a decomposition of matrices did not converge ({what})")]
    Diverged {
        /// What the library said.
        what: String,
    },
    /// An analysis needs what the network, its algorithm or the recording does not have.
    #[error("{analysis} needs {wanted}, and {found}")]
    Unsuitable {
        /// The analysis.
        analysis: &'static str,
        /// What it needs.
        wanted: String,
        /// What there is.
        found: String,
    },
    /// A recording does not say what it should.
    #[error("{what}: {path}", path = path.display())]
    Recording {
        /// What is wrong with it.
        what: String,
        /// The file.
        path: PathBuf,
    },
    /// Whoever asked does not want to know any more.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// An analysis needs something, and there is something else.
    pub(crate) fn unsuitable(
        analysis: &'static str,
        wanted: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::Unsuitable { analysis, wanted: wanted.into(), found: found.into() }
    }
}

/// What functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;
