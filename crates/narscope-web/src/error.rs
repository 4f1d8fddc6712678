//! Errors: sentences for the user of the page.

/// What was wanted, what was found, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub String);

/// Result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with this sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<narscope_clrs::Error> for Error {
    fn from(error: narscope_clrs::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<narscope_net::Error> for Error {
    fn from(error: narscope_net::Error) -> Self {
        Self(error.to_string())
    }
}
