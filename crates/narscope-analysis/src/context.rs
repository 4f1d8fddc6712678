//! What an analysis runs on: one network or recording, and the trajectories recorded so far.

use std::path::Path;
use std::sync::{Arc, Mutex};

use narscope_clrs::options::{OptionName, Options};
use narscope_clrs::trace::Traces;
use narscope_model::evaluation::Evaluation;
use narscope_model::pooling::Pooling;
use narscope_model::rollout::{NoHook, StepHook, Steps};
use narscope_model::trajectory::{RecordOptions, Trajectories};

use crate::analysed::AnalysedModel;
use crate::own::OwnSample;
use crate::recording::Recording;
use crate::sampling::Sampling;
use crate::{Error, Result};

/// Samples to draw, and what to record while the network runs on them.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Number of samples.
    pub count: usize,
    /// Number of nodes, if not [`Sampling::length`].
    pub length: Option<usize>,
    /// Options of the sampler.
    pub options: Options,
    /// Added to [`Sampling::seed`].
    pub seed_offset: u32,
    /// How states are pooled over nodes.
    pub pooling: Pooling,
    /// Number of steps that the network takes.
    pub steps: Steps,
    /// Whether outputs are decoded after every step.
    pub every_output: bool,
}

impl Request {
    /// A request for `count` samples as the algorithm draws them.
    pub fn new(count: usize) -> Self {
        Self {
            count,
            length: None,
            options: Options::default(),
            seed_offset: 0,
            pooling: Pooling::Each,
            steps: Steps::Own,
            every_output: false,
        }
    }

    /// Whether a recording of `self` contains everything that `other` asks for.
    fn covers(&self, other: &Self) -> bool {
        let Self { steps, every_output, .. } = *other;
        let same_otherwise = Self { steps, every_output, ..self.clone() } == *other;
        let is_longer = match (self.steps, steps) {
            (Steps::OwnAnd(more), Steps::Own) => more >= 0,
            (Steps::OwnAnd(more), Steps::OwnAnd(wanted)) => more >= wanted,
            _ => false,
        };
        same_otherwise && (self.steps == steps || is_longer) && (self.every_output || !every_output)
    }
}

/// Receives the progress of analyses and may interrupt them.
pub trait Progress: Sync {
    /// `analysis` starts to run the network on `samples` samples.
    fn begin(&self, analysis: &str, samples: usize);
    /// `samples` more of them are done.
    fn advance(&self, samples: usize);
    /// Whether the analysis should stop with [`Error::Interrupted`].
    fn is_interrupted(&self) -> bool;
    /// An answer could not be cached because its folder cannot be written to.
    fn not_cached(&self, _error: &Error) {}
    /// The file of a cached answer is not as it was written; its analysis runs again.
    fn changed(&self, _file: &Path) {}
}

/// Ignores progress and never interrupts.
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _: &str, _: usize) {}
    fn advance(&self, _: usize) {}
    fn is_interrupted(&self) -> bool {
        false
    }
}

enum Source<'a> {
    Network(&'a AnalysedModel),
    Recording {
        trajectories: Arc<Trajectories>,
        /// Index of the base graph of each sample, if samples are images of graphs.
        clusters: Option<Vec<usize>>,
    },
}

/// What an analysis runs on: one network or recording, and the trajectories recorded so far.
pub struct Context<'a> {
    source: Source<'a>,
    /// How many samples are drawn.
    pub sampling: Sampling,
    pub(crate) progress: &'a dyn Progress,
    /// The user's sample, which replaces random ones.
    own: Option<OwnSample>,
    /// Trajectories recorded so far: several analyses use the same ones.
    recorded: Mutex<Vec<(Request, Arc<Trajectories>)>>,
}

impl<'a> Context<'a> {
    /// A context for analyses of a network on random samples.
    pub fn new(model: &'a AnalysedModel, sampling: Sampling, progress: &'a dyn Progress) -> Self {
        let source = Source::Network(model);
        Self { source, sampling, progress, own: None, recorded: Mutex::default() }
    }

    /// Uses the given sample instead of random ones.
    #[must_use]
    pub fn with_sample(self, sample: OwnSample) -> Self {
        Self { own: Some(sample), ..self }
    }

    /// The user's sample.
    pub fn own(&self) -> Option<&OwnSample> {
        self.own.as_ref()
    }

    /// A context for analyses of a recording, which cannot run the network.
    pub fn from_recording(recording: Recording, sampling: Sampling) -> Self {
        let Recording { trajectories, clusters, .. } = recording;
        let source = Source::Recording { trajectories: Arc::new(trajectories), clusters };
        Self { source, sampling, progress: &NoProgress, own: None, recorded: Mutex::default() }
    }

