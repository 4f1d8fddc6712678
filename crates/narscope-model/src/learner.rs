//! Training on batches of the caller, one update at a time. A [`Trainer`](crate::train::Trainer) draws its own.

use narscope_clrs::trace::Traces;
use narscope_net::Model;
use narscope_net::config::Config;
use narscope_net::engine::{Gradient, Losses, TrainingEngine};
use narscope_net::rollout::Stochastic;
use narscope_net::spec::Spec;
use narscope_net::weights::Weights;

use crate::declaration::{Declaration, initial_weights};
use crate::engines::{self, make_training_engine};
use crate::generic::net::Net;
use crate::memory::MemoryBudget;
use crate::optimise::{Adam, Update, norm};
use crate::{Error, Result};

/// A network that learns from the batches that it is given.
///
/// ```
/// use narscope_clrs::Rng;
/// use narscope_model::config::Draft;
/// use narscope_model::learner::Learner;
///
/// let config = "algorithms = ['bfs']\nprocessor_type = 'mpnn'\nhidden_size = 16";
/// let mut learner = Learner::new(&Draft::parse(config)?.finish()?)?;
/// let bfs = learner.specs()[0].entry;
/// let mut traces = bfs.generate(&mut Rng::seeded(1), 8, &Default::default(), 4)?;
/// narscope_model::spec::convert(&mut traces, learner.config())?;
/// let first = learner.learn(0, &traces)?.total;
/// for _ in 0..20 {
///     learner.learn(0, &traces)?;
/// }
/// assert!(learner.learn(0, &traces)?.total < first);
/// # Ok::<(), narscope_model::Error>(())
/// ```
pub struct Learner {
    /// The weights.
    pub weights: Weights,
    /// The state of the optimiser.
    pub adam: Adam,
    config: Config,
    specs: Vec<Spec>,
    declarations: Vec<Declaration>,
    engine: Box<dyn TrainingEngine>,
    budget: MemoryBudget,
}

impl Learner {
    /// A network with initial weights.
    pub fn new(config: &Config) -> Result<Self> {
        let specs = Spec::all(config)?;
        let declarations = Net::declarations(config, &specs);
        let weights = initial_weights(&declarations, config.seed);
        Ok(Self {
            engine: make_training_engine(config, &specs, &weights),
            adam: Adam::new(weights.values.len()),
            budget: MemoryBudget::default(),
            config: config.clone(),
            weights,
            specs,
            declarations,
        })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The algorithms.
    pub fn specs(&self) -> &[Spec] {
        &self.specs
    }

    /// The parameters, in the order of the weights.
    pub fn declarations(&self) -> &[Declaration] {
        &self.declarations
    }

    /// The losses of a batch and their gradient, as the next update would use them.
    pub fn gradient(&mut self, task: usize, traces: &Traces) -> Result<Gradient> {
        let Self { config, specs, weights, adam, engine, budget, .. } = self;
        budget.check_update(&**engine, &specs[task], task, traces)?;
        let stochastic = training_noise(config, adam);
        Ok(engine.loss_and_gradient(weights, task, traces, stochastic))
    }

    /// Updates the weights. Returns the losses before the update.
    pub fn learn(&mut self, task: usize, traces: &Traces) -> Result<Losses> {
        let gradient = self.gradient(task, traces)?;
        let step = self.adam.updates as usize;
        let norm = check_finite(&gradient, &self.specs[task], step)?;
        let update = Update::of(&self.config, task);
        let Self { adam, declarations, weights, .. } = self;
        adam.update(declarations, &mut weights.values, &gradient.values, norm, &update);
        Ok(gradient.losses)
    }

    /// A model with the weights as they are now.
    pub fn model(&self) -> Result<Model> {
        engines::model(&self.config, self.weights.clone())
    }
}

/// What is random in the next update.
pub(crate) fn training_noise(config: &Config, adam: &Adam) -> Stochastic {
    Stochastic {
        teacher_forcing: config.hint_teacher_forcing,
        dropout: config.dropout_prob,
        gumbel_noise: true,
        seed: config.data_seed(),
        update: adam.updates,
    }
}

/// Returns the norm of a gradient, or an error if it or a loss is not a finite number.
pub(crate) fn check_finite(gradient: &Gradient, spec: &Spec, step: usize) -> Result<f32> {
    let not_finite = |quantity: String, value: f64| Error::NotFinite {
        quantity,
        value,
        step,
        algorithm: spec.entry.name.to_owned(),
    };
    let losses = gradient.losses.probes.iter();
    if let Some((probe, loss)) = losses.into_iter().find(|(_, loss)| !loss.is_finite()) {
        return Err(not_finite(format!("the loss of {probe}"), *loss));
    }
    let norm = norm(&gradient.values);
    if !norm.is_finite() {
        return Err(not_finite("the gradient norm".to_owned(), f64::from(norm)));
    }
    Ok(norm)
}
