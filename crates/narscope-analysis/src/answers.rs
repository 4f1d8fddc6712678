//! Cached answers: an analysis runs once, and again only if its inputs have changed.
//!
//! An answer carries a checksum: one that was edited or damaged is computed again. Answers that versions before 0.3
//! kept have none; they count as they are.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use narscope_files::atomic::{self, Existing};
use narscope_files::checksum::{Verified, seal, verify};
use narscope_model::config::Config;
use narscope_model::numerics;
use narscope_model::random::fnv;
use serde::{Deserialize, Serialize};

use crate::analysed::AnalysedModel;
use crate::analyses::{Answer, Entry};
use crate::context::{Context, Progress};
use crate::own::OwnSample;
use crate::sampling::Sampling;
use crate::{Error, Result};

/// Contents of an answer's file.
#[derive(Serialize, Deserialize)]
struct Stored {
    /// Hash of the configuration, the algorithm, the sampling and the revisions of numerics and of the analysis.
    #[serde(rename = "made")]
    inputs: String,
    /// Hash of the weights.
    weights: String,
    #[serde(flatten)]
    answer: Answer,
}

/// Identifies what the answers about a network are computed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// What numbers are computed with; see [`numerics::key`].
    numerics: String,
    /// Algorithm, configuration and sampling.
    inputs: String,
    weights: Option<String>,
}

impl Key {
    /// The key of answers about a network.
    pub fn new(model: &AnalysedModel, sampling: &Sampling) -> Self {
        let weights = Some(format!("{:016x}", model.fingerprint()));
        let algorithm = model.spec().entry.name;
        Self { weights, ..Self::without_weights(model.config(), algorithm, sampling) }
    }

    /// The key of answers about a network whose weights are not at hand. It matches any weights: training again
    /// would give the same ones.
    pub fn without_weights(config: &Config, algorithm: &str, sampling: &Sampling) -> Self {
        let sampling = serde_json::to_string(sampling).expect("numbers of samples are JSON");
        let settings = numerics::stable_toml(config);
        let inputs = [algorithm, &settings, &sampling].join("\n");
        Self { numerics: numerics::key(config).to_owned(), inputs, weights: None }
    }

    /// Hash of everything but the weights, for one analysis.
    fn hash(&self, entry: &Entry) -> String {
        let revision = entry.revision.to_string();
        let inputs = [&self.numerics, &revision, &self.inputs].map(String::as_str).join("\n");
        format!("{:016x}", fnv(inputs.bytes()))
    }

    fn matches(&self, entry: &Entry, stored: &Stored) -> bool {
        stored.inputs == self.hash(entry)
            && self.weights.as_ref().is_none_or(|weights| *weights == stored.weights)
    }
}

/// Number of graphs from which answers belong to a full study. Additional seeds of a study have a quarter of its graphs.
const MANY: usize = Sampling::FULL.graphs / 4;

/// Returns the folder of cached answers of a run. Answers from many samples take long and have a folder of their own,
/// so that quick ones do not replace them.
pub fn folder(run: &Path, sampling: &Sampling) -> PathBuf {
    run.join(if sampling.graphs < MANY { "answers" } else { "answers-full" })
}

/// Returns the file of an analysis in a folder of cached answers.
pub fn file(folder: &Path, analysis: &str) -> PathBuf {
    folder.join(format!("{analysis}.json"))
}

/// Reads the cached answer of an analysis. Returns `None` if there is none, if it was computed from other inputs, or
/// if its file is not as it was written, which [`Progress::changed`] is told.
pub fn load(
    folder: &Path,
    entry: &Entry,
    key: &Key,
    progress: &(impl Progress + ?Sized),
) -> Option<Answer> {
    let path = file(folder, entry.name);
    let bytes = std::fs::read(&path).ok()?;
    let stored = std::str::from_utf8(&bytes).ok().filter(|text| verify(text) != Verified::Changed);
    let stored: Option<Stored> = stored.and_then(|text| serde_json::from_str(text).ok());
    let Some(stored) = stored else {
        progress.changed(&path);
        return None;
    };
    key.matches(entry, &stored).then(|| (entry.refresh)(stored.answer))
}

/// Writes the answer of an analysis to its file in a folder of cached answers, which is created if necessary.
///
/// # Panics
/// If the key is one without weights.
pub fn store(folder: &Path, entry: &Entry, key: &Key, answer: &Answer) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(narscope_files::Error::io("create", folder))?;
    let weights = key.weights.clone().expect("answers are computed with weights");
    let stored = Stored { inputs: key.hash(entry), weights, answer: answer.clone() };
    let text = serde_json::to_string(&stored).expect("answers are JSON");
    let path = file(folder, &answer.analysis);
    Ok(atomic::write(&path, Existing::Replace, |file| writeln!(file, "{}", seal(&text)))?)
}

