//! Floyd–Warshall all-pairs shortest paths. CLRS 3rd ed., §25.2.

use crate::algorithms::{Algorithm, Category};
use crate::instance::graph::{GraphInstance, GraphParams, Weights};
use crate::trace::Tracer;
use crate::validity::{Checker, all_shortest_paths};
use crate::values::{Edge, EdgeMask, EdgePointer, EdgeScalar, NodeMaskOne, NodeScalar};

/// Allows one more node as an intermediate vertex of paths in each step.
pub struct FloydWarshall;

crate::probes!(FloydWarshall {
    input {
        /// the node's position in the list of nodes, in [0, 1)
        pos: NodeScalar,
        /// the weight of each edge, 0 for pairs without an edge
        A: EdgeScalar,
        /// adjacency matrix, with self loops
        adj: EdgeMask,
    }
    output {
        /// the predecessor of the second node on the shortest path from the first
        Pi: EdgePointer,
    }
    hint {
        /// the predecessor of the second node on the shortest path from the first found so far
        Pi_h: EdgePointer,
        /// the length of the shortest path found so far
        D: EdgeScalar,
        /// the pairs for which a path has been found
        msk: EdgeMask,
        /// the node allowed next as an intermediate vertex
        k: NodeMaskOne,
    }
});

impl Algorithm for FloydWarshall {
    const NAME: &'static str = "floyd_warshall";
    const SUMMARY: &'static str = "shortest paths between all pairs of nodes";
    const CATEGORY: Category = Category::Graphs;
    type Instance = GraphInstance;
    const PARAMS: GraphParams =
        GraphParams { weights: Weights::SignedLengths, ..GraphParams::UNDIRECTED };
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(all_shortest_paths(&input.A, &output.Pi)));

    fn input(GraphInstance { weights, .. }: GraphInstance) -> Input {
        Input {
            pos: NodeScalar::positions(weights.nodes()),
            adj: EdgeMask::adjacency(&weights),
            A: Edge(weights),
        }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let n = input.A.nodes();
        // `msk` marks the pairs for which a path has been found, so that the others can keep
        // distance 0 instead of infinity.
        let mut x = Hint {
            Pi_h: EdgePointer::from_fn(n, |i, _| i),
            // Parity: the distance of a node with a self loop to itself is the weight of the loop,
            // until a shorter cycle is found; then the diagonal of `Pi` changes, too.
            D: input.A.clone(),
            msk: input.adj.clone(),
            k: NodeMaskOne(0),
        };
        // A copy of row k (the second parts of paths through k), because the rows of `x` change.
        let (mut pi_k, mut d_k, mut msk_k) = (vec![], vec![], vec![]);

        for k in 0..n {
            x.k = NodeMaskOne(k);
            trace.hint(&x);

            x.Pi_h.row(k).clone_into(&mut pi_k);
            x.D.row(k).clone_into(&mut d_k);
            x.msk.row(k).clone_into(&mut msk_k);
            for i in 0..n {
                if !x.msk[(i, k)] {
                    continue;
                }
                let d_ik = x.D[(i, k)];
                let (pi, d, msk) = (x.Pi_h.row_mut(i), x.D.row_mut(i), x.msk.row_mut(i));
                for j in 0..n {
                    let d_ikj = d_ik + d_k[j];
                    #[allow(clippy::needless_bitwise_bool, reason = "one branch, rarely taken")]
                    let better = msk_k[j] & (!msk[j] | (d_ikj < d[j]));
                    if better {
                        d[j] = d_ikj;
                        pi[j] = pi_k[j];
                        msk[j] = true;
                    }
                }
            }
        }
        // Parity: no hint shows the update of the last node.
        Output { Pi: x.Pi_h }
    }
}

#[cfg(test)]
mod tests {
    use petgraph::Directed;
    use petgraph::graph::node_index;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::algorithms::bellman_ford::BellmanFord;
    use crate::algorithms::dijkstra::Dijkstra;
    use crate::options::Direction;
    use crate::trace::Traces;
    use crate::values::{Grid, NodeMask};

