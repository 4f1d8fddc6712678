//! Single-source shortest paths in directed acyclic graphs. CLRS 3rd ed., §24.2.

use super::topological_sort::insert_at_front;
use crate::algorithms::{Algorithm, Category};
use crate::depth_first::{Color, DfsState, DfsVisitor, search_from};
use crate::instance::graph::{GraphInstance, GraphParams, Weights};
use crate::options::Direction;
use crate::trace::Tracer;
use crate::validity::{Checker, shortest_paths};
use crate::values::{
    Edge, EdgeMask, EdgeScalar, Graph, GraphMask, NodeClass, NodeMask, NodeMaskOne, NodePointer,
    NodeScalar,
};

/// Relaxes the edges of each node once, in topological order.
pub struct DagShortestPaths;

crate::probes!(DagShortestPaths {
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
        /// the nodes reached so far by relaxation
        mark: NodeMask,
        /// the successor in the topological order so far; the last node points to itself
        topo_h: NodePointer,
        /// the first node in the order so far; while relaxing, the node whose edges are relaxed
        /// next
        topo_head_h: NodeMaskOne,
        /// the colour of the node: undiscovered, discovered or finished
        color: NodeClass<Color>,
        /// the node below this one on the stack
        s_prev: NodePointer,
        /// the node whose neighbours are being scanned
        u: NodeMaskOne,
        /// the neighbour scanned last
        v: NodeMaskOne,
        /// the top of the stack
        s_last: NodeMaskOne,
        /// whether edges are being relaxed (otherwise nodes are being sorted)
        phase: GraphMask,
    }
});

impl Algorithm for DagShortestPaths {
    const NAME: &'static str = "dag_shortest_paths";
    const SUMMARY: &'static str = "shortest paths from one source in a directed acyclic graph";
    const CATEGORY: Category = Category::Graphs;
    type Instance = GraphInstance;
    const PARAMS: GraphParams = GraphParams {
        direction: Direction::Acyclic,
        either_way: false,
        weights: Weights::SignedLengths,
        rooted: true,
        ..GraphParams::UNDIRECTED
    };
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

        // INITIALIZE-SINGLE-SOURCE(G, s). `mark` is set for nodes that have been reached, so that
        // the others can keep distance 0 instead of infinity.
        let mut x = Hint {
            pi_h: NodePointer::to_self(n),
            d: NodeScalar::zeros(n),
            mark: NodeMask::none(n),
            topo_h: NodePointer::to_self(n),
            // Parity: no node is finished yet, but a one-hot mask has to select some node.
            topo_head_h: NodeMaskOne(0),
            color: NodeClass::filled(n, Color::White),
            s_prev: NodePointer::to_self(n),
            u: NodeMaskOne(*s),
            v: NodeMaskOne(*s),
            s_last: NodeMaskOne(*s),
            phase: Graph(false),
        };

        // TOPOLOGICAL-SORT(G). Parity: only of the nodes that the source reaches; the book sorts
        // all.
        let lists = graph.adjacency_lists();
        search_from(*s, &lists, &mut x, trace);

        // The source is the first node in the order.
        let mut u = *s;
        x.mark[u] = true;
        x.phase = Graph(true);
        trace.hint(&x);
        // Parity: the last node has no edges to relax and takes no step.
        while x.topo_h[u] != u {
            for (v, w) in lists.neighbours(u) {
                // RELAX(u, v, w)
                if !x.mark[v] || x.d[u] + w < x.d[v] {
                    x.d[v] = x.d[u] + w;
                    x.pi_h[v] = u;
                    x.mark[v] = true;
                }
            }
            u = x.topo_h[u];
            x.topo_head_h = NodeMaskOne(u);
            trace.hint(&x);
        }
        Output { pi: x.pi_h }
    }
}

