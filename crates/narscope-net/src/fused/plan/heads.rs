//! Decoders of a stage: the maps and the head of each probe.

use narscope_clrs::probe::{Location, Probe};

use super::maps::{Affine, Encoder, Maps};
use crate::fused::fold::{Id, Slot};
use crate::weights::parameter_path;

/// The decoders of a stage.
#[derive(Debug)]
pub(in crate::fused) struct StageMaps {
    /// From both states and the features of a node to all linear maps of them.
    pub(in crate::fused) node: Slot,
    pub(in crate::fused) node_bias: Slot,
    /// From edge states to all linear maps of them, if a decoder reads them.
    pub(in crate::fused) edge_states: Option<Slot>,
    pub(in crate::fused) heads: Vec<(Probe, Head)>,
}

/// The decoder of a probe; columns are those of the stage's node map.
#[derive(Clone, Copy, Debug)]
pub(in crate::fused) enum Head {
    /// Values of nodes.
    Node { at: usize, options: usize },
    /// A pointer of nodes.
    Pointer { from: usize, to: usize, edge: EdgeMap, score: Slot, bias: Slot },
    /// Values of pairs.
    Edge { first: usize, second: usize, edge: EdgeMap, options: usize },
    /// A pointer of pairs.
    EdgePointer { first: usize, second: usize, to: usize, edge: EdgeMap, score: Slot, bias: Slot },
    /// Values of the graph, or a pointer of it if `to` is given.
    Graph { node: Slot, graph: Slot, bias: Slot, options: usize, to: Option<usize> },
}

/// Linear maps of pairs.
#[derive(Clone, Copy, Debug)]
pub(in crate::fused) struct EdgeMap {
    /// From the features of an edge.
    pub(in crate::fused) map: Slot,
    /// First column of the map of edge states.
    pub(in crate::fused) edge_states: Option<usize>,
}

impl Maps<'_> {
    /// Builds the decoders of a stage.
    pub(super) fn stage(&mut self, probes: &[Probe], triplets: bool) -> StageMaps {
        let mut stage = StageBuilder { columns: vec![], width: 0, edge_states: vec![], pairs: 0 };
        let heads = probes
            .iter()
            .map(|probe| (probe.clone(), self.head(probe, triplets, &mut stage)))
            .collect();
        let [node, node_bias] = self.side_by_side(&stage.columns, 2);
        let reads_pairs = stage.pairs > 0;
        let edge_states = reads_pairs.then(|| {
            let all = self.fold.beside_in_lines(&stage.edge_states, self.h);
            self.fold.slot_and_transpose(all)
        });
        StageMaps { node, node_bias, edge_states, heads }
    }

    /// Builds the decoder of a probe.
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

    /// A layer of pairs; its bias moves to `node`, which is added to it anyway.
    fn edge(
        &mut self,
        layer: &str,
        node: Affine,
        triplets: bool,
        stage: &mut StageBuilder,
    ) -> (EdgeMap, Affine) {
        let Affine { map, bias } = self.after(self.edge, layer);
        let node = Affine { bias: self.fold.sum(vec![node.bias, bias]), ..node };
        let edge_states = triplets.then(|| {
            let rows = self.h..2 * self.h;
            let id = self.fold.weight_rows(&format!("{layer}.weight"), rows);
            let at = stage.pairs;
            stage.pairs += self.fold.shape(id).1;
            stage.edge_states.push(id);
            at
        });
        (EdgeMap { map: self.fold.slot(map), edge_states }, node)
    }
}

/// Columns of a stage, as they are added.
struct StageBuilder {
    columns: Vec<Affine>,
    width: usize,
    edge_states: Vec<Id>,
    pairs: usize,
}

impl StageBuilder {
    /// Appends columns and returns the first.
    fn column(&mut self, maps: &Maps<'_>, affine: Affine) -> usize {
        let at = self.width;
        self.width += maps.fold.shape(affine.map).1;
        self.columns.push(affine);
        at
    }
}