    #[test]
    fn finds_the_predecessors_of_figure_25_4() {
        let edges = [
            (0, 1, 3.0),
            (0, 2, 8.0),
            (0, 4, -4.0),
            (1, 3, 1.0),
            (1, 4, 7.0),
            (2, 1, 4.0),
            (3, 0, 2.0),
            (3, 2, -5.0),
            (4, 3, 6.0),
        ];
        let weights = Grid::from_edges(5, &edges);

        let traces = Traces::of::<FloydWarshall>(GraphInstance { weights, source: 0 });

        #[rustfmt::skip]
        assert_eq!(
            traces.last::<EdgePointer>("Pi").cells(),
            [
                0, 2, 3, 4, 0,
                3, 1, 3, 1, 0,
                3, 2, 2, 1, 0,
                3, 2, 3, 3, 0,
                3, 2, 3, 4, 4,
            ],
            "the last matrix of the figure, with nodes counted from 0 and NIL in row i written as i"
        );
        #[rustfmt::skip]
        assert_eq!(
            traces.last::<EdgeScalar>("D").cells(),
            [
                0.0,  3.0, -1.0, 4.0, -4.0,
                3.0,  0.0, -4.0, 1.0, -1.0,
                7.0,  4.0,  0.0, 5.0,  3.0,
                2.0, -1.0, -5.0, 0.0, -2.0,
                8.0,  5.0,  1.0, 6.0,  0.0,
            ],
            "the second last matrix"
        );
    }

    #[test]
    fn the_path_from_a_node_to_itself_is_its_self_loop_or_a_shorter_cycle() {
        let weights = Grid::from_edges(2, &[(0, 0, 5.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 1.0)]);
        let traces = Traces::of::<FloydWarshall>(GraphInstance { weights, source: 0 });
        assert_eq!(traces.last::<EdgePointer>("Pi").cells(), [1, 0, 1, 1]);
    }

    /// The length of the path from `i` to `j` along the predecessors.
    fn length(pi: &Grid<usize>, weights: &Grid<f64>, i: usize, j: usize) -> Option<f64> {
        let u = pi[(i, j)];
        let rest = if u == i { 0.0 } else { length(pi, weights, i, u)? };
        (weights[(u, j)] != 0.0).then(|| rest + weights[(u, j)])
    }

    proptest! {
        #[test]
        fn every_row_agrees_with_dijkstra_and_bellman_ford_and_petgraph(
            seed: u32, nodes in 2usize..12, p in 0.1..0.9, directed: bool,
        ) {
            let direction = if directed { Direction::Directed } else { Direction::Undirected };
            let params = GraphParams { direction, ..FloydWarshall::PARAMS };
            let graph = GraphInstance::drawn(&params, seed, nodes, p);
            let theirs = graph.petgraph::<Directed>();

            let traces = Traces::of::<FloydWarshall>(graph.clone());

            let pi = traces.last::<EdgePointer>("Pi");
            prop_assert_eq!(traces.steps(0), nodes);
            for source in 0..nodes {
                let graph = GraphInstance { source, ..graph.clone() };
                let start = node_index(source);
                let petgraph = petgraph::algo::dijkstra(&theirs, start, None, |e| *e.weight());
                let dijkstra = Traces::of::<Dijkstra>(graph.clone());
                let bellman_ford = Traces::of::<BellmanFord>(graph.clone());
                prop_assert_eq!(dijkstra.steps(0), petgraph.len() + 1);
                for v in (0..nodes).filter(|&v| v != source) {
                    let theirs = petgraph.get(&node_index(v)).copied();
                    let ours = [
                        length(&pi, &graph.weights, source, v),
                        dijkstra.last::<NodeMask>("mark")[v]
                            .then(|| dijkstra.last::<NodeScalar>("d")[v]),
                        bellman_ford.last::<NodeMask>("msk")[v]
                            .then(|| bellman_ford.last::<NodeScalar>("d")[v]),
                    ];
                    for ours in ours {
                        let agree = match (ours, theirs) {
                            (Some(ours), Some(theirs)) => (ours - theirs).abs() < 1e-9,
                            (None, None) => true,
                            _ => false,
                        };
                        prop_assert!(agree, "{} to {}: {:?}, not {:?}", source, v, ours, theirs);
                    }
                }
            }
        }
    }
}
