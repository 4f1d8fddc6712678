//! Strongly connected components, as pointers to the node that stands for each.

use super::Validity;
use super::paths::distances;
use crate::values::Grid;

/// Judges the components, node by node. It is for the component to choose who stands for it.
pub fn components(graph: &Grid<f64>, id: &[usize]) -> Validity {
    let (n, lists) = (graph.nodes(), graph.adjacency_lists());
    let reached: Vec<_> = (0..n).map(|u| distances(&lists, u)).collect();
    let together = |u: usize, v: usize| reached[u][v].is_some() && reached[v][u].is_some();
    let mut votes = vec![0; n];
    for v in (0..n).filter(|&v| together(v, id[v])) {
        votes[id[v]] += 1;
    }
    let mut right = 0;
    let is_first = |u: &usize| !(0..*u).any(|v| together(*u, v));
    for u in (0..n).filter(is_first) {
        right += (u..n).filter(|&v| together(u, v)).map(|v| votes[v]).max().unwrap_or(0);
    }
    Validity { right, of: n }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::strongly_connected_components::StronglyConnectedComponents;
    use crate::instance::graph::GraphInstance;
    use crate::trace::Traces;
    use crate::values::NodePointer;

    #[test]
    fn any_member_can_stand_for_its_component_and_nobody_else() {
        // 0, 1 and 2 go round, and lead to 3 and 4, who go to and fro.
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3)];
        let weights = Grid::from_edges(5, &edges.map(|(u, v)| (u, v, 1.0)));
        let judge = |id: [usize; 5]| components(&weights, &id).right;

        let graph = GraphInstance { weights: weights.clone(), source: 0 };
        let reference =
            Traces::of::<StronglyConnectedComponents>(graph).last::<NodePointer>("scc_id");
        assert_eq!(*reference, [0, 0, 0, 3, 3]);
        assert_eq!(judge([0, 0, 0, 3, 3]), 5);
        assert_eq!(judge([2, 2, 2, 4, 4]), 5);
        assert_eq!(judge([2, 2, 1, 4, 4]), 4, "one of three disagrees");
        assert_eq!(judge([3, 3, 3, 3, 3]), 2, "one name for both");
        assert_eq!(judge([3, 3, 3, 0, 0]), 0, "names of others");
        assert_eq!(judge([0, 1, 2, 3, 4]), 2, "everybody for themselves");
    }
}
