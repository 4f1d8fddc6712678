//! Kruskal's minimum spanning trees. CLRS 3rd ed., §23.2, with the disjoint sets of §21.3.

use crate::algorithms::{Algorithm, Category};
use crate::instance::graph::{GraphInstance, GraphParams, Weights};
use crate::trace::Tracer;
use crate::validity::{Checker, spanning_forest};
use crate::values::{
    Edge, EdgeMask, EdgeScalar, Graph, GraphClass, NodeMask, NodeMaskOne, NodePointer, NodeScalar,
};

/// Takes the edges in order of weight and keeps those that connect two trees.
pub struct MstKruskal;

crate::classes!(
    /// The current operation on the disjoint sets.
    Phase {
        /// UNION: the trees are merged if their roots differ. Also the initial phase.
        Union,
        /// FIND-SET of the first endpoint.
        FindU,
        /// FIND-SET of the second endpoint.
        FindV,
    }
);

crate::probes!(MstKruskal {
    input {
        /// the node's position in the list of nodes, in [0, 1)
        pos: NodeScalar,
        /// the weight of each edge, 0 for pairs without an edge
        A: EdgeScalar,
        /// adjacency matrix, with self loops
        adj: EdgeMask,
    }
    output {
        /// the edges of the minimum spanning forest
        in_mst: EdgeMask,
    }
    hint {
        /// the edges chosen so far
        in_mst_h: EdgeMask,
        /// the parent in the disjoint-set forest; a root points to itself
        pi: NodePointer,
        /// the first endpoint of the current edge
        u: NodeMaskOne,
        /// the second endpoint of the current edge
        v: NodeMaskOne,
        /// the ancestor of u that FIND-SET has reached
        root_u: NodeMaskOne,
        /// the ancestor of v that FIND-SET has reached
        root_v: NodeMaskOne,
        /// the nodes on the path from u to the root of its tree
        mask_u: NodeMask,
        /// the nodes on the path from v to the root of its tree
        mask_v: NodeMask,
        /// whether UNION, FIND-SET(u) or FIND-SET(v) is running
        phase: GraphClass<Phase>,
    }
});

impl Algorithm for MstKruskal {
    const NAME: &'static str = "mst_kruskal";
    const SUMMARY: &'static str = "a minimum spanning forest, edges in order of weight";
    const CATEGORY: Category = Category::Graphs;
    const SPARSE: bool = true;
    type Instance = GraphInstance;
    const PARAMS: GraphParams = GraphParams {
        either_way: false,
        weights: Weights::Positive,
        p: 0.2,
        ..GraphParams::UNDIRECTED
    };
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(spanning_forest(&input.A, &output.in_mst)));

    fn input(GraphInstance { weights, .. }: GraphInstance) -> Input {
        Input {
            pos: NodeScalar::positions(weights.nodes()),
            adj: EdgeMask::adjacency(&weights),
            A: Edge(weights),
        }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let n = input.A.nodes();
        let mut edges: Vec<_> = input.A.edges().filter(|&(u, v, _)| u < v).collect();
        edges.sort_by(|(_, _, a), (_, _, b)| a.total_cmp(b));

        // MAKE-SET(v), for each v
        let mut x = Hint {
            in_mst_h: EdgeMask::none(n),
            pi: NodePointer::to_self(n),
            u: NodeMaskOne(0),
            v: NodeMaskOne(0),
            root_u: NodeMaskOne(0),
            root_v: NodeMaskOne(0),
            mask_u: NodeMask::none(n),
            mask_v: NodeMask::none(n),
            phase: Graph(Phase::Union),
        };
        trace.hint(&x);

        // Parity: all edges are processed, even when the tree is complete.
        for (u, v, _) in edges {
            (x.u, x.root_u) = (NodeMaskOne(u), NodeMaskOne(u));
            (x.v, x.root_v) = (NodeMaskOne(v), NodeMaskOne(v));
            x.mask_u.fill(false);
            x.mask_v.fill(false);
            (x.mask_u[u], x.mask_v[v]) = (true, true);

            // FIND-SET(u)
            x.phase = Graph(Phase::FindU);
            trace.hint(&x);
            while find_set_step(&mut x.root_u, &mut x.mask_u, &mut x.pi) {
                trace.hint(&x);
            }
            // FIND-SET(v)
            x.phase = Graph(Phase::FindV);
            while find_set_step(&mut x.root_v, &mut x.mask_v, &mut x.pi) {
                trace.hint(&x);
            }
            // UNION(u, v)
            x.phase = Graph(Phase::Union);
            let (NodeMaskOne(root_u), NodeMaskOne(root_v)) = (x.root_u, x.root_v);
            if root_u != root_v {
                x.in_mst_h[(u, v)] = true;
                x.in_mst_h[(v, u)] = true;
                // Parity: not union by rank: the root with the smaller index goes under the other.
                x.pi[root_u.min(root_v)] = root_u.max(root_v);
            }
            trace.hint(&x);
        }
        Output { in_mst: x.in_mst_h }
    }
}

