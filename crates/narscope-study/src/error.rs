//! Errors of this crate.

use std::path::PathBuf;

/// Errors of studies.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The study file is invalid.
    #[error("{file}: {what}")]
    Study {
        /// The study file.
        file: String,
        /// What is wrong with it.
        what: String,
    },
    /// A folder contains another network than the study's.
    #[error("{folder} should contain {network} as this study trains it, but its config.toml differs", folder = folder.display())]
    OtherNetwork {
        /// The folder.
        folder: PathBuf,
        /// Name of the network.
        network: String,
    },
    /// Two networks have the same variant and seed, so that means over seeds are not defined.
    #[error("two runs are {variant} with seed {seed}: means need runs that differ in their seed")]
    SameSeed {
        /// Name of the variant.
        variant: String,
        /// The seed.
        seed: u32,
    },
    /// Runs have no algorithm in common.
    #[error(
        "expected runs that were trained on the same algorithm, found {}",
        .runs.iter().map(|(run, algorithms)| format!("{} on {}", run.display(), algorithms.join(", "))).collect::<Vec<_>>().join(" and ")
    )]
    NoCommonAlgorithm {
        /// Folders and algorithms of two such runs.
        runs: Vec<(PathBuf, Vec<String>)>,
    },
    /// Runs have several algorithms in common, and none was chosen.
    #[error("all runs were trained on {}: choose one of them", .algorithms.join(", "))]
    ChooseAlgorithm {
        /// The algorithms that all runs have.
        algorithms: Vec<String>,
    },
    /// A run was to be compared with itself.
    #[error("{} is listed twice: compare different runs", .run.display())]
    SameRun {
        /// The folder of the run.
        run: PathBuf,
    },
    /// Results of a run could not be read.
    #[error(transparent)]
    Results(#[from] narscope_results::Error),
    /// Training was interrupted, and its state saved.
    #[error("training of {network} was interrupted after step {step}")]
    TrainingInterrupted {
        /// Name of the network.
        network: String,
        /// Number of steps that are done.
        step: usize,
    },
    /// The observer asked to stop. Answers so far are cached.
    #[error("interrupted")]
    Interrupted,
    /// An analysis failed.
    #[error(transparent)]
    Analysis(narscope_analysis::Error),
    /// A file could not be read or written.
    #[error(transparent)]
    Files(#[from] narscope_files::Error),
    /// A network could not be opened or trained.
    #[error(transparent)]
    Model(#[from] narscope_model::Error),
    /// The report could not be made.
    #[error(transparent)]
    Report(#[from] narscope_report::Error),
    /// A folder or file could not be made.
    #[error("cannot create {path}", path = path.display())]
    Create {
        /// The path.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

impl From<narscope_analysis::Error> for Error {
    fn from(error: narscope_analysis::Error) -> Self {
        match error {
            narscope_analysis::Error::Interrupted => Self::Interrupted,
            error => Self::Analysis(error),
        }
    }
}

/// Result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