    /// Returns the network.
    ///
    /// # Errors
    /// If this is a recording.
    pub fn model(&self, analysis: &'static str) -> Result<&'a AnalysedModel> {
        match self.source {
            Source::Network(model) => Ok(model),
            Source::Recording { .. } => {
                let needed = "a run, whose network it can run again";
                Err(Error::unsuitable(analysis, needed, "this is a recording"))
            }
        }
    }

    /// Fails if there is a sample of the user's, for analyses that need many random ones.
    pub fn require_random_samples(&self, analysis: &'static str) -> Result<()> {
        if self.own.is_some() {
            return Err(Error::unsuitable(analysis, "many random samples", "one was given"));
        }
        Ok(())
    }

    /// Returns the network if its algorithm finds shortest paths, so that the symmetries of shortest paths apply.
    pub fn shortest_path_network(&self, analysis: &'static str) -> Result<&'a AnalysedModel> {
        const NODES: usize = 4;
        let model = self.model(analysis)?;
        self.require_random_samples(analysis)?;
        let options = Options { family: "reweight".parse()?, ..Options::default() };
        let takes_weights = model.spec().entry.options(&options).contains(&OptionName::Family)
            && model.draw(NODES, &options, self.sampling.seed, 1).is_ok();
        if takes_weights {
            return Ok(model);
        }
        let found = format!("{} is not one", model.spec().entry.name);
        Err(Error::unsuitable(analysis, "a shortest-path algorithm", found))
    }

    /// Returns the recorded trajectories of images of graphs, and the index of the base graph of each.
    pub fn recorded_images(&self) -> Option<(&Trajectories, &[usize])> {
        match &self.source {
            Source::Recording { trajectories, clusters: Some(clusters) } => {
                Some((trajectories, clusters))
            }
            _ => None,
        }
    }

    /// Draws the requested samples, or returns the user's.
    pub fn samples(&self, analysis: &'static str, request: &Request) -> Result<Traces> {
        if let Some(own) = &self.own {
            return Ok(own.traces.clone());
        }
        let seed = self.sampling.seed.wrapping_add(request.seed_offset);
        let length = request.length.unwrap_or(self.sampling.length);
        let direction = request.options.direction.or(self.sampling.direction);
        let options = Options { direction, ..request.options.clone() };
        self.model(analysis)?.draw(length, &options, seed, request.count)
    }

    /// Returns the benchmark's test samples, or the user's.
    pub fn test_samples(&self, analysis: &'static str) -> Result<Traces> {
        match &self.own {
            Some(own) => Ok(own.traces.clone()),
            None => self.model(analysis)?.test_samples(),
        }
    }

    /// Returns trajectories of the network on the requested samples, which are recorded once.
    ///
    /// Returns a recording as it is, whatever the request.
    pub fn trajectories(
        &self,
        analysis: &'static str,
        request: &Request,
    ) -> Result<Arc<Trajectories>> {
        self.record_once(analysis, request, |recorded| recorded == request)
    }

    /// Like [`trajectories`](Self::trajectories), but also accepts trajectories that were recorded for more steps
    /// or with the outputs of every step.
    pub fn trajectories_covering(
        &self,
        analysis: &'static str,
        request: &Request,
    ) -> Result<Arc<Trajectories>> {
        self.record_once(analysis, request, |recorded| recorded.covers(request))
    }

    fn record_once(
        &self,
        analysis: &'static str,
        request: &Request,
        suffices: impl Fn(&Request) -> bool,
    ) -> Result<Arc<Trajectories>> {
        if let Source::Recording { trajectories, .. } = &self.source {
            return Ok(trajectories.clone());
        }
        let recorded = || self.recorded.lock().expect("the lock is not poisoned");
        if let Some((_, all)) = recorded().iter().find(|(recorded, _)| suffices(recorded)) {
            return Ok(all.clone());
        }
        let traces = self.samples(analysis, request)?;
        let all = Arc::new(self.run(analysis, &traces, request, &mut NoHook)?);
        recorded().push((request.clone(), all.clone()));
        Ok(all)
    }

    /// Runs the network on samples, with a hook that may change its states, and records it.
    pub fn run(
        &self,
        analysis: &'static str,
        traces: &Traces,
        request: &Request,
        hook: &mut dyn StepHook,
    ) -> Result<Trajectories> {
        self.record(analysis, self.model(analysis)?, traces, request, hook)
    }

    /// Like [`run`](Self::run), with a network of the caller's choice: another task, or one to compare with.
    pub fn record(
        &self,
        analysis: &'static str,
        model: &AnalysedModel,
        traces: &Traces,
        request: &Request,
        hook: &mut dyn StepHook,
    ) -> Result<Trajectories> {
        let Request { pooling, steps, every_output, .. } = *request;
        self.progress.begin(analysis, traces.len());
        let options = RecordOptions { steps, pooling, every_output, logits: None };
        model.record(traces, options, hook, &mut |samples| {
            self.progress.advance(samples);
            !self.progress.is_interrupted()
        })
    }

    /// Evaluates `model`, which may be a variant of the network, on samples.
    pub fn evaluate(
        &self,
        analysis: &'static str,
        model: &AnalysedModel,
        traces: &Traces,
    ) -> Result<Evaluation> {
        self.progress.begin(analysis, traces.len());
        model.evaluate(traces, &mut |samples| {
            self.progress.advance(samples);
            !self.progress.is_interrupted()
        })
    }
}
