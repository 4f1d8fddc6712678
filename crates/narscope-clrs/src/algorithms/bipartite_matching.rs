//! Maximum bipartite matching as a maximum flow (Edmonds–Karp). CLRS 3rd ed., §26.2 and §26.3.

use crate::algorithms::{Algorithm, Category};
use crate::instance::network::{Density, Network};
use crate::trace::Tracer;
use crate::validity::{Checker, maximum_flow};
use crate::values::{
    Edge, EdgeMask, EdgePartialMask, EdgeScalar, Graph, GraphMask, NodeMask, NodeMaskOne,
    NodePointer, NodeScalar, Verdict,
};

/// Augments a flow along paths of the residual network until there is none.
pub struct BipartiteMatching;

crate::probes!(BipartiteMatching {
    input {
        /// the node's position in the list of nodes, in [0, 1)
        pos: NodeScalar,
        /// capacity 1 for each edge (source to left, left to right, right to sink), 0 elsewhere
        A: EdgeScalar,
        /// adjacency matrix, with self loops
        adj: EdgeMask,
        /// the source, with an edge to each left node
        s: NodeMaskOne,
        /// the sink, with an edge from each right node
        t: NodeMaskOne,
    }
    output {
        /// the edges with flow; those from left to right are the matching
        in_matching: EdgePartialMask,
    }
    hint {
        /// the edges with flow so far; pairs without an edge are masked
        in_matching_h: EdgePartialMask,
        /// residual capacities: edges with flow are reversed
        A_h: EdgeScalar,
        /// adjacency matrix of the residual network, with self loops
        adj_h: EdgeMask,
        /// the distance from the source in the residual network, in edges
        d: NodeScalar,
        /// the nodes reached so far in the residual network
        msk: NodeMask,
        /// the predecessor on the path from the source
        pi: NodePointer,
        /// the node of the path that augmentation has reached, going back from the sink
        u: NodeMaskOne,
        /// whether flow is being augmented along a path (otherwise a path is being searched)
        phase: GraphMask,
    }
});

impl Algorithm for BipartiteMatching {
    const NAME: &'static str = "bipartite_matching";
    const SUMMARY: &'static str = "a largest set of disjoint edges in a bipartite graph";
    const CATEGORY: Category = Category::Graphs;
    const SPARSE: bool = true;
    type Instance = Network;
    const PARAMS: Density = Density(0.3);
    const IN_CLRS_30: bool = false;
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(maximum_flow(&input.A, input.s, input.t, &output.in_matching)));

    fn input(Network { capacities }: Network) -> Input {
        let n = capacities.nodes();
        Input {
            pos: NodeScalar::positions(n),
            adj: EdgeMask::adjacency(&capacities),
            A: Edge(capacities),
            s: NodeMaskOne(0),
            t: NodeMaskOne(n - 1),
        }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let Input { A: graph, adj, s: NodeMaskOne(s), t: NodeMaskOne(t), .. } = input;
        let n = graph.nodes();

        let mut x = Hint {
            in_matching_h: EdgePartialMask::from_fn(n, |u, v| {
                match (adj[(u, v)], adj[(v, u)]) {
                    // Parity: every node is marked as matched with itself.
                    (true, true) => Verdict::Yes,
                    (false, false) => Verdict::Ignored,
                    _ => Verdict::No,
                }
            }),
            A_h: graph.clone(),
            adj_h: adj.clone(),
            d: NodeScalar::zeros(n),
            msk: NodeMask::none(n),
            pi: NodePointer::to_self(n),
            u: NodeMaskOne(*t),
            phase: Graph(false),
        };

        // FORD-FULKERSON(G, s, t)
        while find_path(*s, *t, &mut x, trace) {
            x.phase = Graph(true);
            x.u = NodeMaskOne(*t);
            trace.hint(&x);
            while x.pi[x.u.0] != x.u.0 {
                let v = x.u.0;
                let u = x.pi[v];
                // All edges of the graph lead from a smaller to a larger node. Any other edge is a
                // residual one, whose flow is cancelled.
                if u < v {
                    x.in_matching_h[(u, v)] = Verdict::Yes;
                } else {
                    x.in_matching_h[(v, u)] = Verdict::No;
                }
                (x.A_h[(u, v)], x.adj_h[(u, v)]) = (0.0, false);
                (x.A_h[(v, u)], x.adj_h[(v, u)]) = (1.0, true);
                x.u = NodeMaskOne(u);
                trace.hint(&x);
            }
            x.phase = Graph(false);
        }
        Output { in_matching: x.in_matching_h }
    }
}

