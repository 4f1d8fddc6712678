//! The model and task that are analysed.

use std::path::Path;

use narscope_clrs::options::Options;
use narscope_clrs::split::Split;
use narscope_clrs::trace::Traces;
use narscope_model::config::{Aggregation, Config};
use narscope_model::evaluation::{EvaluateOptions, Evaluation};
use narscope_model::rollout::StepHook;
use narscope_model::run::Which;
use narscope_model::training_range::TrainingRange;
use narscope_model::trajectory::{RecordOptions, Trajectories};
use narscope_model::{Model, OpenModel as _, Spec, Task};

use crate::{Error, Result};

/// A model, and the one of its tasks that is analysed.
#[derive(Debug)]
pub struct AnalysedModel {
    /// Folder of its run, or another name.
    pub name: String,
    model: Model,
    /// Index of the task.
    task: usize,
}

impl AnalysedModel {
    /// Opens the network of a run. If it has several algorithms, one must be named.
    pub fn open(path: &Path, which: Which, algorithm: Option<&str>) -> Result<Self> {
        Self::new(path.display().to_string(), Model::open(path, which)?, algorithm)
    }

    /// A model under a name. If it has several algorithms, one must be named.
    pub fn new(name: String, model: Model, algorithm: Option<&str>) -> Result<Self> {
        let task = model.task_or_only(algorithm).map(Task::index);
        let task = task.map_err(|_| Error::ChooseAlgorithm {
            path: name.clone().into(),
            algorithms: model.config().algorithms.clone(),
        })?;
        Ok(Self { name, model, task })
    }

    /// Returns the task.
    pub fn task(&self) -> Task<'_> {
        self.model.tasks().nth(self.task).expect("the index of a task")
    }

    /// The same model with each of its tasks in turn, for analyses that compare algorithms.
    pub fn every_task(&self) -> Vec<Self> {
        let tasks = 0..self.model.specs().len();
        let of = |task| Self { name: self.name.clone(), model: self.model.clone(), task };
        tasks.map(of).collect()
    }

    /// A network of the same configuration with initial weights that are drawn with another seed: the floor of
    /// comparisons between networks.
    pub fn untrained(&self, seed: u32) -> Result<Self> {
        let model = Model::initial(&Config { seed, ..self.model.config().clone() })?;
        Ok(Self { name: format!("untrained, seed {seed}"), model, task: self.task })
    }

    /// Returns the configuration of the model.
    pub fn config(&self) -> &Config {
        self.model.config()
    }

    /// Returns the spec of the algorithm.
    pub fn spec(&self) -> &Spec {
        self.task().spec()
    }

    /// Returns a hash of the weights.
    pub fn fingerprint(&self) -> u64 {
        self.model.weights().fingerprint()
    }

    /// Draws samples in the form that the network takes.
    pub fn draw(
        &self,
        length: usize,
        options: &Options,
        seed: u32,
        count: usize,
    ) -> Result<Traces> {
        Ok(self.task().sample(length, options, seed, count)?)
    }

    /// Measures what the network was trained on.
    pub fn training_range(&self) -> Result<TrainingRange> {
        Ok(TrainingRange::of(self.model.config(), self.model.specs(), self.task)?)
    }

    /// Returns the benchmark's test samples in the form that the network takes.
    pub fn test_samples(&self) -> Result<Traces> {
        Ok(self.task().benchmark(Split::Test)?)
    }

    /// Returns a network with the same weights and another aggregator.
    pub fn with_aggregation(&self, aggregation: Aggregation, temperature: f64) -> Result<Self> {
        let model = self.model.with_aggregation(aggregation, temperature)?;
        Ok(Self { name: self.name.clone(), model, task: self.task })
    }

    /// Evaluates the network on samples.
    pub fn evaluate(
        &self,
        traces: &Traces,
        progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Evaluation> {
        let evaluation = self.task().evaluate_with(traces, EvaluateOptions::default(), progress)?;
        evaluation.ok_or(Error::Interrupted)
    }

    /// Runs the network and records its hidden states and predictions.
    pub fn record(
        &self,
        traces: &Traces,
        options: RecordOptions,
        hook: &mut dyn StepHook,
        progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Trajectories> {
        self.task().record(traces, options, hook, progress)?.ok_or(Error::Interrupted)
    }
}
