//! Shortest paths, as predecessor pointers.

use super::{Validity, at_most};
use crate::values::{AdjacencyLists, Grid, NodeMaskOne};

/// Judges shortest paths from one source, node by node.
pub fn shortest_paths(
    weights: &Grid<f64>,
    NodeMaskOne(source): NodeMaskOne,
    pi: &[usize],
) -> Validity {
    let distances = distances(&weights.adjacency_lists(), source);
    Validity::from_parts((0..weights.nodes()).map(|v| {
        match distances[v] {
            Some(distance) if v != source => Path::trace_back(weights, source, v, pi)
                .is_some_and(|path| path.is_no_longer_than(distance)),
            _ => pi[v] == v,
        }
    }))
}

/// Judges shortest paths between all nodes, pair by pair.
pub fn all_shortest_paths(weights: &Grid<f64>, pi: &Grid<usize>) -> Validity {
    let (n, lists) = (weights.nodes(), weights.adjacency_lists());
    Validity::from_parts((0..n).flat_map(|i| {
        let (distances, pi) = (distances(&lists, i), pi.row(i));
        let judge = move |j| match distances[j] {
            Some(distance) if j != i => Path::trace_back(weights, i, j, pi)
                .is_some_and(|path| path.is_no_longer_than(distance)),
            // The reference has a cycle as the path from a node to itself only if it has a self
            // loop.
            Some(_) if pi[i] != i && weights[(i, i)] != 0.0 => {
                let predecessors = (0..n).filter(|&u| weights[(u, i)] != 0.0);
                let cycles = predecessors.filter_map(|u| Some(distances[u]? + weights[(u, i)]));
                let shortest = cycles.min_by(f64::total_cmp).expect("the self loop is a cycle");
                let path = Path::trace_back(weights, i, pi[i], pi);
                let cycle = path.and_then(|path| path.extended(weights[(pi[i], i)]));
                cycle.is_some_and(|cycle| cycle.is_no_longer_than(shortest))
            }
            _ => pi[j] == i,
        };
        (0..n).map(judge)
    }))
}

/// A path along edges.
pub(super) struct Path {
    length: f64,
    /// The sum of the absolute weights, the scale of rounding errors.
    scale: f64,
}

impl Path {
    /// The path from `source` to `v`, traced back along the pointers; `None` if they do not lead to
    /// `source` along edges.
    pub(super) fn trace_back(
        weights: &Grid<f64>,
        source: usize,
        mut v: usize,
        pi: &[usize],
    ) -> Option<Self> {
        let mut path = Self { length: 0.0, scale: 0.0 };
        // After |V| nodes without the source, the pointers form a cycle.
        for _ in 0..weights.nodes() {
            if v == source {
                return Some(path);
            }
            path = path.extended(weights[(pi[v], v)])?;
            v = pi[v];
        }
        None
    }

    /// The path with one more edge; `None` if the weight is 0, which means no edge.
    fn extended(self, weight: f64) -> Option<Self> {
        let Self { length, scale } = self;
        (weight != 0.0).then(|| Self { length: length + weight, scale: scale + weight.abs() })
    }

    fn is_no_longer_than(&self, distance: f64) -> bool {
        at_most(self.length, distance, self.scale)
    }
}

