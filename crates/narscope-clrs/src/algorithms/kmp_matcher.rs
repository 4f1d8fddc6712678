//! The Knuth–Morris–Pratt string matcher. CLRS 3rd ed., §32.4.

use crate::algorithms::{Algorithm, Category};
use crate::instance::strings::{Letter, Relation, TwoStrings};
use crate::trace::Tracer;
use crate::values::{
    Graph, GraphMask, NodeClass, NodeMask, NodeMaskOne, NodeOrder, NodePointer, NodeScalar,
};

/// Computes the prefix function of the needle, then scans the haystack without backtracking.
pub struct KmpMatcher;

crate::probes!(KmpMatcher {
    input {
        /// whether the letter belongs to the needle
        string: NodeMask,
        /// the letter's position in its own string, in [0, 1)
        pos: NodeScalar,
        /// the letter
        key: NodeClass<Letter>,
    }
    output {
        /// the start of the first occurrence of the needle in the haystack
        r#match: NodeMaskOne,
    }
    hint {
        /// the previous letter of the same string
        pred_h: NodeOrder,
        /// prefix function: the last letter of the longest proper prefix that is a suffix ending
        /// here
        pi: NodePointer,
        /// the letters of the needle for which that prefix is empty
        is_reset: NodeMask,
        /// the last letter of the prefix matched while computing the prefix function
        k: NodeMaskOne,
        /// whether the prefix of k is empty
        k_reset: GraphMask,
        /// prefix function: the letter it is computed for; matching: the last letter matched
        q: NodeMaskOne,
        /// whether no letter is matched
        q_reset: GraphMask,
        /// the shift at which the needle would end at letter i (at least 0)
        s: NodeMaskOne,
        /// the letter of the haystack scanned last
        i: NodeMaskOne,
        /// whether the haystack is being scanned (otherwise the prefix function is being computed)
        phase: GraphMask,
    }
});

impl Algorithm for KmpMatcher {
    const NAME: &'static str = "kmp_matcher";
    const SUMMARY: &'static str = "finds a string in a text in linear time (Knuth–Morris–Pratt)";
    const CATEGORY: Category = Category::Strings;
    type Instance = TwoStrings;
    const PARAMS: Relation = Relation::Needle;
    const MULTIPLIER: usize = 64;

