//! Errors of this crate.

/// Why an answer could not be drawn or a page could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A figure does not exist.
    #[error(transparent)]
    Unknown(#[from] narscope_clrs::Error),
    /// The data of an answer is not what its analysis writes.
    #[error(
        "the answer of {analysis} cannot be drawn: another version wrote it, or it has a number that is not finite ({what}); run the analysis again, or change the samples"
    )]
    OtherVersion {
        /// The analysis.
        analysis: String,
        /// The error of the parser.
        what: String,
    },
    /// The template of the page could not be rendered.
    #[error("cannot render the page ({0})")]
    Page(String),
    /// A picture could not be rendered.
    #[error(transparent)]
    Picture(#[from] narscope_plot::Error),
}

/// Result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
