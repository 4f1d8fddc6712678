//! Errors of this crate.

/// Everything that can go wrong while a network is described, loaded and run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An algorithm is unknown, or its samples could not be made.
    #[error(transparent)]
    Samples(#[from] narscope_clrs::Error),
    /// A value of the configuration is invalid, alone or together with another.
    #[error("{0}")]
    Config(String),
    /// The weights lack a parameter of the network.
    #[error("the weights have no {name}: they belong to another network")]
    MissingWeight {
        /// The parameter.
        name: String,
    },
    /// A parameter has another shape than in the network.
    #[error(
        "{name} should have shape {expected:?}, found {found:?}: the weights belong to another network"
    )]
    WeightShape {
        /// The parameter.
        name: String,
        /// Its shape in the network.
        expected: Vec<usize>,
        /// Its shape in the file.
        found: Vec<usize>,
    },
    /// Bytes are not a safetensors file of weights.
    #[error("the weights cannot be read: {0}")]
    WeightFormat(String),
    /// The fused engine has no kernels for a configuration.
    #[error("there are no fused kernels for {0}: use the generic engine of narscope-model")]
    NoKernels(String),
    /// A model was not trained on an algorithm.
    #[error("the network was not trained on {name:?}; it knows {}", known.join(", "))]
    UnknownTask {
        /// The requested algorithm.
        name: String,
        /// The algorithms of the model.
        known: Vec<String>,
    },
    /// A model of several algorithms was used without naming one.
    #[error("the network knows several algorithms, choose one of {}", known.join(", "))]
    AmbiguousTask {
        /// The algorithms of the model.
        known: Vec<String>,
    },
    /// A value of a sample overflows single precision.
    #[error("{probe} should have values of at most {:e}, found {found:e}", f32::MAX)]
    Precision {
        /// The probe.
        probe: String,
        /// The value.
        found: f64,
    },
    /// A batch would take more memory than is available.
    #[error(
        "{what} would take about {needed_gb:.1} GB of memory, {available_gb:.1} GB are available"
    )]
    Memory {
        /// What would take it.
        what: String,
        /// How much it would take.
        needed_gb: f64,
        /// How much there is.
        available_gb: f64,
    },
}

/// Result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;
