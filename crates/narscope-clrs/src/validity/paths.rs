//! Shortest paths, as pointers to the node before.

use super::{Validity, at_most};
use crate::values::{AdjacencyLists, Grid, NodeMaskOne};

/// Judges shortest paths from one source, node by node.
pub fn shortest_paths(
    weights: &Grid<f64>,
    NodeMaskOne(source): NodeMaskOne,
    pi: &[usize],
) -> Validity {
    let distances = distances(&weights.adjacency_lists(), source);
    Validity::of_parts((0..weights.nodes()).map(|v| match distances[v] {
        Some(distance) if v != source => {
            Way::back(weights, source, v, pi).is_some_and(|way| way.is_no_longer_than(distance))
        }
        _ => pi[v] == v,
    }))
}

/// Judges shortest paths between all nodes, pair by pair.
pub fn all_shortest_paths(weights: &Grid<f64>, pi: &Grid<usize>) -> Validity {
    let (n, lists) = (weights.nodes(), weights.adjacency_lists());
    Validity::of_parts((0..n).flat_map(|i| {
        let (distances, pi) = (distances(&lists, i), pi.row(i));
        let judge = move |j| match distances[j] {
            Some(distance) if j != i => {
                Way::back(weights, i, j, pi).is_some_and(|way| way.is_no_longer_than(distance))
            }
            // The reference leaves a node for the sake of a way round only if it has a self loop.
            Some(_) if pi[i] != i && weights[(i, i)] != 0.0 => {
                let rounds = (0..n).filter(|&u| weights[(u, i)] != 0.0);
                let shortest = rounds.filter_map(|u| Some(distances[u]? + weights[(u, i)]));
                let shortest = shortest.min_by(f64::total_cmp).expect("there is the self loop");
                let way = Way::back(weights, i, pi[i], pi);
                let round = way.and_then(|way| way.and(weights[(pi[i], i)]));
                round.is_some_and(|round| round.is_no_longer_than(shortest))
            }
            _ => pi[j] == i,
        };
        (0..n).map(judge)
    }))
}

/// A way along edges.
pub(super) struct Way {
    length: f64,
    /// What the weights add up to without their signs: what rounding errors are measured by.
    scale: f64,
}

impl Way {
    /// The way from `v` back to `source` along the pointers, if they lead there.
    pub(super) fn back(
        weights: &Grid<f64>,
        source: usize,
        mut v: usize,
        pi: &[usize],
    ) -> Option<Self> {
        let mut way = Self { length: 0.0, scale: 0.0 };
        // Who has seen as many nodes as there are goes round in circles.
        for _ in 0..weights.nodes() {
            if v == source {
                return Some(way);
            }
            way = way.and(weights[(pi[v], v)])?;
            v = pi[v];
        }
        None
    }

