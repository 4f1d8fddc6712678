//! Training: one update per algorithm and step.

use narscope_clrs::chunk::Chunk;
use narscope_clrs::trace::Traces;
use narscope_net::Model;
use narscope_net::config::Config;
use narscope_net::engine::{Losses, TrainingEngine};
use narscope_net::evaluation::{EvaluateOptions, Evaluation, Evaluator};
use narscope_net::model::EVALUATION_BATCH;
use narscope_net::spec::Spec;
use narscope_net::weights::Weights;

use crate::checkpoint::{Checkpoint, Progress};
use crate::data::Data;
use crate::declaration::{Declaration, initial_weights};
use crate::engines::{self, make_training_engine};
use crate::generic::GenericTrainer;
use crate::generic::chunked::{Carried, Named};
use crate::generic::net::Net;
use crate::learner::{check_finite, training_noise};
use crate::memory::{MemoryBudget, UpdateSize};
use crate::optimise::{Adam, Update};
use crate::{Error, Result};

/// Most training steps between two lines of metrics about training.
pub const LOG_EVERY: usize = 100;

/// A network that is being trained.
pub struct Trainer {
    /// The configuration.
    pub config: Config,
    /// The algorithms.
    pub specs: Vec<Spec>,
    /// The weights.
    pub weights: Weights,
    /// Progress of training.
    pub progress: Progress,
    declarations: Vec<Declaration>,
    adam: Adam,
    data: Data,
    engine: Box<dyn TrainingEngine>,
    chunks: ChunkTraining,
    budget: MemoryBudget,
}

/// Training on chunks instead of whole samples.
struct ChunkTraining {
    trainer: GenericTrainer,
    /// Per task and length, the state that the last chunk left.
    carried: Vec<Vec<Option<Carried>>>,
}

/// The data of an update.
enum Material {
    /// Whole samples.
    Batch(Traces),
    /// A chunk of their steps.
    Chunk(Chunk),
}

/// The name of the state after a chunk in a checkpoint.
fn carried_name(task: usize, length: usize) -> String {
    format!("{task}.{length}")
}

impl Trainer {
    /// A trainer with initial weights.
    pub fn new(config: &Config) -> Result<Self> {
        let specs = Spec::all(config)?;
        let declarations = Net::declarations(config, &specs);
        let weights = initial_weights(&declarations, config.seed);
        let data = Data::new(config, &specs)?;
        let carried = (0..specs.len()).map(|task| vec![None; data.lengths(task)]).collect();
        Ok(Self {
            engine: make_training_engine(config, &specs, &weights),
            chunks: ChunkTraining { trainer: GenericTrainer::new(config, &specs), carried },
            budget: MemoryBudget::default(),
            data,
            declarations,
            adam: Adam::new(weights.values.len()),
            progress: Progress::new(specs.len()),
            config: config.clone(),
            specs,
            weights,
        })
    }

    /// Continues from a checkpoint. The error is the name of a generator that it lacks.
    pub fn restore(&mut self, checkpoint: Checkpoint) -> Result<(), String> {
        let Checkpoint { weights, adam, generators, carried, progress } = checkpoint;
        for ((spec, kept), task) in self.specs.iter().zip(&mut self.chunks.carried).zip(0..) {
            for (length, kept) in kept.iter_mut().enumerate() {
                *kept = Carried::load(&carried_name(task, length), spec, &carried);
            }
        }
        self.data.restore(|name| {
            generators.iter().find(|(known, _)| known == name).map(|(_, words)| words.clone())
        })?;
        (self.weights, self.adam, self.progress) = (weights, adam, progress);
        if self.progress.sums.len() != self.specs.len() {
            // Of an earlier version, which did not sum all of them: the next line of metrics is about
            // the updates from here on.
            let Progress { losses, sums, .. } = Progress::new(self.specs.len());
            (self.progress.losses, self.progress.sums) = (losses, sums);
        }
        Ok(())
    }

