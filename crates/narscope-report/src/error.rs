//! What can go wrong in this crate.

/// Everything that can go wrong while answers are drawn and scores are tabled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A name is in no list.
    #[error(transparent)]
    Unknown(#[from] narscope_clrs::Error),
    /// An answer is not laid out as its analysis lays it out.
    #[error(
        "the answer to {analysis} cannot be drawn: it was written by another version, or a number in it is not finite ({what}); ask again, or change the samples"
    )]
    OtherVersion {
        /// The analysis.
        analysis: String,
        /// What the reader said.
        what: String,
    },
    /// The page could not be filled in.
    #[error("the page could not be made ({0})")]
    Page(String),
    /// A picture could not be made.
    #[error("a picture could not be made ({0})")]
    Picture(String),
}

/// What functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;
