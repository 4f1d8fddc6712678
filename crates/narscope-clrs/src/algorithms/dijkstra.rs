//! Dijkstra's single-source shortest paths. CLRS 3rd ed., §24.3.

use crate::algorithms::{Algorithm, Category};
use crate::instance::graph::{GraphInstance, GraphParams, Weights};
use crate::nearest_first::{Frontier, NearestFirst, settle_all};
use crate::trace::Tracer;
use crate::validity::{Checker, shortest_paths};
use crate::values::{Edge, EdgeMask, EdgeScalar, NodeMask, NodeMaskOne, NodePointer, NodeScalar};

/// Settles the nodes one by one, in order of distance.
pub struct Dijkstra;

crate::probes!(Dijkstra {
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
        /// the settled nodes, whose distances are final
        mark: NodeMask,
        /// the frontier: nodes that are reached but not settled
        in_queue: NodeMask,
        /// the node settled last
        u: NodeMaskOne,
    }
});

impl Algorithm for Dijkstra {
    const NAME: &'static str = "dijkstra";
    const SUMMARY: &'static str = "shortest paths from one source, positive edge weights";
    const CATEGORY: Category = Category::Graphs;
    type Instance = GraphInstance;
    const PARAMS: GraphParams =
        GraphParams { weights: Weights::Lengths, rooted: true, ..GraphParams::UNDIRECTED };
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(shortest_paths(&input.A, input.s, &output.pi)));

    fn input(GraphInstance { weights, source }: GraphInstance) -> Input {
        Input {
            pos: NodeScalar::positions(weights.nodes()),
            s: NodeMaskOne(source),
            adj: EdgeMask::adjacency(&weights),
            A: Edge(weights),
        }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let Input { s: NodeMaskOne(s), A: graph, .. } = input;
        let n = graph.nodes();

        // INITIALIZE-SINGLE-SOURCE(G, s)
        let mut x = Hint {
            pi_h: NodePointer::to_self(n),
            d: NodeScalar::zeros(n),
            mark: NodeMask::none(n),
            in_queue: NodeMask::only(*s, n),
            u: NodeMaskOne(*s),
        };
        settle_all(graph, &mut x, trace);
        Output { pi: x.pi_h }
    }
}

impl NearestFirst for Hint {
    fn frontier(&mut self) -> Frontier<'_> {
        let Self { pi_h: pi, d: key, mark, in_queue, u } = self;
        Frontier { pi, key, mark, in_queue, u }
    }
    fn candidate(d: f64, weight: f64) -> f64 {
        d + weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Traces;
    use crate::values::Grid;

    #[test]
    fn finds_the_tree_and_the_distances_of_figure_24_6() {
        let (s, t, x, y, z) = (0, 1, 2, 3, 4);
        let edges = [
            (s, t, 10.0),
            (s, y, 5.0),
            (t, x, 1.0),
            (t, y, 2.0),
            (x, z, 4.0),
            (y, t, 3.0),
            (y, x, 9.0),
            (y, z, 2.0),
            (z, s, 7.0),
            (z, x, 6.0),
        ];
        let weights = Grid::from_edges(5, &edges);

        let traces = Traces::of::<Dijkstra>(GraphInstance { weights, source: s });

        assert_eq!(traces.last::<NodePointer>("pi"), NodePointer::from([s, y, t, s, y]));
        assert_eq!(traces.last::<NodeScalar>("d"), NodeScalar::from([0.0, 8.0, 9.0, 5.0, 7.0]));
    }
}