    /// Everything that is needed to continue from here.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            weights: self.weights.clone(),
            adam: self.adam.clone(),
            generators: self.data.generators(),
            carried: self.saved_chunks(),
            progress: self.progress.clone(),
        }
    }

    fn saved_chunks(&self) -> Named {
        let mut saved = vec![];
        for (task, lengths) in self.chunks.carried.iter().enumerate() {
            for (length, carried) in lengths.iter().enumerate() {
                let name = carried_name(task, length);
                saved.extend(carried.iter().flat_map(|carried| carried.save(&name)));
            }
        }
        saved
    }

    /// Size of each algorithm's samples in the next step.
    pub fn next_lengths(&self) -> Vec<usize> {
        let step = self.progress.step;
        (0..self.specs.len()).map(|task| self.data.length(task, step)).collect()
    }

    /// One update per algorithm. Returns the mean of the losses.
    pub fn step(&mut self) -> Result<f64> {
        let step = self.progress.step;
        // Parity: all batches of a step are drawn before the first update.
        let draw = |task| {
            if self.config.chunked_training {
                self.data.train_chunk(task, step).map(Material::Chunk)
            } else {
                self.data.train_batch(task, step).map(Material::Batch)
            }
        };
        let batches = (0..self.specs.len()).map(draw).collect::<Result<Vec<_>>>()?;
        let mut sum = 0.0;
        for (task, material) in batches.iter().enumerate() {
            let (losses, gradient_norm) = self.update(task, material)?;
            self.progress.add(task, &losses, f64::from(gradient_norm));
            sum += losses.total;
        }
        self.progress.step += 1;
        Ok(sum / batches.len() as f64)
    }

    /// Updates the weights. Returns the losses, and the norm of the gradient before clipping.
    fn update(&mut self, task: usize, material: &Material) -> Result<(Losses, f32)> {
        let Self { config, specs, weights, adam, engine, chunks, budget, .. } = self;
        let stochastic = training_noise(config, adam);
        let gradient = match material {
            Material::Batch(traces) => {
                budget.check_update(&**engine, &specs[task], task, traces)?;
                engine.loss_and_gradient(weights, task, traces, stochastic)
            }
            Material::Chunk(chunk) => {
                let ChunkTraining { trainer, carried } = chunks;
                let length = self.progress.step % carried[task].len();
                let size = UpdateSize {
                    samples: chunk.is_first.len() / chunk.length,
                    nodes: chunk.nodes,
                    bytes: trainer.chunk_bytes(task, chunk),
                };
                budget.check(&specs[task], size, false)?;
                let carried = &mut carried[task][length];
                trainer.chunk_loss_and_gradient(weights, task, chunk, carried, stochastic)
            }
        };
        let norm = check_finite(&gradient, &specs[task], self.progress.step)?;
        let update = Update::of(config, task);
        adam.update(&self.declarations, &mut weights.values, &gradient.values, norm, &update);
        Ok((gradient.losses, norm))
    }

    /// A model with the weights as they are now.
    pub fn model(&self) -> Result<Model> {
        engines::model(&self.config, self.weights.clone())
    }

    /// Scores the network on validation samples of every algorithm, with their losses.
    pub fn validate(&mut self) -> Result<Vec<Evaluation>> {
        let model = self.model()?;
        let options = EvaluateOptions { losses: true, ..EvaluateOptions::default() };
        let mut evaluations = vec![];
        for task in model.tasks() {
            let mut evaluator = Evaluator::new(task.spec(), options);
            for traces in self.data.val_batches(task.index())? {
                let mut go_on = |_: &Evaluator<'_>| Ok::<_, Error>(true);
                task.evaluate_into(&mut evaluator, &traces, EVALUATION_BATCH, &mut go_on)?;
            }
            evaluations.push(evaluator.finish());
        }
        Ok(evaluations)
    }

    /// Whether training is over.
    pub fn is_done(&self) -> bool {
        self.progress.is_over(&self.config)
    }

    /// Whether the network is to be validated after this step.
    // Differs: the reference does not validate after the last step.
    pub fn validation_is_due(&self) -> bool {
        let step = self.progress.step;
        step > 0
            && ((step - 1).is_multiple_of(self.config.eval_every)
                || step == self.config.train_steps)
    }

    /// Whether training is to be logged after this step: with every validation, and every
    /// [`LOG_EVERY`] steps between two validations.
    pub fn log_is_due(&self) -> bool {
        let since_validation = self.progress.step.saturating_sub(1) % self.config.eval_every;
        self.validation_is_due() || since_validation.is_multiple_of(LOG_EVERY)
    }
}
