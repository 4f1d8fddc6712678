//! The generic network: encoders, a processor and decoders, with their weights.

use burn_tensor::{Device, Tensor};
use narscope_clrs::probe::Stage;
use narscope_net::config::{Aggregation, Config, Decay, DecayPlace, DecayTarget, Part, Phase};
use narscope_net::spec::Spec;
use narscope_net::values::of_stage;
use narscope_net::weights::Weights;

use super::aggregate::Aggregator;
use super::decode::{Decoders, View};
use super::encode::{Encoders, Sources};
use super::features::{Features, Processed};
use super::lstm::Lstm;
use super::processors::{self, Processor, Settings};
use super::scope::Store;
use crate::declaration::Declaration;

/// Encoders and decoders of one algorithm.
pub struct Task {
    /// Encoders of inputs.
    pub inputs: Encoders,
    /// Encoders of hints, if hints are encoded.
    pub hints: Option<Encoders>,
    /// The encoders of inputs and hints together.
    all: Encoders,
    /// Decoders of outputs.
    pub outputs: Decoders,
    /// Decoders of hints, if hints are decoded.
    pub hint_decoders: Option<Decoders>,
}

/// A network.
pub struct Net {
    /// Encoders and decoders, one item per algorithm.
    pub tasks: Vec<Task>,
    processor: Box<dyn Processor>,
    lstm: Option<Lstm>,
    hidden: usize,
    rounds: usize,
    decay: Decay,
    device: Device,
    /// All weights as flat tensors, in the order of their declarations.
    pub(crate) leaves: Vec<Tensor<1>>,
}

/// Recurrent state of a network.
#[derive(Clone, Debug)]
pub struct State {
    /// The hidden state: `(B, N, H)`.
    pub hidden: Tensor<3>,
    /// The cell state of the LSTM, if there is one: `(B, N, H)`.
    pub cell: Option<Tensor<3>>,
}

impl State {
    /// The state of the first `samples` samples.
    #[must_use]
    pub fn first(self, samples: usize) -> Self {
        let first = |x: Tensor<3>| x.narrow(0, 0, samples);
        Self { hidden: first(self.hidden), cell: self.cell.map(first) }
    }
}

impl Net {
    /// The parameters of the network that a configuration describes.
    pub fn declarations(config: &Config, specs: &[Spec]) -> Vec<Declaration> {
        let mut store = Store::declaring(&Device::flex());
        Self::new(config, specs, &mut store, Phase::Predict);
        store.into_declarations()
    }

    /// A network with weights; in training, with gradients.
    pub fn bind(
        config: &Config,
        specs: &[Spec],
        weights: &Weights,
        device: &Device,
        phase: Phase,
    ) -> Self {
        let mut store = Store::binding(weights, device, phase == Phase::Train);
        let mut net = Self::new(config, specs, &mut store, phase);
        net.leaves = store.into_leaves();
        net
    }