/// Answers about one network, cached beside its run.
pub struct CachedAnswers<'a> {
    context: Context<'a>,
    /// Where answers are cached, and their key; `None` for the user's samples.
    cache: Option<(PathBuf, Key)>,
}

impl<'a> CachedAnswers<'a> {
    /// Answers about the network of a run on random samples.
    pub fn new(
        run: &Path,
        model: &'a AnalysedModel,
        sampling: Sampling,
        progress: &'a dyn Progress,
    ) -> Self {
        let cache = Some((folder(run, &sampling), Key::new(model, &sampling)));
        Self { context: Context::new(model, sampling, progress), cache }
    }

    /// Answers about the given sample instead of random ones. Such answers are not cached.
    #[must_use]
    pub fn with_sample(self, sample: OwnSample) -> Self {
        Self { context: self.context.with_sample(sample), cache: None }
    }

    /// How many random samples the answers are about; `None` for given samples.
    pub fn sampling(&self) -> Option<Sampling> {
        self.cache.as_ref().map(|_| self.context.sampling)
    }

    /// Returns the cached answer.
    pub fn load(&self, entry: &Entry) -> Option<Answer> {
        let progress = self.context.progress;
        self.cache.as_ref().and_then(|(folder, key)| load(folder, entry, key, progress))
    }

    /// Returns the cached answer, or runs the analysis.
    pub fn answer(&self, entry: &Entry) -> Result<Answer> {
        self.load(entry).map_or_else(|| self.compute(entry), Ok)
    }

    /// Runs the analysis and caches its answer. If the run cannot be written to, for instance because it belongs
    /// to another user, [`Progress::not_cached`] is called; a full disk is an error.
    pub fn compute(&self, entry: &Entry) -> Result<Answer> {
        let answer = (entry.run)(&self.context)?;
        if let Some((folder, key)) = &self.cache
            && let Err(error) = store(folder, entry, key, &answer)
        {
            if !is_read_only(&error) {
                return Err(error);
            }
            self.context.progress.not_cached(&error);
        }
        Ok(answer)
    }

    /// Returns the answers of analyses in the given order, without those that do not apply to the network, whose
    /// errors `skipped` receives.
    pub fn answer_all(
        &self,
        entries: &[&Entry],
        skipped: &mut dyn FnMut(Error),
    ) -> Result<Vec<Answer>> {
        let cached = entries.iter().map(|entry| self.load(entry)).collect();
        self.complete(entries, cached, skipped)
    }

    /// Like [`answer_all`](Self::answer_all), but computes only what is `None` in `answers`.
    pub fn complete(
        &self,
        entries: &[&Entry],
        mut answers: Vec<Option<Answer>>,
        skipped: &mut dyn FnMut(Error),
    ) -> Result<Vec<Answer>> {
        for place in run_order(entries) {
            if answers[place].is_some() {
                continue;
            }
            match self.compute(entries[place]) {
                Ok(answer) => answers[place] = Some(answer),
                Err(error) if error.is_unsuitable() => skipped(error),
                Err(error) => return Err(error),
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }
}

/// Indices of analyses in the order in which to run them: first those whose trajectories others reuse.
pub fn run_order(entries: &[&Entry]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&place| !entries[place].runs_first);
    order
}

/// Whether a file could not be written for lack of permission.
fn is_read_only(error: &Error) -> bool {
    let mut causes =
        std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    causes.any(|error| {
        let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        matches!(kind, Some(ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem))
    })
}

#[cfg(test)]
mod tests {
    use narscope_model::config::Draft;
    use narscope_model::run::{Run, Which};
    use narscope_model::train::Trainer;

    use super::*;
    use crate::analyses;
    use crate::context::NoProgress;

    fn model(folder: &Path, seed: u32) -> AnalysedModel {
        let config = format!("algorithms = ['bfs']\nhidden_size = 4\nseed = {seed}");
        let config = Draft::parse(&config).unwrap().finish().unwrap();
        let weights = Trainer::new(&config).unwrap().weights;
        let run = Run::install(&folder.join(seed.to_string()), config, weights).unwrap();
        AnalysedModel::open(&run.path, Which::Best, None).unwrap()
    }

    #[test]
    fn an_answer_is_cached_until_its_inputs_change() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (model(folder.path(), 1), model(folder.path(), 2));
        let sampling = Sampling { graphs: 20, length: 5, ..Sampling::QUICK };
        let entry = analyses::find("dimensionality").unwrap();
        let answers = CachedAnswers::new(folder.path(), &one, sampling, &NoProgress);
        assert_eq!(answers.load(entry), None);
        let answer = answers.answer(entry).unwrap();
        assert_eq!(answers.load(entry), Some(answer.clone()));

        let more = Sampling { graphs: 21, ..sampling };
        assert_eq!(CachedAnswers::new(folder.path(), &one, more, &NoProgress).load(entry), None);
        let of_other = CachedAnswers::new(folder.path(), &other, sampling, &NoProgress);
        assert_eq!(of_other.load(entry), None, "other weights");
        let key = Key::without_weights(one.config(), "bfs", &sampling);
        let folder = super::folder(folder.path(), &sampling);
        assert_eq!(load(&folder, entry, &key, &NoProgress), Some(answer), "its weights are gone");
    }

