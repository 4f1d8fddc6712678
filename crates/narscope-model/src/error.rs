//! Errors of this crate.

use std::path::PathBuf;

/// Everything that can go wrong while networks are trained, stored and opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A network is described wrongly, does not fit its weights, or does not fit into memory.
    #[error(transparent)]
    Net(#[from] narscope_net::Error),
    /// Samples could not be made.
    #[error(transparent)]
    Samples(#[from] narscope_clrs::Error),
    /// A file could not be read or written.
    #[error(transparent)]
    Files(#[from] narscope_files::Error),
    /// A name cannot be registered twice.
    #[error("there is a {what} named {name:?} already")]
    NameTaken {
        /// What was to be registered.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A configuration file is not TOML, or has an invalid value.
    #[error("{path}: {message}", path = path.display())]
    ConfigFile {
        /// What is wrong.
        message: String,
        /// The file.
        path: PathBuf,
    },
    /// Parameters of the reference do not fit the network.
    #[error("{0}")]
    Import(String),
    /// Parameters of the reference belong to another processor.
    #[error("these are weights of {}, not of {wanted}", one_of(found))]
    OtherProcessor {
        /// The configured processor.
        wanted: String,
        /// The processors that they can be the weights of.
        found: Vec<String>,
    },
    /// A checkpoint is missing or damaged.
    #[error("{what}: {path}", path = path.display())]
    Checkpoint {
        /// What is wrong with it.
        what: String,
        /// The file.
        path: PathBuf,
    },
    /// A loss or the norm of the gradient is infinite or NaN. Checkpoints stay as they are.
    #[error("{quantity} became {value} at step {step} ({algorithm})")]
    NotFinite {
        /// What is not finite: the loss of a probe, or the gradient norm.
        quantity: String,
        /// Its value.
        value: f64,
        /// The training step.
        step: usize,
        /// The algorithm of the batch.
        algorithm: String,
    },
    /// A run whose weights were to be the start of another one has other parameters.
    #[error("init_from {run}: {what}", run = run.display())]
    InitFrom {
        /// What was expected and what was found.
        what: String,
        /// The folder.
        run: PathBuf,
    },
    /// A run folder has no configuration.
    #[error("there is no run in this folder (no config.toml): {path}", path = path.display())]
    NoRun {
        /// The folder.
        path: PathBuf,
    },
    /// A folder for a new run already has one.
    #[error("there is a run in this folder already: {path}", path = path.display())]
    RunExists {
        /// The folder.
        path: PathBuf,
    },
    /// A key was to change when training continues that would have changed the steps so far.
    #[error("{key} cannot change when a run continues; start a new run instead")]
    CannotChange {
        /// The key.
        key: String,
    },
    /// A run was to continue to a step that it is past already.
    #[error("train_steps should be at least {done}, the number of steps already trained")]
    TooFewSteps {
        /// The number of steps.
        done: usize,
    },
    /// A run folder has something wrong with it.
    #[error("{what}: {path}", path = path.display())]
    Run {
        /// What is wrong.
        what: String,
        /// The folder.
        path: PathBuf,
    },
    /// The best checkpoint of a run whose training is over is missing or damaged.
    #[error("{reason}; training is over, so there will be no other best checkpoint")]
    NoBest {
        /// Why it cannot be read.
        reason: String,
        /// The folder.
        path: PathBuf,
    },
    /// Another process trains a run.
    #[error("another process is training in this folder: {path}", path = path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
}

/// Joins names with commas and `or`.
fn one_of(names: &[String]) -> String {
    match names {
        [one] => one.clone(),
        [all @ .., last] => format!("{} or {last}", all.join(", ")),
        [] => String::new(),
    }
}

/// Result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;
