//! The generic engine: every network in tensor operations of Burn, with automatic gradients.
//!
//! It is the definition that the fused engine is tested against, and it runs what has no kernels:
//! attention, LSTMs, chunked training and [processors of other crates](processors::register).
//!
//! The data flows one way: [encoders](encode) turn the values of probes into
//! [`Features`](features::Features), a [processor](processors) updates the hidden state,
//! [decoders](decode) turn it into predictions, [losses](loss) compare these with the truth.

pub mod aggregate;
pub mod chunked;
pub mod decode;
pub mod encode;
pub mod features;
pub mod layers;
pub mod loss;
pub mod lstm;
mod memory;
pub mod net;
pub mod processors;
mod rollout;
pub mod scope;
pub mod sinkhorn;
mod tensors;

use burn_tensor::{Device, Tensor};
use narscope_clrs::chunk::Chunk;
use narscope_clrs::trace::Traces;
use narscope_net::config::{Config, Phase};
use narscope_net::engine::{Engine, Gradient, Losses, TrainingEngine, loss_name};
use narscope_net::feedback::Feedback;
use narscope_net::rollout::{NoHook, Predictions, RolloutOptions, StepHook, Steps, Stochastic};
use narscope_net::spec::Spec;
use narscope_net::weights::Weights;

use chunked::Carried;
use loss::{ProbeLoss, losses};
use net::Net;
use tensors::{floats, gradient, logits};

/// Runs a network of Burn tensors.
pub struct GenericEngine {
    net: Net,
    /// For memory estimates, as are the specs.
    config: Config,
    specs: Vec<Spec>,
}

impl GenericEngine {
    /// The engine of a network with these weights.
    ///
    /// # Panics
    /// If the weights belong to another network.
    pub fn new(config: &Config, specs: &[Spec], weights: &Weights) -> Self {
        let net = Net::bind(config, specs, weights, &Device::flex(), Phase::Predict);
        Self { net, config: config.clone(), specs: specs.to_vec() }
    }
}

impl Engine for GenericEngine {
    fn rollout(
        &self,
        task: usize,
        traces: &Traces,
        options: &RolloutOptions,
        hook: &mut dyn StepHook,
    ) -> Predictions {
        rollout::rollout(&self.net, task, traces, options, None, hook).map(logits)
    }

    fn bytes(&self, task: usize, nodes: usize, samples: usize, _hooked: bool) -> usize {
        samples * memory::bytes_per_step(&self.config, &self.specs[task], nodes)
    }
}

/// Computes losses and gradients of a network of Burn tensors.
pub struct GenericTrainer {
    config: Config,
    specs: Vec<Spec>,
    device: Device,
}

impl GenericTrainer {
    /// The trainer of a network.
    pub fn new(config: &Config, specs: &[Spec]) -> Self {
        Self { config: config.clone(), specs: specs.to_vec(), device: Device::flex() }
    }

    fn bind(&self, weights: &Weights) -> Net {
        Net::bind(&self.config, &self.specs, weights, &self.device, Phase::Train)
    }

    /// Runs a chunk; `carried` is the state that the previous chunk of the same length left.
    pub fn chunk_loss_and_gradient(
        &self,
        weights: &Weights,
        task: usize,
        chunk: &Chunk,
        carried: &mut Option<Carried>,
        stochastic: Stochastic,
    ) -> Gradient {
        let net = self.bind(weights);
        let feedback = Feedback::in_training(&self.config);
        let losses = chunked::losses(&net, task, chunk, carried, feedback, stochastic);
        backward(&net, losses, &self.device)
    }

    /// Estimate of the bytes that an update on a chunk takes.
    pub fn chunk_bytes(&self, task: usize, chunk: &Chunk) -> usize {
        memory::of_chunk(&self.config, &self.specs[task], chunk)
    }
}

impl TrainingEngine for GenericTrainer {
    fn loss_and_gradient(
        &mut self,
        weights: &Weights,
        task: usize,
        traces: &Traces,
        stochastic: Stochastic,
    ) -> Gradient {
        let net = self.bind(weights);
        let options = RolloutOptions {
            steps: Steps::Own,
            feedback: Feedback::in_training(&self.config),
            keep_hints: self.config.hint_mode.decodes(),
            keep_states: None,
            every_output: false,
        };
        let predictions =
            rollout::rollout(&net, task, traces, &options, Some(stochastic), &mut NoHook);
        backward(&net, losses(&predictions, traces), &self.device)
    }

    fn bytes(&self, task: usize, traces: &Traces) -> usize {
        memory::of_update(&self.config, &self.specs[task], traces)
    }

    fn keeps_memory(&self) -> bool {
        false
    }
}

/// The backward pass: from the losses of all probes to the gradient.
fn backward(net: &Net, losses: Vec<ProbeLoss>, device: &Device) -> Gradient {
    // In a chunk, all samples may just have started, so that nothing is predicted.
    let has_any = !losses.iter().all(ProbeLoss::is_empty);
    let each: Vec<_> =
        losses.into_iter().map(|loss| (loss_name(&loss.probe), loss.mean(device))).collect();
    let total = each.iter().map(|(_, mean)| mean.clone()).reduce(|a, b| a + b);
    let total = total.expect("every algorithm has an output");
    let value = |mean: Tensor<1>| f64::from(floats(mean.detach())[0]);
    let losses = Losses {
        total: value(total.clone()),
        probes: each.into_iter().map(|(name, mean)| (name, value(mean))).collect(),
    };
    let values = if has_any {
        gradient(&net.leaves, &total.backward())
    } else {
        vec![0.0; net.leaves.iter().map(|leaf| leaf.dims()[0]).sum()]
    };
    Gradient { losses, values }
}
