//! What can go wrong in this crate.

use std::path::PathBuf;

/// Everything that can go wrong while networks are made, trained and used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Samples could not be made.
    #[error(transparent)]
    Samples(#[from] narscope_clrs::Error),
    /// A file could not be read or written.
    #[error(transparent)]
    Files(#[from] narscope_files::Error),
    /// A name is in no list.
    #[error("unknown {what} {name:?}; the closest name is {closest:?}")]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// What the caller asked for.
        name: String,
        /// The name that differs least from it.
        closest: String,
    },
    /// A value of the configuration makes no sense, alone or beside another.
    #[error("{0}")]
    Config(String),
    /// A configuration file is not TOML, or a value has the wrong type.
    #[error("{path}: {message}", path = path.display())]
    ConfigFile {
        /// What the reader said.
        message: String,
        /// The file.
        path: PathBuf,
    },
    /// Weights lack a parameter that the network has.
    #[error("the weights have no {name}: they belong to another network")]
    MissingWeight {
        /// The parameter.
        name: String,
    },
    /// A parameter has another shape than in the network.
    #[error(
        "{name} should have shape {wanted:?}, found {found:?}: the weights belong to another network"
    )]
    WeightShape {
        /// The parameter.
        name: String,
        /// Its shape in the network.
        wanted: Vec<usize>,
        /// Its shape in the file.
        found: Vec<usize>,
    },
    /// Parameters of the reference do not fit the network.
    #[error(
        "{0}: do the algorithms, the processor and the other flags agree with how they were made?"
    )]
    Import(String),
    /// A checkpoint is damaged.
    #[error("{what}: {path}", path = path.display())]
    Checkpoint {
        /// What is wrong with it.
        what: String,
        /// The file.
        path: PathBuf,
    },
    /// The loss is no longer a number.
    #[error(
        "the loss of {probe} became {value} at step {step} ({algorithm}); the last good checkpoint is kept: try a lower --learning_rate, or --grad_clip_max_norm 1"
    )]
    NotFinite {
        /// The training step.
        step: usize,
        /// The algorithm whose batch it was.
        algorithm: String,
        /// The probe.
        probe: String,
        /// What the loss was.
        value: f64,
    },
    /// A folder is not what it should be.
    #[error("{what}: {path}", path = path.display())]
    Run {
        /// What is wrong with it.
        what: String,
        /// The folder.
        path: PathBuf,
    },
    /// A run is being trained by somebody else.
    #[error("another process is training in this folder: {path}", path = path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// A batch would take more memory than there is.
    #[error(
        "{what} would take about {needed_gb:.1} GB and {available_gb:.1} GB are free: lower --batch_size or the lengths"
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

/// What functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;
