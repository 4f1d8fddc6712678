//! Bellman–Ford single-source shortest paths. CLRS 3rd ed., §24.1.

use crate::algorithms::{Algorithm, Category};
use crate::instance::graph::{GraphInstance, GraphParams, Weights};
use crate::trace::Tracer;
use crate::validity::{Checker, shortest_paths};
use crate::values::{EdgeMask, EdgeScalar, NodeMask, NodeMaskOne, NodePointer, NodeScalar};

/// Relaxes all edges in rounds until no distance changes.
pub struct BellmanFord;

crate::probes!(BellmanFord {
    input {
        /// the node's position in the list of nodes, in [0, 1)
        pos: NodeScalar,
        /// the source of all paths
        s: NodeMaskOne,
        /// the weight of each edge, 0 for pairs without an edge
        A: EdgeScalar,
        /// adjacency matrix, with self loops
        adj: EdgeMask,
    }
    output {
        /// the predecessor on the shortest path from the source
        pi: NodePointer,
    }
    hint {
        /// the predecessor on the shortest path found so far
        pi_h: NodePointer,
        /// the length of the shortest path found so far
        d: NodeScalar,
        /// the nodes reached so far
        msk: NodeMask,
    }
});

impl Algorithm for BellmanFord {
    const NAME: &'static str = "bellman_ford";
    const SUMMARY: &'static str = "shortest paths from one source, edge weights of either sign";
    const CATEGORY: Category = Category::Graphs;
    type Instance = GraphInstance;
    const PARAMS: GraphParams =
        GraphParams { weights: Weights::SignedLengths, rooted: true, ..GraphParams::UNDIRECTED };
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(shortest_paths(&input.A, input.s, &output.pi)));

    fn input(GraphInstance { weights, source }: GraphInstance) -> Input {
        Input {
            pos: NodeScalar::positions(weights.nodes()),
            s: NodeMaskOne(source),
            adj: EdgeMask::adjacency(&weights),
            A: crate::values::Edge(weights),
        }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        relax_until_stable(input, trace, |candidate| candidate.distance < candidate.best)
    }
}

/// A candidate path to `v` through `u`: the inputs of a relaxation rule.
pub(crate) struct Candidate {
    /// The length of the path through `u`.
    pub(crate) distance: f64,
    /// The length of the shortest path to `v` found so far.
    pub(crate) best: f64,
    /// The weight of the edge `(u, v)`.
    pub(crate) weight: f64,
    /// The weight of the last edge of that path; for the source, of its self loop, or 0.
    pub(crate) current_weight: f64,
}

/// The body of the algorithm. `improves` is the textbook's `v.d > u.d + w(u, v)`; the faulty
/// variants in [`crate::algorithms::variants`] pass another rule and nothing else.
pub(crate) fn relax_until_stable(
    input: &Input,
    trace: &mut Tracer<Hint>,
    mut improves: impl FnMut(Candidate) -> bool,
) -> Output {
    let Input { s: NodeMaskOne(s), A: graph, .. } = input;
    let n = graph.nodes();

    // INITIALIZE-SINGLE-SOURCE(G, s). `msk` marks the nodes reached so far, so that an unreached
    // node can keep distance 0 instead of infinity.
    let mut x =
        Hint { pi_h: NodePointer::to_self(n), d: NodeScalar::zeros(n), msk: NodeMask::only(*s, n) };
    let mut prev = x.clone();
    let lists = graph.adjacency_lists();

    // Differs: the reference has no bound. |V| rounds find all shortest paths, and a faulty rule
    // may never converge.
    for _ in 0..=n {
        trace.hint(&x);
        prev.clone_from(&x);

        for u in (0..n).filter(|&u| prev.msk[u]) {
            for (v, w) in lists.neighbours(u) {
                // RELAX(u, v, w)
                let candidate = Candidate {
                    distance: prev.d[u] + w,
                    best: x.d[v],
                    weight: w,
                    current_weight: graph[(x.pi_h[v], v)],
                };
                if !x.msk[v] || improves(candidate) {
                    x.d[v] = prev.d[u] + w;
                    x.pi_h[v] = u;
                }
                x.msk[v] = true;
            }
        }

        if x.d == prev.d {
            break;
        }
    }
    Output { pi: x.pi_h }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Traces;
    use crate::values::Grid;

    #[test]
    fn finds_the_tree_and_the_distances_of_figure_24_4() {
        let (s, t, x, y, z) = (0, 1, 2, 3, 4);
        let edges = [
            (s, t, 6.0),
            (s, y, 7.0),
            (t, x, 5.0),
            (t, y, 8.0),
            (t, z, -4.0),
            (x, t, -2.0),
            (y, x, -3.0),
            (y, z, 9.0),
            (z, s, 2.0),
            (z, x, 7.0),
        ];
        let weights = Grid::from_edges(5, &edges);

        let traces = Traces::of::<BellmanFord>(GraphInstance { weights, source: s });

        assert_eq!(traces.last::<NodePointer>("pi"), NodePointer::from([s, x, y, s, t]));
        assert_eq!(traces.last::<NodeScalar>("d"), NodeScalar::from([0.0, 2.0, 4.0, 7.0, -2.0]));
    }
}
