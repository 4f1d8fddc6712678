//! Longest common subsequence. CLRS 3rd ed., §15.4.

use crate::algorithms::{Algorithm, Category};
use crate::instance::strings::{Letter, Relation, TwoStrings};
use crate::trace::Tracer;
use crate::validity::{Checker, arrows};
use crate::values::{EdgeClass, EdgeScalar, NodeClass, NodeMask, NodeOrder, NodeScalar};

/// Fills the table of longest common subsequences of all pairs of prefixes.
pub struct LcsLength;

pub use crate::validity::Arrow;

crate::probes!(LcsLength {
    input {
        /// whether the letter belongs to the second string
        string: NodeMask,
        /// the letter's position in its own string, in [0, 1)
        pos: NodeScalar,
        /// the letter
        key: NodeClass<Letter>,
    }
    output {
        /// the subproblem that the LCS of the prefixes ending here extends
        b: EdgeClass<Arrow>,
    }
    hint {
        /// the previous letter of the same string
        pred_h: NodeOrder,
        /// the subproblem that the LCS of the prefixes ending here extends, so far
        b_h: EdgeClass<Arrow>,
        /// the length of the LCS of the prefixes ending here, so far
        c: EdgeScalar,
    }
});

impl Algorithm for LcsLength {
    const NAME: &'static str = "lcs_length";
    const SUMMARY: &'static str = "the longest common subsequence of two strings";
    const CATEGORY: Category = Category::DynamicProgramming;
    type Instance = TwoStrings;
    const PARAMS: Relation = Relation::Peers;
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(arrows(&input.key, TwoStrings::split(&input.string), &output.b)));

    fn input(strings: TwoStrings) -> Input {
        Input { string: strings.membership(), pos: strings.positions(), key: strings.letters() }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let n = input.key.len();
        // The first string is 0..t, the second t..n.
        let t = TwoStrings::split(&input.string);

        // LCS-LENGTH(X, Y)
        let arrow = |i, j| if i < t && j >= t { Arrow::Diagonal } else { Arrow::Outside };
        let mut x = Hint {
            pred_h: TwoStrings::to_left(t, n - t),
            b_h: EdgeClass::from_fn(n, arrow),
            c: EdgeScalar::zeros(n),
        };
        // Parity: the first column and the first row are filled before the first hint.
        for i in 0..t {
            fill(&mut x, &input.key, t, i, t);
        }
        for j in t + 1..n {
            fill(&mut x, &input.key, t, 0, j);
        }

        // Parity: the rest is filled in rounds that read the lengths of the previous round, until
        // none changes. The last round may still change arrows, so `b` can differ from the last
        // `b_h`.
        loop {
            trace.hint(&x);
            let mut changed = false;
            // A cell reads cells above and to the left, so iterating backwards replaces a copy.
            for i in (1..t).rev() {
                for j in (t + 1..n).rev() {
                    changed |= fill(&mut x, &input.key, t, i, j);
                }
            }
            if !changed {
                break;
            }
        }
        Output { b: x.b_h }
    }
}

