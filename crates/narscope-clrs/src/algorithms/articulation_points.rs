//! Articulation points of an undirected graph. CLRS 3rd ed., problem 22-2.

use crate::algorithms::{Algorithm, Category};
use crate::depth_first::{Color, DfsState, DfsVisitor, TICK, search_all};
use crate::instance::graph::{GraphInstance, GraphParams};
use crate::trace::Tracer;
use crate::values::{
    Edge, EdgeMask, EdgeWhole, Graph, GraphScalar, NodeClass, NodeMask, NodeMaskOne, NodePointer,
    NodeScalar,
};

/// Finds the nodes whose removal increases the number of connected components.
pub struct ArticulationPoints;

crate::probes!(ArticulationPoints {
    input {
        /// the node's position in the list of nodes, in [0, 1)
        pos: NodeScalar,
        /// 1 for each edge, 0 elsewhere
        A: EdgeWhole,
        /// adjacency matrix, with self loops
        adj: EdgeMask,
    }
    output {
        /// the nodes whose removal increases the number of connected components
        is_cut: NodeMask,
    }
    hint {
        /// the articulation points found so far
        is_cut_h: NodeMask,
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
        /// 0.01 times the number of children in the depth-first tree
        child_cnt: NodeScalar,
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

impl Algorithm for ArticulationPoints {
    const NAME: &'static str = "articulation_points";
    const SUMMARY: &'static str = "the nodes whose removal disconnects an undirected graph";
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
            is_cut_h: NodeMask::none(n),
            pi_h: NodePointer::to_self(n),
            color: NodeClass::filled(n, Color::White),
            d: NodeScalar::zeros(n),
            f: NodeScalar::zeros(n),
            low: NodeScalar::zeros(n),
            child_cnt: NodeScalar::zeros(n),
            s_prev: NodePointer::to_self(n),
            s: NodeMaskOne(0),
            u: NodeMaskOne(0),
            v: NodeMaskOne(0),
            s_last: NodeMaskOne(0),
            time: Graph(0.0),
        };
        search_all(0..n, &input.A.adjacency_lists(), &mut x, trace);
        Output { is_cut: x.is_cut_h }
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
        // Parity: children are counted in ticks of the clock.
        self.child_cnt[u] += TICK;
    }
    fn non_tree_edge(&mut self, u: usize, v: usize) -> bool {
        self.low_points().update_low(u, v)
    }
    fn finish(&mut self, u: usize) {
        self.low_points().finish(u);
        self.is_cut_h[u] = if self.pi_h[u] == u {
            self.child_cnt[u] > TICK
        } else {
            // The subtree of some child has no edge to a proper ancestor of `u`.
            children(u, &self.pi_h).any(|v| self.low[v] >= self.d[u])
        };
    }
}

/// The hints that articulation points and bridges share.
pub(super) struct LowPoints<'a> {
    /// Predecessors in the depth-first forest.
    pub(super) pi_h: &'a NodePointer,
    /// Discovery times.
    pub(super) d: &'a mut NodeScalar,
    /// Finishing times.
    pub(super) f: &'a mut NodeScalar,
    /// The book's `v.low`.
    pub(super) low: &'a mut NodeScalar,
    /// The current time.
    pub(super) time: &'a mut f64,
}

impl LowPoints<'_> {
    /// Sets the discovery time of `u`; its `low` starts from it.
    pub(super) fn enter(self, u: usize) {
        *self.time += TICK;
        self.d[u] = *self.time;
        self.low[u] = *self.time;
    }
    /// Lowers `low` of `u` by the edge `(u, v)` to a discovered node, unless `v` is the parent of
    /// `u`. Returns whether this takes a step.
    ///
    /// Parity: such an edge is a separate step, repeated each time the search returns to `u` and
    /// restarts its scan. Edges to finished children count, too, and self loops unless `u` is a
    /// root.
    pub(super) fn update_low(self, u: usize, v: usize) -> bool {
        let not_the_parent = v != self.pi_h[u];
        if not_the_parent {
            self.low[u] = self.low[u].min(self.d[v]);
        }
        not_the_parent
    }
    /// Sets the finishing time of `u`, and lowers its `low` to the least of its children.
    pub(super) fn finish(self, u: usize) {
        *self.time += TICK;
        self.f[u] = *self.time;
        for v in children(u, self.pi_h) {
            self.low[u] = self.low[u].min(self.low[v]);
        }
    }
}

/// The children of `u` in the depth-first tree.
pub(super) fn children(u: usize, pi: &NodePointer) -> impl Iterator<Item = usize> + '_ {
    (0..pi.len()).filter(move |&v| pi[v] == u && v != u)
}

#[cfg(test)]
mod tests {
    use petgraph::Undirected;
    use petgraph::algo::connected_components;
    use petgraph::graph::node_index;
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::trace::Traces;

    #[test]
    fn the_centre_of_a_bow_tie_and_the_start_of_a_tail_are_articulation_points() {
        // Two triangles that share node 2, and node 5 attached to node 4.
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2), (4, 5)];
        let graph = GraphInstance::undirected(6, &edges.map(|(u, v)| (u, v, 1.0)));

        let traces = Traces::of::<ArticulationPoints>(graph);

        let (no, yes) = (false, true);
        let wanted = NodeMask::from([no, no, yes, no, yes, no]);
        assert_eq!(traces.last::<NodeMask>("is_cut"), wanted);
    }

    #[test]
    fn a_self_loop_takes_a_step_unless_its_node_is_a_root() {
        let steps = |loops: &[(usize, usize, f64)]| {
            let graph = GraphInstance::undirected(2, &[&[(0, 1, 1.0)], loops].concat());
            Traces::of::<ArticulationPoints>(graph).steps(0)
        };
        // Three for each node, and one more for node 0, which scans its finished child again.
        assert_eq!(steps(&[]), 7);
        assert_eq!(steps(&[(0, 0, 1.0)]), 7);
        assert_eq!(steps(&[(1, 1, 1.0)]), 8);
    }

    proptest! {
        #[test]
        fn a_node_is_marked_if_removing_it_leaves_more_components(
            seed: u32, nodes in 2usize..12, p in 0.1..0.9,
        ) {
            let graph = GraphInstance::drawn(&ArticulationPoints::PARAMS, seed, nodes, p);
            let whole = graph.petgraph::<Undirected>();
            let cuts = (0..nodes).map(|v| {
                let mut rest = whole.clone();
                rest.remove_node(node_index(v));
                connected_components(&rest) > connected_components(&whole)
            });
            let wanted: Vec<bool> = cuts.collect();

            let traces = Traces::of::<ArticulationPoints>(graph);

            prop_assert_eq!(traces.last::<NodeMask>("is_cut").0, wanted);
        }
    }
}