    fn input(strings: TwoStrings) -> Input {
        Input { string: strings.membership(), pos: strings.positions(), key: strings.letters() }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let key = &input.key;
        let n = key.len();
        // The haystack is 0..t, the needle t..n.
        let t = TwoStrings::split(&input.string);
        let m = n - t;

        // Parity: the book counts matched letters. A node cannot be -1, so the count is encoded as
        // the last letter matched, and zero as the first letter plus a flag.
        let next = |last: NodeMaskOne, none: bool| if none { t } else { last.0 + 1 };

        // COMPUTE-PREFIX-FUNCTION(P)
        let mut x = Hint {
            pred_h: TwoStrings::to_left(t, m),
            pi: NodePointer::to_self(n),
            is_reset: NodeMask::only(t, n),
            k: NodeMaskOne(t),
            k_reset: Graph(true),
            q: NodeMaskOne(if m > 1 { t + 1 } else { t }),
            q_reset: Graph(true),
            s: NodeMaskOne(0),
            i: NodeMaskOne(0),
            phase: Graph(false),
        };
        trace.hint(&x);
        for q in t + 1..n {
            x.q = NodeMaskOne(q);
            while !x.k_reset.0 && key[x.k.0 + 1] != key[q] {
                let NodeMaskOne(k) = x.k;
                (x.k.0, x.k_reset.0) = (x.pi[k], x.is_reset[k]);
                trace.hint(&x);
            }
            let k = next(x.k, x.k_reset.0);
            if key[k] == key[q] {
                (x.k.0, x.k_reset.0) = (k, false);
            }
            (x.pi[q], x.is_reset[q]) = (x.k.0, x.k_reset.0);
            trace.hint(&x);
        }

        // KMP-MATCHER(T, P)
        x.q = NodeMaskOne(t);
        x.phase = Graph(true);
        for i in 0..t {
            x.s = NodeMaskOne((i + 1).saturating_sub(m));
            x.i = NodeMaskOne(i);
            trace.hint(&x);
            while !x.q_reset.0 && key[x.q.0 + 1] != key[i] {
                let NodeMaskOne(q) = x.q;
                (x.q.0, x.q_reset.0) = (x.pi[q], x.is_reset[q]);
                trace.hint(&x);
            }
            let q = next(x.q, x.q_reset.0);
            if key[q] == key[i] {
                if q == n - 1 {
                    return Output { r#match: x.s };
                }
                (x.q.0, x.q_reset.0) = (q, false);
            }
        }
        // Parity: no match is encoded as the first letter of the needle. Instances always have one.
        Output { r#match: NodeMaskOne(t) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::trace::Traces;

    /// The prefix function with the book's values.
    fn prefix_function(traces: &Traces, t: usize) -> Vec<usize> {
        let (pi, is_reset) =
            (traces.last::<NodePointer>("pi"), traces.last::<NodeMask>("is_reset"));
        (t..pi.len()).map(|q| if is_reset[q] { 0 } else { pi[q] - t + 1 }).collect()
    }

    #[test]
    fn computes_the_prefix_function_of_figure_32_11_and_finds_the_needle() {
        let hay = "bacbabababacab";
        let traces = Traces::of::<KmpMatcher>(TwoStrings::of(hay, "ababaca"));
        assert_eq!(prefix_function(&traces, hay.len()), [0, 0, 1, 2, 3, 0, 1]);
        assert_eq!(traces.last::<NodeMaskOne>("match"), NodeMaskOne(6));
    }

    #[test]
    fn without_a_match_it_marks_the_first_letter_of_the_needle() {
        let traces = Traces::of::<KmpMatcher>(TwoStrings::of("aabaab", "aac"));
        assert_eq!(traces.last::<NodeMaskOne>("match"), NodeMaskOne(6));
    }

    #[test]
    fn a_needle_of_one_letter_has_no_prefixes_to_find() {
        let traces = Traces::of::<KmpMatcher>(TwoStrings::of("bca", "a"));
        assert_eq!(traces.last::<NodeMaskOne>("match"), NodeMaskOne(2));
        // The initial hint, and one per letter of the haystack.
        assert_eq!(traces.steps(0), 4);
    }

    proptest! {
        #[test]
        fn finds_the_first_occurrence(hay in "[ab]{4,20}", needle in "[ab]{1,4}") {
            let traces = Traces::of::<KmpMatcher>(TwoStrings::of(&hay, &needle));
            let wanted = hay.find(&needle).unwrap_or(hay.len());
            prop_assert_eq!(traces.last::<NodeMaskOne>("match"), NodeMaskOne(wanted));
        }

        #[test]
        fn the_prefix_function_is_the_longest_prefix_that_is_a_suffix(needle in "[ab]{1,12}") {
            let traces = Traces::of::<KmpMatcher>(TwoStrings::of("c", &needle));
            for (q, found) in prefix_function(&traces, 1).into_iter().enumerate() {
                let read = &needle[..=q];
                let wanted = (0..=q).rfind(|&k| read.ends_with(&needle[..k])).unwrap();
                prop_assert_eq!(found, wanted, "of {}", read);
            }
        }

        #[test]
        fn takes_time_linear_in_both_strings(hay in "[ab]{4,40}", needle in "[ab]{1,20}") {
            // A prefix grows by at most one letter per step and shrinks only if it is not empty.
            let traces = Traces::of::<KmpMatcher>(TwoStrings::of(&hay, &needle));
            prop_assert!(traces.steps(0) < 2 * (hay.len() + needle.len()));
        }
    }
}
