//! New names for the nodes: the answer gets new names too, and nothing else changes.

use super::Symmetry;
use crate::graph::GraphInstance;

pub(super) const SYMMETRY: Symmetry = Symmetry {
    name: "relabel",
    summary: "permutes the nodes, weights and source together",
    changes_weights: false,
    option: None,
    base_range: |_| Ok(None),
    image: |graph, rng, _| Ok(relabelled(graph, &rng.permutation(graph.weights.nodes()))),
};

/// The graph in which node `i` is what `order[i]` was.
#[must_use]
pub fn relabelled(graph: &GraphInstance, order: &[usize]) -> GraphInstance {
    let source = order.iter().position(|&old| old == graph.source);
    GraphInstance {
        weights: graph.weights.reordered(order),
        source: source.expect("a permutation has every node"),
    }
}
