//! The plan of a task: which numbers nodes, edges and graphs have, and which folded matrices turn
//! them into messages, states and predictions.

use std::ops::Range;

use narscope_clrs::probe::{Kind, Location, Probe, Stage};
use narscope_kernels::aggregate::Aggregate;
use narscope_kernels::pairs::{PairFeatures, PairMap, PairMapBackward};

use super::fold::{Fold, Id, Slot};
use super::tape::StepTape;
use crate::config::{Aggregation, Config, Decay, Phase};
use crate::processor::{PgnConfig, ProcessorConfig};
use crate::spec::Spec;
use crate::values::{of_stage, size};
use crate::weights::{Parameter, parameter_path};

/// Where the values of a probe go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Numbers of nodes, from this column on.
    Node(usize),
    /// Numbers of edges, from this column on.
    Edge(usize),
    /// A pointer of pairs: two numbers of edges.
    EdgePointer(usize),
    /// Numbers of the graph, from this column on.
    Graph(usize),
}

/// How a probe is fed to the network.
#[derive(Clone, Debug)]
pub(super) struct Feed {
    pub(super) probe: Probe,
    pub(super) place: Place,
    /// How many columns it fills.
    pub(super) width: usize,
    /// Nodes are linked where its values, in both directions together, exceed this.
    pub(super) links_above: Option<f32>,
}

/// How many numbers there are, and how many of them are inputs; hints come behind these.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    pub(super) count: usize,
    pub(super) given: usize,
}

/// The maps of a step of the processor.
#[derive(Debug)]
pub(super) struct StepMaps {
    /// From the numbers and the state of a node to all that is linear in them, column by column:
    /// what it says as sender, as receiver, of its next state, to the gate, to triplets.
    pub(super) node: Slot,
    pub(super) node_bias: Slot,
    /// From the numbers of an edge to messages.
    pub(super) edge: Slot,
    /// From the numbers of the graph to messages.
    pub(super) graph: Slot,
    /// The layers of messages: weights, bias, and the second layer's, whose rows are channels.
    pub(super) layers: Option<[Slot; 4]>,
    /// From what was heard to the next state and to the gate.
    pub(super) inbox: Slot,
    pub(super) norm: Option<[Slot; 2]>,
    /// The last layer of the gate and its bias.
    pub(super) gate: Option<[Slot; 2]>,
    pub(super) triplets: Option<TripletMaps>,
    pub(super) temperature: Option<Slot>,
}

/// The maps of triplets.
#[derive(Debug)]
pub(super) struct TripletMaps {
    pub(super) edge: [Slot; 3],
    pub(super) graph: Slot,
    pub(super) output: Slot,
    pub(super) output_bias: Slot,
}

/// The decoders of a stage.
#[derive(Debug)]
pub(super) struct StageMaps {
    /// From both states and the numbers of a node to all that is linear in them.
    pub(super) node: Slot,
    pub(super) node_bias: Slot,
    /// From what the processor said of pairs to all that is linear in it, if anybody reads it.
    pub(super) processed: Option<Slot>,
    pub(super) heads: Vec<(Probe, Head)>,
}

/// The decoder of a probe; columns are those of the stage's node map.
#[derive(Clone, Copy, Debug)]
pub(super) enum Head {
    /// Numbers of nodes.
    Node { at: usize, options: usize },
    /// A pointer of nodes.
    Pointer { from: usize, to: usize, edge: EdgeMap, score: Slot, bias: Slot },
    /// Numbers of pairs.
    Edge { first: usize, second: usize, edge: EdgeMap, options: usize },
    /// A pointer of pairs.
    EdgePointer { first: usize, second: usize, to: usize, edge: EdgeMap, score: Slot, bias: Slot },
    /// Numbers of the graph, or, if nodes have a say, a pointer.
    Graph { node: Slot, graph: Slot, bias: Slot, options: usize, to: Option<usize> },
}

/// What is read off pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeMap {
    /// From the numbers of an edge.
    pub(super) map: Slot,
    /// The first column of what is read off the processor's word on pairs.
    pub(super) processed: Option<usize>,
}

/// What decoders see of a node, place by place.
#[derive(Debug)]
pub(super) struct View {
    pub(super) after: Range<usize>,
    pub(super) numbers: Range<usize>,
    pub(super) before: Range<usize>,
}

impl View {
    pub(super) fn width(&self) -> usize {
        self.before.end
    }
}

