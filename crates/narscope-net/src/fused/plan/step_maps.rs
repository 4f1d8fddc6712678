//! Maps of a step of the processor.

use super::maps::{Affine, Maps};
use crate::config::Config;
use crate::fused::fold::Slot;
use crate::processor::PgnConfig;

/// The maps of a step of the processor.
#[derive(Debug)]
pub(in crate::fused) struct StepMaps {
    /// From the features and the state of a node to all linear maps of them, in columns: sender,
    /// receiver, skip connections of the next state and of the gate, triplets.
    pub(in crate::fused) node: Slot,
    pub(in crate::fused) node_bias: Slot,
    /// From the features of an edge to messages.
    pub(in crate::fused) edge: Slot,
    /// From the features of the graph to messages.
    pub(in crate::fused) graph: Slot,
    /// Message layers; a linear processor has none, as they compose with the maps before them.
    pub(in crate::fused) layers: Option<MessageLayers>,
    /// From aggregated messages to the next state and to the gate.
    pub(in crate::fused) inbox: Slot,
    pub(in crate::fused) norm: Option<[Slot; 2]>,
    /// The last layer of the gate and its bias.
    pub(in crate::fused) gate: Option<[Slot; 2]>,
    pub(in crate::fused) triplets: Option<TripletMaps>,
    pub(in crate::fused) temperature: Option<Slot>,
}

/// The two layers of messages.
#[derive(Clone, Copy, Debug)]
pub(in crate::fused) struct MessageLayers {
    pub(in crate::fused) weights: Slot,
    pub(in crate::fused) bias: Slot,
    /// Transposed: rows are output channels.
    pub(in crate::fused) second_weights: Slot,
    pub(in crate::fused) second_bias: Slot,
}

/// The maps of triplets.
#[derive(Debug)]
pub(in crate::fused) struct TripletMaps {
    pub(in crate::fused) edge: [Slot; 3],
    pub(in crate::fused) graph: Slot,
    pub(in crate::fused) output: Slot,
    pub(in crate::fused) output_bias: Slot,
}

impl Maps<'_> {
    /// Builds the maps of a step.
    pub(super) fn step(&mut self, processor: PgnConfig, config: &Config) -> StepMaps {
        let layer = |name: &str| format!("processor.{name}");
        let mut sender = self.of_nodes(&layer("sender"), 1);
        let mut receiver = self.of_nodes(&layer("receiver"), 1);
        let mut edge = self.after(self.edge, &layer("edge"));
        let mut graph = self.after(self.graph, &layer("graph"));
        receiver.bias = self.fold.sum(vec![receiver.bias, sender.bias, edge.bias, graph.bias]);
        let [first, second] = [0, 1].map(|i| Affine {
            map: self.fold.weights(&layer(&format!("message.{i}.weight"))),
            bias: self.fold.weights(&layer(&format!("message.{i}.bias"))),
        });
        let layers = if processor.linear {
            // Linear layers without a ReLU between them compose into one.
            let both = self.fold.product(first.map, second.map);
            for map in [&mut sender.map, &mut receiver.map, &mut edge.map, &mut graph.map] {
                *map = self.fold.product(*map, both);
            }
            let terms = vec![
                self.fold.product(receiver.bias, both),
                self.fold.product(first.bias, second.map),
                second.bias,
            ];
            receiver.bias = self.fold.sum(terms);
            None
        } else {
            let channels_as_rows = self.fold.transpose(second.map);
            Some(MessageLayers {
                weights: self.fold.slot_and_transpose(first.map),
                bias: self.fold.slot(first.bias),
                second_weights: self.fold.slot_and_transpose(channels_as_rows),
                second_bias: self.fold.slot(second.bias),
            })
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
            [self.fold.slot_and_transpose(output), self.slot_of(&layer("gate.output.bias"))]
        });
        let triplets =
            processor.triplets.then(|| self.triplets(config.nb_triplet_fts, &mut columns));
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
            inbox: self.fold.slot_and_transpose(inbox),
            norm: config
                .use_ln
                .then(|| ["norm.scale", "norm.offset"].map(|name| self.slot_of(&layer(name)))),
            gate,
            triplets,
            temperature,
        }
    }

    /// Builds the maps of triplets and appends those of nodes to `columns`.
    fn triplets(&mut self, channels: usize, columns: &mut Vec<Affine>) -> TripletMaps {
        let layer = |name: &str| format!("processor.triplet.{name}");
        let ends = ["first", "second", "third"].map(|end| self.of_nodes(&layer(end), 1));
        let edges = ["first_second", "first_third", "second_third"]
            .map(|pair| self.after(self.edge, &layer(pair)));
        let graph = self.after(self.graph, &layer("graph"));
        let biases = ends.iter().chain(&edges).map(|affine| affine.bias);
        let bias = self.fold.sum(biases.chain([graph.bias]).collect());
        let none = self.fold.zeros(1, channels);
        for (end, bias) in ends.into_iter().zip([none, bias, none]) {
            columns.push(Affine { bias, ..end });
        }
        let output = self.fold.weights(&layer("output.weight"));
        TripletMaps {
            edge: edges.map(|edge| self.fold.slot(edge.map)),
            graph: self.fold.slot(graph.map),
            output: self.fold.slot_and_transpose(output),
            output_bias: self.slot_of(&layer("output.bias")),
        }
    }
}
