//! Flags for the samples of analyses, and progress bars while analyses run.

use std::path::Path;
use std::sync::{Mutex, MutexGuard};

use anyhow::bail;
use narscope::analysis::analyses::Answer;
use narscope::analysis::context;
use narscope::analysis::sampling::{Overrides, Sampling};
use narscope::analysis::{Error, Protocol};
use narscope::clrs::options::Direction;

use crate::interrupt;
use crate::progress::{Progress, note, warn};

/// Samples of analyses
#[derive(Clone, Copy, clap::Args)]
#[command(next_help_heading = "Samples")]
pub(crate) struct SamplingOptions {
    /// Use as many samples as the paper
    #[arg(long)]
    full: bool,
    /// Number of random graphs whose trajectories are analysed
    #[arg(long)]
    graphs: Option<usize>,
    /// Number of nodes of each graph
    #[arg(long)]
    length: Option<usize>,
    /// Draw directed graphs, as the paper does
    #[arg(long)]
    directed: bool,
    /// Number of steps of the graphs whose whole trajectories are analysed [default: the most frequent]
    #[arg(long)]
    steps: Option<usize>,
    /// Seed of the samples
    #[arg(long)]
    seed: Option<u32>,
    /// Number of images of a graph under each symmetry
    #[arg(long)]
    images: Option<usize>,
    /// Number of clusters of reweighted graphs
    #[arg(long)]
    clusters: Option<usize>,
    /// Number of graphs in each cluster
    #[arg(long, alias = "cluster_images")]
    cluster_images: Option<usize>,
    /// Number of graphs that scores are measured on
    #[arg(long)]
    scored: Option<usize>,
    /// How to repeat experiments whose code differs from the paper's text: as-stated or as-coded [default: both]
    #[arg(long)]
    protocol: Option<Protocol>,
    /// Potentials of reweighted graphs are from (0, c), base weights from (c, 1 - c) [default: by protocol]
    #[arg(long)]
    c: Option<f64>,
    /// Probability of an edge in the base graphs of clusters [default: by protocol]
    #[arg(long)]
    p: Option<f64>,
    /// Number of principal components that are the directions of a cluster [default: 2]
    #[arg(long)]
    components: Option<usize>,
}

impl SamplingOptions {
    /// `--full`.
    pub(crate) fn is_full(self) -> bool {
        self.full
    }

    /// The values that were given.
    pub(crate) fn overrides(self) -> Overrides {
        Overrides {
            graphs: self.graphs,
            length: self.length,
            direction: self.directed.then_some(Direction::Directed),
            steps: self.steps,
            seed: self.seed,
            images: self.images,
            clusters: self.clusters,
            cluster_images: self.cluster_images,
            scored: self.scored,
            protocol: self.protocol,
            c: self.c,
            p: self.p,
            components: self.components,
        }
    }

    /// Refuses options that apply to random samples only.
    pub(crate) fn check_own(self, has_own: bool) -> anyhow::Result<()> {
        if has_own && (self.length.is_some() || self.seed.is_some()) {
            bail!("--length and --seed apply to random samples only, not to --input");
        }
        Ok(())
    }

    /// The samples, with the defaults of `--full` or without it.
    pub(crate) fn sampling(self) -> anyhow::Result<Sampling> {
        let base = if self.full { Sampling::FULL } else { Sampling::QUICK };
        checked(base.with(&self.overrides()))
    }
}

/// Checks samples; an error names the flag.
pub(crate) fn checked(sampling: Sampling) -> anyhow::Result<Sampling> {
    sampling.check().map_err(|error| match error {
        Error::Sampling { key, .. } => {
            anyhow::anyhow!("--{}", error.to_string().replace(key, &key.replace('_', "-")))
        }
        Error::SamplingShare { .. } | Error::SamplingComponents { .. } => {
            anyhow::anyhow!("--{error}")
        }
        other => other.into(),
    })
}

/// Shows a progress bar for each analysis.
pub(crate) struct AnalysisProgress(Mutex<Option<Progress>>);

impl AnalysisProgress {
    /// Removes the bar.
    pub(crate) fn clear(&self) {
        *self.bar() = None;
    }

    fn bar(&self) -> MutexGuard<'_, Option<Progress>> {
        self.0.lock().expect("the lock is not poisoned")
    }
}

impl context::Progress for AnalysisProgress {
    fn begin(&self, analysis: &str, samples: usize) {
        *self.bar() = Some(Progress::new(&format!("samples for {analysis}"), samples));
    }

    fn advance(&self, samples: usize) {
        if let Some(bar) = &*self.bar() {
            bar.advance(samples);
        }
    }

    fn is_interrupted(&self) -> bool {
        interrupt::is_requested()
    }

    fn not_cached(&self, error: &Error) {
        warn(&format!("this answer is not cached: {error}"));
    }

    fn changed(&self, file: &Path) {
        let file = file.display();
        warn(&format!("{file} is damaged or was edited; its analysis runs again"));
    }
}

/// The progress of all analyses of this process.
pub(crate) static PROGRESS: AnalysisProgress = AnalysisProgress(Mutex::new(None));

/// Runs analyses and removes their progress bar. Exits if they were interrupted; answers so far are cached.
pub(crate) fn with_progress<T>(work: impl FnOnce() -> Result<T, Error>) -> anyhow::Result<T> {
    let done = work();
    PROGRESS.clear();
    match done {
        Err(Error::Interrupted) => std::process::exit(interrupt::EXIT_CODE),
        done => Ok(done?),
    }
}

/// The answer; `None`, with a note, if the analysis does not apply and was not requested by name.
pub(crate) fn if_suitable(
    answer: anyhow::Result<Answer>,
    is_named: bool,
) -> anyhow::Result<Option<Answer>> {
    match answer {
        Err(error) if !is_named => match error.downcast::<Error>()? {
            error if error.is_unsuitable() => {
                skipped(&error);
                Ok(None)
            }
            error => Err(error.into()),
        },
        answer => answer.map(Some),
    }
}

/// Notes that an analysis does not apply.
pub(crate) fn skipped(error: &Error) {
    note(&format!("skipped: {error}"));
}
