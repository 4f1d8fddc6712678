//! Strongly connected components, as pointers to a representative of each.

use super::Validity;
use super::paths::distances;
use crate::values::Grid;

/// Judges components, node by node. Any member may be the representative: the most frequent one in
/// the component counts.
pub fn components(graph: &Grid<f64>, id: &[usize]) -> Validity {
    let (n, lists) = (graph.nodes(), graph.adjacency_lists());
    let reached: Vec<_> = (0..n).map(|u| distances(&lists, u)).collect();
    let connected = |u: usize, v: usize| reached[u][v].is_some() && reached[v][u].is_some();
    let mut votes = vec![0; n];
    for v in (0..n).filter(|&v| connected(v, id[v])) {
        votes[id[v]] += 1;
    }
    let mut right = 0;
    let is_first = |u: &usize| !(0..*u).any(|v| connected(*u, v));
    for u in (0..n).filter(is_first) {
        right += (u..n).filter(|&v| connected(u, v)).map(|v| votes[v]).max().unwrap_or(0);
    }
    Validity { correct: right, total: n }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::strongly_connected_components::StronglyConnectedComponents;
    use crate::instance::graph::GraphInstance;
    use crate::trace::Traces;
    use crate::values::NodePointer;

    #[test]
    fn any_member_but_no_other_node_can_represent_its_component() {
        // A cycle of 0, 1 and 2, with an edge to a cycle of 3 and 4.
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3)];
        let weights = Grid::from_edges(5, &edges.map(|(u, v)| (u, v, 1.0)));
        let judge = |id: [usize; 5]| components(&weights, &id).correct;

        let graph = GraphInstance { weights: weights.clone(), source: 0 };
        let reference =
            Traces::of::<StronglyConnectedComponents>(graph).last::<NodePointer>("scc_id");
        assert_eq!(*reference, [0, 0, 0, 3, 3]);
        assert_eq!(judge([0, 0, 0, 3, 3]), 5);
        assert_eq!(judge([2, 2, 2, 4, 4]), 5);
        assert_eq!(judge([2, 2, 1, 4, 4]), 4, "one of three points to another member");
        assert_eq!(judge([3, 3, 3, 3, 3]), 2, "one representative for both components");
        assert_eq!(judge([3, 3, 3, 0, 0]), 0, "representatives from the other component");
        assert_eq!(judge([0, 1, 2, 3, 4]), 2, "every node is its own representative");
    }
}
