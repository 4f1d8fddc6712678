//! Depth-first search. CLRS 3rd ed., §22.3.

use crate::algorithms::{Algorithm, Category};
use crate::depth_first::{Color, DfsState, DfsVisitor, TICK, search_all};
use crate::instance::graph::{GraphInstance, GraphParams};
use crate::options::Direction;
use crate::trace::Tracer;
use crate::values::{
    Edge, EdgeMask, EdgeWhole, Graph, GraphScalar, NodeClass, NodeMaskOne, NodePointer, NodeScalar,
};

/// Searches deeper whenever possible, and backtracks otherwise.
pub struct Dfs;

crate::probes!(Dfs {
    input {
        /// the node's position in the list of nodes, in [0, 1)
        pos: NodeScalar,
        /// 1 for each edge, 0 elsewhere
        A: EdgeWhole,
        /// adjacency matrix, with self loops
        adj: EdgeMask,
    }
    output {
        /// the predecessor in the depth-first forest
        pi: NodePointer,
    }
    hint {
        /// the predecessor in the depth-first forest so far
        pi_h: NodePointer,
        /// the colour of the node: undiscovered, discovered or finished
        color: NodeClass<Color>,
        /// the discovery time
        d: NodeScalar,
        /// the finishing time
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
        /// the current time
        time: GraphScalar,
    }
});

impl Algorithm for Dfs {
    const NAME: &'static str = "dfs";
    const SUMMARY: &'static str = "depth-first search of the whole graph";
    const CATEGORY: Category = Category::Graphs;
    type Instance = GraphInstance;
    const PARAMS: GraphParams =
        GraphParams { direction: Direction::Directed, ..GraphParams::UNDIRECTED };

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
            pi_h: NodePointer::to_self(n),
            color: NodeClass::filled(n, Color::White),
            d: NodeScalar::zeros(n),
            f: NodeScalar::zeros(n),
            s_prev: NodePointer::to_self(n),
            s: NodeMaskOne(0),
            u: NodeMaskOne(0),
            v: NodeMaskOne(0),
            s_last: NodeMaskOne(0),
            time: Graph(0.0),
        };
        search_all(0..n, &input.A.adjacency_lists(), &mut x, trace);
        Output { pi: x.pi_h }
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
        self.time.0 += TICK;
        self.d[u] = self.time.0;
    }
    fn discover(&mut self, u: usize, v: usize) {
        self.pi_h[v] = u;
    }
    fn finish(&mut self, u: usize) {
        self.time.0 += TICK;
        self.f[u] = self.time.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Traces;
    use crate::values::Grid;

    #[test]
    fn finds_the_forest_of_figure_22_4() {
        let (u, v, w, x, y, z) = (0, 1, 2, 3, 4, 5);
        let edges = [(u, v), (u, x), (v, y), (w, y), (w, z), (x, v), (y, x), (z, z)];
        let weights = Grid::from_edges(6, &edges.map(|(u, v)| (u, v, 1.0)));

        let traces = Traces::of::<Dfs>(GraphInstance { weights, source: 0 });

        assert_eq!(traces.last::<NodePointer>("pi"), NodePointer::from([u, u, w, y, v, w]));
        assert_eq!(traces.steps(0), 3 * 6);
    }
}