/// Whether the residual network has a path from `s` to `t`, which `pi` then contains.
///
/// Parity: not breadth-first search but rounds of Bellman–Ford. The last round updates only `pi`:
/// the hints keep the distances and the mask of the round before.
fn find_path(s: usize, t: usize, x: &mut Hint, trace: &mut Tracer<Hint>) -> bool {
    let n = x.d.len();
    let lists = x.A_h.adjacency_lists();
    x.d.fill(0.0);
    x.msk.fill(false);
    x.msk[s] = true;
    for (v, pi) in x.pi.iter_mut().enumerate() {
        *pi = v;
    }
    let (mut d, mut msk) = (x.d.clone(), x.msk.clone());
    loop {
        trace.hint(x);
        // Parity: `u` has no meaning in this phase; the reference leaves it at the last node.
        x.u = NodeMaskOne(n - 1);
        for u in (0..n).filter(|&u| x.msk[u]) {
            for (v, w) in lists.neighbours(u) {
                // RELAX(u, v, w)
                if !msk[v] || x.d[u] + w < d[v] {
                    d[v] = x.d[u] + w;
                    x.pi[v] = u;
                    msk[v] = true;
                }
            }
        }
        if d == x.d {
            return false;
        }
        if x.pi[t] != t {
            return true;
        }
        x.d.clone_from(&d);
        x.msk.clone_from(&msk);
    }
}

#[cfg(test)]
mod tests {
    use petgraph::algo::maximum_matching;
    use petgraph::graph::UnGraph;
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::instance::Instance as _;
    use crate::instance::user::{Data, UserInstance};
    use crate::options::Options;
    use crate::rng::Rng;
    use crate::trace::Traces;

    /// The matched pairs, as nodes of the network.
    fn pairs(traces: &Traces) -> Vec<(usize, usize)> {
        let (matching, sink) = (traces.last::<EdgePartialMask>("in_matching"), traces.nodes - 1);
        let inner = (1..sink).flat_map(|u| (u + 1..sink).map(move |v| (u, v)));
        inner.filter(|&pair| matching[pair] == Verdict::Yes).collect()
    }

    fn network(edges: &[(usize, usize)]) -> Network {
        let edges: Vec<_> = edges.iter().map(|&(l, r)| (l, r, 1.0)).collect();
        let own = UserInstance::new(Data::Edges(edges.into()));
        Network::read(&BipartiteMatching::PARAMS, &own).unwrap()
    }

    #[test]
    fn matches_three_pairs_in_figure_26_8() {
        let edges = [(0, 0), (1, 0), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (4, 2)];
        let traces = Traces::of::<BipartiteMatching>(network(&edges));
        assert_eq!(pairs(&traces), [(1, 6), (2, 8), (3, 7)]);
    }

    #[test]
    fn an_augmenting_path_rematches_an_earlier_pair() {
        // The first left node takes the only right node adjacent to the second.
        let traces = Traces::of::<BipartiteMatching>(network(&[(0, 0), (0, 1), (1, 0)]));
        assert_eq!(pairs(&traces), [(1, 4), (2, 3)]);
        let residual = traces.last::<EdgeScalar>("A_h");
        assert_eq!((residual[(1, 3)], residual[(4, 1)], residual[(3, 2)]), (1.0, 1.0, 1.0));
    }

    proptest! {
        #[test]
        fn no_node_is_in_two_pairs_and_no_matching_is_larger(
            seed: u32, left in 1usize..9, right in 1usize..9, p in 0.1..0.9,
        ) {
            let options = Options { p: Some(vec![p]), length_2: Some(right), ..Options::default() };
            let mut rng = Rng::seeded(seed);
            let network =
                Network::sample(&BipartiteMatching::PARAMS, &mut rng, left, &options).unwrap();
            let sink = network.capacities.nodes() - 1;
            let inner = network.capacities.edges().filter(|&(u, v, _)| u != 0 && v != sink);
            let theirs =
                UnGraph::<(), ()>::from_edges(inner.map(|(u, v, _)| (u as u32, v as u32)));

            let traces = Traces::of::<BipartiteMatching>(network.clone());

            let pairs = pairs(&traces);
            let mut matched: Vec<usize> = pairs.iter().flat_map(|&(u, v)| [u, v]).collect();
            matched.sort_unstable();
            matched.dedup();
            prop_assert_eq!(matched.len(), 2 * pairs.len());
            prop_assert_eq!(pairs.len(), maximum_matching(&theirs).len());
            for pair in pairs {
                prop_assert_eq!(network.capacities[pair], 1.0, "{:?} is not an edge", pair);
            }
        }
    }
}
