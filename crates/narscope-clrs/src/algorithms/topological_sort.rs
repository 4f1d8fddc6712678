//! Topological sort of a directed acyclic graph. CLRS 3rd ed., §22.4.

use crate::algorithms::{Algorithm, Category};
use crate::depth_first::{Color, DfsState, DfsVisitor, search_all};
use crate::instance::graph::{GraphInstance, GraphParams};
use crate::options::Direction;
use crate::trace::Tracer;
use crate::validity::{Checker, topological_order};
use crate::values::{Edge, EdgeMask, EdgeWhole, NodeClass, NodeMaskOne, NodePointer, NodeScalar};

/// Inserts each node at the front of a list when the depth-first search finishes it.
pub struct TopologicalSort;

crate::probes!(TopologicalSort {
    input {
        /// the node's position in the list of nodes, in [0, 1)
        pos: NodeScalar,
        /// 1 for each edge, 0 elsewhere
        A: EdgeWhole,
        /// adjacency matrix, with self loops
        adj: EdgeMask,
    }
    output {
        /// the successor in the order; the last node points to itself
        topo: NodePointer,
        /// the first node in the order
        topo_head: NodeMaskOne,
    }
    hint {
        /// the successor in the order so far; the last node points to itself
        topo_h: NodePointer,
        /// the first node in the order so far: the one finished last
        topo_head_h: NodeMaskOne,
        /// the colour of the node: undiscovered, discovered or finished
        color: NodeClass<Color>,
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
    }
});

impl Algorithm for TopologicalSort {
    const NAME: &'static str = "topological_sort";
    const SUMMARY: &'static str = "an order of the nodes in which every edge points forwards";
    const CATEGORY: Category = Category::Graphs;
    type Instance = GraphInstance;
    const PARAMS: GraphParams =
        GraphParams { direction: Direction::Acyclic, either_way: false, ..GraphParams::UNDIRECTED };
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(topological_order(&input.A, &output.topo, output.topo_head)));

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
            topo_h: NodePointer::to_self(n),
            // Parity: no node is finished yet, but a one-hot mask has to select some node.
            topo_head_h: NodeMaskOne(0),
            color: NodeClass::filled(n, Color::White),
            s_prev: NodePointer::to_self(n),
            s: NodeMaskOne(0),
            u: NodeMaskOne(0),
            v: NodeMaskOne(0),
            s_last: NodeMaskOne(0),
        };
        search_all(0..n, &input.A.adjacency_lists(), &mut x, trace);
        Output { topo: x.topo_h, topo_head: x.topo_head_h }
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
    fn finish(&mut self, u: usize) {
        insert_at_front(u, &self.color, &mut self.topo_h, &mut self.topo_head_h);
    }
}

/// "As each vertex is finished, insert it onto the front of a linked list."
pub(super) fn insert_at_front(
    u: usize,
    color: &NodeClass<Color>,
    topo: &mut NodePointer,
    head: &mut NodeMaskOne,
) {
    // Until a node is finished, the head is a placeholder.
    if color[head.0] == Color::Black {
        topo[u] = head.0;
    }
    head.0 = u;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::probe::Stage;
    use crate::trace::Traces;
    use crate::values::Grid;

    fn order(traces: &Traces) -> Vec<usize> {
        let topo = traces.last::<NodePointer>("topo");
        let NodeMaskOne(head) = traces.last("topo_head");
        std::iter::successors(Some(head), |&u| (topo[u] != u).then(|| topo[u])).collect()
    }

    #[test]
    fn gets_professor_bumstead_dressed_as_in_figure_22_7() {
        let (shirt, tie, jacket, belt, watch) = (0, 1, 2, 3, 4);
        let (undershorts, pants, shoes, socks) = (5, 6, 7, 8);
        let edges = [
            (undershorts, pants),
            (undershorts, shoes),
            (pants, belt),
            (pants, shoes),
            (belt, jacket),
            (shirt, belt),
            (shirt, tie),
            (tie, jacket),
            (socks, shoes),
        ];
        let weights = Grid::from_edges(9, &edges.map(|(u, v)| (u, v, 1.0)));

        let traces = Traces::of::<TopologicalSort>(GraphInstance { weights, source: 0 });

        let dressed = [socks, undershorts, pants, shoes, watch, shirt, belt, tie, jacket];
        assert_eq!(order(&traces), dressed);
    }

    proptest! {
        #[test]
        fn every_edge_points_forwards_and_only_roots_take_a_third_step(
            seed: u32, nodes in 2usize..14, p in 0.1..0.9,
        ) {
            let graph = GraphInstance::drawn(&TopologicalSort::PARAMS, seed, nodes, p);
            let traces = Traces::of::<TopologicalSort>(graph.clone());

            let order = order(&traces);
            let rank = |u| order.iter().position(|&v| v == u);
            prop_assert_eq!(order.len(), nodes);
            for (u, v, _) in graph.weights.edges() {
                prop_assert!(rank(u) < rank(v), "{} to {} in {:?}", u, v, order);
            }
            let starts = traces.find(Stage::Hint, "s").unwrap();
            let roots: BTreeSet<u32> = traces.columns[starts].plain().iter().copied().collect();
            prop_assert_eq!(traces.steps(0), 2 * nodes + roots.len());
        }
    }
}
