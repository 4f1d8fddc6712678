//! Minimum spanning trees, as predecessor pointers and as edge masks.

use super::Validity;
use super::paths::{Path, distances};
use crate::values::{Grid, NodeMaskOne};

/// Judges a minimum spanning tree of the source's component, node by node; `None` for directed
/// graphs.
pub fn spanning_tree(
    weights: &Grid<f64>,
    NodeMaskOne(source): NodeMaskOne,
    pi: &[usize],
) -> Option<Validity> {
    if weights.edges().any(|(u, v, weight)| weights[(v, u)] != weight) {
        return None;
    }
    let tree = nearest(weights, |u, v| usize::from(pi[u] == v || pi[v] == u));
    let tree = Grid::from_fn(weights.nodes(), |u, v| f64::from(u8::from(tree[(u, v)])));
    let reached = distances(&tree.adjacency_lists(), source);
    Some(Validity::from_parts((0..weights.nodes()).map(|v| {
        if v == source || reached[v].is_none() {
            pi[v] == v
        } else {
            Path::trace_back(&tree, source, v, pi).is_some()
        }
    })))
}

/// Judges a minimum spanning forest of an undirected graph. The parts are the pairs that are marked
/// or should be.
pub fn spanning_forest(weights: &Grid<f64>, marked: &Grid<bool>) -> Validity {
    let votes = |u, v| usize::from(marked[(u, v)]) + usize::from(marked[(v, u)]);
    let forest = nearest(weights, votes);
    let pairs = marked.cells().iter().zip(forest.cells());
    let parts = pairs.filter(|&(&marked, &wanted)| marked || wanted);
    Validity::from_parts(parts.map(|(marked, wanted)| marked == wanted))
}

