//! Models: a network with its configuration, specs and weights, which can be run.

use std::sync::Arc;

use narscope_clrs::instance::user::UserInstance;
use narscope_clrs::options::Options;
use narscope_clrs::rng::Rng;
use narscope_clrs::split::{Edition, Split};
use narscope_clrs::trace::Traces;

use crate::config::{Aggregation, Config, Draft};
use crate::engine::Engine;
use crate::evaluation::{EvaluateOptions, Evaluation, Evaluator};
use crate::feedback::Feedback;
use crate::fused::{self, FusedEngine};
use crate::memory::MemoryEstimate;
use crate::parallel;
use crate::pooling::Pooling;
use crate::predict::{Array, PredictOptions, hidden_states, named_logits};
use crate::rollout::{NoHook, Predictions, RolloutOptions, StepHook, Steps};
use crate::spec::{Spec, convert};
use crate::trajectory::{RecordOptions, Recorded, Trajectories};
use crate::weights::Weights;
use crate::{Error, Result};

/// Largest number of samples that are evaluated at once.
pub const EVALUATION_BATCH: usize = 32;
/// Smallest number of samples between two reports of progress, memory permitting.
const PROGRESS_BATCH: usize = 8;

/// Makes the engine of a network. Chosen once, when a model is opened.
pub type MakeEngine = fn(&Config, &[Spec], &Weights) -> Result<Arc<dyn Engine>>;

/// A network with its configuration, specs, weights and engine.
///
/// Here it is opened from bytes in memory; `narscope_model::OpenModel` opens it from runs,
/// checkpoints and imported weights, and adds the generic engine. A model is asked [per
/// task](Model::task).
///
/// ```
/// use narscope_clrs::options::Options;
/// use narscope_net::Model;
///
/// // One of the networks that are shipped with narscope.
/// let config = include_str!("../../narscope/networks/linear_pgn-42/config.toml");
/// let weights = include_bytes!("../../narscope/networks/linear_pgn-42/best.safetensors");
/// let model = Model::from_bytes(config, weights)?;
/// let task = model.task("bellman_ford")?;
/// let graphs = task.sample(16, &Options::default(), 1, 8)?;
/// let evaluation = task.evaluate(&graphs)?;
/// assert!(evaluation.score > 0.9);
/// # Ok::<(), narscope_net::Error>(())
/// ```
#[derive(Clone)]
pub struct Model {
    config: Config,
    specs: Vec<Spec>,
    weights: Weights,
    engine: Arc<dyn Engine>,
    make_engine: MakeEngine,
    available_memory: fn() -> Option<usize>,
}

impl Model {
    /// A model with fused kernels.
    ///
    /// # Errors
    /// If there are no kernels for the configuration, or the weights belong to another network.
    pub fn new(config: Config, weights: Weights) -> Result<Self> {
        Self::with_engine(config, weights, fused_engine)
    }

    /// A model with fused kernels, from the text of a `config.toml` and the bytes of a
    /// `best.safetensors`.
    pub fn from_bytes(config: &str, weights: &[u8]) -> Result<Self> {
        Self::new(Draft::parse(config)?.finish()?, Weights::from_safetensors(weights)?)
    }

    /// A model with an engine of the caller's choice.
    pub fn with_engine(config: Config, weights: Weights, make_engine: MakeEngine) -> Result<Self> {
        let specs = Spec::all(&config)?;
        let engine = make_engine(&config, &specs, &weights)?;
        Ok(Self { config, specs, weights, engine, make_engine, available_memory: || None })
    }

    /// The same model with a function that returns how many bytes of memory are available. Batches
    /// are made small enough to fit, and refused if a single sample does not.
    #[must_use]
    pub fn with_memory_limit(self, available: fn() -> Option<usize>) -> Self {
        Self { available_memory: available, ..self }
    }

    /// The same weights with another aggregator.
    ///
    /// # Errors
    /// If the processor has no configurable aggregator.
    pub fn with_aggregation(&self, aggregation: Aggregation, temperature: f64) -> Result<Self> {
        let config =
            Config { eval_aggregator: Some(aggregation), temperature, ..self.config.clone() };
        config.check()?;
        let model = Self::with_engine(config, self.weights.clone(), self.make_engine)?;
        Ok(model.with_memory_limit(self.available_memory))
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The algorithms, in the order of the tasks.
    pub fn specs(&self) -> &[Spec] {
        &self.specs
    }

    /// The weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// All tasks, in order.
    pub fn tasks(&self) -> impl Iterator<Item = Task<'_>> {
        (0..self.specs.len()).map(|index| Task { model: self, index })
    }

