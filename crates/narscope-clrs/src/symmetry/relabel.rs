//! Relabelling: permutes the nodes of the graph and of the answer.

use super::Symmetry;
use crate::graph::GraphInstance;

pub(super) const SYMMETRY: Symmetry = Symmetry {
    name: "relabel",
    summary: "permutes the nodes, with their weights and the source",
    changes_weights: false,
    option: None,
    base_range: |_| Ok(None),
    image: |graph, rng, _| Ok(relabelled(graph, &rng.permutation(graph.weights.nodes()))),
};

/// The graph in which node `i` is the old node `order[i]`.
#[must_use]
pub fn relabelled(graph: &GraphInstance, order: &[usize]) -> GraphInstance {
    let source = order.iter().position(|&old| old == graph.source);
    GraphInstance {
        weights: graph.weights.reordered(order),
        source: source.expect("a permutation contains every node"),
    }
}
