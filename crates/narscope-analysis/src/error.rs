//! Errors of this crate.

use std::path::PathBuf;

/// Errors of analyses, recordings and cached answers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Samples could not be drawn.
    #[error(transparent)]
    Samples(#[from] narscope_clrs::Error),
    /// A file could not be read or written.
    #[error(transparent)]
    Files(#[from] narscope_files::Error),
    /// A network could not be opened or run.
    #[error(transparent)]
    Model(#[from] narscope_model::Error),
    /// A network could not be run.
    #[error(transparent)]
    Net(#[from] narscope_net::Error),
    /// A run of several algorithms was opened without the name of one of them.
    #[error("{path} was trained on {algorithms}: choose one of them", path = path.display(), algorithms = algorithms.join(", "))]
    ChooseAlgorithm {
        /// The folder of the run.
        path: PathBuf,
        /// The algorithms of the run.
        algorithms: Vec<String>,
    },
    /// A number of samples is out of range.
    #[error("{}", out_of_range(key, *least, *most, *found))]
    Sampling {
        /// The field of [`Sampling`](crate::sampling::Sampling).
        key: &'static str,
        /// The smallest allowed number.
        least: usize,
        /// The largest allowed number.
        most: usize,
        /// The given number.
        found: usize,
    },
    /// A share is out of range.
    #[error("{key} should be above 0 and at most {most}, found {found}")]
    SamplingShare {
        /// The field of [`Sampling`](crate::sampling::Sampling).
        key: &'static str,
        /// The largest allowed value.
        most: f64,
        /// The given value.
        found: f64,
    },
    /// The requested number of components is zero, or more than the images of a cluster can have.
    #[error(
        "components should be from {least} to {most} with {images} images in each cluster, found {found}"
    )]
    SamplingComponents {
        /// The smallest allowed number.
        least: usize,
        /// The largest allowed number.
        most: usize,
        /// Number of images in each cluster.
        images: usize,
        /// The given number.
        found: usize,
    },
    /// Too few points for principal components or similarities.
    #[error("at least {least} points are needed, found {found}")]
    TooFewPoints {
        /// The smallest sufficient number.
        least: usize,
        /// The given number.
        found: usize,
    },
    /// A coordinate is infinite or NaN.
    #[error("point {point} has a coordinate that is {value}: is the recording damaged?")]
    NotFinite {
        /// Index of the point.
        point: usize,
        /// The coordinate.
        value: f32,
    },
    /// A matrix decomposition did not converge.
    #[error("a matrix decomposition did not converge ({what})")]
    Diverged {
        /// Message of the linear-algebra library.
        what: String,
    },
    /// The network, its algorithm or the recording lacks what an analysis needs.
    #[error("{analysis} needs {needed}, but {found}")]
    Unsuitable {
        /// The analysis.
        analysis: &'static str,
        /// What it needs.
        needed: String,
        /// What there is instead.
        found: String,
    },
    /// Too few samples take the requested number of steps.
    #[error(
        "{analysis} needs at least {least} samples that take {steps} steps, but there are {}",
        counts(found)
    )]
    TooFewWithSteps {
        /// The analysis.
        analysis: &'static str,
        /// The requested number of steps.
        steps: usize,
        /// The smallest sufficient number of samples.
        least: usize,
        /// Numbers of steps, each with the number of samples that take it.
        found: Vec<(usize, usize)>,
    },
    /// Too few random graphs to estimate the tangent space of the manifold of states.
    #[error("{analysis} needs at least {least} random graphs, but there are {found}")]
    TooFewGraphs {
        /// The analysis.
        analysis: &'static str,
        /// The smallest sufficient number.
        least: usize,
        /// The given number: four for each scored graph.
        found: usize,
    },
    /// Too few images in each cluster for its principal components.
    #[error(
        "{analysis} needs more images in each cluster than principal components ({components}), but there are {found}"
    )]
    TooFewImages {
        /// The analysis.
        analysis: &'static str,
        /// Number of components.
        components: usize,
        /// The given number of images.
        found: usize,
    },
    /// Too few base graphs take the same number of steps to compare their images.
    #[error(
        "{orbit} needs at least {least} base graphs with equally many steps, but of {drawn} only {found} take {steps} steps"
    )]
    TooFewClasses {
        /// The images.
        orbit: String,
        /// The smallest sufficient number.
        least: usize,
        /// Number of base graphs that were drawn.
        drawn: usize,
        /// The most frequent number of steps.
        steps: usize,
        /// Number of base graphs that take it.
        found: usize,
    },
    /// A recording has unexpected contents.
    #[error("{what}: {path}", path = path.display())]
    Recording {
        /// What is wrong with it.
        what: String,
        /// The file.
        path: PathBuf,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    pub(crate) fn unsuitable(
        analysis: &'static str,
        needed: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::Unsuitable { analysis, needed: needed.into(), found: found.into() }
    }

    /// Whether the analysis does not apply to this network or these samples, while others may.
    pub fn is_unsuitable(&self) -> bool {
        matches!(
            self,
            Self::Unsuitable { .. }
                | Self::TooFewWithSteps { .. }
                | Self::TooFewGraphs { .. }
                | Self::TooFewImages { .. }
                | Self::TooFewClasses { .. }
        )
    }
}

fn out_of_range(key: &str, least: usize, most: usize, found: usize) -> String {
    if found < least {
        format!("{key} should be at least {least}, found {found}")
    } else {
        format!("{key} should be at most {most}, found {found}")
    }
}

fn counts(found: &[(usize, usize)]) -> String {
    let counts = found.iter().map(|(steps, count)| format!("{count} with {steps}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// Result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