    #[test]
    fn the_revision_of_an_analysis_expires_its_own_answers_only() {
        let folder = tempfile::tempdir().unwrap();
        let model = model(folder.path(), 1);
        let sampling = Sampling { graphs: 20, length: 5, ..Sampling::QUICK };
        let entry = analyses::find("score").unwrap();
        let answer = (entry.run)(&Context::new(&model, sampling, &NoProgress)).unwrap();
        let key = Key::new(&model, &sampling);
        store(folder.path(), entry, &key, &answer).unwrap();
        let revised = Entry { revision: entry.revision + 1, ..*entry };
        assert_eq!(load(folder.path(), &revised, &key, &NoProgress), None);
        assert_eq!(load(folder.path(), entry, &key, &NoProgress), Some(answer));
    }

    #[test]
    fn the_key_of_an_unchanged_analysis_is_that_of_the_versions_before() {
        let config = Draft::parse("algorithms = ['bfs']").unwrap().finish().unwrap();
        let key = Key::without_weights(&config, "bfs", &Sampling::QUICK);
        let sampling = serde_json::to_string(&Sampling::QUICK).unwrap();
        let settings = numerics::stable_toml(&config);
        // Earlier versions had one revision, 5, for all analyses.
        let before = [numerics::key(&config), "5", "bfs", &settings, &sampling].join("\n");
        let before = format!("{:016x}", fnv(before.bytes()));
        assert_eq!(key.hash(analyses::find("score").unwrap()), before);
        assert!(
            !sampling.contains("protocol"),
            "options that are not set are not in it: {sampling}"
        );
    }

    /// Counts the files that were changed.
    #[derive(Default)]
    struct Changed(std::sync::Mutex<Vec<PathBuf>>);

    impl Progress for Changed {
        fn begin(&self, _: &str, _: usize) {}
        fn advance(&self, _: usize) {}
        fn is_interrupted(&self) -> bool {
            false
        }
        fn changed(&self, path: &Path) {
            self.0.lock().unwrap().push(path.to_owned());
        }
    }

    #[test]
    fn an_edited_answer_is_noticed_and_computed_again() {
        let folder = tempfile::tempdir().unwrap();
        let model = model(folder.path(), 1);
        let sampling = Sampling { graphs: 20, length: 5, ..Sampling::QUICK };
        let entry = analyses::find("dimensionality").unwrap();
        let changed = Changed::default();
        let answers = CachedAnswers::new(folder.path(), &model, sampling, &changed);
        let answer = answers.answer(entry).unwrap();
        let path = file(&super::folder(folder.path(), &sampling), entry.name);
        let written = std::fs::read_to_string(&path).unwrap();

        for edited in [written.replacen("20", "21", 1), written[..100].to_owned(), String::new()] {
            assert_ne!(edited, written);
            std::fs::write(&path, edited).unwrap();
            assert_eq!(answers.load(entry), None);
            assert_eq!(std::mem::take(&mut *changed.0.lock().unwrap()), vec![path.clone()]);
            assert_eq!(answers.answer(entry).unwrap(), answer);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), written);
            changed.0.lock().unwrap().clear();
        }
    }

    #[test]
    fn an_answer_of_a_version_without_checksums_counts() {
        let folder = tempfile::tempdir().unwrap();
        let model = model(folder.path(), 1);
        let sampling = Sampling { graphs: 20, length: 5, ..Sampling::QUICK };
        let entry = analyses::find("dimensionality").unwrap();
        let answers = CachedAnswers::new(folder.path(), &model, sampling, &NoProgress);
        let answer = answers.answer(entry).unwrap();
        let path = file(&super::folder(folder.path(), &sampling), entry.name);
        let written = std::fs::read_to_string(&path).unwrap();
        let (_, rest) = written.split_once("\",").unwrap();
        std::fs::write(&path, format!("{{{rest}")).unwrap();
        assert_eq!(answers.load(entry), Some(answer));
    }

    #[test]
    fn analyses_that_do_not_apply_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let model = model(folder.path(), 1);
        let sampling = Sampling { graphs: 20, length: 5, ..Sampling::QUICK };
        let answers = CachedAnswers::new(folder.path(), &model, sampling, &NoProgress);
        let entries = ["symmetries", "dimensionality"].map(|name| analyses::find(name).unwrap());
        let mut skipped = vec![];
        let found = answers.answer_all(&entries, &mut |error| skipped.push(error.to_string()));
        let found: Vec<String> = found.unwrap().into_iter().map(|answer| answer.analysis).collect();
        assert_eq!(found, ["dimensionality"]);
        assert_eq!(skipped, ["symmetries needs a shortest-path algorithm, but bfs is not one"]);
    }
}
