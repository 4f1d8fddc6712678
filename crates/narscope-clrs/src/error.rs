//! Errors of samplers and traces.

use std::sync::Arc;

/// The result of a fallible operation in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a sampler, a lookup or a conversion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The name is unknown.
    #[error("unknown {what} {name:?}; the closest name is {closest:?}")]
    UnknownName {
        /// The kind of thing that was looked up.
        what: &'static str,
        /// The name that was looked up.
        name: String,
        /// The most similar known name.
        closest: String,
    },
    /// Another algorithm of this name is registered.
    #[error("an algorithm named {name:?} is registered already")]
    DuplicateName {
        /// The name.
        name: &'static str,
    },
    /// Some algorithms have no instance this small.
    #[error("needs a length of at least {least}, got {got}")]
    TooSmall {
        /// The smallest length it accepts.
        least: usize,
        /// The length that was asked for.
        got: usize,
    },
    /// A larger trace would not fit in memory.
    #[error("takes a length of at most {most}, got {got}")]
    TooLarge {
        /// The largest length that is accepted.
        most: usize,
        /// The length that was asked for.
        got: usize,
    },
    /// A sampler option has a value that it cannot have.
    #[error("{option} must be {wanted}, got {got}")]
    BadOption {
        /// The name of the option.
        option: &'static str,
        /// What was expected.
        wanted: String,
        /// What was given.
        got: String,
    },
    /// Data given by the user cannot be an instance of the algorithm's problem.
    #[error("expected {wanted}, found {found}")]
    BadInstance {
        /// What was expected.
        wanted: String,
        /// What was found.
        found: String,
    },
    /// The user's instance lacks the target of a search.
    #[error("expected {wanted}, found no target")]
    MissingTarget {
        /// What was expected.
        wanted: String,
    },
    /// An edge is listed twice, with different weights.
    #[error(
        "expected one weight per {} edge, found {} and {}",
        if *is_directed { "directed" } else { "undirected" }, edges[0], edges[1]
    )]
    ConflictingWeights {
        /// Whether edges have a direction.
        is_directed: bool,
        /// The two weights, with the ends of the edge and the places in the file.
        edges: [String; 2],
    },
    /// Values that a probe cannot hold.
    #[error("expected {wanted}, found {found}")]
    BadRecord {
        /// What was expected.
        wanted: String,
        /// What was found, and where.
        found: String,
    },
    /// Rejection sampling did not find an instance.
    #[error("no instance in {attempts} attempts: {reason}; choose other sampler options")]
    NoInstance {
        /// How many were drawn.
        attempts: usize,
        /// Why they were rejected.
        reason: &'static str,
    },
    /// A batch was asked of a fixed set that has fewer samples.
    #[error("a batch of {batch} cannot be drawn from {samples} samples")]
    BatchTooLarge {
        /// The size asked for.
        batch: usize,
        /// How many samples the set has.
        samples: usize,
    },
    /// Traces cannot be converted as asked.
    #[error("{0}")]
    Conversion(String),
    /// The definition of an algorithm is not one.
    #[error("definition of {algorithm}: {error}")]
    Definition {
        /// The name that it was to have.
        algorithm: String,
        /// What is wrong.
        error: Box<Error>,
    },
    /// An algorithm that was defined at run time failed.
    #[error("{0}")]
    Foreign(#[source] Foreign),
    /// An error, with the algorithm that it is about.
    #[error("{algorithm}: {error}")]
    In {
        /// The algorithm's registered name.
        algorithm: &'static str,
        /// The error.
        error: Box<Error>,
    },
}

impl Error {
    /// Adds the name of the algorithm.
    #[must_use]
    pub(crate) fn of(self, algorithm: &'static str) -> Self {
        match self {
            // Whoever wrote the algorithm gets back what was thrown, untouched.
            foreign @ Self::Foreign(_) => foreign,
            error => Self::In { algorithm, error: Box::new(error) },
        }
    }
}

/// An error that does not come from this crate: what a function of a
/// [definition](crate::dynamic::Definition) returned. Equal to itself only.
#[derive(Clone, Debug)]
pub struct Foreign(Arc<dyn std::error::Error + Send + Sync>);

impl Foreign {
    /// Wraps an error. [`std::error::Error::source`] returns it.
    pub fn new(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self(Arc::new(error))
    }
}

impl PartialEq for Foreign {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl std::fmt::Display for Foreign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Foreign {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.0)
    }
}

/// Returns an error if a length is less than `least`.
pub(crate) fn at_least(least: usize, length: usize) -> Result<()> {
    if length < least { Err(Error::TooSmall { least, got: length }) } else { Ok(()) }
}
