//! Feeds: how probes are written into features, and the encoders of these features.

use narscope_clrs::probe::{Location, Probe};

use super::maps::{Encoder, Maps};
use crate::fused::fold::{Fold, Id};
use crate::weights::parameter_path;

/// Features that hold the values of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::fused) enum FeatureColumns {
    /// Features of nodes, from this column on.
    Node(usize),
    /// Features of edges, from this column on.
    Edge(usize),
    /// A pointer of pairs: two features of edges.
    EdgePointer(usize),
    /// Features of the graph, from this column on.
    Graph(usize),
}

/// A probe that is fed to the network.
#[derive(Clone, Debug)]
pub(in crate::fused) struct Feed {
    pub(in crate::fused) probe: Probe,
    pub(in crate::fused) columns: FeatureColumns,
    /// Number of columns.
    pub(in crate::fused) width: usize,
    /// Nodes are linked if the sum of its values in both directions exceeds this.
    pub(in crate::fused) link_threshold: Option<f32>,
}

/// Number of features, and how many of them are inputs; hints follow.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::fused) struct Columns {
    pub(in crate::fused) count: usize,
    pub(in crate::fused) given: usize,
}

/// Collects encoders.
pub(super) struct Encoded<'a> {
    fold: Fold,
    algorithm: &'a str,
    h: usize,
    /// Numbers of columns of nodes, edges and graphs so far.
    pub(super) counts: [usize; 3],
    weights: [Vec<Id>; 3],
    biases: [Vec<Id>; 3],
}

impl<'a> Encoded<'a> {
    pub(super) fn new(fold: Fold, algorithm: &'a str, h: usize) -> Self {
        let (weights, biases) = Default::default();
        Self { fold, algorithm, h, counts: [0; 3], weights, biases }
    }

    pub(super) fn feeds(&mut self, probes: &[Probe]) -> Vec<Feed> {
        probes.iter().map(|probe| self.feed(probe)).collect()
    }

    fn feed(&mut self, probe: &Probe) -> Feed {
        let width = probe.channels();
        let (part, columns): (usize, fn(usize) -> FeatureColumns) =
            match (probe.location, probe.kind.is_pointer()) {
                (Location::Node, false) | (Location::Graph, true) => (0, FeatureColumns::Node),
                (Location::Node, true) | (Location::Edge, false) => (1, FeatureColumns::Edge),
                (Location::Edge, true) => (1, FeatureColumns::EdgePointer),
                (Location::Graph, false) => (2, FeatureColumns::Graph),
            };
        let at = self.counts[part];
        let layers: &[&str] = match columns(at) {
            FeatureColumns::EdgePointer(_) => &["encode_by_first", "encode_by_second"],
            _ => &["encode"],
        };
        let name = parameter_path(self.algorithm, probe);
        for layer in layers {
            self.weights[part].push(self.fold.weights(&format!("{name}.{layer}.weight")));
            self.biases[part].push(self.fold.weights(&format!("{name}.{layer}.bias")));
        }
        let width = width * layers.len();
        self.counts[part] += width;
        let adds_edges = probe.kind.info().adds_edges;
        let adds_edges = adds_edges.filter(|(location, _)| *location == probe.location);
        let link_threshold = adds_edges.map(|(_, threshold)| threshold);
        Feed { probe: probe.clone(), columns: columns(at), width, link_threshold }
    }

    pub(super) fn finish(mut self) -> Maps<'a> {
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
