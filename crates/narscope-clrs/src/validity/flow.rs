//! Maximum flows through edges of capacity 1, which encode bipartite matchings.

use super::Validity;
use crate::values::{Grid, NodeMaskOne, Verdict};

/// Judges a maximum flow, as a whole. The diagonal and pairs without an edge are ignored.
pub fn maximum_flow(
    graph: &Grid<f64>,
    NodeMaskOne(source): NodeMaskOne,
    NodeMaskOne(sink): NodeMaskOne,
    marked: &Grid<Verdict>,
) -> Validity {
    let n = graph.nodes();
    let edge = |u, v| graph[(u, v)] != 0.0;
    let flow = |u, v| marked[(u, v)] == Verdict::Yes;
    let against = |u, v| u != v && flow(u, v) && !edge(u, v) && edge(v, u);
    let inflow = |v| (0..n).filter(|&u| edge(u, v) && flow(u, v)).count();
    let outflow = |u| (0..n).filter(|&v| edge(u, v) && flow(u, v)).count();
    let conserved = (0..n).all(|u| {
        (u == source || u == sink || inflow(u) == outflow(u)) && !(0..n).any(|v| against(u, v))
    });

    // The flow is a maximum if the residual network has no path from the source to the sink.
    let mut reached = vec![false; n];
    let mut stack = vec![source];
    while let Some(u) = stack.pop() {
        if !std::mem::replace(&mut reached[u], true) {
            let residual = |&v: &usize| (edge(u, v) && !flow(u, v)) || (edge(v, u) && flow(v, u));
            stack.extend((0..n).filter(residual));
        }
    }
    Validity::from_whole(conserved && !reached[sink])
}

#[cfg(test)]
mod tests {
    use petgraph::algo::maximum_matching;
    use petgraph::graph::UnGraph;
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    /// A network of a source, `left` nodes, `right` nodes and a sink.
    struct Sides {
        left: usize,
        right: usize,
        pairs: Vec<(usize, usize)>,
    }

    impl Sides {
        fn nodes(&self) -> usize {
            self.left + self.right + 2
        }
        /// All edges of the network with these pairs.
        fn edges(&self, pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
            let from_source = (1..=self.left).map(|u| (0, u));
            let to_sink = (self.left + 1..=self.left + self.right).map(|v| (v, self.nodes() - 1));
            let pairs = pairs.iter().map(|&(u, v)| (u + 1, self.left + v + 1));
            from_source.chain(to_sink).chain(pairs).collect()
        }
        /// Judges the flow through these pairs and their edges to the source and the sink.
        fn judge(&self, chosen: &[(usize, usize)]) -> bool {
            let (left, right) = (
                |u| chosen.iter().any(|p| p.0 + 1 == u),
                |v| chosen.iter().any(|p| p.1 + self.left + 1 == v),
            );
            let flows = self
                .edges(chosen)
                .into_iter()
                .filter(|&(u, v)| (u != 0 || left(v)) && (v != self.nodes() - 1 || right(u)));
            self.judge_flow(&flows.collect::<Vec<_>>())
        }
        fn judge_flow(&self, flows: &[(usize, usize)]) -> bool {
            let edges = self.edges(&self.pairs);
            let graph =
                Grid::from_fn(self.nodes(), |u, v| f64::from(u8::from(edges.contains(&(u, v)))));
            let marked = Grid::from_fn(self.nodes(), |u, v| {
                if flows.contains(&(u, v)) { Verdict::Yes } else { Verdict::No }
            });
            let (source, sink) = (NodeMaskOne(0), NodeMaskOne(self.nodes() - 1));
            maximum_flow(&graph, source, sink, &marked).is_valid()
        }
    }

    #[test]
    fn every_maximum_matching_is_valid() {
        let sides = Sides { left: 2, right: 2, pairs: vec![(0, 0), (0, 1), (1, 0), (1, 1)] };
        assert!(sides.judge(&[(0, 0), (1, 1)]) && sides.judge(&[(0, 1), (1, 0)]));
        assert!(!sides.judge(&[(0, 0)]), "one more pair fits");
        assert!(!sides.judge(&[(0, 0), (1, 0)]), "a right node is matched twice");
        assert!(!sides.judge(&[(0, 0), (0, 1)]), "a left node is matched twice");
    }

    #[test]
    fn flow_that_is_not_conserved_or_against_an_edge_is_invalid() {
        let sides = Sides { left: 1, right: 1, pairs: vec![(0, 0)] };
        assert!(sides.judge_flow(&[(0, 1), (1, 2), (2, 3)]));
        assert!(sides.judge_flow(&[(0, 1), (1, 2), (2, 3), (1, 1)]), "the diagonal is ignored");
        assert!(
            sides.judge_flow(&[(0, 1), (1, 2), (2, 3), (0, 3)]),
            "pairs without an edge are ignored"
        );
        assert!(!sides.judge_flow(&[(1, 2), (2, 3)]));
        assert!(!sides.judge_flow(&[(0, 1), (2, 3)]));
        assert!(!sides.judge_flow(&[(0, 1), (1, 2), (2, 3), (2, 1)]));
    }

    proptest! {
        #[test]
        fn exactly_the_matchings_of_petgraphs_size_are_valid(exists in [proptest::bool::ANY; 6]) {
            let all = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)];
            let pairs: Vec<_> = (0..6).filter(|&i| exists[i]).map(|i| all[i]).collect();
            let sides = Sides { left: 3, right: 2, pairs: pairs.clone() };
            let edges = pairs.iter().map(|&(u, v)| (u as u32, v as u32 + 3));
            let most = maximum_matching(&UnGraph::<(), ()>::from_edges(edges)).len();
            for set in 0..1usize << pairs.len() {
                let chosen: Vec<_> =
                    (0..pairs.len()).filter(|i| set >> i & 1 == 1).map(|i| pairs[i]).collect();
                let disjoint = |i: usize| {
                    (0..i).all(|j| chosen[i].0 != chosen[j].0 && chosen[i].1 != chosen[j].1)
                };
                let wanted = chosen.len() == most && (0..chosen.len()).all(disjoint);
                prop_assert_eq!(sides.judge(&chosen), wanted, "{:?}", chosen);
            }
        }
    }
}
