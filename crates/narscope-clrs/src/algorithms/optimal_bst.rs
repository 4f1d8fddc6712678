//! Optimal binary search trees. CLRS 3rd ed., §15.5.

use crate::algorithms::{Algorithm, Category};
use crate::instance::search_tree::SearchTree;
use crate::trace::Tracer;
use crate::validity::{Checker, search_tree_roots};
use crate::values::{EdgeMask, EdgePointer, EdgeScalar, Node, NodeOrder, NodeScalar};

/// Finds the root of every subtree such that the expected search cost is minimal.
pub struct OptimalBst;

crate::probes!(OptimalBst {
    input {
        /// the node's position in the list of gaps, in [0, 1)
        pos: NodeScalar,
        /// the probability of searching for the key to the right of this gap, 0 for the last gap
        p: NodeScalar,
        /// the probability of searching for a value in this gap
        q: NodeScalar,
    }
    output {
        /// the root of the optimal tree for the keys from row to column (exclusive)
        root: EdgePointer,
    }
    hint {
        /// the predecessor in the list of gaps
        pred_h: NodeOrder,
        /// the root of the optimal tree for the keys from row to column (exclusive), so far
        root_h: EdgePointer,
        /// the expected search cost of that tree
        e: EdgeScalar,
        /// the total probability of those keys and the gaps around them
        w: EdgeScalar,
        /// the key ranges whose trees are known
        msk: EdgeMask,
    }
});

impl Algorithm for OptimalBst {
    const NAME: &'static str = "optimal_bst";
    const SUMMARY: &'static str = "the binary search tree with the lowest expected search cost";
    const CATEGORY: Category = Category::DynamicProgramming;
    type Instance = SearchTree;
    const PARAMS: () = ();
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(search_tree_roots(&input.p, &input.q, &output.root)));

    fn input(SearchTree { mut hit, miss }: SearchTree) -> Input {
        // One node per gap; the last gap has no key to its right.
        hit.push(0.0);
        Input { pos: NodeScalar::positions(miss.len()), p: Node(hit), q: Node(miss) }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let Input { p, q, .. } = input;
        let n = q.len() - 1;

        // OPTIMAL-BST(p, q, n). A tree without keys is a single gap.
        let gaps = EdgeScalar::from_fn(n + 1, |i, j| if i == j { q[i] } else { 0.0 });
        let mut x = Hint {
            pred_h: NodeOrder::to_left(n + 1),
            root_h: EdgePointer::filled(n + 1, 0),
            e: gaps.clone(),
            w: gaps,
            msk: EdgeMask::from_fn(n + 1, |i, j| i == j),
        };
        trace.hint(&x);

        for l in 1..=n {
            for i in 0..=n - l {
                let j = i + l;
                // Parity: infinity is 1e9.
                x.e[(i, j)] = 1e9;
                x.w[(i, j)] = x.w[(i, j - 1)] + p[j - 1] + q[j];
                for r in i..j {
                    let t = x.e[(i, r)] + x.e[(r + 1, j)] + x.w[(i, j)];
                    if t < x.e[(i, j)] {
                        x.e[(i, j)] = t;
                        x.root_h[(i, j)] = r;
                    }
                }
                x.msk[(i, j)] = true;
            }
            trace.hint(&x);
        }
        Output { root: x.root_h }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::trace::Traces;

    #[test]
    fn finds_the_costs_and_the_roots_of_figure_15_10() {
        let traces = Traces::of::<OptimalBst>(SearchTree {
            hit: vec![0.15, 0.10, 0.05, 0.10, 0.20],
            miss: vec![0.05, 0.10, 0.05, 0.05, 0.05, 0.10],
        });

        let e = traces.last::<EdgeScalar>("e");
        let costs = [0.05, 0.45, 0.90, 1.25, 1.75, 2.75];
        for (found, wanted) in e.row(0).iter().zip(costs) {
            assert!((found - wanted).abs() < 1e-12, "{found} instead of {wanted}");
        }
        // The book counts keys from 1.
        let root = traces.last::<EdgePointer>("root");
        let from_one =
            |i: usize| -> Vec<usize> { root.row(i)[i + 1..].iter().map(|r| r + 1).collect() };
        assert_eq!(from_one(0), [1, 1, 2, 2, 2]);
        assert_eq!(from_one(1), [2, 2, 2, 4]);
        assert_eq!(from_one(2), [3, 4, 5]);
        assert_eq!(from_one(3), [4, 5]);
        assert_eq!(from_one(4), [5]);
    }

    #[test]
    fn the_input_has_a_node_per_gap_and_a_zero_where_there_is_no_key() {
        let traces =
            Traces::of::<OptimalBst>(SearchTree { hit: vec![0.5], miss: vec![0.25, 0.25] });
        assert_eq!(traces.last::<NodeScalar>("p"), NodeScalar::from([0.5, 0.0]));
        assert_eq!(traces.last::<NodeScalar>("q"), NodeScalar::from([0.25, 0.25]));
    }

    /// The expected search cost of the keys `i..j` below depth `depth`, by brute force.
    fn cheapest(tree: &SearchTree, i: usize, j: usize, depth: f64) -> f64 {
        let roots = (i..j).map(|r| {
            tree.hit[r] * depth
                + cheapest(tree, i, r, depth + 1.0)
                + cheapest(tree, r + 1, j, depth + 1.0)
        });
        roots.min_by(f64::total_cmp).unwrap_or(tree.miss[i] * depth)
    }

    proptest! {
        #[test]
        fn no_other_tree_is_cheaper_and_every_tree_size_records_one_hint(
            hit in proptest::collection::vec(0.0..1.0, 1..7),
            miss in proptest::collection::vec(0.0..1.0, 8),
        ) {
            let n = hit.len();
            let tree = SearchTree { miss: miss[..=n].to_vec(), hit };
            let traces = Traces::of::<OptimalBst>(tree.clone());
            let (found, wanted) = (traces.last::<EdgeScalar>("e")[(0, n)], cheapest(&tree, 0, n, 1.0));
            prop_assert!((found - wanted).abs() < 1e-9, "{found} instead of {wanted}");
            prop_assert_eq!(traces.steps(0), n + 1);
        }
    }
}