impl DfsVisitor for Hint {
    fn state(&mut self) -> DfsState<'_> {
        let Self { color, s_prev, s_last, u, v, .. } = self;
        DfsState { color, s_prev, s_last, u, v }
    }
    fn start(&mut self, _s: usize) {
        // The only root is the source, which is an input and not a hint.
    }
    fn finish(&mut self, u: usize) {
        insert_at_front(u, &self.color, &mut self.topo_h, &mut self.topo_head_h);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::algorithms::bellman_ford::BellmanFord;
    use crate::instance::Instance as _;
    use crate::instance::user::{Data, UserInstance};
    use crate::options::Options;
    use crate::rng::Rng;
    use crate::trace::Traces;
    use crate::values::Grid;

    #[test]
    fn finds_the_tree_and_the_distances_of_figure_24_5() {
        let (r, s, t, x, y, z) = (0, 1, 2, 3, 4, 5);
        let edges = [
            (r, s, 5.0),
            (r, t, 3.0),
            (s, t, 2.0),
            (s, x, 6.0),
            (t, x, 7.0),
            (t, y, 4.0),
            (t, z, 2.0),
            (x, y, -1.0),
            (x, z, 1.0),
            (y, z, -2.0),
        ];
        let weights = Grid::from_edges(6, &edges);

        let traces = Traces::of::<DagShortestPaths>(GraphInstance { weights, source: s });

        assert_eq!(traces.last::<NodePointer>("pi"), NodePointer::from([r, s, s, s, x, y]));
        let d = NodeScalar::from([0.0, 0.0, 2.0, 6.0, 5.0, 3.0]);
        assert_eq!(traces.last::<NodeScalar>("d"), d, "r is not reached and keeps 0");
    }

    #[test]
    fn accepts_negative_weights_from_users_and_the_symmetries_of_shortest_paths() {
        let edges = vec![(0, 1, -2.0), (1, 2, 0.5)];
        let own = UserInstance::new(Data::Edges(edges.into()));
        let own = UserInstance { source: Some("0".to_owned()), ..own };
        let graph = GraphInstance::read(&DagShortestPaths::PARAMS, &own).unwrap();
        assert_eq!(
            *Traces::of::<DagShortestPaths>(graph).last::<NodeScalar>("d"),
            [0.0, -2.0, -1.5]
        );

        let family = "rescale+reweight".parse().unwrap();
        let options = Options { family, ..Options::default() };
        let mut rng = Rng::seeded(2);
        let mut orbit =
            GraphInstance::draws(&DagShortestPaths::PARAMS, &mut rng, 8, &options).unwrap();
        let mut tree = || Traces::of::<DagShortestPaths>(orbit.next().unwrap().unwrap());
        let (one, other) = (tree(), tree());
        assert_ne!(one.last::<NodeScalar>("d"), other.last::<NodeScalar>("d"));
        assert_eq!(one.last::<NodePointer>("pi"), other.last::<NodePointer>("pi"));
    }

    proptest! {
        #[test]
        fn agrees_with_bellman_ford_on_weights_of_either_sign(
            seed: u32, nodes in 2usize..14, p in 0.1..0.9,
        ) {
            let options = Options { low: Some(-1.0), p: Some(vec![p]), ..Options::default() };
            let mut rng = Rng::seeded(seed);
            let graph =
                GraphInstance::sample(&DagShortestPaths::PARAMS, &mut rng, nodes, &options).unwrap();

            let traces = Traces::of::<DagShortestPaths>(graph.clone());
            let other = Traces::of::<BellmanFord>(graph);

            prop_assert_eq!(traces.last::<NodeScalar>("d"), other.last::<NodeScalar>("d"));
            prop_assert_eq!(traces.last::<NodePointer>("pi"), other.last::<NodePointer>("pi"));
            let reached = other.last::<NodeMask>("msk").iter().filter(|&&reached| reached).count();
            prop_assert_eq!(traces.steps(0), 3 * reached + 1);
        }
    }
}
