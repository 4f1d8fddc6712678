//! Execution of a study: every network is trained, opened and analysed at most once.

use std::path::{Path, PathBuf};

use narscope_analysis::analysed::AnalysedModel;
use narscope_analysis::analyses::score::Score;
use narscope_analysis::analyses::{Analysis as _, Answer};
use narscope_analysis::answers::{self, CachedAnswers, Key};
use narscope_analysis::context::Progress;
use narscope_analysis::sampling::{Overrides, Sampling};
use narscope_model::run::{self, Outcome, Run, Which};
use narscope_results::{NetworkAnswers, RunResult};

use crate::file::Network;
use crate::plan::{self, Plan, RemainingSamples, RemainingTraining};
use crate::pretrained::Pretrained;
use crate::{Error, Result, Study};

/// Receives the progress of a study and may interrupt it.
pub trait Observer: Progress {
    /// Network `index` (from 0) of `count` is next.
    fn network(&self, _network: &Network, _index: usize, _count: usize) {}
    /// The weights of a network were loaded.
    fn opened(&self, _network: &Network) {}
    /// Training begins; returns its observer.
    fn training(&self, network: &Network) -> Box<dyn run::Observer + '_>;
    /// An analysis does not apply to the network.
    fn skipped(&self, _error: &narscope_analysis::Error) {}
    /// `pictures` pictures will be written.
    fn drawing(&self, _pictures: usize) {}
    /// A picture was written.
    fn drawn(&self) {}
}

/// Where and how a study is executed.
#[derive(Clone, Debug)]
pub struct Settings<'a> {
    /// Folder of networks, cached answers and the report.
    pub out: &'a Path,
    /// Whether to use the samples of the full study.
    pub is_full: bool,
    /// Values that replace some of the study's samples.
    pub overrides: Overrides,
    /// Known scores, so that networks of which only the score is needed are not trained again.
    pub results: &'a [RunResult],
    /// Networks that need no training.
    pub pretrained: &'static [Pretrained],
    /// Which networks to execute.
    pub only: Only,
}

/// Which networks of a study are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// All of them.
    Everything,
    /// Those that come with the program.
    Pretrained,
    /// Those that need no training, because they are trained or their answers are cached.
    Trained,
}

/// How far the training of a network is.
enum State {
    /// Trained and tested; `Some` if its weights were loaded and are still needed.
    Trained(Option<Box<AnalysedModel>>),
    Pretrained(&'static Pretrained),
    /// Stopped after this step.
    Untrained(usize),
}

/// A network and its known answers.
struct Prepared<'a> {
    network: &'a Network,
    sampling: Sampling,
    folder: PathBuf,
    state: State,
    /// Per analysis of the network.
    answers: Vec<Option<Answer>>,
}

/// A study whose cached answers are loaded.
pub struct Execution<'a> {
    networks: Vec<Prepared<'a>>,
    sampling: Sampling,
}

impl<'a> Execution<'a> {
    /// Finds out how far each network is, and loads cached answers. Writes nothing.
    pub fn prepare(
        study: &'a Study,
        settings: &Settings<'_>,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let mut networks = vec![];
        for network in &study.networks {
            let name = network.folder();
            let pretrained = settings.pretrained.iter().find(|other| other.name == name);
            if pretrained.is_none() && settings.only == Only::Pretrained {
                continue;
            }
            let sampling = study.sampling_of(network, settings.is_full, &settings.overrides)?;
            let prepared = Prepared::new((network, sampling), pretrained, settings, observer)?;
            if prepared.needs_training() && settings.only == Only::Trained {
                continue;
            }
            networks.push(prepared);
        }
        let sampling = study.sampling(settings.is_full, &settings.overrides);
        Ok(Self { networks, sampling })
    }

    /// Returns what remains to be done.
    pub fn plan(&self) -> Plan {
        let mut plan = Plan {
            networks: self.networks.len(),
            training: vec![],
            answers: 0,
            samples: vec![],
            sampling: self.sampling,
        };
        for Prepared { network, sampling, state, answers, .. } in &self.networks {
            let missing = network.analyses.iter().zip(answers);
            let missing = missing.filter(|(_, answer)| answer.is_none()).map(|(entry, _)| entry);
            let missing: Vec<&str> = missing.map(|entry| entry.name).collect();
            if missing.is_empty() {
                continue;
            }
            plan.answers += missing.len();
            let config = network.config.clone();
            if let State::Untrained(step) = *state {
                let steps = network.config.train_steps - step;
                plan.training.push(RemainingTraining { config: config.clone(), steps });
            }
            // Test samples are few.
            let analyses = missing.iter().filter(|name| **name != Score::NAME).count();
            if analyses > 0 {
                let samples = plan::samples_of(sampling, analyses);
                plan.samples.push(RemainingSamples { config, samples });
            }
        }
        plan
    }

