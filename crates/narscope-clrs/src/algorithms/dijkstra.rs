//! Dijkstra's single-source shortest paths. CLRS 3rd ed., §24.3.

use crate::algorithms::{Algorithm, Category};
use crate::instance::graph::{GraphInstance, GraphParams, Weights};
use crate::nearest_first::{Frontier, NearestFirst, settle_all};
use crate::trace::Tracer;
use crate::validity::{Checker, shortest_paths};
use crate::values::{Edge, EdgeMask, EdgeScalar, NodeMask, NodeMaskOne, NodePointer, NodeScalar};

/// Settles the nodes one by one, nearest first.
pub struct Dijkstra;

crate::probes!(Dijkstra {
    input {
        /// the node's place in the list of nodes
        pos: NodeScalar,
        /// the source that all paths start from
        s: NodeMaskOne,
        /// the weight of each edge, 0 where there is none
        A: EdgeScalar,
        /// which nodes are joined, each to itself as well
        adj: EdgeMask,
    }
    output {
        /// the node before this one on the shortest path
        pi: NodePointer,
    }
    hint {
        /// the node before this one on the best path so far
        pi_h: NodePointer,
        /// the length of the best path so far
        d: NodeScalar,
        /// the nodes that are settled
        mark: NodeMask,
        /// the nodes that are reached and not yet settled
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
    fn offer(d: f64, weight: f64) -> f64 {
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
