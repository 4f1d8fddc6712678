//! Training: one batch after the other, one update per algorithm and step.

use burn_tensor::{Device, Tensor};
use narscope_clrs::algorithms;
use narscope_clrs::chunk::Chunk;
use narscope_clrs::probe::Probe;
use narscope_clrs::trace::Traces;

use crate::checkpoint::{Checkpoint, Progress};
use crate::chunked::{Carried, Named, chunk_lesson};
use crate::config::{Config, RepredMode};
use crate::data::{Data, EVALUATION_BATCH};
use crate::decode::Feedback;
use crate::evaluate::{Evaluation, Evaluator, Wanted};
use crate::fused::{self, Teacher};
use crate::loss::{ProbeLoss, losses};
use crate::memory::{self, Granted};
use crate::net::{Net, Spec, Use};
use crate::optimise::{Adam, Update, norm};
use crate::rollout::{Learning, NoHook, Plan, Steps, rollout};
use crate::values::numbers;
use crate::weights::{Weights, gradients};
use crate::{Error, Result};

/// A network that is being trained.
pub struct Trainer {
    /// How.
    pub config: Config,
    /// What for.
    pub specs: Vec<Spec>,
    /// Its weights.
    pub weights: Weights,
    /// Where training has got to.
    pub progress: Progress,
    adam: Adam,
    data: Data,
    /// Per task and length, what the last window left.
    carried: Vec<Vec<Option<Carried>>>,
    device: Device,
    /// The network as kernels, if there are any.
    teacher: Option<Teacher>,
    granted: Granted,
}

/// The algorithms that a configuration names.
pub fn specs(config: &Config) -> Result<Vec<Spec>> {
    let names = config.algorithms.iter();
    names.map(|name| Spec::new(algorithms::find(name)?, config)).collect()
}

/// The loss of each probe, with its name, and their sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Losses {
    /// The stage and name of each probe, like `hint/pi_h`, and its loss.
    pub probes: Vec<(String, f64)>,
    /// The sum.
    pub total: f64,
}

/// The losses of a batch and what they say of every weight.
pub struct Lesson {
    /// The losses.
    pub losses: Losses,
    /// The gradients, one per weight.
    pub gradients: Vec<f32>,
}

/// Runs a batch with all that training does and returns losses and gradients.
///
/// # Errors
/// If that would not fit into memory.
pub fn lesson(
    config: &Config,
    specs: &[Spec],
    weights: &Weights,
    task: usize,
    traces: &Traces,
    learning: Learning,
    device: &Device,
) -> Result<Lesson> {
    let mut granted = Granted::default();
    let size = (traces.len(), traces.nodes);
    if fused::serves(config, device) {
        let mut teacher = Teacher::new(config, specs, &weights.parameters);
        granted.check(&specs[task], size, teacher.bytes(task, traces), true)?;
        return Ok(teacher.lesson(weights, task, traces, learning));
    }
    granted.check(&specs[task], size, memory::of_update(config, &specs[task], traces), false)?;
    let net = Net::bind(config, specs, weights, device, Use::Learn);
    let plan = Plan {
        steps: Steps::Own,
        feedback: training_feedback(config),
        learning: Some(learning),
        keep_hints: config.hint_mode.decodes(),
        keep_states: None,
        every_output: false,
    };
    let predictions = rollout(&net, task, traces, &plan, &mut NoHook);
    Ok(finish(&net, losses(&predictions, traces), device))
}

/// How predictions are fed back while a network learns.
pub(crate) fn training_feedback(config: &Config) -> Feedback {
    match config.hint_repred_mode {
        RepredMode::Hard => Feedback::Hard,
        RepredMode::Soft | RepredMode::HardOnEval => Feedback::Soft,
    }
}

/// What the loss of a probe is called.
pub(crate) fn name_of_loss(probe: &Probe) -> String {
    format!("{}/{}", probe.stage.name(), probe.name)
}