    /// The task of an algorithm.
    pub fn task(&self, algorithm: &str) -> Result<Task<'_>> {
        let task = self.tasks().find(|task| task.spec().entry.name == algorithm);
        task.ok_or_else(|| Error::UnknownTask {
            name: algorithm.to_owned(),
            known: self.config.algorithms.clone(),
        })
    }

    /// The task of an algorithm, or the only task if none is named.
    pub fn task_or_only(&self, algorithm: Option<&str>) -> Result<Task<'_>> {
        match (algorithm, self.specs.len()) {
            (Some(name), _) => self.task(name),
            (None, 1) => Ok(Task { model: self, index: 0 }),
            (None, _) => Err(Error::AmbiguousTask { known: self.config.algorithms.clone() }),
        }
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("config", &self.config).finish_non_exhaustive()
    }
}

/// The fused engine of a network, if there are kernels for it.
pub fn fused_engine(config: &Config, specs: &[Spec], weights: &Weights) -> Result<Arc<dyn Engine>> {
    if !fused::exists(config) {
        return Err(Error::NoKernels(config.processor_type.clone()));
    }
    Ok(Arc::new(FusedEngine::new(config, specs, weights)?))
}

/// One algorithm of a model.
#[derive(Clone, Copy, Debug)]
pub struct Task<'m> {
    model: &'m Model,
    index: usize,
}

