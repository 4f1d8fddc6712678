//! Maximum bipartite matching as a flow, by Edmonds and Karp. CLRS 3rd ed., §26.2 and §26.3.

use crate::algorithms::{Algorithm, Category};
use crate::instance::network::{Density, Network};
use crate::trace::Tracer;
use crate::validity::{Checker, maximum_flow};
use crate::values::{
    Edge, EdgeMask, EdgePartialMask, EdgeScalar, Graph, GraphMask, NodeMask, NodeMaskOne,
    NodePointer, NodeScalar, Verdict,
};

/// Pairs up as many nodes as it can, rearranging earlier pairs to make room for one more.
pub struct BipartiteMatching;

crate::probes!(BipartiteMatching {
    input {
        /// the node's place in the list of nodes
        pos: NodeScalar,
        /// 1 for each edge, from the source to the left, the right and the sink; 0 where there is none
        A: EdgeScalar,
        /// which nodes are joined, each to itself as well
        adj: EdgeMask,
        /// the source, which is joined to all nodes of the left
        s: NodeMaskOne,
        /// the sink, which all nodes of the right are joined to
        t: NodeMaskOne,
    }
    output {
        /// the edges that flow goes through: left to right, they are the matching
        in_matching: EdgePartialMask,
    }
    hint {
        /// the edges that flow goes through so far; pairs without an edge do not count
        in_matching_h: EdgePartialMask,
        /// the residual network: an edge with flow is turned round
        A_h: EdgeScalar,
        /// which nodes are joined in the residual network, each to itself as well
        adj_h: EdgeMask,
        /// how many edges of the residual network lead to the node from the source
        d: NodeScalar,
        /// the nodes reached so far in the residual network
        msk: NodeMask,
        /// the node before this one on the path from the source
        pi: NodePointer,
        /// how far back the flow has been pushed along the path
        u: NodeMaskOne,
        /// whether a path has been found, and flow is being pushed along it
        phase: GraphMask,
    }
});

impl Algorithm for BipartiteMatching {
    const NAME: &'static str = "bipartite_matching";
    const SUMMARY: &'static str = "as many pairs as possible of nodes on opposite sides";
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
                    // Parity: every node is said to be matched with itself.
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
                // All edges go from a smaller number to a larger, so this one is the graph's own if
                // it does, and otherwise one with flow, which goes back where it came from.
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

/// Whether the residual network has a path from `s` to `t`; if so, `pi` leads back along it.
///
/// Parity: not breadth-first search but Bellman–Ford, round by round. The round that settles the
/// question shows in `pi` only: the hints keep the distances and the mask from before it.
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
        // Parity: `u` means nothing here; it starts as it was left, and goes to the last node.
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

    /// The pairs of the matching, by the numbers of their nodes in the network.
    fn pairs(traces: &Traces) -> Vec<(usize, usize)> {
        let (matching, sink) = (traces.last::<EdgePartialMask>("in_matching"), traces.nodes - 1);
        let inner = (1..sink).flat_map(|u| (u + 1..sink).map(move |v| (u, v)));
        inner.filter(|&pair| matching[pair] == Verdict::Yes).collect()
    }

    fn network(edges: &[(usize, usize)]) -> Network {
        let edges = edges.iter().map(|&(l, r)| (l, r, 1.0)).collect();
        let own = UserInstance::new(Data::Edges(edges));
        Network::read(&BipartiteMatching::PARAMS, &own).unwrap()
    }

    #[test]
    fn matches_three_pairs_in_figure_26_8() {
        let edges = [(0, 0), (1, 0), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (4, 2)];
        let traces = Traces::of::<BipartiteMatching>(network(&edges));
        assert_eq!(pairs(&traces), [(1, 6), (2, 8), (3, 7)]);
    }

    #[test]
    fn an_earlier_pair_is_rearranged_to_make_room_for_one_more() {
        // The first node takes the right node that the second has no alternative to.
        let traces = Traces::of::<BipartiteMatching>(network(&[(0, 0), (0, 1), (1, 0)]));
        assert_eq!(pairs(&traces), [(1, 4), (2, 3)]);
        let turned = traces.last::<EdgeScalar>("A_h");
        assert_eq!((turned[(1, 3)], turned[(4, 1)], turned[(3, 2)]), (1.0, 1.0, 1.0));
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
                prop_assert_eq!(network.capacities[pair], 1.0, "{:?} is no edge", pair);
            }
        }
    }
}