/// Everything that running a task takes, but for the numbers.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) h: usize,
    pub(super) f: usize,
    pub(super) processor: PgnConfig,
    pub(super) rounds: usize,
    pub(super) decay: Decay,
    pub(super) aggregate: Aggregate,
    pub(super) node: Columns,
    pub(super) edge: Columns,
    pub(super) graph: Columns,
    pub(super) inputs: Vec<Feed>,
    /// Empty if hints are not given to the network.
    pub(super) hints: Vec<Feed>,
    pub(super) step: StepMaps,
    pub(super) hint_decoders: Option<StageMaps>,
    pub(super) output_decoders: StageMaps,
    /// The encoder of nodes and its bias, if somebody needs their features as such: the largest
    /// over nodes is taken of them where something is decoded for a whole graph.
    pub(super) dense: Option<[Slot; 2]>,
    /// A row of zeros, for what is not said.
    pub(super) nothing: Vec<f32>,
    pub(super) fold: Fold,
}

impl Plan {
    /// Whether there are kernels for what a configuration asks for.
    pub(super) fn exists(config: &Config) -> bool {
        matches!(config.processor().config, ProcessorConfig::Pgn(_)) && !config.use_lstm
    }

    /// The plan of a task.
    pub(super) fn new(
        config: &Config,
        specs: &[Spec],
        task: usize,
        parameters: &[Parameter],
        phase: Phase,
    ) -> Self {
        let ProcessorConfig::Pgn(processor) = config.processor().config else {
            panic!("no kernels for {}", config.processor_type)
        };
        let (h, f) = (config.hidden_size, config.nb_triplet_fts);
        let mut encoded = Encoded::new(Fold::new(parameters), specs[task].entry.name, h);
        let probes = &specs[task].probes;
        let inputs = encoded.feeds(&of_stage(probes, Stage::Input));
        let given = encoded.counts;
        let hints = if config.hint_mode.encodes() {
            encoded.feeds(&of_stage(probes, Stage::Hint))
        } else {
            vec![]
        };
        let columns = |i: usize| Columns { count: encoded.counts[i], given: given[i] };
        let (node, edge, graph) = (columns(0), columns(1), columns(2));
        let mut maps = encoded.finish();

        let temperature = config.temperature as f32;
        let aggregate = match config.aggregation(phase) {
            Aggregation::Max => Aggregate::Max,
            // So cold that its inverse is no number.
            Aggregation::Softmax if !temperature.recip().is_finite() => Aggregate::Max,
            Aggregation::Softmax => Aggregate::Softmax(temperature),
            Aggregation::Min => Aggregate::Min,
            Aggregation::Mean => Aggregate::Mean,
            Aggregation::Sum => Aggregate::Sum,
        };
        let step = maps.step(processor, config);
        let outputs = of_stage(probes, Stage::Output);
        let output_decoders = maps.stage(&outputs, processor.triplets);
        let hint_decoders = config
            .hint_mode
            .decodes()
            .then(|| maps.stage(&of_stage(probes, Stage::Hint), processor.triplets));
        maps.fold.lay_out();
        Self {
            h,
            f,
            processor,
            rounds: config.nb_msg_passing_steps,
            decay: config.decay(),
            aggregate,
            node,
            edge,
            graph,
            inputs,
            hints,
            step,
            hint_decoders,
            output_decoders,
            dense: maps.dense,
            nothing: vec![0.0; h],
            fold: maps.fold,
        }
    }

    /// The numbers of pairs of nodes.
    pub(super) fn pairs<'a>(&self, numbers: &'a [f32], n: usize) -> PairFeatures<'a> {
        PairFeatures::new(numbers, n, self.edge.count)
    }

    /// The way back from what `map` made of pairs, in which `weights` may stand for it.
    pub(super) fn pairs_back<'a>(
        pairs: PairFeatures<'a>,
        (map, weights): (Slot, &'a [f32]),
        lane: &'a mut [f32],
        gradient: &'a mut [f32],
        trainable_from: usize,
    ) -> PairMapBackward<'a> {
        PairMapBackward {
            map: PairMap { features: pairs, weights },
            weights_gradient: map.of_mut(lane),
            features_gradient: gradient,
            trainable_from,
        }
    }

    /// How many rows of a map of nodes matter in a step: the last ones are those of the state before
    /// it, and nobody needs to multiply by nothing.
    pub(super) fn inputs(&self, map: Slot, step: &StepTape) -> usize {
        if step.from_nothing { map.rows - self.h } else { map.rows }
    }

    /// Where the parts of what decoders see of a node are.
    pub(super) fn view(&self) -> View {
        let (h, numbers) = (self.h, self.node.count);
        View { after: 0..h, numbers: h..h + numbers, before: h + numbers..2 * h + numbers }
    }

    /// The columns of a node's linear map that what it says to a part of the step begins at.
    pub(super) fn column(&self, part: StepPart) -> usize {
        let triplets = if self.processor.gated { 4 } else { 3 };
        match part {
            StepPart::Sender => 0,
            StepPart::Receiver => self.h,
            StepPart::Skip => 2 * self.h,
            StepPart::Triplet(end) => triplets * self.h + end * self.f,
        }
    }
}

