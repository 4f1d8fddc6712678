//! Nets: encoders, a processor and decoders, with their weights.

use burn_tensor::{Device, Tensor};
use narscope_clrs::algorithms::Entry;
use narscope_clrs::convert;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;

use crate::Result;
use crate::aggregate::{Aggregation, Aggregator};
use crate::config::{Config, Decay, DecayPlace, DecayTarget};
use crate::decode::{Decoders, View};
use crate::encode::Encoders;
use crate::features::{Features, Processed};
use crate::fused::{self, Reasoner};
use crate::lstm::Lstm;
use crate::processors::{Processor, Settings};
use crate::scope::Store;
use crate::values::of_stage;
use crate::weights::{Parameter, Part, Weights};

/// What a network is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// To learn: gradients can be asked for, and the aggregator is that of training.
    Learn,
    /// To be used: the aggregator is that of evaluation.
    Predict,
}

/// An algorithm as a network sees it.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The algorithm.
    pub entry: &'static Entry,
    /// Its probes, converted as the configuration says.
    pub probes: Vec<Probe>,
}

impl Spec {
    /// The algorithm, with its probes converted.
    pub fn new(entry: &'static Entry, config: &Config) -> Result<Self> {
        let mut traces = Traces::new(entry.probes.to_vec(), 1);
        convert(&mut traces, config)?;
        Ok(Self { entry, probes: traces.probes })
    }
}

/// Does to traces what the configuration says, but for random positions.
pub fn convert(traces: &mut Traces, config: &Config) -> Result<()> {
    if config.enforce_pred_as_input {
        convert::pred_as_input(traces);
    }
    convert::permutations(traces, config.enforce_permutations)?;
    Ok(())
}

/// What belongs to one algorithm.
pub struct Task {
    /// Encoders of inputs.
    pub inputs: Encoders,
    /// Encoders of hints, if hints are encoded.
    pub hints: Option<Encoders>,
    /// Both as one.
    all: Encoders,
    /// Decoders of outputs.
    pub outputs: Decoders,
    /// Decoders of hints, if hints are decoded.
    pub hint_decoders: Option<Decoders>,
}

/// A network that runs.
pub struct Net {
    /// One for each algorithm.
    pub tasks: Vec<Task>,
    processor: Box<dyn Processor>,
    lstm: Option<Lstm>,
    hidden: usize,
    rounds: usize,
    decay: Decay,
    device: Device,
    /// All weights as tensors, in their order.
    pub(crate) leaves: Vec<Tensor<1>>,
    /// The same network as kernels, if it is used and there are any.
    pub(crate) kernels: Option<Reasoner>,
}

/// What a network carries from step to step.
#[derive(Clone, Debug)]
pub struct State {
    /// The hidden state: `(B, N, H)`.
    pub hidden: Tensor<3>,
    /// The state of the memory cells, if there are any: `(B, N, H)`.
    pub cell: Option<Tensor<3>>,
}

impl State {
    /// The first so many samples.
    #[must_use]
    pub fn first(self, samples: usize) -> Self {
        let first = |x: Tensor<3>| x.narrow(0, 0, samples);
        Self { hidden: first(self.hidden), cell: self.cell.map(first) }
    }
}

impl Net {
    /// The parameters of the network that a configuration describes.
    pub fn parameters(config: &Config, specs: &[Spec]) -> Vec<Parameter> {
        let mut store = Store::declaring(&Device::flex());
        Self::new(config, specs, &mut store, Use::Predict);
        store.into_parameters()
    }

    /// A network with weights.
    pub fn bind(
        config: &Config,
        specs: &[Spec],
        weights: &Weights,
        device: &Device,
        r#use: Use,
    ) -> Self {
        let mut store = Store::binding(weights, device, r#use == Use::Learn);
        let mut net = Self::new(config, specs, &mut store, r#use);
        net.leaves = store.into_leaves();
        let fused = r#use == Use::Predict && fused::serves(config, device);
        net.kernels = fused.then(|| Reasoner::new(config, specs, weights));
        net
    }

    fn new(config: &Config, specs: &[Spec], store: &mut Store, r#use: Use) -> Self {
        let hidden = config.hidden_size;
        let preset = config.preset_of_processor();
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
                all: hints.as_ref().map_or_else(|| inputs.clone(), |hints| inputs.beside(hints)),
                inputs,
                hints,
                outputs: decoders(stage(Stage::Output)),
                hint_decoders: config.hint_mode.decodes().then(|| decoders(stage(Stage::Hint))),
            }
        });
        let tasks = tasks.collect();

        let module = format!("net/{}/", preset.haiku);
        let mut scope = store.scope("processor", &module, Part::Processor, None);
        let aggregation = match r#use {
            Use::Learn => config.aggregator,
            Use::Predict => config.eval_aggregator.unwrap_or(config.aggregator),
        };
        let temperature = config.temperature as f32;
        let learnt =
            config.learn_temperature.then(|| scope.number("log_temperature", temperature.ln()));
        let fixed = (aggregation == Aggregation::Softmax && temperature > 0.0)
            .then(|| Tensor::full([1], temperature, scope.device()));
        let settings = Settings {
            hidden,
            triplet_channels: config.nb_triplet_fts,
            heads: config.nb_heads,
            layer_norm: config.use_ln,
            aggregator: Aggregator { aggregation, temperature: learnt.map(Tensor::exp).or(fixed) },
        };
        let processor = preset.config.build(&mut scope, &settings);
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
            kernels: None,
        }
    }

    /// Where the weights are.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The state before the first step.
    pub fn start(&self, samples: usize, nodes: usize) -> State {
        let zeros = || Tensor::zeros([samples, nodes, self.hidden], &self.device);
        State { hidden: zeros(), cell: self.lstm.as_ref().map(|_| zeros()) }
    }

    /// The features of a task at one step, from the sources of its inputs and its hints.
    pub fn features(&self, task: usize, sources: crate::encode::Sources) -> Features {
        self.tasks[task].all.features(sources, self.hidden)
    }

    /// Processes the features once: the next state, before anybody looks at it or changes it, and
    /// what is said of pairs of nodes. `dropout` is what the state is multiplied by.
    pub fn advance(
        &self,
        x: &Features,
        state: &State,
        dropout: Option<Tensor<3>>,
    ) -> (State, Option<Tensor<4>>) {
        let mut next = Processed { node: state.hidden.clone(), edge: None };
        for _ in 0..self.rounds {
            // The processor sees the decayed state; decoders see it as it was.
            let before = self.decay.apply(DecayPlace::BeforeStep, next.node);
            next = self.processor.step(x, before);
            next.node = self.decay.apply(DecayPlace::AfterStep, next.node);
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

    /// What decoders look at after a step.
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

impl Decay {
    fn apply(self, place: DecayPlace, hidden: Tensor<3>) -> Tensor<3> {
        if self.factor == 1.0 || self.place != place {
            return hidden;
        }
        match self.towards {
            DecayTarget::Zero => hidden * self.factor,
            DecayTarget::Mean => {
                let mean = hidden.clone().mean_dim(2);
                (hidden - mean.clone()) * self.factor + mean
            }
        }
    }
}
