//! Breadth-first search. CLRS 3rd ed., §22.2.

use crate::algorithms::{Algorithm, Category};
use crate::instance::graph::{GraphInstance, GraphParams};
use crate::trace::Tracer;
use crate::validity::{Checker, shortest_paths};
use crate::values::{Edge, EdgeMask, EdgeWhole, NodeMask, NodeMaskOne, NodePointer, NodeScalar};

/// Expands the set of reached nodes by one edge per step.
pub struct Bfs;

crate::probes!(Bfs {
    input {
        /// the node's position in the list of nodes, in [0, 1)
        pos: NodeScalar,
        /// the source of the search
        s: NodeMaskOne,
        /// 1 for each edge, 0 elsewhere
        A: EdgeWhole,
        /// adjacency matrix, with self loops
        adj: EdgeMask,
    }
    output {
        /// the predecessor in the breadth-first tree
        pi: NodePointer,
    }
    hint {
        /// the nodes reached so far: one edge further at each step
        reach_h: NodeMask,
        /// the predecessor in the breadth-first tree; the node itself until it is reached
        pi_h: NodePointer,
    }
});

impl Algorithm for Bfs {
    const NAME: &'static str = "bfs";
    const SUMMARY: &'static str = "breadth-first search from one source";
    const CATEGORY: Category = Category::Graphs;
    type Instance = GraphInstance;
    const PARAMS: GraphParams = GraphParams { rooted: true, ..GraphParams::UNDIRECTED };
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
        let lists = graph.adjacency_lists();

        let mut x = Hint { reach_h: NodeMask::only(*s, n), pi_h: NodePointer::to_self(n) };
        let mut reach = x.reach_h.clone();

        // Parity: a step expands the whole frontier, not one node of the queue. Among several
        // possible predecessors, the one with the lowest index wins.
        loop {
            trace.hint(&x);
            for u in (0..n).filter(|&u| x.reach_h[u]) {
                for (v, _) in lists.neighbours(u) {
                    if x.pi_h[v] == v && v != *s {
                        x.pi_h[v] = u;
                    }
                    reach[v] = true;
                }
            }
            if reach == x.reach_h {
                return Output { pi: x.pi_h };
            }
            x.reach_h.clone_from(&reach);
        }
    }
}

#[cfg(test)]
mod tests {
    use petgraph::Directed;
    use petgraph::algo::dijkstra;
    use petgraph::graph::node_index;
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::trace::Traces;

    #[test]
    fn finds_the_tree_of_figure_22_3() {
        let (r, s, t, u, v, w, x, y) = (0, 1, 2, 3, 4, 5, 6, 7);
        let edges =
            [(r, s), (r, v), (s, w), (t, u), (t, w), (t, x), (u, x), (u, y), (w, x), (x, y)];
        let graph = GraphInstance::undirected(8, &edges.map(|(u, v)| (u, v, 1.0)));

        let traces = Traces::of::<Bfs>(GraphInstance { source: s, ..graph });

        assert_eq!(traces.last::<NodePointer>("pi"), NodePointer::from([s, s, w, t, r, s, w, x]));
        assert_eq!(traces.steps(0), 4, "nodes u and y are three edges away");
    }

    proptest! {
        #[test]
        fn the_tree_reaches_every_node_by_the_fewest_edges(
            seed: u32, nodes in 2usize..14, p in 0.1..0.9,
        ) {
            let graph = GraphInstance::drawn(&Bfs::PARAMS, seed, nodes, p);
            let source = graph.source;
            let fewest = dijkstra(&graph.petgraph::<Directed>(), node_index(source), None, |_| 1);

            let traces = Traces::of::<Bfs>(graph);

            let pi = traces.last::<NodePointer>("pi");
            let reached = traces.last::<NodeMask>("reach_h");
            for v in 0..nodes {
                let to_source = std::iter::successors(Some(v), |&v| (pi[v] != v).then(|| pi[v]));
                let depth = reached[v].then(|| to_source.count() - 1);
                prop_assert_eq!(depth, fewest.get(&node_index(v)).copied(), "node {}", v);
            }
            let eccentricity = fewest.values().max().unwrap();
            prop_assert_eq!(traces.steps(0), eccentricity + 1);
        }
    }
}