impl Plan {
    /// About how many numbers a run of one sample needs; `keep` if the way back will be taken.
    pub(super) fn values_per_sample(&self, n: usize, steps: usize, keep: bool) -> usize {
        let (h, square) = (self.h, n * n);
        // Rows of nodes, by the names of the tape.
        let round = n * (self.node.count + h + self.step.node.cols + self.step.inbox.cols + 8 * h);
        let soft = matches!(self.aggregate, Aggregate::Softmax(_));
        let kept_messages = usize::from(self.step.layers.is_some()) + usize::from(soft);
        let messages = if keep { square * h * kept_messages } else { 0 };
        let triplets = if self.processor.triplets { square * (2 * self.f + h) } else { 0 };
        let numbers =
            n * self.node.count + square * self.edge.count + n * (self.node.count + 5 * h);
        let hints = self.hint_decoders.as_ref().map_or(0, |stage| stage.numbers(n, h, keep));
        let step = self.rounds * (round + messages) + triplets + numbers + hints;
        let at_the_end = self.output_decoders.numbers(n, h, keep);
        // Gradients of one step, and without a way back the step before.
        (if keep { steps + 1 } else { 2 }) * step + 2 * at_the_end
    }

    /// About how many numbers a sample is given: inputs, and for the way back what is right.
    pub(super) fn input_values(&self, n: usize, steps: usize, keep: bool) -> usize {
        let inputs = n * self.node.count + n * n * (self.edge.count + 1) + self.graph.count;
        let truths = |stage: &StageMaps| -> usize {
            // A choice, and whether it counts.
            stage.heads.iter().map(|(probe, _)| 2 * probe.locations(n)).sum()
        };
        let hints = self.hint_decoders.as_ref().map_or(0, truths);
        let truths = (steps + 1) * hints + truths(&self.output_decoders);
        inputs + if keep { truths } else { 0 }
    }
}

impl StageMaps {
    /// About how many numbers the predictions of one sample at one step need.
    fn numbers(&self, n: usize, h: usize, keep: bool) -> usize {
        let square = n * n;
        let processed = self.processed.map_or(0, |slot| square * slot.cols);
        let heads = self.heads.iter().map(|(probe, head)| {
            let raw = size(probe, n);
            let kept = match head {
                // A mark of a byte for each channel of each candidate.
                Head::Pointer { .. } if keep => square * h / 4,
                Head::EdgePointer { .. } if keep => square * h,
                _ => 0,
            };
            3 * raw + kept
        });
        n * self.node.cols + processed / 4 + heads.sum::<usize>()
    }
}

/// What a node says to.
#[derive(Clone, Copy, Debug)]
pub(super) enum StepPart {
    Sender,
    Receiver,
    /// Its own next state, with what it says to the gate behind it.
    Skip,
    Triplet(usize),
}

/// Collects encoders.
struct Encoded<'a> {
    fold: Fold,
    algorithm: &'a str,
    h: usize,
    /// Columns so far, of nodes, edges and graphs.
    counts: [usize; 3],
    weights: [Vec<Id>; 3],
    biases: [Vec<Id>; 3],
}

impl<'a> Encoded<'a> {
    fn new(fold: Fold, algorithm: &'a str, h: usize) -> Self {
        let (weights, biases) = Default::default();
        Self { fold, algorithm, h, counts: [0; 3], weights, biases }
    }

    fn feeds(&mut self, probes: &[Probe]) -> Vec<Feed> {
        probes.iter().map(|probe| self.feed(probe)).collect()
    }

