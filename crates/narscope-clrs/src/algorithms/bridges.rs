//! Bridges of an undirected graph. CLRS 3rd ed., problem 22-2.

use super::articulation_points::{LowPoints, children};
use crate::algorithms::{Algorithm, Category};
use crate::depth_first::{Color, Search, Walk, search_all};
use crate::instance::graph::{GraphInstance, GraphParams};
use crate::trace::Tracer;
use crate::values::{
    Edge, EdgeMask, EdgePartialMask, EdgeWhole, Graph, GraphScalar, NodeClass, NodeMaskOne,
    NodePointer, NodeScalar, Verdict,
};

/// Finds the edges without which the graph falls into more pieces.
pub struct Bridges;

crate::probes!(Bridges {
    input {
        /// the node's place in the list of nodes
        pos: NodeScalar,
        /// 1 for each edge, 0 where there is none
        A: EdgeWhole,
        /// which nodes are joined, each to itself as well
        adj: EdgeMask,
    }
    output {
        /// the edges without which the graph falls into more pieces; pairs without an edge do not count
        is_bridge: EdgePartialMask,
    }
    hint {
        /// the bridges found so far
        is_bridge_h: EdgePartialMask,
        /// the node that this one was discovered from, so far
        pi_h: NodePointer,
        /// how far the search has come with the node
        color: NodeClass<Color>,
        /// when the node was discovered
        d: NodeScalar,
        /// when the node was finished
        f: NodeScalar,
        /// the earliest discovery that one edge leads to, from the node or from below it in the tree
        low: NodeScalar,
        /// the node below this one on the stack
        s_prev: NodePointer,
        /// where the current tree started
        s: NodeMaskOne,
        /// the node whose neighbours are looked at
        u: NodeMaskOne,
        /// the neighbour looked at last
        v: NodeMaskOne,
        /// the top of the stack
        s_last: NodeMaskOne,
        /// the clock
        time: GraphScalar,
    }
});

impl Algorithm for Bridges {
    const NAME: &'static str = "bridges";
    const SUMMARY: &'static str = "the edges that hold an undirected graph together";
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
            // Parity: pairs without an edge do not count, but the diagonal does, as no bridge.
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

impl Search for Hint {
    fn walk(&mut self) -> Walk<'_> {
        let Self { color, s_prev, s_last, u, v, .. } = self;
        Walk { color, s_prev, s_last, u, v }
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
    fn meet(&mut self, u: usize, v: usize) -> bool {
        self.low_points().meet(u, v)
    }
    fn finish(&mut self, u: usize) {
        self.low_points().finish(u);
        for v in children(u, &self.pi_h) {
            // No other edge leads out of the tree below `v`.
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
        fn an_edge_is_marked_if_taking_it_away_leaves_more_pieces(
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