    fn new(config: &Config, specs: &[Spec], store: &mut Store, phase: Phase) -> Self {
        let hidden = config.hidden_size;
        let preset = config.processor();
        let (edges, masked) = (preset.config.has_edges(), preset.config.masks_decoders());
        let tasks = specs.iter().enumerate().map(|(task, spec)| {
            let name = (spec.entry.name, task);
            let stage = |stage| of_stage(&spec.probes, stage);
            let mut encoders =
                |probes| Encoders::new(store, name, probes, hidden, config.encoder_init);
            let inputs = encoders(stage(Stage::Input));
            let hints = config.hint_mode.encodes().then(|| encoders(stage(Stage::Hint)));
            let mut decoders = |probes| Decoders::new(store, name, probes, hidden, edges, masked);
            Task {
                all: hints.as_ref().map_or_else(|| inputs.clone(), |hints| inputs.concat(hints)),
                inputs,
                hints,
                outputs: decoders(stage(Stage::Output)),
                hint_decoders: config.hint_mode.decodes().then(|| decoders(stage(Stage::Hint))),
            }
        });
        let tasks = tasks.collect();

        let module = format!("net/{}/", preset.haiku);
        let mut scope = store.scope("processor", &module, Part::Processor, None);
        let aggregation = config.aggregation(phase);
        let temperature = config.temperature as f32;
        let learnable =
            config.learn_temperature.then(|| scope.scalar("log_temperature", temperature.ln()));
        let fixed = (aggregation == Aggregation::Softmax && temperature > 0.0)
            .then(|| Tensor::full([1], temperature, scope.device()));
        let settings = Settings {
            hidden,
            triplet_channels: config.nb_triplet_fts,
            heads: config.nb_heads,
            layer_norm: config.use_ln,
            aggregator: Aggregator {
                aggregation,
                temperature: learnable.map(Tensor::exp).or(fixed),
            },
        };
        let processor = processors::build(&preset, &mut scope, &settings);
        let device = scope.device().clone();
        // Differs: the reference never trains these weights, because their name matches no pattern.
        let lstm = config.use_lstm.then(|| {
            let mut scope = store.scope("lstm", "net/processor_lstm/", Part::Processor, None);
            Lstm::new(&mut scope, hidden)
        });
        Self {
            tasks,
            processor,
            lstm,
            hidden,
            rounds: config.nb_msg_passing_steps,
            decay: config.decay(),
            device,
            leaves: vec![],
        }
    }

    /// The device of the weights.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The state before the first step.
    pub fn start(&self, samples: usize, nodes: usize) -> State {
        let zeros = || Tensor::zeros([samples, nodes, self.hidden], &self.device);
        State { hidden: zeros(), cell: self.lstm.as_ref().map(|_| zeros()) }
    }

    /// The features of a task at one step, from the sources of its inputs and its hints.
    pub fn features(&self, task: usize, sources: Sources) -> Features {
        self.tasks[task].all.features(sources, self.hidden)
    }

    /// One step of the processor: the next state, before a hook, and the edge states if there are
    /// any. `dropout` holds the factors of the new state.
    pub fn advance(
        &self,
        x: &Features,
        state: &State,
        dropout: Option<Tensor<3>>,
    ) -> (State, Option<Tensor<4>>) {
        let mut next = Processed { node: state.hidden.clone(), edge: None };
        for _ in 0..self.rounds {
            // The processor sees the decayed state; decoders see it as it was.
            let before = decayed(self.decay, DecayPlace::BeforeStep, next.node);
            next = self.processor.step(x, before);
            next.node = decayed(self.decay, DecayPlace::AfterStep, next.node);
        }
        if let Some(kept) = dropout {
            next.node = next.node * kept;
        }
        let state = match (&self.lstm, &state.cell) {
            (Some(lstm), Some(cell)) => {
                let (hidden, cell) = lstm.step(next.node, state.hidden.clone(), cell.clone());
                State { hidden, cell: Some(cell) }
            }
            _ => State { hidden: next.node, cell: None },
        };
        (state, next.edge)
    }

    /// The inputs of the decoders after a step.
    pub fn view(x: Features, before: &State, after: &State, edge: Option<Tensor<4>>) -> View {
        View {
            node: Tensor::cat(vec![x.node, before.hidden.clone(), after.hidden.clone()], 2),
            edge: x.edge,
            processed_edge: edge,
            graph: x.graph,
            adjacency: x.adjacency,
        }
    }
}

/// The hidden state after the decay that happens at `place`, if any does.
fn decayed(decay: Decay, place: DecayPlace, hidden: Tensor<3>) -> Tensor<3> {
    if decay.factor == 1.0 || decay.place != place {
        return hidden;
    }
    match decay.towards {
        DecayTarget::Zero => hidden * decay.factor,
        DecayTarget::Mean => {
            let mean = hidden.clone().mean_dim(2);
            (hidden - mean.clone()) * decay.factor + mean
        }
    }
}
