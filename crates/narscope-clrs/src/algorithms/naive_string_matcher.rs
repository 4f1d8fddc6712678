//! The naive string-matching algorithm. CLRS 3rd ed., §32.1.

use crate::algorithms::{Algorithm, Category};
use crate::instance::strings::{Letter, Relation, TwoStrings};
use crate::trace::Tracer;
use crate::values::{NodeClass, NodeMask, NodeMaskOne, NodeOrder, NodeScalar};

/// Compares the needle with the haystack at every shift.
pub struct NaiveStringMatcher;

crate::probes!(NaiveStringMatcher {
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
        /// the current shift
        s: NodeMaskOne,
        /// the letter of the haystack being compared
        i: NodeMaskOne,
        /// the letter of the needle being compared
        j: NodeMaskOne,
    }
});

impl Algorithm for NaiveStringMatcher {
    const NAME: &'static str = "naive_string_matcher";
    const SUMMARY: &'static str = "finds a string in a text by trying every shift";
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

        // NAIVE-STRING-MATCHER(T, P)
        let mut x = Hint {
            pred_h: TwoStrings::to_left(t, m),
            s: NodeMaskOne(0),
            i: NodeMaskOne(0),
            j: NodeMaskOne(t),
        };
        for s in 0..=t - m {
            (x.s.0, x.i.0, x.j.0) = (s, s, t);
            trace.hint(&x);
            while key[x.i.0] == key[x.j.0] {
                if x.j.0 == n - 1 {
                    return Output { r#match: x.s };
                }
                x.i.0 += 1;
                x.j.0 += 1;
                trace.hint(&x);
            }
        }
        // Parity: no match is encoded as the first letter of the needle. The reference cannot use
        // such a trace, and instances always have a match.
        Output { r#match: NodeMaskOne(t) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::trace::Traces;

    #[test]
    fn finds_the_shift_of_figure_32_4() {
        let traces = Traces::of::<NaiveStringMatcher>(TwoStrings::of("acaabc", "aab"));
        assert_eq!(traces.last::<NodeMaskOne>("match"), NodeMaskOne(2));
        // Two letters compared at shift 0, one at shift 1, three at shift 2.
        assert_eq!(traces.steps(0), 6);
    }

    #[test]
    fn without_a_match_it_marks_the_first_letter_of_the_needle() {
        let traces = Traces::of::<NaiveStringMatcher>(TwoStrings::of("aabaab", "aac"));
        assert_eq!(traces.last::<NodeMaskOne>("match"), NodeMaskOne(6));
    }

    proptest! {
        #[test]
        fn finds_the_first_occurrence(hay in "[ab]{4,20}", needle in "[ab]{1,4}") {
            let traces = Traces::of::<NaiveStringMatcher>(TwoStrings::of(&hay, &needle));
            let wanted = hay.find(&needle).unwrap_or(hay.len());
            prop_assert_eq!(traces.last::<NodeMaskOne>("match"), NodeMaskOne(wanted));
        }

        #[test]
        fn every_comparison_records_a_hint(hay in "[ab]{4,20}", needle in "[ab]{1,4}") {
            let traces = Traces::of::<NaiveStringMatcher>(TwoStrings::of(&hay, &needle));
            let (hay, needle) = (hay.as_bytes(), needle.as_bytes());
            let mut comparisons = 0;
            for window in hay.windows(needle.len()) {
                let equal = window.iter().zip(needle).take_while(|(a, b)| a == b).count();
                comparisons += needle.len().min(equal + 1);
                if equal == needle.len() {
                    break;
                }
            }
            prop_assert_eq!(traces.steps(0), comparisons);
        }
    }
}