/// The way back: from the losses of all probes to gradients.
pub(crate) fn finish(net: &Net, losses: Vec<ProbeLoss>, device: &Device) -> Lesson {
    // In a window, all samples may just have begun.
    let has_any = !losses.iter().all(ProbeLoss::is_empty);
    let each: Vec<_> =
        losses.into_iter().map(|loss| (name_of_loss(&loss.probe), loss.mean(device))).collect();
    let total = each.iter().map(|(_, mean)| mean.clone()).reduce(|a, b| a + b);
    let total = total.expect("every algorithm has an output");
    let number = |mean: Tensor<1>| f64::from(numbers(mean.detach())[0]);
    let losses = Losses {
        total: number(total.clone()),
        probes: each.into_iter().map(|(name, mean)| (name, number(mean))).collect(),
    };
    let gradients = if has_any {
        gradients(&net.leaves, &total.backward())
    } else {
        vec![0.0; net.leaves.iter().map(|leaf| leaf.dims()[0]).sum()]
    };
    Lesson { losses, gradients }
}

/// Whether networks of a configuration learn with kernels.
pub fn has_kernels(config: &Config) -> bool {
    !config.chunked_training && fused::serves(config, &Device::flex())
}

/// What an update learns from.
enum Material {
    /// Whole samples.
    Batch(Traces),
    /// A window of them.
    Window(Chunk),
}

/// The name under which a checkpoint keeps what a window left.
fn carried_name(task: usize, length: usize) -> String {
    format!("{task}.{length}")
}

impl Trainer {
    /// A network with fresh weights.
    pub fn new(config: &Config) -> Result<Self> {
        let specs = specs(config)?;
        let weights = Weights::initial(Net::parameters(config, &specs), config.seed);
        let (data, device) = (Data::new(config, &specs)?, Device::flex());
        Ok(Self {
            teacher: has_kernels(config).then(|| Teacher::new(config, &specs, &weights.parameters)),
            device,
            granted: Granted::default(),
            carried: (0..specs.len()).map(|task| vec![None; data.lengths(task)]).collect(),
            data,
            adam: Adam::new(weights.values.len()),
            progress: Progress { losses: vec![(0.0, 0); specs.len()], ..Progress::default() },
            config: config.clone(),
            specs,
            weights,
        })
    }

    /// Goes on from a checkpoint. An error names the generator that it lacks.
    pub fn restore(&mut self, checkpoint: Checkpoint) -> Result<(), String> {
        let Checkpoint { weights, adam, generators, carried, progress } = checkpoint;
        for ((spec, kept), task) in self.specs.iter().zip(&mut self.carried).zip(0..) {
            for (length, kept) in kept.iter_mut().enumerate() {
                *kept = Carried::load(&carried_name(task, length), spec, &carried);
            }
        }
        self.data.restore(|name| {
            generators.iter().find(|(known, _)| known == name).map(|(_, words)| words.clone())
        })?;
        (self.weights, self.adam, self.progress) = (weights, adam, progress);
        Ok(())
    }