    fn feed(&mut self, probe: &Probe) -> Feed {
        let width = probe.channels();
        let (part, place): (usize, fn(usize) -> Place) =
            match (probe.location, probe.kind.is_pointer()) {
                (Location::Node, false) | (Location::Graph, true) => (0, Place::Node),
                (Location::Node, true) | (Location::Edge, false) => (1, Place::Edge),
                (Location::Edge, true) => (1, Place::EdgePointer),
                (Location::Graph, false) => (2, Place::Graph),
            };
        let at = self.counts[part];
        let layers: &[&str] = match place(at) {
            Place::EdgePointer(_) => &["encode_by_first", "encode_by_second"],
            _ => &["encode"],
        };
        let name = parameter_path(self.algorithm, probe);
        for layer in layers {
            self.weights[part].push(self.fold.weights(&format!("{name}.{layer}.weight")));
            self.biases[part].push(self.fold.weights(&format!("{name}.{layer}.bias")));
        }
        let width = width * layers.len();
        self.counts[part] += width;
        let links_above = match (probe.location, probe.kind) {
            (Location::Node, kind) if kind.is_pointer() => Some(0.5),
            (Location::Edge, Kind::Mask) => Some(0.0),
            _ => None,
        };
        Feed { probe: probe.clone(), place: place(at), width, links_above }
    }

    fn finish(mut self) -> Maps<'a> {
        let h = self.h;
        let [node, edge, graph] = [0, 1, 2].map(|part| {
            let map = self.fold.below(&self.weights[part], h);
            let biases = std::mem::take(&mut self.biases[part]);
            let bias =
                if biases.is_empty() { self.fold.zeros(1, h) } else { self.fold.sum(biases) };
            Encoder { map, bias }
        });
        let Self { fold, algorithm, .. } = self;
        Maps { fold, algorithm, h, node, edge, graph, dense: None }
    }
}

/// All encoders of a location as one.
#[derive(Clone, Copy)]
struct Encoder {
    map: Id,
    bias: Id,
}

/// Makes the maps of a task.
struct Maps<'a> {
    fold: Fold,
    algorithm: &'a str,
    h: usize,
    node: Encoder,
    edge: Encoder,
    graph: Encoder,
    /// The encoder of nodes as it is, once somebody has asked for it.
    dense: Option<[Slot; 2]>,
}

/// A linear map and what it adds.
#[derive(Clone, Copy)]
struct Affine {
    map: Id,
    bias: Id,
}