/// One step of FIND-SET: moves `root` to its parent and compresses the path. Returns false at a
/// root.
fn find_set_step(root: &mut NodeMaskOne, path: &mut NodeMask, pi: &mut NodePointer) -> bool {
    let parent = pi[root.0];
    if parent == root.0 {
        return false;
    }
    root.0 = parent;
    // Parity: paths are compressed during the ascent, step by step, not afterwards.
    for (pi, _) in pi.iter_mut().zip(path.iter()).filter(|&(_, &on_path)| on_path) {
        *pi = parent;
    }
    path[parent] = true;
    true
}

#[cfg(test)]
mod tests {
    use petgraph::Undirected;
    use petgraph::algo::min_spanning_tree;
    use petgraph::data::Element;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::algorithms::mst_prim::MstPrim;
    use crate::trace::Traces;

    /// The graph of figure 23.1.
    fn of_figure_23_1() -> GraphInstance {
        let (a, b, c, d, e, f, g, h, i) = (0, 1, 2, 3, 4, 5, 6, 7, 8);
        let edges = [
            (a, b, 4.0),
            (a, h, 8.0),
            (b, c, 8.0),
            (b, h, 11.0),
            (c, d, 7.0),
            (c, f, 4.0),
            (c, i, 2.0),
            (d, e, 9.0),
            (d, f, 14.0),
            (e, f, 10.0),
            (f, g, 2.0),
            (g, h, 1.0),
            (g, i, 6.0),
            (h, i, 7.0),
        ];
        GraphInstance::undirected(9, &edges)
    }

    #[test]
    fn finds_the_tree_of_figure_23_4() {
        let (a, b, c, d, e, f, g, h, i) = (0, 1, 2, 3, 4, 5, 6, 7, 8);

        let traces = Traces::of::<MstKruskal>(of_figure_23_1());

        let in_mst = traces.last::<EdgeMask>("in_mst");
        let pairs = (0..9).flat_map(|u| (u..9).map(move |v| (u, v)));
        let chosen: Vec<_> = pairs.filter(|&pair| in_mst[pair]).collect();
        let wanted = [(a, b), (a, h), (c, d), (c, f), (c, i), (d, e), (f, g), (g, h)];
        assert_eq!(chosen, wanted);
    }

    #[test]
    fn prim_takes_the_other_edge_of_weight_8_and_finds_the_tree_of_figure_23_5() {
        let (a, b, c, d, _e, f, g, _h, _i) = (0, 1, 2, 3, 4, 5, 6, 7, 8);
        let traces = Traces::of::<MstPrim>(of_figure_23_1());
        let wanted = NodePointer::from([a, a, b, c, d, c, f, g, c]);
        assert_eq!(traces.last::<NodePointer>("pi"), wanted);
    }

    #[test]
    fn find_set_takes_one_step_per_ancestor_and_the_smaller_root_goes_under_the_larger() {
        // 0-1 and 1-2 make the chain 0 -> 1 -> 2, so FIND-SET for the last edge, 0-2, takes two
        // steps.
        let edges = [(0, 1, 1.0), (1, 2, 2.0), (0, 2, 3.0)];
        let traces = Traces::of::<MstKruskal>(GraphInstance::undirected(3, &edges));

        assert_eq!(traces.steps(0), 1 + 2 + 2 + (2 + 2));
        assert_eq!(traces.last::<NodePointer>("pi"), NodePointer::from([2, 2, 2]));
        assert_eq!(traces.last::<NodeMask>("mask_u"), NodeMask::from([true, true, true]));
    }

    proptest! {
        #[test]
        fn the_trees_weigh_what_petgraphs_do_and_prims_is_one_of_them(
            seed: u32, nodes in 2usize..14, p in 0.1..0.9,
        ) {
            let params = GraphParams { rooted: true, ..MstKruskal::PARAMS };
            let graph = GraphInstance::drawn(&params, seed, nodes, p);
            let (weights, source) = (graph.weights.clone(), graph.source);
            let theirs = graph.petgraph::<Undirected>();
            let minimum: f64 = min_spanning_tree(&theirs)
                .filter_map(|element| match element {
                    Element::Edge { weight, .. } => Some(weight),
                    Element::Node { .. } => None,
                })
                .sum();

            let in_mst = Traces::of::<MstKruskal>(graph.clone()).last::<EdgeMask>("in_mst");
            let pi = Traces::of::<MstPrim>(graph).last::<NodePointer>("pi");

            let chosen = || weights.edges().filter(|&(u, v, _)| u < v && in_mst[(u, v)]);
            let total: f64 = chosen().map(|(_, _, weight)| weight).sum();
            prop_assert!((total - minimum).abs() < 1e-9, "{} instead of {}", total, minimum);
            prop_assert_eq!(&in_mst.0, &in_mst.transposed());
            // All weights differ, so the tree of the source's component is unique.
            let mut reached = NodeMask::only(source, nodes);
            for _ in 0..nodes {
                for (u, v, _) in chosen() {
                    reached[u] |= reached[v];
                    reached[v] |= reached[u];
                }
            }
            let of_source = chosen().filter(|&(u, _, _)| reached[u]);
            let mut ours: Vec<_> = of_source.map(|(u, v, _)| (u, v)).collect();
            let of_prim = (0..nodes).filter(|&v| pi[v] != v);
            let mut prims: Vec<_> = of_prim.map(|v| (v.min(pi[v]), v.max(pi[v]))).collect();
            ours.sort_unstable();
            prims.sort_unstable();
            prop_assert_eq!(ours, prims);
        }
    }
}
