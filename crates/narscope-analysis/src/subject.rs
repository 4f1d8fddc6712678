//! A trained network and the algorithm that is analysed.

use std::path::Path;

use narscope_clrs::instance::own::Own;
use narscope_clrs::options::Options;
use narscope_clrs::split::Split;
use narscope_clrs::trace::Traces;
use narscope_model::aggregate::Aggregation;
use narscope_model::config::Config;
use narscope_model::data::{self, benchmark, drawn};
use narscope_model::evaluate::{self, Evaluation, evaluate};
use narscope_model::net::{Net, Spec, Use};
use narscope_model::random::fnv;
use narscope_model::rollout::StepHook;
use narscope_model::run::{Run, Which};
use narscope_model::trajectory::{Trajectories, Wanted, record};
use narscope_model::weights::Weights;
use narscope_model::{Device, run};

use crate::{Error, Result};

/// A trained network and the algorithm that is analysed.
pub struct Subject {
    /// Folder of its run.
    pub name: String,
    /// Its configuration.
    pub config: Config,
    /// Index of the algorithm among those of the network.
    pub task: usize,
    specs: Vec<Spec>,
    weights: Weights,
    net: Net,
}

impl Subject {
    /// Opens the network of a run. If it has several algorithms, one must be named.
    pub fn open(path: &Path, which: Which, algorithm: Option<&str>) -> Result<Self> {
        let run = Run::open(path)?;
        let known = &run.config.algorithms;
        let task = match algorithm {
            Some(name) => known.iter().position(|known| known == name),
            None => (known.len() == 1).then_some(0),
        };
        let task = task.ok_or_else(|| {
            let algorithms = known.clone();
            Error::ChooseAlgorithm { path: path.to_owned(), algorithms }
        })?;
        let weights = run.checkpoint(which)?.weights;
        Self::new(path.display().to_string(), run, task, weights)
    }

    fn new(name: String, run: run::Run, task: usize, weights: Weights) -> Result<Self> {
        let specs = run.specs()?;
        let net = Net::bind(&run.config, &specs, &weights, &Device::flex(), Use::Predict);
        Ok(Self { name, config: run.config, task, specs, weights, net })
    }

    /// Returns the spec of the algorithm.
    pub fn spec(&self) -> &Spec {
        &self.specs[self.task]
    }

    /// Returns a hash of the weights.
    pub fn fingerprint(&self) -> u64 {
        fnv(self.weights.values.iter().flat_map(|weight| weight.to_le_bytes()))
    }

    /// Draws samples in the form that the network takes.
    pub fn draw(&self, length: usize, options: &Options, seed: u32, num: usize) -> Result<Traces> {
        Ok(drawn(self.spec(), &self.config, length, options, seed, num)?)
    }

    /// Converts the user's instance to a sample in the form that the network takes.
    pub fn own(&self, own: &Own) -> Result<Traces> {
        Ok(data::own(self.spec(), &self.config, own)?)
    }

    /// Returns the benchmark's test samples in the form that the network takes.
    pub fn test_samples(&self) -> Result<Traces> {
        Ok(benchmark(self.spec(), Split::Test, &self.config)?)
    }

    /// Returns a network with the same weights and another aggregator.
    #[must_use]
    pub fn aggregating(&self, aggregation: Aggregation, temperature: f64) -> Self {
        let config =
            Config { eval_aggregator: Some(aggregation), temperature, ..self.config.clone() };
        let (specs, weights) = (self.specs.clone(), self.weights.clone());
        let net = Net::bind(&config, &specs, &weights, &Device::flex(), Use::Predict);
        Self { name: self.name.clone(), config, task: self.task, specs, weights, net }
    }

    /// Evaluates the network on samples.
    pub fn evaluate(
        &self,
        traces: &Traces,
        progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Evaluation> {
        let network = (&self.net, self.task, self.spec(), &self.config);
        evaluate(network, traces, evaluate::Wanted::default(), progress)?.ok_or(Error::Interrupted)
    }

    /// Rollouts the network and records what is wanted.
    pub fn record(
        &self,
        traces: &Traces,
        wanted: Wanted,
        hook: &mut dyn StepHook,
        progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Trajectories> {
        let network = (&self.net, self.task, self.spec(), &self.config);
        record(network, traces, wanted, hook, progress)?.ok_or(Error::Interrupted)
    }
}