impl Maps<'_> {
    /// A layer after an encoder: from numbers. Only its first `h` inputs are encoded.
    fn after(&mut self, encoder: Encoder, layer: &str) -> Affine {
        let weight = self.fold.weight_rows(&format!("{layer}.weight"), 0..self.h);
        let own = self.fold.weights(&format!("{layer}.bias"));
        let encoded = self.fold.product(encoder.bias, weight);
        Affine {
            map: self.fold.product(encoder.map, weight),
            bias: self.fold.sum(vec![encoded, own]),
        }
    }

    /// A layer of encoded nodes and so many states: from the state after the step, if there are two,
    /// numbers, and the state before it, which comes last because first steps have none.
    fn of_nodes(&mut self, layer: &str, states: usize) -> Affine {
        let Affine { map, bias } = self.after(self.node, layer);
        let weight = format!("{layer}.weight");
        let before = self.fold.weight_rows(&weight, self.h..2 * self.h);
        let mut parts = vec![map, before];
        if states == 2 {
            parts.insert(0, self.fold.weight_rows(&weight, 2 * self.h..3 * self.h));
        }
        let cols = self.fold.shape(map).1;
        Affine { map: self.fold.below(&parts, cols), bias }
    }

    fn slot_of(&mut self, name: &str) -> Slot {
        let id = self.fold.weights(name);
        self.fold.slot(id)
    }

    fn step(&mut self, processor: PgnConfig, config: &Config) -> StepMaps {
        let layer = |name: &str| format!("processor.{name}");
        let mut sender = self.of_nodes(&layer("sender"), 1);
        let mut receiver = self.of_nodes(&layer("receiver"), 1);
        let mut edge = self.after(self.edge, &layer("edge"));
        let mut graph = self.after(self.graph, &layer("graph"));
        receiver.bias = self.fold.sum(vec![receiver.bias, sender.bias, edge.bias, graph.bias]);
        let [first, second] = [0, 1].map(|i| {
            [
                self.fold.weights(&layer(&format!("message.{i}.weight"))),
                self.fold.weights(&layer(&format!("message.{i}.bias"))),
            ]
        });
        let layers = if processor.linear {
            // Two layers without a rectifier are one, and one linear map after another is one.
            let both = self.fold.product(first[0], second[0]);
            for map in [&mut sender.map, &mut receiver.map, &mut edge.map, &mut graph.map] {
                *map = self.fold.product(*map, both);
            }
            let terms = vec![
                self.fold.product(receiver.bias, both),
                self.fold.product(first[1], second[0]),
                second[1],
            ];
            receiver.bias = self.fold.sum(terms);
            None
        } else {
            let channels_as_rows = self.fold.transpose(second[0]);
            Some([
                self.fold.slot_both_ways(first[0]),
                self.fold.slot(first[1]),
                self.fold.slot_both_ways(channels_as_rows),
                self.fold.slot(second[1]),
            ])
        };
        sender.bias = self.fold.zeros(1, self.h);

        let mut skip = self.of_nodes(&layer("skip"), 1);
        let own = self.fold.weights(&layer("inbox.bias"));
        skip.bias = self.fold.sum(vec![skip.bias, own]);
        let mut inbox = vec![self.fold.weights(&layer("inbox.weight"))];
        let mut columns = vec![sender, receiver, skip];
        let gate = processor.gated.then(|| {
            let mut skip = self.of_nodes(&layer("gate.skip"), 1);
            let own = self.fold.weights(&layer("gate.inbox.bias"));
            skip.bias = self.fold.sum(vec![skip.bias, own]);
            columns.push(skip);
            inbox.push(self.fold.weights(&layer("gate.inbox.weight")));
            let output = self.fold.weights(&layer("gate.output.weight"));
            [self.fold.slot_both_ways(output), self.slot_of(&layer("gate.output.bias"))]
        });
        let triplets = processor.triplets.then(|| {
            let layer = |name: &str| format!("processor.triplet.{name}");
            let ends = ["first", "second", "third"].map(|end| self.of_nodes(&layer(end), 1));
            let edges = ["first_second", "first_third", "second_third"]
                .map(|pair| self.after(self.edge, &layer(pair)));
            let graph = self.after(self.graph, &layer("graph"));
            let biases = ends.iter().chain(&edges).map(|affine| affine.bias);
            let bias = self.fold.sum(biases.chain([graph.bias]).collect());
            let none = self.fold.zeros(1, config.nb_triplet_fts);
            for (end, bias) in ends.into_iter().zip([none, bias, none]) {
                columns.push(Affine { bias, ..end });
            }
            let output = self.fold.weights(&layer("output.weight"));
            TripletMaps {
                edge: edges.map(|edge| self.fold.slot(edge.map)),
                graph: self.fold.slot(graph.map),
                output: self.fold.slot_both_ways(output),
                output_bias: self.slot_of(&layer("output.bias")),
            }
        });
        let [node, node_bias] = self.side_by_side(&columns, 1);
        let inbox = self.fold.beside(&inbox, self.h);
        let temperature = config.learn_temperature.then(|| {
            let log = self.fold.weights(&layer("log_temperature"));
            let temperature = self.fold.exp(log);
            self.fold.slot(temperature)
        });
        StepMaps {
            node,
            node_bias,
            edge: self.fold.slot(edge.map),
            graph: self.fold.slot(graph.map),
            layers,
            inbox: self.fold.slot_both_ways(inbox),
            norm: config
                .use_ln
                .then(|| ["norm.scale", "norm.offset"].map(|name| self.slot_of(&layer(name)))),
            gate,
            triplets,
            temperature,
        }
    }

    /// Maps of nodes and so many states as one, with their biases.
    fn side_by_side(&mut self, columns: &[Affine], states: usize) -> [Slot; 2] {
        let rows = self.fold.shape(self.node.map).0 + states * self.h;
        let maps: Vec<Id> = columns.iter().map(|affine| affine.map).collect();
        let biases: Vec<Id> = columns.iter().map(|affine| affine.bias).collect();
        let map = self.fold.beside_in_lines(&maps, rows);
        let bias = self.fold.beside_in_lines(&biases, 1);
        [self.fold.slot_both_ways(map), self.fold.slot(bias)]
    }

    fn stage(&mut self, probes: &[Probe], triplets: bool) -> StageMaps {
        let mut stage = StageBuilder { columns: vec![], width: 0, processed: vec![], pairs: 0 };
        let heads = probes
            .iter()
            .map(|probe| (probe.clone(), self.head(probe, triplets, &mut stage)))
            .collect();
        let [node, node_bias] = self.side_by_side(&stage.columns, 2);
        let reads_pairs = stage.pairs > 0;
        let processed = reads_pairs.then(|| {
            let all = self.fold.beside_in_lines(&stage.processed, self.h);
            self.fold.slot_both_ways(all)
        });
        StageMaps { node, node_bias, processed, heads }
    }

    fn head(&mut self, probe: &Probe, triplets: bool, stage: &mut StageBuilder) -> Head {
        let name = parameter_path(self.algorithm, probe);
        let layer = |layer: &str| format!("{name}.{layer}");
        let options = probe.channels();
        match (probe.location, probe.kind.is_pointer()) {
            (Location::Node, false) => {
                let value = self.of_nodes(&layer("decode"), 2);
                Head::Node { at: stage.column(self, value), options }
            }
            (Location::Node, true) => {
                let from = self.of_nodes(&layer("decode_from"), 2);
                let to = self.of_nodes(&layer("decode_to"), 2);
                let (edge, to) = self.edge(&layer("decode_edge"), to, triplets, stage);
                let [score, bias] = self.score(&layer("decode"));
                Head::Pointer {
                    from: stage.column(self, from),
                    to: stage.column(self, to),
                    edge,
                    score,
                    bias,
                }
            }
            (Location::Edge, false) => {
                let first = self.of_nodes(&layer("decode_first"), 2);
                let second = self.of_nodes(&layer("decode_second"), 2);
                let (edge, second) = self.edge(&layer("decode_edge"), second, triplets, stage);
                Head::Edge {
                    first: stage.column(self, first),
                    second: stage.column(self, second),
                    edge,
                    options,
                }
            }
            (Location::Edge, true) => {
                let first = self.of_nodes(&layer("decode_first"), 2);
                let second = self.of_nodes(&layer("decode_second"), 2);
                let to = self.of_nodes(&layer("decode_to"), 2);
                let (edge, second) = self.edge(&layer("decode_edge"), second, triplets, stage);
                let [score, bias] = self.score(&layer("decode"));
                Head::EdgePointer {
                    first: stage.column(self, first),
                    second: stage.column(self, second),
                    to: stage.column(self, to),
                    edge,
                    score,
                    bias,
                }
            }
            (Location::Graph, pointer) => {
                let to = pointer.then(|| {
                    let to = self.of_nodes(&layer("decode_to"), 2);
                    stage.column(self, to)
                });
                let graph = self.after(self.graph, &layer("decode_graph"));
                let own = self.fold.weights(&layer("decode_node.bias"));
                let bias = self.fold.sum(vec![graph.bias, own]);
                if self.dense.is_none() {
                    let Encoder { map, bias } = self.node;
                    self.dense = Some([map, bias].map(|id| self.fold.slot(id)));
                }
                Head::Graph {
                    node: self.slot_of(&layer("decode_node.weight")),
                    graph: self.fold.slot(graph.map),
                    bias: self.fold.slot(bias),
                    options,
                    to,
                }
            }
        }
    }

    /// The last layer of a pointer: a weight for each channel, and a bias.
    fn score(&mut self, layer: &str) -> [Slot; 2] {
        let weights = self.fold.weights(&format!("{layer}.weight"));
        let row = self.fold.transpose(weights);
        [self.fold.slot(row), self.slot_of(&format!("{layer}.bias"))]
    }

    /// A layer of what is known of pairs; its bias moves to `node`, which is added to it anyway.
    fn edge(
        &mut self,
        layer: &str,
        node: Affine,
        triplets: bool,
        stage: &mut StageBuilder,
    ) -> (EdgeMap, Affine) {
        let Affine { map, bias } = self.after(self.edge, layer);
        let node = Affine { bias: self.fold.sum(vec![node.bias, bias]), ..node };
        let processed = triplets.then(|| {
            let rows = self.h..2 * self.h;
            let id = self.fold.weight_rows(&format!("{layer}.weight"), rows);
            let at = stage.pairs;
            stage.pairs += self.fold.shape(id).1;
            stage.processed.push(id);
            at
        });
        (EdgeMap { map: self.fold.slot(map), processed }, node)
    }
}

/// The columns of a stage so far.
struct StageBuilder {
    columns: Vec<Affine>,
    width: usize,
    processed: Vec<Id>,
    pairs: usize,
}

impl StageBuilder {
    /// Adds columns and says where they begin.
    fn column(&mut self, maps: &Maps<'_>, affine: Affine) -> usize {
        let at = self.width;
        self.width += maps.fold.shape(affine.map).1;
        self.columns.push(affine);
        at
    }
}
