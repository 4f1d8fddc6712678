//! Asking analyses about a run, with a bar for what takes a while.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::Context as _;
use narscope::analysis::analyses::{Answer, Entry};
use narscope::analysis::study::{Size, Study, Watcher};
use narscope::analysis::subject::Subject;
use narscope::analysis::{Error, answers};

use crate::interrupt;
use crate::progress::{Progress, note};

/// A bar for each piece of work.
#[derive(Default)]
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
        interrupt::is_wanted()
    }
}

static BARS: Bars = Bars(Mutex::new(None));

/// Who asks about one run.
pub(crate) struct Asker<'a> {
    subject: &'a Subject,
    study: Study<'a>,
    folder: PathBuf,
}

impl<'a> Asker<'a> {
    /// Answers are kept beside the run.
    pub(crate) fn new(run: &Path, subject: &'a Subject, size: Size) -> anyhow::Result<Self> {
        let folder = run.join("answers");
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
        interrupt::save_first();
        Ok(Self { subject, study: Study::of(subject, size, &BARS), folder })
    }

    /// The answer that is kept, or a new one.
    pub(crate) fn answer(&self, entry: &Entry) -> anyhow::Result<Answer> {
        let known = answers::known(&self.folder, entry, self.subject, &self.study.size);
        known.map_or_else(|| self.ask(entry), Ok)
    }

    /// The same, or nothing if the analysis has nothing to say of such a network.
    pub(crate) fn answer_if_suitable(&self, entry: &Entry) -> anyhow::Result<Option<Answer>> {
        match self.answer(entry) {
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

    /// A new answer.
    pub(crate) fn ask(&self, entry: &Entry) -> anyhow::Result<Answer> {
        let answer = answers::ask(&self.folder, entry, self.subject, &self.study);
        *BARS.0.lock().expect("nobody panics here") = None;
        match answer {
            // What was answered before is kept.
            Err(Error::Interrupted) => std::process::exit(interrupt::EXIT_CODE),
            answer => Ok(answer?),
        }
    }
}
