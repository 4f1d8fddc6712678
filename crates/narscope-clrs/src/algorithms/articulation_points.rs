//! Articulation points of an undirected graph. CLRS 3rd ed., problem 22-2.

use crate::algorithms::{Algorithm, Category};
use crate::depth_first::{Color, Search, TICK, Walk, search_all};
use crate::instance::graph::{GraphInstance, GraphParams};
use crate::trace::Tracer;
use crate::values::{
    Edge, EdgeMask, EdgeWhole, Graph, GraphScalar, NodeClass, NodeMask, NodeMaskOne, NodePointer,
    NodeScalar,
};

/// Finds the nodes without which the graph falls into more pieces.
pub struct ArticulationPoints;

crate::probes!(ArticulationPoints {
    input {
        /// the node's place in the list of nodes
        pos: NodeScalar,
        /// 1 for each edge, 0 where there is none
        A: EdgeWhole,
        /// which nodes are joined, each to itself as well
        adj: EdgeMask,
    }
    output {
        /// the nodes without which the graph falls into more pieces
        is_cut: NodeMask,
    }
    hint {
        /// the articulation points found so far
        is_cut_h: NodeMask,
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
        /// how many nodes were discovered from this one, in hundredths
        child_cnt: NodeScalar,
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

impl Algorithm for ArticulationPoints {
    const NAME: &'static str = "articulation_points";
    const SUMMARY: &'static str = "the nodes that hold an undirected graph together";
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
        // Parity: children are counted in the unit of the clock.
        self.child_cnt[u] += TICK;
    }
    fn meet(&mut self, u: usize, v: usize) -> bool {
        self.low_points().meet(u, v)
    }
    fn finish(&mut self, u: usize) {
        self.low_points().finish(u);
        self.is_cut_h[u] = if self.pi_h[u] == u {
            self.child_cnt[u] > TICK
        } else {
            // Some child's tree has no edge that leads past `u`.
            children(u, &self.pi_h).any(|v| self.low[v] >= self.d[u])
        };
    }
}

/// What articulation points and bridges know of a node: the part of their hints that they share.
pub(super) struct LowPoints<'a> {
    /// The node that each node was discovered from.
    pub(super) pi_h: &'a NodePointer,
    /// When each node was discovered.
    pub(super) d: &'a mut NodeScalar,
    /// When each node was finished.
    pub(super) f: &'a mut NodeScalar,
    /// The book's `v.low`.
    pub(super) low: &'a mut NodeScalar,
    /// The clock.
    pub(super) time: &'a mut f64,
}

impl LowPoints<'_> {
    /// `u` is discovered now, and knows of nothing earlier.
    pub(super) fn enter(self, u: usize) {
        *self.time += TICK;
        self.d[u] = *self.time;
        self.low[u] = *self.time;
    }
    /// The edge from `u` to `v` leads to a node that has been discovered.
    ///
    /// Parity: a step of its own, and the same step again whenever the search comes back to `u`
    /// and starts over. So it is for a child that is finished, and for a self loop unless `u` is
    /// a root.
    pub(super) fn meet(self, u: usize, v: usize) -> bool {
        let not_the_way_back = v != self.pi_h[u];
        if not_the_way_back {
            self.low[u] = self.low[u].min(self.d[v]);
        }
        not_the_way_back
    }
    /// What `u`'s children can reach, `u` can.
    pub(super) fn finish(self, u: usize) {
        *self.time += TICK;
        self.f[u] = *self.time;
        for v in children(u, self.pi_h) {
            self.low[u] = self.low[u].min(self.low[v]);
        }
    }
}

/// The nodes that were discovered from `u`.
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
    fn a_bow_tie_is_held_together_by_its_knot_and_a_tail_by_where_it_starts() {
        // Two triangles that share node 2, and node 5 hanging on node 4.
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2), (4, 5)];
        let graph = GraphInstance::undirected(6, &edges.map(|(u, v)| (u, v, 1.0)));

        let traces = Traces::of::<ArticulationPoints>(graph);

        let (no, yes) = (false, true);
        let wanted = NodeMask::from([no, no, yes, no, yes, no]);
        assert_eq!(traces.last::<NodeMask>("is_cut"), wanted);
    }

    #[test]
    fn a_self_loop_is_a_step_of_its_own_unless_it_is_a_roots() {
        let steps = |loops: &[(usize, usize, f64)]| {
            let graph = GraphInstance::undirected(2, &[&[(0, 1, 1.0)], loops].concat());
            Traces::of::<ArticulationPoints>(graph).steps(0)
        };
        // Three for each node, and one more for node 0, which meets its finished child again.
        assert_eq!(steps(&[]), 7);
        assert_eq!(steps(&[(0, 0, 1.0)]), 7);
        assert_eq!(steps(&[(1, 1, 1.0)]), 8);
    }

    proptest! {
        #[test]
        fn a_node_is_marked_if_taking_it_away_leaves_more_pieces(
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
