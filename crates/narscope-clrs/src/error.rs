//! What can go wrong while making samples and traces.

/// The result of a fallible operation in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong while making samples and traces.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The name is in no registry.
    #[error("unknown {what} {name:?}; the closest name is {closest:?}")]
    UnknownName {
        /// What kind of thing was looked for.
        what: &'static str,
        /// What the caller asked for.
        name: String,
        /// The registered name that differs least from it.
        closest: String,
    },
    /// Some algorithms have no instance this small.
    #[error("needs a length of at least {least}, got {got}")]
    TooSmall {
        /// The smallest length it accepts.
        least: usize,
        /// The length that was asked for.
        got: usize,
    },
    /// Beyond this, one trace would fill the memory of most machines.
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
        /// What it may be.
        wanted: String,
        /// What it was.
        got: String,
    },
    /// Data given by the user cannot be an instance of the algorithm's problem.
    #[error("wanted {wanted}, found {found}")]
    BadInstance {
        /// What the algorithm reads.
        wanted: String,
        /// What was there.
        found: String,
    },
    /// Numbers that a probe cannot hold.
    #[error("wanted {wanted}, found {found}")]
    BadRecord {
        /// What the probe holds.
        wanted: String,
        /// What was there, and where.
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
    /// Any of the above, with the algorithm it happened to.
    #[error("{algorithm}: {error}")]
    In {
        /// The algorithm's registered name.
        algorithm: &'static str,
        /// What happened.
        error: Box<Error>,
    },
}

impl Error {
    /// Says which algorithm the error happened to.
    #[must_use]
    pub(crate) fn of(self, algorithm: &'static str) -> Self {
        Self::In { algorithm, error: Box::new(self) }
    }
}
