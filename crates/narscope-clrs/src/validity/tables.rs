//! Dynamic-programming tables: the choice made for each subproblem.

use super::{Validity, at_most};
use crate::instance::strings::Letter;
use crate::values::Grid;

crate::classes!(
    /// Where the longest common subsequence of two prefixes comes from.
    Arrow {
        /// From both prefixes without their last letters, which are equal.
        Diagonal,
        /// From the first prefix without its last letter.
        Up,
        /// From the second prefix without its last letter.
        Left,
        ; ignored
        /// Not a letter of the first string with a letter of the second.
        Outside
    }
);

/// Judges the arrows of longest common subsequences, for each pair of letters of the two strings;
/// the second begins at `t`.
pub fn arrows(letters: &[Letter], t: usize, arrows: &Grid<Arrow>) -> Validity {
    let (first, second) = letters.split_at(t);
    // Includes a row and a column for empty prefixes.
    let mut c = vec![vec![0; second.len() + 1]; first.len() + 1];
    let mut judged = Validity { correct: 0, total: first.len() * second.len() };
    for i in 0..first.len() {
        for j in 0..second.len() {
            let (above, left, equal) = (c[i][j + 1], c[i + 1][j], first[i] == second[j]);
            let longest = if equal { c[i][j] + 1 } else { above.max(left) };
            c[i + 1][j + 1] = longest;
            let right = match arrows[(i, t + j)] {
                Arrow::Diagonal => equal,
                Arrow::Up => above == longest,
                Arrow::Left => left == longest,
                Arrow::Outside => false,
            };
            judged.correct += usize::from(right);
        }
    }
    judged
}

/// Judges the splits of matrix chains, chain by chain; `None` unless all dimensions are positive.
pub fn chain_splits(p: &[f64], split: &Grid<usize>) -> Option<Validity> {
    let multiply = |i: usize, k: usize, j: usize| p[i - 1] * p[k] * p[j];
    let positive = p.iter().all(|&dimension| dimension > 0.0);
    // The matrices are 1 to n - 1.
    positive.then(|| splits(1, &vec![0.0; p.len()], multiply, split))
}

/// Judges the roots of search trees, for each range of keys.
pub fn search_tree_roots(p: &[f64], q: &[f64], root: &Grid<usize>) -> Validity {
    let mut w = Grid::filled(q.len(), 0.0);
    for i in 0..q.len() {
        w[(i, i)] = q[i];
        for j in i + 1..q.len() {
            w[(i, j)] = w[(i, j - 1)] + p[j - 1] + q[j];
        }
    }
    splits(0, q, |i, _, j| w[(i, j)], root)
}

/// Judges the splits of ranges `i..=j` into `i..=k` and `k + 1..=j`, which should minimise the sum
/// of the costs of both parts and of the split. Costs are not negative.
fn splits(
    first: usize,
    single: &[f64],
    cost: impl Fn(usize, usize, usize) -> f64,
    split: &Grid<usize>,
) -> Validity {
    let n = single.len();
    let mut least = Grid::filled(n, 0.0);
    let mut judged = Validity { correct: 0, total: 0 };
    for i in (first..n).rev() {
        least[(i, i)] = single[i];
        for j in i + 1..n {
            let total = |k: usize| least[(i, k)] + least[(k + 1, j)] + cost(i, k, j);
            let cheapest = (i..j).map(total).min_by(f64::total_cmp).expect("i < j");
            let k = split[(i, j)];
            let right = (i..j).contains(&k) && at_most(total(k), cheapest, cheapest);
            least[(i, j)] = cheapest;
            judged.correct += usize::from(right);
            judged.total += 1;
        }
    }
    judged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::lcs_length::LcsLength;
    use crate::algorithms::matrix_chain_order::MatrixChainOrder;
    use crate::algorithms::optimal_bst::OptimalBst;
    use crate::instance::keys::Keys;
    use crate::instance::search_tree::SearchTree;
    use crate::instance::strings::TwoStrings;
    use crate::trace::Traces;
    use crate::values::{EdgeClass, EdgePointer};

    #[test]
    fn an_arrow_may_lead_to_either_of_two_subproblems_of_equal_length() {
        let strings = TwoStrings::of("ab", "ba");
        let traces = Traces::of::<LcsLength>(strings.clone());
        let (letters, mut b) = (strings.letters(), traces.last::<EdgeClass<Arrow>>("b"));
        let mut judge = |cell, arrow| {
            let old = std::mem::replace(&mut b[cell], arrow);
            let judged = arrows(&letters, 2, &b);
            b[cell] = old;
            assert_eq!(judged.total, 4);
            judged.correct
        };
        let (diagonal, up, left) = (Arrow::Diagonal, Arrow::Up, Arrow::Left);
        // "ab" and "ba" share one letter, the "a" or the "b".
        assert_eq!([diagonal, up, left].map(|arrow| judge((1, 3), arrow)), [3, 4, 4]);
        // "ab" and "b" share the "b" only.
        assert_eq!([diagonal, up, left].map(|arrow| judge((1, 2), arrow)), [4, 3, 3]);
        // "a" and "b" share no letter, and shorter prefixes do not either.
        assert_eq!([diagonal, up, left].map(|arrow| judge((0, 2), arrow)), [3, 4, 4]);
        assert_eq!(judge((0, 2), Arrow::Outside), 3);
        assert_eq!(judge((0, 0), diagonal), 4, "not a pair of letters of the two strings");
    }

    #[test]
    fn equal_letters_need_not_be_matched_with_each_other() {
        // The "a" of the second string can also match the first "a" of the first.
        let strings = TwoStrings::of("aa", "a");
        let mut b = Traces::of::<LcsLength>(strings.clone()).last::<EdgeClass<Arrow>>("b");
        b[(1, 2)] = Arrow::Up;
        assert!(arrows(&strings.letters(), 2, &b).is_valid());
    }

    #[test]
    fn both_of_two_equally_cheap_splits_are_valid() {
        let p = [0.1, 0.1, 0.1, 0.1];
        let mut s = Traces::of::<MatrixChainOrder>(Keys(p.to_vec())).last::<EdgePointer>("s");
        let mut judge = |k| {
            s[(1, 3)] = k;
            chain_splits(&p, &s).unwrap()
        };
        assert_eq!([1, 2].map(|k| judge(k).is_valid()), [true, true]);
        // Not between two matrices of the chain.
        assert_eq!([0, 3].map(judge), [Validity { correct: 2, total: 3 }; 2]);
        assert!(!chain_splits(&[0.1, 0.2, 0.3, 0.4], &s).unwrap().is_valid());
        assert_eq!(chain_splits(&[0.1, 0.0, 0.3, 0.4], &s), None);
    }

    #[test]
    fn either_of_two_equally_frequent_keys_can_be_the_root() {
        let tree = |hit: [f64; 2]| SearchTree { hit: hit.to_vec(), miss: vec![0.2; 3] };
        let mut root = Traces::of::<OptimalBst>(tree([0.2, 0.2])).last::<EdgePointer>("root");
        let mut judge = |hit: [f64; 2], r| {
            root[(0, 2)] = r;
            search_tree_roots(&hit, &[0.2; 3], &root)
        };
        assert_eq!([0, 1].map(|r| judge([0.2, 0.2], r).is_valid()), [true, true]);
        assert_eq!([0, 1].map(|r| judge([0.1, 0.3], r).is_valid()), [false, true]);
        assert_eq!(judge([0.2, 0.2], 2), Validity { correct: 2, total: 3 }, "a gap is not a key");
    }
}