    /// Trains and analyses the networks, in their order.
    pub fn run(self, observer: &dyn Observer) -> Result<Vec<NetworkAnswers>> {
        let count = self.networks.len();
        let networks = self.networks.into_iter().enumerate();
        networks
            .map(|(index, prepared)| {
                let network = prepared.network;
                observer.network(network, index, count);
                Ok(NetworkAnswers {
                    variant: network.label.clone(),
                    seed: network.config.seed,
                    config: network.config.clone(),
                    sampling: Some(prepared.sampling),
                    answers: prepared.complete(observer)?,
                })
            })
            .collect()
    }
}

impl<'a> Prepared<'a> {
    fn new(
        (network, sampling): (&'a Network, Sampling),
        pretrained: Option<&'static Pretrained>,
        settings: &Settings<'_>,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let Settings { out, results, .. } = settings;
        let folder = out.join("networks").join(network.folder());
        let mut state = state(network, &folder, pretrained)?;
        let key = if let State::Trained(model) = &mut state {
            let opened = open(network, &folder, observer)?;
            let key = Key::new(&opened, &sampling);
            *model = Some(opened);
            key
        } else {
            // Weights may be deleted: training again would give the same ones.
            Key::without_weights(&network.config, &network.config.algorithms[0], &sampling)
        };
        let cache = answers::folder(&folder, &sampling);
        let known = network.analyses.iter().map(|entry| {
            let cached = answers::load(&cache, entry, &key, observer);
            let is_score = entry.name == Score::NAME;
            cached.or_else(|| if is_score { known_score(network, results) } else { None })
        });
        let answers: Vec<Option<Answer>> = known.collect();
        if let State::Trained(model) = &mut state
            && answers.iter().all(Option::is_some)
        {
            *model = None;
        }
        Ok(Self { network, sampling, folder, state, answers })
    }

    fn needs_training(&self) -> bool {
        matches!(self.state, State::Untrained(_)) && self.answers.iter().any(Option::is_none)
    }

    /// Computes the answers that are missing. The network is trained and opened only if there are any.
    fn complete(self, observer: &dyn Observer) -> Result<Vec<Answer>> {
        let Self { network, sampling, folder, state, answers } = self;
        if answers.iter().all(Option::is_some) {
            return Ok(answers.into_iter().flatten().collect());
        }
        let model = match state {
            State::Trained(Some(model)) => model,
            State::Trained(None) => open(network, &folder, observer)?,
            State::Pretrained(pretrained) => {
                pretrained.unpack(&folder)?;
                open(network, &folder, observer)?
            }
            State::Untrained(_) => {
                train(network, &folder, observer)?;
                open(network, &folder, observer)?
            }
        };
        let cached = CachedAnswers::new(&folder, &model, sampling, observer);
        let mut skipped = |error| observer.skipped(&error);
        Ok(cached.complete(&network.analyses, answers, &mut skipped)?)
    }
}

/// Finds out how far the training of a network is.
fn state(
    network: &Network,
    folder: &Path,
    pretrained: Option<&'static Pretrained>,
) -> Result<State> {
    let untrained = || pretrained.map_or(State::Untrained(0), State::Pretrained);
    if !folder.join("config.toml").exists() {
        return Ok(untrained());
    }
    let run = Run::open(folder)?;
    if run.config != network.config {
        return Err(Error::OtherNetwork { folder: folder.to_owned(), network: network.name() });
    }
    let has = |file: &str| folder.join(file).exists();
    if has("test.json") && has(Which::Best.file()) {
        return Ok(State::Trained(None));
    }
    if has(Which::Last.file()) {
        return Ok(State::Untrained(run.checkpoint(Which::Last)?.progress.step));
    }
    Ok(untrained())
}

fn open(network: &Network, folder: &Path, observer: &dyn Observer) -> Result<Box<AnalysedModel>> {
    let model = AnalysedModel::open(folder, Which::Best, None)?;
    observer.opened(network);
    Ok(Box::new(model))
}

/// Trains a network to the end, or continues its training.
fn train(network: &Network, folder: &Path, observer: &dyn Observer) -> Result<()> {
    let is_new = !folder.join("config.toml").exists();
    let run =
        if is_new { Run::create(folder, network.config.clone())? } else { Run::open(folder)? };
    let mut training = observer.training(network);
    let lock = run.lock()?;
    match run.train_locked(&lock, training.as_mut()) {
        Ok(Outcome::Done(_)) => Ok(()),
        Ok(Outcome::Interrupted(step)) => {
            Err(Error::TrainingInterrupted { network: network.name(), step })
        }
        Err(error) => {
            if is_new {
                // Refused before its first step: a corrected study may use the folder. Why it was
                // refused says more than why its folder cannot be removed.
                let _ = run.discard_untrained(lock);
            }
            Err(error.into())
        }
    }
}

/// Returns the score of a network from known results.
fn known_score(network: &Network, results: &[RunResult]) -> Option<Answer> {
    let test = results.iter().find(|run| run.config == network.config)?.test.first()?;
    let score: Score = serde_json::from_value(serde_json::to_value(test).ok()?).ok()?;
    Some(Answer::new(&score))
}