/// The minimum spanning forest with the most votes for its edges: Kruskal's algorithm, with ties
/// broken by votes.
fn nearest(weights: &Grid<f64>, votes: impl Fn(usize, usize) -> usize) -> Grid<bool> {
    let mut edges: Vec<_> = weights.edges().filter(|&(u, v, _)| u < v).collect();
    edges.sort_by(|&(u, v, a), &(x, y, b)| a.total_cmp(&b).then(votes(x, y).cmp(&votes(u, v))));
    let mut tree_of: Vec<usize> = (0..weights.nodes()).collect();
    let mut forest = Grid::filled(weights.nodes(), false);
    for (u, v, _) in edges {
        let (one, other) = (tree_of[u], tree_of[v]);
        if one != other {
            (forest[(u, v)], forest[(v, u)]) = (true, true);
            for tree in tree_of.iter_mut().filter(|tree| **tree == other) {
                *tree = one;
            }
        }
    }
    forest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::algorithms::mst_kruskal::MstKruskal;
    use crate::algorithms::mst_prim::MstPrim;
    use crate::instance::graph::GraphInstance;
    use crate::trace::Traces;
    use crate::values::{EdgeMask, NodePointer};

    /// A square with sides of weight 1 and a heavy diagonal from 0 to 2, and an isolated node.
    fn square() -> GraphInstance {
        let edges = [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 0, 1.0), (0, 2, 5.0)];
        GraphInstance::undirected(5, &edges)
    }

    fn judge_tree(pi: [usize; 5]) -> Validity {
        spanning_tree(&square().weights, NodeMaskOne(0), &pi).unwrap()
    }

    fn judge_forest(edges: &[(usize, usize)]) -> Validity {
        let edges = edges.iter().flat_map(|&(u, v)| [(u, v), (v, u)]);
        let mut marked = Grid::filled(5, false);
        edges.for_each(|pair| marked[pair] = true);
        spanning_forest(&square().weights, &marked)
    }

    #[test]
    fn any_three_sides_of_a_square_are_valid() {
        let reference = Traces::of::<MstPrim>(square()).last::<NodePointer>("pi");
        let others = [[0, 0, 1, 0, 4], [0, 0, 3, 0, 4], [0, 0, 1, 2, 4], [0, 2, 3, 0, 4]];
        assert!(others.iter().all(|&pi| judge_tree(pi).is_valid()));
        assert_eq!(others.iter().filter(|&pi| *reference == *pi).count(), 1);

        let reference = Traces::of::<MstKruskal>(square()).last::<EdgeMask>("in_mst");
        assert!(!reference[(3, 0)] || !reference[(2, 3)], "one of them is left out");
        assert!(judge_forest(&[(1, 2), (2, 3), (3, 0)]).is_valid());
        assert!(judge_forest(&[(0, 1), (2, 3), (3, 0)]).is_valid());
    }

    #[test]
    fn a_heavy_edge_a_cycle_and_a_missing_edge_are_invalid() {
        let wrong =
            |pi, right| assert_eq!(judge_tree(pi), Validity { correct: right, total: 5 }, "{pi:?}");
        // 2 is attached by the diagonal, and 3 to 2.
        wrong([0, 0, 0, 2, 4], 3);
        // 2 and 3 point to each other.
        wrong([0, 0, 3, 2, 4], 3);
        // There is no edge from 1 to 3.
        wrong([0, 3, 1, 0, 4], 3);
        // 4 is isolated.
        wrong([0, 0, 1, 0, 0], 4);
    }

    #[test]
    fn extra_and_missing_edges_are_separate_parts() {
        let judged = |edges: &[_]| (judge_forest(edges).correct, judge_forest(edges).total);
        assert_eq!(judged(&[(0, 1), (1, 2)]), (4, 6));
        assert_eq!(judged(&[(0, 1), (1, 2), (2, 3), (3, 0)]), (6, 8));
        assert_eq!(judged(&[(0, 1), (1, 2), (0, 2)]), (4, 8));
        assert_eq!(judged(&[(0, 1), (1, 2), (2, 3), (3, 4)]), (6, 8));
        let one_way = Grid::from_fn(5, |u, v| [(0, 1), (1, 2), (2, 3)].contains(&(u, v)));
        assert_eq!(spanning_forest(&square().weights, &one_way), Validity { correct: 3, total: 6 });
    }

    #[test]
    fn directed_graphs_are_not_judged() {
        let weights = Grid::from_edges(2, &[(0, 1, 1.0)]);
        assert_eq!(spanning_tree(&weights, NodeMaskOne(0), &[0, 0]), None);
    }

    const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];

    /// The pairs in a bit set.
    fn pairs(set: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..6).filter(move |i| set >> i & 1 == 1).map(|i| PAIRS[i])
    }

    /// Whether the pairs of a bit set form no cycle.
    fn acyclic(set: usize) -> bool {
        let mut trees = [0, 1, 2, 3];
        pairs(set).all(|(u, v)| {
            let (one, other) = (trees[u], trees[v]);
            trees.iter_mut().filter(|tree| **tree == other).for_each(|tree| *tree = one);
            one != other
        })
    }

    proptest! {
        #[test]
        fn exactly_the_lightest_spanning_trees_are_valid(
            weights in proptest::collection::vec(0..4u8, 6),
        ) {
            let weighted = PAIRS.iter().zip(&weights).map(|(&(u, v), &w)| (u, v, f64::from(w)));
            let graph = GraphInstance::undirected(4, &weighted.collect::<Vec<_>>()).weights;
            let weights_of = |set| pairs(set).map(|pair| graph[pair]);
            let forests: Vec<usize> = (0..64)
                .filter(|&set| weights_of(set).all(|weight| weight != 0.0) && acyclic(set))
                .collect();
            let most = forests.iter().map(|&set| weights_of(set).count()).max().unwrap();
            let spanning = || forests.iter().copied().filter(|&set| weights_of(set).count() == most);
            let lightest = spanning().map(|set| weights_of(set).sum::<f64>()).reduce(f64::min).unwrap();
            let best: Vec<usize> =
                spanning().filter(|&set| weights_of(set).sum::<f64>() == lightest).collect();

            for set in 0..64 {
                let chosen: Vec<_> = pairs(set).collect();
                let marked =
                    Grid::from_fn(4, |u, v| chosen.contains(&(u.min(v), u.max(v))));
                let judged = spanning_forest(&graph, &marked);
                prop_assert_eq!(judged.is_valid(), best.contains(&set), "{:?}: {:?}", chosen, judged);
            }

            // The same with pointers, for the tree of node 0 only.
            let pointers = |set: usize| {
                let mut pi = [0, 1, 2, 3];
                let mut done = vec![0];
                while let Some((u, v)) = pairs(set)
                    .flat_map(|(u, v)| [(u, v), (v, u)])
                    .find(|(u, v)| done.contains(u) && !done.contains(v))
                {
                    pi[v] = u;
                    done.push(v);
                }
                pi
            };
            let valid: Vec<[usize; 4]> = best.iter().map(|&set| pointers(set)).collect();
            for code in 0..256usize {
                let pi = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6];
                let judged = spanning_tree(&graph, NodeMaskOne(0), &pi).unwrap();
                prop_assert_eq!(judged.is_valid(), valid.contains(&pi), "{:?}: {:?}", pi, judged);
            }
        }
    }
}
