//! A trained network that is looked at.

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

/// A trained network, and which of its algorithms it is asked about.
pub struct Subject {
    /// What it is called: the folder of its run.
    pub name: String,
    /// How it was made.
    pub config: Config,
    /// Which of its algorithms it is asked about.
    pub task: usize,
    specs: Vec<Spec>,
    weights: Weights,
    net: Net,
}

impl Subject {
    /// The network of a run. Of several algorithms, one must be named.
    pub fn open(path: &Path, which: Which, algorithm: Option<&str>) -> Result<Self> {
        let run = Run::open(path)?;
        let known = &run.config.algorithms;
        let task = match algorithm {
            Some(name) => known.iter().position(|known| known == name),
            None => (known.len() == 1).then_some(0),
        };
        let task = task.ok_or_else(|| {
            let what = format!("--algorithm should be one of {}", known.join(", "));
            narscope_model::Error::Run { what, path: path.to_owned() }
        })?;
        let weights = run.checkpoint(which)?.weights;
        Self::new(path.display().to_string(), run, task, weights)
    }

    fn new(name: String, run: run::Run, task: usize, weights: Weights) -> Result<Self> {
        let specs = run.specs()?;
        let net = Net::bind(&run.config, &specs, &weights, &Device::flex(), Use::Predict);
        Ok(Self { name, config: run.config, task, specs, weights, net })
    }

    /// The algorithm.
    pub fn spec(&self) -> &Spec {
        &self.specs[self.task]
    }

    /// A number that is another one for other weights.
    pub fn fingerprint(&self) -> u64 {
        fnv(self.weights.values.iter().flat_map(|weight| weight.to_le_bytes()))
    }

    /// New samples, as the network takes them.
    pub fn draw(&self, length: usize, options: &Options, seed: u32, num: usize) -> Result<Traces> {
        Ok(drawn(self.spec(), &self.config, length, options, seed, num)?)
    }

    /// The user's own instance, as the network takes it.
    pub fn own(&self, own: &Own) -> Result<Traces> {
        Ok(data::own(self.spec(), &self.config, own)?)
    }

    /// The benchmark's test samples, as the network takes them.
    pub fn test_samples(&self) -> Result<Traces> {
        Ok(benchmark(self.spec(), Split::Test, &self.config)?)
    }

    /// The same weights in a network that sums up messages in another way.
    #[must_use]
    pub fn aggregating(&self, aggregation: Aggregation, temperature: f64) -> Self {
        let config =
            Config { eval_aggregator: Some(aggregation), temperature, ..self.config.clone() };
        let (specs, weights) = (self.specs.clone(), self.weights.clone());
        let net = Net::bind(&config, &specs, &weights, &Device::flex(), Use::Predict);
        Self { name: self.name.clone(), config, task: self.task, specs, weights, net }
    }

    /// Scores the network.
    pub fn evaluate(
        &self,
        traces: &Traces,
        progress: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Evaluation> {
        let network = (&self.net, self.task, self.spec(), &self.config);
        evaluate(network, traces, evaluate::Wanted::default(), progress)?.ok_or(Error::Interrupted)
    }

    /// Runs the network and records what is wanted.
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
