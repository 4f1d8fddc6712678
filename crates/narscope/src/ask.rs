//! Asking analyses about a run, with a bar for what takes a while.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use narscope::analysis::analyses::{Answer, Entry};
use narscope::analysis::study::{Size, Study, Watcher};
use narscope::analysis::subject::Subject;
use narscope::analysis::{Error, answers};
use narscope::clrs::instance::own::Own;
use narscope::clrs::options::Direction;
use narscope::results::{NetworkAnswers, variant_name};

use crate::interrupt;
use crate::progress::{Progress, note, warn};

/// How much is looked at
#[derive(Clone, Copy, clap::Args)]
#[command(next_help_heading = "How much is looked at")]
pub(crate) struct SizeOptions {
    /// As many samples as in the paper
    #[arg(long)]
    full: bool,
    /// Random graphs whose trajectories are looked at
    #[arg(long)]
    graphs: Option<usize>,
    /// Size of the samples
    #[arg(long)]
    length: Option<usize>,
    /// Take every edge of a graph one way only, as the paper does
    #[arg(long)]
    directed: bool,
    /// Steps of the graphs whose trajectories are looked at as a whole [default: what most take]
    #[arg(long)]
    steps: Option<usize>,
    /// Seed of the samples
    #[arg(long)]
    seed: Option<u32>,
    /// Images of a graph under each symmetry
    #[arg(long)]
    images: Option<usize>,
    /// Clusters of reweighted graphs
    #[arg(long)]
    clusters: Option<usize>,
    /// Graphs in each cluster
    #[arg(long, alias = "cluster_images")]
    cluster_images: Option<usize>,
    /// Graphs that scores are measured on
    #[arg(long)]
    scored: Option<usize>,
}

impl SizeOptions {
    /// Whether it is as much as in the paper.
    pub(crate) fn is_full(self) -> bool {
        self.full
    }

    /// The size, where nothing was said as in the paper or a good deal less.
    pub(crate) fn size(self) -> anyhow::Result<Size> {
        let base = if self.full { Size::FULL } else { Size::QUICK };
        let size = Size {
            graphs: self.graphs.unwrap_or(base.graphs),
            length: self.length.unwrap_or(base.length),
            direction: self.directed.then_some(Direction::Directed),
            steps: self.steps.or(base.steps),
            seed: self.seed.unwrap_or(base.seed),
            images: self.images.unwrap_or(base.images),
            clusters: self.clusters.unwrap_or(base.clusters),
            cluster_images: self.cluster_images.unwrap_or(base.cluster_images),
            scored: self.scored.unwrap_or(base.scored),
        };
        let least = [
            ("graphs", size.graphs, 2),
            ("images", size.images, 2),
            ("clusters", size.clusters, 1),
            ("cluster-images", size.cluster_images, 2),
            ("scored", size.scored, 1),
        ];
        for (name, found, least) in least {
            anyhow::ensure!(found >= least, "--{name} should be at least {least}, found {found}");
            anyhow::ensure!(found <= MOST, "--{name} should be at most {MOST}, found {found}");
        }
        Ok(size)
    }
}

/// More than anybody would wait for.
const MOST: usize = 1 << 24;

/// A bar for each piece of work.
struct Bars(Mutex<Option<Progress>>);

impl Watcher for Bars {
    fn begins(&self, what: &str, samples: usize) {
        let bar = Progress::new(&format!("samples for {what}"), samples);
        *self.0.lock().expect("nobody panics here") = Some(bar);
    }

    fn advances(&self, samples: usize) {
        if let Some(bar) = &*self.0.lock().expect("nobody panics here") {
            bar.advance(samples);
        }
    }

    fn wants_to_stop(&self) -> bool {
        interrupt::is_requested()
    }
}

static BARS: Bars = Bars(Mutex::new(None));