    /// Everything that it takes to go on from here.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            weights: self.weights.clone(),
            adam: self.adam.clone(),
            generators: self.data.generators(),
            carried: self.saved_windows(),
            progress: self.progress.clone(),
        }
    }

    fn saved_windows(&self) -> Named {
        let mut saved = vec![];
        for (task, lengths) in self.carried.iter().enumerate() {
            for (length, carried) in lengths.iter().enumerate() {
                let name = carried_name(task, length);
                saved.extend(carried.iter().flat_map(|carried| carried.save(&name)));
            }
        }
        saved
    }

    /// The size of each algorithm's samples in the next step.
    pub fn next_lengths(&self) -> Vec<usize> {
        let step = self.progress.step;
        (0..self.specs.len()).map(|task| self.data.length(task, step)).collect()
    }

    /// One update per algorithm. Returns the mean of their losses.
    pub fn step(&mut self) -> Result<f64> {
        let step = self.progress.step;
        // Parity: all batches of a step are drawn before the first update.
        let draw = |task| {
            if self.config.chunked_training {
                self.data.train_chunk(task, step).map(Material::Window)
            } else {
                self.data.train_batch(task, step).map(Material::Batch)
            }
        };
        let batches = (0..self.specs.len()).map(draw).collect::<Result<Vec<_>>>()?;
        let mut sum = 0.0;
        for (task, material) in batches.iter().enumerate() {
            let losses = self.update(task, material)?;
            let (all, count) = &mut self.progress.losses[task];
            *all += losses.total;
            *count += 1;
            sum += losses.total;
        }
        self.progress.step += 1;
        Ok(sum / batches.len() as f64)
    }

    fn update(&mut self, task: usize, material: &Material) -> Result<Losses> {
        let Self { config, specs, weights, adam, device, carried, teacher, granted, .. } = self;
        let learning = Learning {
            forcing: config.hint_teacher_forcing,
            dropout: config.dropout_prob,
            noise: true,
            seed: config.seed,
            place: adam.updates,
        };
        let lesson = match material {
            Material::Batch(traces) => match teacher {
                Some(teacher) => {
                    let needed = teacher.bytes(task, traces);
                    granted.check(&specs[task], (traces.len(), traces.nodes), needed, true)?;
                    teacher.lesson(weights, task, traces, learning)
                }
                None => lesson(config, specs, weights, task, traces, learning, device)?,
            },
            Material::Window(chunk) => {
                let length = self.progress.step % carried[task].len();
                let carried = &mut carried[task][length];
                let needed = memory::of_window(config, &specs[task], chunk);
                let lanes = chunk.is_first.len() / chunk.length;
                granted.check(&specs[task], (lanes, chunk.nodes), needed, false)?;
                chunk_lesson(config, specs, weights, task, chunk, carried, learning, device)
            }
        };
        let not_finite = lesson.losses.probes.iter().find(|(_, loss)| !loss.is_finite());
        if let Some((probe, value)) = not_finite {
            return Err(Error::NotFinite {
                step: self.progress.step,
                algorithm: specs[task].entry.name.to_owned(),
                probe: probe.clone(),
                value: *value,
            });
        }
        let norm = norm(&lesson.gradients);
        if !norm.is_finite() {
            return Err(Error::NotFinite {
                step: self.progress.step,
                algorithm: specs[task].entry.name.to_owned(),
                probe: "the gradient".to_owned(),
                value: f64::from(norm),
            });
        }
        let update = Update::of(config, task);
        adam.update(&weights.parameters, &mut weights.values, &lesson.gradients, norm, &update);
        Ok(lesson.losses)
    }

    /// Scores the network on validation samples of every algorithm.
    pub fn validate(&mut self) -> Result<Vec<Evaluation>> {
        let Self { config, specs, weights, device, data, .. } = self;
        let net = Net::bind(config, specs, weights, device, Use::Predict);
        let mut evaluations = vec![];
        for (task, spec) in specs.iter().enumerate() {
            let mut evaluator = Evaluator::new(spec, Wanted::default());
            for traces in data.val_batches(task)? {
                let network = (&net, task, &*config);
                evaluator.add_all(network, &traces, EVALUATION_BATCH, &mut |_| Ok(true))?;
            }
            evaluations.push(evaluator.finish());
        }
        Ok(evaluations)
    }

    /// Whether training is over.
    pub fn is_done(&self) -> bool {
        let Progress { step, stale, .. } = self.progress;
        step >= self.config.train_steps
            || (self.config.early_stop > 0 && stale >= self.config.early_stop)
    }

    /// Whether it is time to validate, after a step.
    // Differs: the reference does not validate after the last step.
    pub fn validation_is_due(&self) -> bool {
        let step = self.progress.step;
        step > 0
            && ((step - 1).is_multiple_of(self.config.eval_every)
                || step == self.config.train_steps)
    }
}
