//! Prim's minimum spanning tree. CLRS 3rd ed., §23.2.

use crate::algorithms::{Algorithm, Category};
use crate::instance::graph::{GraphInstance, GraphParams, Weights};
use crate::nearest_first::{Frontier, NearestFirst, settle_all};
use crate::trace::Tracer;
use crate::validity::{Checker, spanning_tree};
use crate::values::{Edge, EdgeMask, EdgeScalar, NodeMask, NodeMaskOne, NodePointer, NodeScalar};

/// Grows a tree by the lightest edge that leaves it.
pub struct MstPrim;

crate::probes!(MstPrim {
    input {
        /// the node's position in the list of nodes, in [0, 1)
        pos: NodeScalar,
        /// the root of the tree
        s: NodeMaskOne,
        /// the weight of each edge, 0 for pairs without an edge
        A: EdgeScalar,
        /// adjacency matrix, with self loops
        adj: EdgeMask,
    }
    output {
        /// the predecessor in the tree
        pi: NodePointer,
    }
    hint {
        /// the tree node at the other end of the lightest edge found so far
        pi_h: NodePointer,
        /// the weight of that edge
        key: NodeScalar,
        /// the nodes in the tree
        mark: NodeMask,
        /// the frontier: nodes adjacent to the tree
        in_queue: NodeMask,
        /// the node added to the tree last
        u: NodeMaskOne,
    }
});

impl Algorithm for MstPrim {
    const NAME: &'static str = "mst_prim";
    const SUMMARY: &'static str = "a minimum spanning tree, grown from one source";
    const CATEGORY: Category = Category::Graphs;
    type Instance = GraphInstance;
    // On a directed graph the tree need not be minimal. Directed graphs are accepted anyway,
    // because the networks of the latent-space paper were trained on them.
    const PARAMS: GraphParams =
        GraphParams { weights: Weights::Positive, rooted: true, ..GraphParams::UNDIRECTED };
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| spanning_tree(&input.A, input.s, &output.pi));

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
        let mut x = Hint {
            pi_h: NodePointer::to_self(n),
            key: NodeScalar::zeros(n),
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
        let Self { pi_h: pi, key, mark, in_queue, u } = self;
        Frontier { pi, key, mark, in_queue, u }
    }
    fn candidate(_key: f64, weight: f64) -> f64 {
        weight
    }
}

#[cfg(test)]
mod tests {
    use petgraph::Undirected;
    use petgraph::graph::node_index;
    use petgraph::visit::Bfs;
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::trace::Traces;

    // The tree itself is checked together with Kruskal's, in `mst_kruskal`.
    proptest! {
        #[test]
        fn each_step_adds_one_node_until_all_reachable_nodes_are_in_the_tree(
            seed: u32, nodes in 2usize..14, p in 0.1..0.9,
        ) {
            let graph = GraphInstance::drawn(&MstPrim::PARAMS, seed, nodes, p);
            let theirs = graph.petgraph::<Undirected>();
            let mut reachable = vec![false; nodes];
            let mut search = Bfs::new(&theirs, node_index(graph.source));
            while let Some(node) = search.next(&theirs) {
                reachable[node.index()] = true;
            }

            let traces = Traces::of::<MstPrim>(graph);

            let count = reachable.iter().filter(|&&reachable| reachable).count();
            prop_assert_eq!(traces.steps(0), count + 1);
            prop_assert_eq!(traces.last::<NodeMask>("mark").0, reachable);
        }
    }
}