/// Does something that runs samples, with a bar for each piece of it.
pub(crate) fn watched<T>(
    work: impl FnOnce(&'static dyn Watcher) -> Result<T, Error>,
) -> anyhow::Result<T> {
    let done = work(&BARS);
    *BARS.0.lock().expect("nobody panics here") = None;
    match done {
        Err(Error::Interrupted) => std::process::exit(interrupt::EXIT_CODE),
        done => Ok(done?),
    }
}

/// An answer, or nothing if the analysis has nothing to say.
fn if_suitable(answer: anyhow::Result<Answer>) -> anyhow::Result<Option<Answer>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) => match error.downcast::<Error>()? {
            unsuitable @ Error::Unsuitable { .. } => {
                note(&format!("left out: {unsuitable}"));
                Ok(None)
            }
            other => Err(other.into()),
        },
    }
}

/// An answer that somebody asked for: by its name, or as one of all, of which those are left out that have
/// nothing to say.
pub(crate) fn wanted(
    answer: anyhow::Result<Answer>,
    is_named: bool,
) -> anyhow::Result<Option<Answer>> {
    if is_named { answer.map(Some) } else { if_suitable(answer) }
}

/// Who asks about one run.
pub(crate) struct Asker<'a> {
    subject: &'a Subject,
    study: Study<'a>,
    /// Where answers are kept, if they are of random samples.
    folder: Option<PathBuf>,
}

impl<'a> Asker<'a> {
    /// Answers are kept beside the run.
    pub(crate) fn new(run: &Path, subject: &'a Subject, size: Size) -> Self {
        let folder = answers::folder(run, &size);
        interrupt::save_before_exit();
        let study = Study::of(subject, size, &BARS);
        Self { subject, study, folder: Some(folder) }
    }

    /// About the user's own instance, if there is one. Such answers are not kept.
    pub(crate) fn on(self, own: Option<(Own, PathBuf)>) -> anyhow::Result<Self> {
        let Some((own, _)) = own else { return Ok(self) };
        let samples = self.subject.own(&own)?;
        Ok(Self { study: self.study.on_own(samples), folder: None, ..self })
    }

    /// The answer that is kept, if there is one.
    pub(crate) fn known(&self, entry: &Entry) -> Option<Answer> {
        answers::known(self.folder.as_ref()?, entry, self.subject, &self.study.size)
    }

    /// The answer that is kept, or a new one.
    pub(crate) fn answer(&self, entry: &Entry) -> anyhow::Result<Answer> {
        self.known(entry).map_or_else(|| self.ask(entry), Ok)
    }

    /// All that analyses have to say of the run.
    pub(crate) fn tell(&self, questions: &[&Entry]) -> anyhow::Result<NetworkAnswers> {
        let mut places: Vec<usize> = (0..questions.len()).collect();
        places.sort_by_key(|&place| !questions[place].first);
        let mut answers = vec![None; questions.len()];
        for place in places {
            answers[place] = wanted(self.answer(questions[place]), false)?;
        }
        let answers = answers.into_iter().flatten().collect();
        let (config, algorithm) = (&self.subject.config, self.subject.spec().entry.name);
        let mut variant = variant_name(config);
        // Every number of the paper is of this one.
        if algorithm != "bellman_ford" {
            variant = format!("{variant} on {algorithm}");
        }
        // Answers about the user's own samples are not kept.
        let size = self.folder.as_ref().map(|_| self.study.size);
        Ok(NetworkAnswers { variant, seed: config.seed, config: config.clone(), size, answers })
    }

    /// A new answer. If the user wants to stop, what was answered before is kept.
    pub(crate) fn ask(&self, entry: &Entry) -> anyhow::Result<Answer> {
        let answer = watched(|_| (entry.answer)(&self.study))?;
        if let Some(folder) = &self.folder
            && let Err(error) =
                answers::keep(folder, entry, self.subject, &self.study.size, &answer)
        {
            // A run that belongs to somebody else can be looked at all the same; but nobody wants to work
            // for hours beside a full disk.
            let error = anyhow::Error::from(error);
            let mut reasons = error.chain().filter_map(|why| why.downcast_ref::<std::io::Error>());
            let forbids = |why: &std::io::Error| {
                matches!(why.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
            };
            if !reasons.any(forbids) {
                return Err(error);
            }
            warn(&format!("this answer is not kept: {error:#}"));
        }
        Ok(answer)
    }
}
