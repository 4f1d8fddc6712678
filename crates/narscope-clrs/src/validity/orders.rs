//! Orders of all nodes, as chains of pointers.

use super::Validity;
use crate::convert::order_of_chain;
use crate::values::{Grid, NodeMaskOne};

/// Judges a sorted order, as a whole.
pub fn sorted(keys: &[f64], pred: &[usize]) -> Validity {
    let ascending = |order: Vec<usize>| order.is_sorted_by(|&a, &b| keys[a] <= keys[b]);
    Validity::from_whole(order(pred).is_some_and(ascending))
}

/// Judges a topological order, as a whole.
pub fn topological_order(
    graph: &Grid<f64>,
    next: &[usize],
    NodeMaskOne(head): NodeMaskOne,
) -> Validity {
    // Each node points to its successor, so the chain starts at the last node.
    let is_topological = |backwards: Vec<usize>| {
        let mut rank = vec![0; backwards.len()];
        for (i, &node) in backwards.iter().enumerate() {
            rank[node] = backwards.len() - i;
        }
        backwards.last() == Some(&head) && graph.edges().all(|(u, v, _)| rank[u] < rank[v])
    };
    Validity::from_whole(order(next).is_some_and(is_topological))
}

/// The order encoded by a chain of pointers, starting at the node that points to itself; `None` if
/// the pointers are not a chain.
fn order(pointers: &[usize]) -> Option<Vec<usize>> {
    let pointers: Vec<u32> = pointers.iter().map(|&node| node as u32).collect();
    let order = order_of_chain(&pointers).ok()?;
    Some(order.into_iter().map(|node| node as usize).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy as _, prop_assert_eq, proptest};

    use super::*;
    use crate::algorithms::Algorithm as _;
    use crate::algorithms::insertion_sort::InsertionSort;
    use crate::algorithms::topological_sort::TopologicalSort;
    use crate::instance::graph::GraphInstance;
    use crate::instance::keys::Keys;
    use crate::trace::Traces;
    use crate::values::{NodeChain, NodePointer};

    #[test]
    fn only_equal_keys_may_be_in_any_order() {
        let keys = [2.0, 1.0, 2.0, 0.0];
        let reference = Traces::of::<InsertionSort>(Keys(keys.to_vec())).last::<NodeChain>("pred");
        let judge = |order: [usize; 4]| sorted(&keys, &NodeChain::chained(&order)).is_valid();
        assert_eq!(reference, NodeChain::chained(&[3, 1, 0, 2]));
        assert!(judge([3, 1, 0, 2]) && judge([3, 1, 2, 0]));
        assert!(!judge([1, 3, 0, 2]) && !judge([2, 0, 1, 3]));
    }

    #[test]
    fn pointers_that_are_not_one_chain_are_invalid() {
        let judge = |pred: [usize; 4]| sorted(&[1.0; 4], &pred).is_valid();
        assert!(judge([0, 0, 1, 2]));
        assert!(!judge([3, 0, 1, 2]), "a cycle");
        assert!(!judge([0, 0, 3, 2]), "a chain and a cycle");
        assert!(!judge([0, 0, 0, 2]), "a fork");
        assert!(!judge([0, 0, 2, 2]), "two chains");
    }

    #[test]
    fn every_topological_order_with_a_correct_head_is_valid() {
        // 0 and 1 come before 2, and 3 anywhere.
        let weights = Grid::from_edges(4, &[(0, 2, 1.0), (1, 2, 1.0)]);
        let judge = |order: [usize; 4], head| {
            let mut backwards = order;
            backwards.reverse();
            let next = NodePointer::chained(&backwards);
            topological_order(&weights, &next, NodeMaskOne(head)).is_valid()
        };
        let graph = GraphInstance { weights: weights.clone(), source: 0 };
        let NodeMaskOne(head) = Traces::of::<TopologicalSort>(graph).last("topo_head");
        assert_eq!(head, 3);
        assert!(judge([3, 1, 0, 2], 3) && judge([0, 1, 2, 3], 0) && judge([1, 3, 0, 2], 1));
        assert!(!judge([0, 2, 1, 3], 0), "the edge from 1 to 2 points backwards");
        assert!(!judge([0, 1, 2, 3], 1), "the head is another node");
    }

    proptest! {
        #[test]
        fn an_order_is_valid_if_no_edge_points_backwards(
            seed: u32, p in 0.1..0.6,
            order in Just((0..5).collect::<Vec<usize>>()).prop_shuffle(),
        ) {
            let graph = GraphInstance::drawn(&TopologicalSort::PARAMS, seed, 5, p).weights;
            let backwards: Vec<usize> = order.iter().rev().copied().collect();
            let next = NodePointer::chained(&backwards);
            let judged = topological_order(&graph, &next, NodeMaskOne(order[0])).is_valid();
            let later = |i: usize| &order[i + 1..];
            let wanted = (0..5).all(|i| later(i).iter().all(|&v| graph[(v, order[i])] == 0.0));
            prop_assert_eq!(judged, wanted, "{:?}", order);
        }
    }
}
