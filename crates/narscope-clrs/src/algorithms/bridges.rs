//! Bridges of an undirected graph. CLRS 3rd ed., problem 22-2.

use super::articulation_points::{LowPoints, children};
use crate::algorithms::{Algorithm, Category};
use crate::depth_first::{Color, DfsState, DfsVisitor, search_all};
use crate::instance::graph::{GraphInstance, GraphParams};
use crate::trace::Tracer;
use crate::values::{
    Edge, EdgeMask, EdgePartialMask, EdgeWhole, Graph, GraphScalar, NodeClass, NodeMaskOne,
    NodePointer, NodeScalar, Verdict,
};

/// Finds the edges whose removal increases the number of connected components.
pub struct Bridges;

crate::probes!(Bridges {
    input {
        /// the node's position in the list of nodes, in [0, 1)
        pos: NodeScalar,
        /// 1 for each edge, 0 elsewhere
        A: EdgeWhole,
        /// adjacency matrix, with self loops
        adj: EdgeMask,
    }
    output {
        /// the edges whose removal increases the number of components; pairs without an edge are
        /// masked
        is_bridge: EdgePartialMask,
    }
    hint {
        /// the bridges found so far
        is_bridge_h: EdgePartialMask,
        /// the predecessor in the depth-first forest so far
        pi_h: NodePointer,
        /// the colour of the node: undiscovered, discovered or finished
        color: NodeClass<Color>,
        /// the discovery time
        d: NodeScalar,
        /// the finishing time
        f: NodeScalar,
        /// the smallest discovery time reachable from the node's subtree by one edge
        low: NodeScalar,
        /// the node below this one on the stack
        s_prev: NodePointer,
        /// the root of the current depth-first tree
        s: NodeMaskOne,
        /// the node whose neighbours are being scanned
        u: NodeMaskOne,
        /// the neighbour scanned last
        v: NodeMaskOne,
        /// the top of the stack
        s_last: NodeMaskOne,
        /// the current time
        time: GraphScalar,
    }
});

impl Algorithm for Bridges {
    const NAME: &'static str = "bridges";
    const SUMMARY: &'static str = "the edges whose removal disconnects an undirected graph";
    const CATEGORY: Category = Category::Graphs;
    const SPARSE: bool = true;
    type Instance = GraphInstance;
    const PARAMS: GraphParams =
        GraphParams { either_way: false, p: 0.2, ..GraphParams::UNDIRECTED };

    fn input(GraphInstance { weights, .. }: GraphInstance) -> Input {
        Input {
            pos: NodeScalar::positions(weights.nodes()),
            adj: EdgeMask::adjacency(&weights),
            A: Edge(weights),
        }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let n = input.A.nodes();
        let mut x = Hint {
            // Parity: pairs without an edge are masked, but the diagonal counts, as no bridge.
            is_bridge_h: EdgePartialMask::from_fn(n, |u, v| {
                if input.adj[(u, v)] { Verdict::No } else { Verdict::Ignored }
            }),
            pi_h: NodePointer::to_self(n),
            color: NodeClass::filled(n, Color::White),
            d: NodeScalar::zeros(n),
            f: NodeScalar::zeros(n),
            low: NodeScalar::zeros(n),
            s_prev: NodePointer::to_self(n),
            s: NodeMaskOne(0),
            u: NodeMaskOne(0),
            v: NodeMaskOne(0),
            s_last: NodeMaskOne(0),
            time: Graph(0.0),
        };
        search_all(0..n, &input.A.adjacency_lists(), &mut x, trace);
        Output { is_bridge: x.is_bridge_h }
    }
}

impl Hint {
    fn low_points(&mut self) -> LowPoints<'_> {
        let Self { pi_h, d, f, low, time, .. } = self;
        LowPoints { pi_h, d, f, low, time: &mut time.0 }
    }
}

impl DfsVisitor for Hint {
    fn state(&mut self) -> DfsState<'_> {
        let Self { color, s_prev, s_last, u, v, .. } = self;
        DfsState { color, s_prev, s_last, u, v }
    }
    fn start(&mut self, s: usize) {
        self.s = NodeMaskOne(s);
    }
    fn is_new(&mut self, u: usize) -> bool {
        self.d[u] == 0.0
    }
    fn enter(&mut self, u: usize) {
        self.low_points().enter(u);
    }
    fn discover(&mut self, u: usize, v: usize) {
        self.pi_h[v] = u;
    }
    fn non_tree_edge(&mut self, u: usize, v: usize) -> bool {
        self.low_points().update_low(u, v)
    }
    fn finish(&mut self, u: usize) {
        self.low_points().finish(u);
        for v in children(u, &self.pi_h) {
            // No other edge leaves the subtree of `v`.
            if self.low[v] > self.d[u] {
                self.is_bridge_h[(u, v)] = Verdict::Yes;
                self.is_bridge_h[(v, u)] = Verdict::Yes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use petgraph::Undirected;
    use petgraph::algo::connected_components;
    use petgraph::graph::node_index;
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::trace::Traces;
    use crate::values::Grid;

    #[test]
    fn a_triangle_has_no_bridge_and_its_tail_is_one() {
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3)];
        let graph = GraphInstance::undirected(4, &edges.map(|(u, v)| (u, v, 1.0)));

        let traces = Traces::of::<Bridges>(graph);

        let (none, no, yes) = (Verdict::Ignored, Verdict::No, Verdict::Yes);
        #[rustfmt::skip]
        assert_eq!(
            traces.last::<EdgePartialMask>("is_bridge").cells(),
            [
                no,   no,   no,  none,
                no,   no,   no,  none,
                no,   no,   no,  yes,
                none, none, yes, no,
            ]
        );
    }

    proptest! {
        #[test]
        fn an_edge_is_marked_if_removing_it_leaves_more_components(
            seed: u32, nodes in 2usize..12, p in 0.1..0.9,
        ) {
            let graph = GraphInstance::drawn(&Bridges::PARAMS, seed, nodes, p);
            let whole = graph.petgraph::<Undirected>();
            let wanted = Grid::from_fn(nodes, |u, v| {
                match whole.find_edge(node_index(u), node_index(v)) {
                    None if u == v => Verdict::No,
                    None => Verdict::Ignored,
                    Some(edge) => {
                        let mut rest = whole.clone();
                        rest.remove_edge(edge);
                        let more = connected_components(&rest) > connected_components(&whole);
                        if more { Verdict::Yes } else { Verdict::No }
                    }
                }
            });

            let traces = Traces::of::<Bridges>(graph);

            prop_assert_eq!(traces.last::<EdgePartialMask>("is_bridge").0, wanted);
        }
    }
}
