//! Strongly connected components of a directed graph. CLRS 3rd ed., §22.5.

use crate::algorithms::{Algorithm, Category};
use crate::depth_first::{Color, DfsState, DfsVisitor, TICK, search_all};
use crate::instance::graph::{GraphInstance, GraphParams};
use crate::options::Direction;
use crate::trace::Tracer;
use crate::validity::{Checker, components};
use crate::values::{
    Edge, EdgeMask, EdgeScalar, Graph, GraphMask, GraphScalar, NodeClass, NodeMaskOne, NodePointer,
    NodeScalar,
};

/// Searches the graph, then its transpose in order of decreasing finishing time.
pub struct StronglyConnectedComponents;

crate::probes!(StronglyConnectedComponents {
    input {
        /// the node's position in the list of nodes, in [0, 1)
        pos: NodeScalar,
        /// 1 for each edge, 0 elsewhere
        A: EdgeScalar,
        /// adjacency matrix, with self loops
        adj: EdgeMask,
    }
    output {
        /// the representative of the node's component
        scc_id: NodePointer,
    }
    hint {
        /// the representative of the node's component; the node itself until the second search
        scc_id_h: NodePointer,
        /// adjacency matrix of the transposed graph, with self loops
        A_t: EdgeMask,
        /// the colour in the current search: undiscovered, discovered or finished
        color: NodeClass<Color>,
        /// the discovery time; the second search sets it only for roots
        d: NodeScalar,
        /// the finishing time, by either search
        f: NodeScalar,
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
        /// the current time, which continues through the second search
        time: GraphScalar,
        /// whether this is the second search, of the transposed graph
        phase: GraphMask,
    }
});

impl Algorithm for StronglyConnectedComponents {
    const NAME: &'static str = "strongly_connected_components";
    const SUMMARY: &'static str = "the maximal sets of nodes that can reach each other";
    const CATEGORY: Category = Category::Graphs;
    type Instance = GraphInstance;
    const PARAMS: GraphParams = GraphParams {
        family: "community",
        direction: Direction::Directed,
        ..GraphParams::UNDIRECTED
    };
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(components(&input.A, &output.scc_id)));

    fn input(GraphInstance { weights, .. }: GraphInstance) -> Input {
        Input {
            pos: NodeScalar::positions(weights.nodes()),
            adj: EdgeMask::adjacency(&weights),
            A: Edge(weights),
        }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let n = input.A.nodes();
        let transposed = input.A.transposed();
        let mut x = Hint {
            scc_id_h: NodePointer::to_self(n),
            A_t: EdgeMask::adjacency(&transposed),
            color: NodeClass::filled(n, Color::White),
            d: NodeScalar::zeros(n),
            f: NodeScalar::zeros(n),
            s_prev: NodePointer::to_self(n),
            s: NodeMaskOne(0),
            u: NodeMaskOne(0),
            v: NodeMaskOne(0),
            s_last: NodeMaskOne(0),
            time: Graph(0.0),
            phase: Graph(false),
        };

        // DFS(G)
        search_all(0..n, &input.A.adjacency_lists(), &mut x, trace);

        // DFS(G^T), in order of decreasing u.f
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&u, &v| x.f[v].total_cmp(&x.f[u]));
        // Parity: colours are reset, the clock and the timestamps are not, and a mask tells the two
        // searches apart.
        x.color.fill(Color::White);
        x.phase = Graph(true);
        search_all(order, &transposed.adjacency_lists(), &mut x, trace);
        Output { scc_id: x.scc_id_h }
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
    fn visit(&mut self, u: usize) {
        // Each tree of the second search is a component.
        if self.phase.0 {
            self.scc_id_h[u] = self.s.0;
        }
    }
    fn is_new(&mut self, u: usize) -> bool {
        // Parity: in the second search every node has a timestamp and all but the roots are grey
        // by now, so only roots are entered.
        self.color[u] == Color::White || self.d[u] == 0.0
    }
    fn enter(&mut self, u: usize) {
        self.time.0 += TICK;
        self.d[u] = self.time.0;
    }
    fn finish(&mut self, u: usize) {
        self.time.0 += TICK;
        self.f[u] = self.time.0;
    }
}

#[cfg(test)]
mod tests {
    use petgraph::Directed;
    use petgraph::algo::tarjan_scc;
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::trace::Traces;
    use crate::values::Grid;

    #[test]
    fn finds_the_components_of_figure_22_9() {
        let (a, b, c, d, e, f, g, h) = (0, 1, 2, 3, 4, 5, 6, 7);
        let edges = [
            (a, b),
            (b, c),
            (b, e),
            (b, f),
            (c, d),
            (c, g),
            (d, c),
            (d, h),
            (e, a),
            (e, f),
            (f, g),
            (g, f),
            (g, h),
            (h, h),
        ];
        let weights = Grid::from_edges(8, &edges.map(|(u, v)| (u, v, 1.0)));

        let traces =
            Traces::of::<StronglyConnectedComponents>(GraphInstance { weights, source: 0 });

        let wanted = NodePointer::from([a, a, c, c, a, g, g, h]);
        assert_eq!(traces.last::<NodePointer>("scc_id"), wanted);
    }

    proptest! {
        #[test]
        fn nodes_share_a_component_if_they_reach_each_other(
            seed: u32, nodes in 4usize..20, p in 0.1..0.9,
        ) {
            let graph = GraphInstance::drawn(&StronglyConnectedComponents::PARAMS, seed, nodes, p);
            let components = tarjan_scc(&graph.petgraph::<Directed>());

            let traces = Traces::of::<StronglyConnectedComponents>(graph);

            let scc_id = traces.last::<NodePointer>("scc_id");
            for component in &components {
                let id = scc_id[component[0].index()];
                let mut members: Vec<usize> = component.iter().map(|node| node.index()).collect();
                members.sort_unstable();
                let named: Vec<usize> = (0..nodes).filter(|&v| scc_id[v] == id).collect();
                prop_assert_eq!(named, members);
            }
            prop_assert_eq!(traces.steps(0), 5 * nodes + components.len());
        }
    }
}