/// The body of the book's two loops: fills the cell of letter `i` of the first string and letter
/// `j` of the second, which begins at `t`. Returns whether the length changed.
fn fill(x: &mut Hint, key: &[Letter], t: usize, i: usize, j: usize) -> bool {
    // Above the first row and left of the first column the book has zeros. Ties go up, and so does
    // a first row without a match.
    let above = if i > 0 { x.c[(i - 1, j)] } else { 0.0 };
    let left = if j > t { x.c[(i, j - 1)] } else { 0.0 };
    let (c, b) = if key[i] == key[j] {
        let before_both = if i > 0 && j > t { x.c[(i - 1, j - 1)] } else { 0.0 };
        (before_both + 1.0, Arrow::Diagonal)
    } else if above >= left {
        (above, Arrow::Up)
    } else {
        (left, Arrow::Left)
    };
    x.b_h[(i, j)] = b;
    std::mem::replace(&mut x.c[(i, j)], c) != c
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::trace::Traces;

    #[test]
    fn draws_the_lengths_and_arrows_of_figure_15_8() {
        let traces = Traces::of::<LcsLength>(TwoStrings::of("ABCBDAB", "BDCABA"));

        assert_eq!(traces.last::<EdgeScalar>("c").row(6)[7..], [1.0, 2.0, 2.0, 3.0, 4.0, 4.0]);
        let b = traces.last::<EdgeClass<Arrow>>("b");
        let drawn: Vec<String> = (0..7)
            .map(|i| {
                let arrow = |&arrow: &Arrow| match arrow {
                    Arrow::Diagonal => '↖',
                    Arrow::Up => '↑',
                    Arrow::Left => '←',
                    Arrow::Outside => '?',
                };
                b.row(i)[7..].iter().map(arrow).collect()
            })
            .collect();
        assert_eq!(drawn, ["↑↑↑↖←↖", "↖←←↑↖←", "↑↑↖←↑↑", "↖↑↑↑↖←", "↑↖↑↑↑↑", "↑↑↑↖↑↖", "↖↑↑↑↖↑"]);
    }

    #[test]
    fn only_pairs_of_letters_of_different_strings_count() {
        let b = Traces::of::<LcsLength>(TwoStrings::of("ab", "c")).last::<EdgeClass<Arrow>>("b");
        let inside: Vec<bool> = b.cells().iter().map(|&arrow| arrow != Arrow::Outside).collect();
        assert_eq!(inside, [false, false, true, false, false, true, false, false, false]);
    }

    #[test]
    fn the_last_round_changes_arrows_that_no_hint_shows() {
        // The lengths are right at once, but the cell of the last letters still has its initial
        // arrow.
        let traces = Traces::of::<LcsLength>(TwoStrings::of("ab", "cd"));
        assert_eq!(traces.steps(0), 1);
        assert_eq!(traces.last::<EdgeClass<Arrow>>("b_h")[(1, 3)], Arrow::Diagonal);
        assert_eq!(traces.last::<EdgeClass<Arrow>>("b")[(1, 3)], Arrow::Up);
    }

    fn longest(x: &[Letter], y: &[Letter]) -> usize {
        match (x, y) {
            ([], _) | (_, []) => 0,
            ([.., a], [.., b]) if a == b => 1 + longest(&x[..x.len() - 1], &y[..y.len() - 1]),
            ([x_rest @ .., _], [y_rest @ .., _]) => longest(x_rest, y).max(longest(x, y_rest)),
        }
    }

    proptest! {
        #[test]
        fn lengths_are_those_of_the_recursion_in_the_book(x in "[a-d]{1,8}", y in "[a-d]{1,8}") {
            let strings = TwoStrings::of(&x, &y);
            let c = Traces::of::<LcsLength>(strings.clone()).last::<EdgeScalar>("c");
            for i in 0..x.len() {
                for j in 0..y.len() {
                    let wanted = longest(&strings.first[..=i], &strings.second[..=j]);
                    prop_assert_eq!(c[(i, x.len() + j)], wanted as f64);
                }
            }
        }

        #[test]
        fn following_the_arrows_spells_a_common_subsequence_of_that_length(
            x in "[a-c]{1,20}",
            y in "[a-c]{1,20}",
        ) {
            let traces = Traces::of::<LcsLength>(TwoStrings::of(&x, &y));
            let (t, n) = (x.len(), x.len() + y.len());
            let b = traces.last::<EdgeClass<Arrow>>("b");

            // PRINT-LCS(b, X, i, j)
            let (mut i, mut j, mut spelt) = (t, n, 0);
            while i > 0 && j > t {
                match b[(i - 1, j - 1)] {
                    Arrow::Diagonal => {
                        prop_assert_eq!(x.as_bytes()[i - 1], y.as_bytes()[j - 1 - t]);
                        (i, j, spelt) = (i - 1, j - 1, spelt + 1);
                    }
                    Arrow::Up => i -= 1,
                    Arrow::Left => j -= 1,
                    Arrow::Outside => unreachable!("i and j are letters of different strings"),
                }
            }
            prop_assert_eq!(f64::from(spelt), traces.last::<EdgeScalar>("c")[(t - 1, n - 1)]);
        }
    }
}