    /// The same with one edge more, if it is one.
    fn and(self, weight: f64) -> Option<Self> {
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
    // So many rounds settle all paths, unless a cycle is negative.
    for _ in 0..lists.nodes() {
        let mut settled = true;
        for u in 0..lists.nodes() {
            let Some(distance) = distances[u] else { continue };
            for (v, weight) in lists.neighbours(u) {
                let offer = distance + weight;
                if distances[v].is_none_or(|best| offer < best) {
                    distances[v] = Some(offer);
                    settled = false;
                }
            }
        }
        if settled {
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

    /// 0 to 3 over 1 or 2 is 0.3 long either way, but one sum rounds up. 4 is out of reach.
    fn diamond() -> GraphInstance {
        let edges = [(0, 1, 0.1), (1, 3, 0.2), (0, 2, 0.3 - 0.2), (2, 3, 0.2), (0, 3, 0.4)];
        GraphInstance::undirected(5, &edges)
    }

    fn judge(pi: [usize; 5]) -> Validity {
        shortest_paths(&diamond().weights, NodeMaskOne(0), &pi)
    }

    #[test]
    fn either_of_two_equally_short_paths_is_right() {
        let reference = Traces::of::<Dijkstra>(diamond()).last::<NodePointer>("pi");
        let (one, other) = ([0, 0, 0, 1, 4], [0, 0, 0, 2, 4]);
        assert!(judge(one).whole() && judge(other).whole());
        assert!(*reference == one || *reference == other);
    }

    #[test]
    fn a_detour_a_gap_and_a_circle_are_wrong_for_all_nodes_behind_them() {
        let wrong = |pi, right| assert_eq!(judge(pi), Validity { right, of: 5 }, "{pi:?}");
        // An edge, but a longer one.
        wrong([0, 0, 0, 0, 4], 4);
        // 1 and 2 are not joined, and 3 is behind 2.
        wrong([0, 0, 1, 2, 4], 3);
        // 1 and 3 follow each other.
        wrong([0, 3, 0, 1, 4], 3);
        // Nothing leads to the source if it points away from itself; paths that reach it do.
        wrong([1, 0, 0, 1, 4], 4);
        // A node that can be reached is given up, one that cannot is not.
        wrong([0, 0, 0, 3, 0], 3);
    }

    #[test]
    fn negative_weights_and_self_loops_may_not_be_walked_in_circles() {
        // 1 and 2 are 0 apart both ways, so that the circle is as long as the path without it.
        let edges = [(0, 1, 1.0), (1, 2, -1.0), (2, 1, 1.0), (1, 1, 0.5)];
        let weights = Grid::from_edges(3, &edges);
        let judge = |pi: [usize; 3]| shortest_paths(&weights, NodeMaskOne(0), &pi);
        assert!(judge([0, 0, 1]).whole());
        assert_eq!(judge([0, 2, 1]).right, 1);
        assert_eq!(judge([0, 1, 1]).right, 1);
    }

    #[test]
    fn tolerance_grows_and_shrinks_with_the_weights() {
        for scale in [1e-12, 1.0, 1e12] {
            let edges = [(0, 1, 0.5), (1, 2, 0.5), (0, 2, 1.0001)];
            let edges = edges.map(|(u, v, weight)| (u, v, scale * weight));
            let weights = Grid::from_edges(3, &edges);
            let judge = |pi: [usize; 3]| shortest_paths(&weights, NodeMaskOne(0), &pi).right;
            assert_eq!((judge([0, 0, 1]), judge([0, 0, 0])), (3, 2), "times {scale}");
        }
    }

    #[test]
    fn every_row_of_all_pairs_is_a_tree_of_its_own() {
        let graph = diamond();
        let mut pi = Traces::of::<FloydWarshall>(graph.clone()).last::<EdgePointer>("Pi");
        let whole = Validity { right: 25, of: 25 };
        assert_eq!(all_shortest_paths(&graph.weights, &pi), whole);
        pi[(0, 3)] = 3 - pi[(0, 3)];
        assert_eq!(all_shortest_paths(&graph.weights, &pi), whole, "the other path");
        pi[(0, 3)] = 0;
        assert_eq!(all_shortest_paths(&graph.weights, &pi).right, 24, "the detour");
        pi[(0, 3)] = 1;
        pi[(0, 1)] = 3;
        assert_eq!(all_shortest_paths(&graph.weights, &pi).right, 23, "a circle");
        pi[(0, 1)] = 0;
        pi[(0, 4)] = 4;
        assert_eq!(all_shortest_paths(&graph.weights, &pi).right, 24, "nobody leads there");
    }

    #[test]
    fn from_a_node_to_itself_one_stays_or_takes_a_shortest_way_round_if_it_has_a_self_loop() {
        let loops = [(0, 0, 5.0), (0, 1, 1.0), (1, 0, 1.0), (0, 2, 2.0), (2, 0, 2.0)];
        let weights = Grid::from_edges(3, &loops);
        let graph = GraphInstance { weights: weights.clone(), source: 0 };
        let mut pi = Traces::of::<FloydWarshall>(graph).last::<EdgePointer>("Pi");
        let mut judge = |cell, u| {
            let old = std::mem::replace(&mut pi[cell], u);
            let whole = all_shortest_paths(&weights, &pi).whole();
            pi[cell] = old;
            whole
        };
        // The reference goes over 1; 2 is farther.
        assert_eq!([0, 1, 2].map(|u| judge((0, 0), u)), [true, true, false]);
        // 1 has no self loop.
        assert_eq!([0, 1, 2].map(|u| judge((1, 1), u)), [false, true, false]);
    }
}
