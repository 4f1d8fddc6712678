//! Matrix-chain multiplication. CLRS 3rd ed., §15.2.

use crate::algorithms::{Algorithm, Category};
use crate::instance::keys::{Keys, Range};
use crate::trace::Tracer;
use crate::validity::{Checker, chain_splits};
use crate::values::{EdgeMask, EdgePointer, EdgeScalar, Grid, Node, NodeOrder, NodeScalar};

/// Finds the splits of a matrix product that minimise scalar multiplications.
pub struct MatrixChainOrder;

crate::probes!(MatrixChainOrder {
    input {
        /// the node's position in the list of dimensions, in [0, 1)
        pos: NodeScalar,
        /// the dimensions: matrix i has p(i - 1) rows and p(i) columns
        p: NodeScalar,
    }
    output {
        /// the optimal split of the chain from row to column: the last matrix of the left part
        s: EdgePointer,
    }
    hint {
        /// the predecessor in the list of dimensions
        pred_h: NodeOrder,
        /// the lowest cost of the chain from row to column found so far
        m: EdgeScalar,
        /// the best split of that chain found so far
        s_h: EdgePointer,
        /// the chains for which a cost is known
        msk: EdgeMask,
    }
});

impl Algorithm for MatrixChainOrder {
    const NAME: &'static str = "matrix_chain_order";
    const SUMMARY: &'static str = "the cheapest order of multiplying a chain of matrices";
    const CATEGORY: Category = Category::DynamicProgramming;
    type Instance = Keys;
    const PARAMS: Range = Range::UNIT;
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| chain_splits(&input.p, &output.s));

    fn input(Keys(dimensions): Keys) -> Input {
        Input { pos: NodeScalar::positions(dimensions.len()), p: Node(dimensions) }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let p = &input.p;
        let n = p.len();

        // MATRIX-CHAIN-ORDER(p). The matrices are 1 to n - 1, and a single matrix costs nothing.
        let mut x = Hint {
            pred_h: NodeOrder::to_left(n),
            m: EdgeScalar::zeros(n),
            s_h: EdgePointer::filled(n, 0),
            msk: EdgeMask::from_fn(n, |i, j| i == j && i > 0),
        };

        // Parity: all lengths at once, in rounds that read the costs of the previous round, until
        // no cost changes; the book goes once from the shortest chain to the longest.
        // Differs: the reference has no bound. Before a round, the costs of chains of up to `round`
        // matrices are final; those of longer ones may overflow and never converge.
        let mut known = 1;
        // The transpose of `m`: a row is faster to read than a column.
        let mut by_column = Grid::filled(n, 0.0);
        for round in 1..n {
            trace.hint(&x);
            let mut changed = false;

            // Two chains with known costs make one, so the known lengths double. A chain reads
            // only shorter ones, so iterating from the longest replaces a copy.
            let longest = (2 * known).min(n - 1);
            for l in (round + 1..=longest).rev() {
                for i in 1..=n - l {
                    let j = i + l - 1;
                    let splits = i.max(j.saturating_sub(known))..j.min(i + known);
                    let left = &x.m.row(i)[splits.clone()]; // m[i, k]
                    let right = &by_column.row(j)[splits.start + 1..=splits.end]; // m[k + 1, j]
                    let right = right.iter().zip(&p[splits.clone()]);

                    let (mut m, mut s, mut new) = (x.m[(i, j)], x.s_h[(i, j)], !x.msk[(i, j)]);
                    for ((k, left), (right, p_k)) in splits.zip(left).zip(right) {
                        let q = left + right + p[i - 1] * p_k * p[j];
                        if new || q < m {
                            (m, s, new) = (q, k, false);
                        }
                    }
                    changed |= m != x.m[(i, j)];
                    (x.m[(i, j)], x.s_h[(i, j)], x.msk[(i, j)]) = (m, s, true);
                    by_column[(j, i)] = m;
                }
            }

            if !changed {
                break;
            }
            known = longest;
        }
        Output { s: x.s_h }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::trace::Traces;
    use crate::values::Edge;

    fn splits(n: usize, chains: &[(usize, usize, usize)]) -> EdgePointer {
        let mut splits = Grid::filled(n, 0);
        for &(i, j, k) in chains {
            splits[(i, j)] = k;
        }
        Edge(splits)
    }

    #[test]
    fn finds_the_costs_and_the_splits_of_figure_15_5() {
        let p = vec![30.0, 35.0, 15.0, 5.0, 10.0, 20.0, 25.0];
        let traces = Traces::of::<MatrixChainOrder>(Keys(p));

        let m = traces.last::<EdgeScalar>("m");
        assert_eq!(m.row(1), [0.0, 0.0, 15_750.0, 7_875.0, 9_375.0, 11_875.0, 15_125.0]);
        assert_eq!(m.row(2), [0.0, 0.0, 0.0, 2_625.0, 4_375.0, 7_125.0, 10_500.0]);
        let wanted = splits(
            7,
            &[
                (1, 2, 1),
                (1, 3, 1),
                (1, 4, 3),
                (1, 5, 3),
                (1, 6, 3),
                (2, 3, 2),
                (2, 4, 3),
                (2, 5, 3),
                (2, 6, 3),
                (3, 4, 3),
                (3, 5, 3),
                (3, 6, 3),
                (4, 5, 4),
                (4, 6, 5),
                (5, 6, 5),
            ],
        );
        assert_eq!(traces.last::<EdgePointer>("s"), wanted);
    }

    #[test]
    fn solves_exercise_15_2_1() {
        let p = vec![5.0, 10.0, 3.0, 12.0, 5.0, 50.0, 6.0];
        let traces = Traces::of::<MatrixChainOrder>(Keys(p));
        // ((A1 A2) ((A3 A4) (A5 A6)))
        assert_eq!(traces.last::<EdgeScalar>("m")[(1, 6)], 2_010.0);
        let s = traces.last::<EdgePointer>("s");
        assert_eq!([s[(1, 6)], s[(1, 2)], s[(3, 6)]], [2, 1, 4]);
    }

    #[test]
    fn terminates_if_sums_overflow() {
        let p = vec![1e200, -1e200, 1e200, 1e200, -1e200];
        let traces = Traces::of::<MatrixChainOrder>(Keys(p));
        assert!(traces.steps(0) <= 4);
        assert!(traces.last::<EdgeScalar>("m").cells().iter().any(|cost| cost.is_nan()));
    }

    /// The cost of the chain from `i` to `j`, by brute force.
    fn cheapest(p: &[f64], i: usize, j: usize) -> f64 {
        let splits =
            (i..j).map(|k| cheapest(p, i, k) + cheapest(p, k + 1, j) + p[i - 1] * p[k] * p[j]);
        splits.min_by(f64::total_cmp).unwrap_or(0.0)
    }

    proptest! {
        #[test]
        fn no_other_split_is_cheaper_and_rounds_are_at_most_the_number_of_matrices(
            p in proptest::collection::vec(0.0..1.0, 2..9)
        ) {
            let n = p.len();
            let traces = Traces::of::<MatrixChainOrder>(Keys(p.clone()));
            let m = traces.last::<EdgeScalar>("m");
            for i in 1..n {
                for j in i..n {
                    prop_assert_eq!(m[(i, j)], cheapest(&p, i, j));
                }
            }
            prop_assert!(traces.steps(0) < n.max(2));
        }
    }
}