/// The length of the shortest path from `source` to each node that it reaches.
pub(super) fn distances(lists: &AdjacencyLists, source: usize) -> Vec<Option<f64>> {
    let mut distances = vec![None; lists.nodes()];
    distances[source] = Some(0.0);
    // |V| rounds find all shortest paths, unless a cycle is negative.
    for _ in 0..lists.nodes() {
        let mut converged = true;
        for u in 0..lists.nodes() {
            let Some(distance) = distances[u] else { continue };
            for (v, weight) in lists.neighbours(u) {
                let candidate = distance + weight;
                if distances[v].is_none_or(|best| candidate < best) {
                    distances[v] = Some(candidate);
                    converged = false;
                }
            }
        }
        if converged {
            break;
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::dijkstra::Dijkstra;
    use crate::algorithms::floyd_warshall::FloydWarshall;
    use crate::instance::graph::GraphInstance;
    use crate::trace::Traces;
    use crate::values::{EdgePointer, NodePointer};

    /// The paths from 0 to 3 through 1 and 2 both have length 0.3, but one sum rounds up. Node 4 is
    /// unreachable.
    fn diamond() -> GraphInstance {
        let edges = [(0, 1, 0.1), (1, 3, 0.2), (0, 2, 0.3 - 0.2), (2, 3, 0.2), (0, 3, 0.4)];
        GraphInstance::undirected(5, &edges)
    }

    fn judge(pi: [usize; 5]) -> Validity {
        shortest_paths(&diamond().weights, NodeMaskOne(0), &pi)
    }

    #[test]
    fn both_of_two_equally_short_paths_are_valid() {
        let reference = Traces::of::<Dijkstra>(diamond()).last::<NodePointer>("pi");
        let (one, other) = ([0, 0, 0, 1, 4], [0, 0, 0, 2, 4]);
        assert!(judge(one).is_valid() && judge(other).is_valid());
        assert!(*reference == one || *reference == other);
    }

    #[test]
    fn a_detour_a_missing_edge_and_a_cycle_invalidate_all_nodes_after_them() {
        let wrong =
            |pi, right| assert_eq!(judge(pi), Validity { correct: right, total: 5 }, "{pi:?}");
        // 3 points to 0 by an edge that is longer than the path.
        wrong([0, 0, 0, 0, 4], 4);
        // There is no edge from 1 to 2, and 3 comes after 2.
        wrong([0, 0, 1, 2, 4], 3);
        // 1 and 3 point to each other.
        wrong([0, 3, 0, 1, 4], 3);
        // The source must point to itself; the paths from it are not affected.
        wrong([1, 0, 0, 1, 4], 4);
        // A reachable node points to itself, and the unreachable one does not.
        wrong([0, 0, 0, 3, 0], 3);
    }

    #[test]
    fn cycles_of_length_zero_and_self_loops_are_invalid() {
        // The cycle of 1 and 2 has length 0, so a path through it is as long as one without it.
        let edges = [(0, 1, 1.0), (1, 2, -1.0), (2, 1, 1.0), (1, 1, 0.5)];
        let weights = Grid::from_edges(3, &edges);
        let judge = |pi: [usize; 3]| shortest_paths(&weights, NodeMaskOne(0), &pi);
        assert!(judge([0, 0, 1]).is_valid());
        assert_eq!(judge([0, 2, 1]).correct, 1);
        assert_eq!(judge([0, 1, 1]).correct, 1);
    }

    #[test]
    fn the_tolerance_is_relative_to_the_weights() {
        for scale in [1e-12, 1.0, 1e12] {
            let edges = [(0, 1, 0.5), (1, 2, 0.5), (0, 2, 1.0001)];
            let edges = edges.map(|(u, v, weight)| (u, v, scale * weight));
            let weights = Grid::from_edges(3, &edges);
            let judge = |pi: [usize; 3]| shortest_paths(&weights, NodeMaskOne(0), &pi).correct;
            assert_eq!((judge([0, 0, 1]), judge([0, 0, 0])), (3, 2), "times {scale}");
        }
    }

    #[test]
    fn every_row_of_all_pairs_is_judged_as_a_separate_tree() {
        let graph = diamond();
        let mut pi = Traces::of::<FloydWarshall>(graph.clone()).last::<EdgePointer>("Pi");
        let whole = Validity { correct: 25, total: 25 };
        assert_eq!(all_shortest_paths(&graph.weights, &pi), whole);
        pi[(0, 3)] = 3 - pi[(0, 3)];
        assert_eq!(all_shortest_paths(&graph.weights, &pi), whole, "the other path");
        pi[(0, 3)] = 0;
        assert_eq!(all_shortest_paths(&graph.weights, &pi).correct, 24, "the detour");
        pi[(0, 3)] = 1;
        pi[(0, 1)] = 3;
        assert_eq!(all_shortest_paths(&graph.weights, &pi).correct, 23, "a cycle");
        pi[(0, 1)] = 0;
        pi[(0, 4)] = 4;
        assert_eq!(all_shortest_paths(&graph.weights, &pi).correct, 24, "node 4 is unreachable");
    }

    #[test]
    fn the_path_from_a_node_to_itself_is_empty_or_a_shortest_cycle_if_it_has_a_self_loop() {
        let loops = [(0, 0, 5.0), (0, 1, 1.0), (1, 0, 1.0), (0, 2, 2.0), (2, 0, 2.0)];
        let weights = Grid::from_edges(3, &loops);
        let graph = GraphInstance { weights: weights.clone(), source: 0 };
        let mut pi = Traces::of::<FloydWarshall>(graph).last::<EdgePointer>("Pi");
        let mut judge = |cell, u| {
            let old = std::mem::replace(&mut pi[cell], u);
            let whole = all_shortest_paths(&weights, &pi).is_valid();
            pi[cell] = old;
            whole
        };
        // The reference's cycle is through 1; the one through 2 is longer.
        assert_eq!([0, 1, 2].map(|u| judge((0, 0), u)), [true, true, false]);
        // 1 has no self loop.
        assert_eq!([0, 1, 2].map(|u| judge((1, 1), u)), [false, true, false]);
    }
}