impl<'m> Task<'m> {
    /// The model.
    pub fn model(self) -> &'m Model {
        self.model
    }

    /// Index among the tasks of the model.
    pub fn index(self) -> usize {
        self.index
    }

    /// The algorithm.
    pub fn spec(self) -> &'m Spec {
        &self.model.specs[self.index]
    }

    /// Draws `count` new samples of `length` nodes, converted as the network takes them. Positions are
    /// evenly spaced.
    pub fn sample(
        self,
        length: usize,
        options: &Options,
        seed: u32,
        count: usize,
    ) -> Result<Traces> {
        self.converted(self.spec().entry.generate(
            &mut Rng::seeded(seed),
            length,
            options,
            count,
        )?)
    }

    /// The samples of a split of the benchmark, converted as the network takes them. Positions are
    /// evenly spaced.
    pub fn benchmark(self, split: Split) -> Result<Traces> {
        self.converted(split.generate(self.spec().entry, Edition::Current)?)
    }

    /// A user's own problem, converted as the network takes it. Positions are evenly spaced.
    pub fn instance(self, own: &UserInstance) -> Result<Traces> {
        self.converted(self.spec().entry.trace(own)?)
    }

    fn converted(self, mut traces: Traces) -> Result<Traces> {
        convert(&mut traces, &self.model.config)?;
        Ok(traces)
    }

    /// Runs one batch, whatever memory it takes.
    pub fn rollout(
        self,
        traces: &Traces,
        options: &RolloutOptions,
        hook: &mut dyn StepHook,
    ) -> Predictions {
        self.model.engine.rollout(self.index, traces, options, hook)
    }

    /// Estimates the memory of a rollout of samples like `traces`.
    fn memory<'a>(
        self,
        traces: &Traces,
        options: &'a RolloutOptions,
        hooked: bool,
    ) -> MemoryEstimate<'a>
    where
        'm: 'a,
    {
        MemoryEstimate {
            engine: &*self.model.engine,
            config: &self.model.config,
            spec: self.spec(),
            task: self.index,
            options,
            nodes: traces.nodes,
            steps: options.steps.of(traces.longest()),
            hooked,
        }
    }

    /// How predictions are run for an evaluation.
    fn evaluation_rollout(self, options: EvaluateOptions) -> RolloutOptions {
        RolloutOptions {
            steps: options.steps,
            feedback: Feedback::in_prediction(&self.model.config),
            keep_hints: options.hints || (options.losses && self.model.config.hint_mode.decodes()),
            every_output: false,
            keep_states: None,
        }
    }

    /// Number of samples up to `most` that an evaluation runs at once, as memory permits.
    pub fn batch_size(
        self,
        traces: &Traces,
        options: EvaluateOptions,
        most: usize,
    ) -> Result<usize> {
        let rollout = self.evaluation_rollout(options);
        self.memory(traces, &rollout, false).batch_size(most, (self.model.available_memory)())
    }

    /// Scores the network on samples.
    pub fn evaluate(self, traces: &Traces) -> Result<Evaluation> {
        let evaluation = self.evaluate_with(traces, EvaluateOptions::default(), &mut |_| true)?;
        Ok(evaluation.expect("it was not interrupted"))
    }

    /// Scores the network on samples. `progress` is called after each batch with its number of
    /// samples, and returns whether to continue; if not, the result is `None`.
    pub fn evaluate_with(
        self,
        traces: &Traces,
        options: EvaluateOptions,
        progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Option<Evaluation>> {
        let mut evaluator = Evaluator::new(self.spec(), options);
        let mut before = 0;
        let mut progress = |evaluator: &Evaluator<'_>| -> Result<bool> {
            let samples = evaluator.counted().samples;
            let new = samples - std::mem::replace(&mut before, samples);
            Ok(progress(new))
        };
        let all = self.evaluate_into(&mut evaluator, traces, progress_batch(), &mut progress)?;
        Ok(all.then(|| evaluator.finish()))
    }

    /// Adds the scores of samples to an evaluator, up to `most` samples at once as memory permits.
    /// `progress` is called after each batch and returns whether to continue; the result is whether
    /// all samples were scored.
    pub fn evaluate_into<E: From<Error>>(
        self,
        evaluator: &mut Evaluator<'_>,
        traces: &Traces,
        most: usize,
        progress: &mut dyn FnMut(&Evaluator<'_>) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let rollout = self.evaluation_rollout(evaluator.options());
        let at_once = self.batch_size(traces, evaluator.options(), most)?;
        let samples: Vec<usize> = (0..traces.len()).collect();
        for samples in samples.chunks(at_once) {
            let batch = traces.select(samples);
            evaluator.score(&self.rollout(&batch, &rollout, &mut NoHook), &batch);
            if !progress(evaluator)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Predicts a batch: raw outputs, raw hints and what `options` request, as named arrays in the
    /// layout of files: the sample is the first axis, the step the second. Arrays over time have `steps` steps.
    ///
    /// # Errors
    /// If the predictions do not fit into memory.
    pub fn predict(
        self,
        traces: &Traces,
        steps: usize,
        options: PredictOptions,
    ) -> Result<Vec<(String, Array)>> {
        let config = &self.model.config;
        let rollout = RolloutOptions {
            steps: Steps::Own,
            feedback: Feedback::in_prediction(config),
            keep_hints: config.hint_mode.decodes(),
            keep_states: options.hidden.then_some(Pooling::All),
            every_output: options.all_steps,
        };
        let available = (self.model.available_memory)();
        self.memory(traces, &rollout, false).check(traces.len(), available)?;
        let predictions = self.rollout(traces, &rollout, &mut NoHook);
        let mut arrays = named_logits(&predictions, traces, steps);
        if options.hidden {
            let states = hidden_states(&predictions, traces.nodes, steps, config.hidden_size);
            arrays.push(("hidden".to_owned(), states));
        }
        Ok(arrays)
    }

    /// Records hidden states and predictions on samples, as many at once as memory permits.
    /// `progress` is called with the number of new samples, and returns whether to continue; if
    /// not, the result is `None`.
    pub fn record(
        self,
        traces: &Traces,
        options: RecordOptions,
        hook: &mut dyn StepHook,
        progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Option<Trajectories>> {
        let config = &self.model.config;
        let decodes_hints = config.hint_mode.decodes();
        let rollout = RolloutOptions {
            steps: options.steps,
            feedback: Feedback::in_prediction(config),
            keep_hints: decodes_hints,
            every_output: options.every_output,
            keep_states: Some(options.pooling),
        };
        let mut all = Trajectories::new(traces, decodes_hints, options.pooling, config.hidden_size);
        let memory = self.memory(traces, &rollout, !hook.is_idle());
        let batch_size = |most| memory.batch_size(most, (self.model.available_memory)());
        let each = batch_size(EVALUATION_BATCH)?;
        // Postprocessing of a batch uses one thread, so several batches run at the same time, unless
        // a hook has to see them in order.
        let together = if hook.is_idle() {
            batch_size(EVALUATION_BATCH * parallel::threads())?.max(each) / each
        } else {
            1
        };
        let samples: Vec<usize> = (0..traces.len()).collect();
        for group in samples.chunks(together * each) {
            let batches: Vec<Traces> =
                group.chunks(each).map(|batch| traces.select(batch)).collect();
            let probes = &all.predicted.probes;
            let recorded = |batch: &Traces, hook: &mut dyn StepHook| {
                let predictions = self.rollout(batch, &rollout, hook);
                Recorded::new(predictions, batch, self.spec(), probes, options.logits)
            };
            let recordings: Vec<Recorded> = if hook.is_idle() {
                parallel::map(&batches, |batch| recorded(batch, &mut NoHook))
            } else {
                batches.iter().map(|batch| recorded(batch, hook)).collect()
            };
            for (batch, recording) in batches.iter().zip(recordings) {
                all.push(batch, recording);
            }
            if !progress(group.len()) {
                return Ok(None);
            }
        }
        Ok(Some(all))
    }
}

/// Number of samples that are run at once where progress is reported: few, but at least one per
/// thread.
pub fn progress_batch() -> usize {
    parallel::threads().clamp(PROGRESS_BATCH, EVALUATION_BATCH)
}
