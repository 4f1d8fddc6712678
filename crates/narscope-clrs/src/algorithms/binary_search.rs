//! Binary search. CLRS 3rd ed., exercise 2.3-5.

use crate::algorithms::{Algorithm, Category};
use crate::instance::keys::Range;
use crate::instance::query::Query;
use crate::trace::Tracer;
use crate::validity::{Checker, first_at_least};
use crate::values::{Graph, GraphScalar, Node, NodeMaskOne, NodeOrder, NodeScalar};

/// Halves the range that contains the target.
pub struct BinarySearch;

crate::probes!(BinarySearch {
    input {
        /// the node's position in the array, in [0, 1)
        pos: NodeScalar,
        /// the keys, in ascending order
        key: NodeScalar,
        /// the number to search for; it need not be in the array
        target: GraphScalar,
    }
    output {
        /// the first node whose key is at least the target; the last node if there is none
        r#return: NodeMaskOne,
    }
    hint {
        /// the predecessor in the array
        pred_h: NodeOrder,
        /// the first node of the remaining range
        low: NodeMaskOne,
        /// the last node of the remaining range
        high: NodeMaskOne,
        /// the middle of the remaining range, compared next
        mid: NodeMaskOne,
    }
});

impl Algorithm for BinarySearch {
    const NAME: &'static str = "binary_search";
    const SUMMARY: &'static str = "the position of a number in a sorted array";
    const CATEGORY: Category = Category::Searching;
    type Instance = Query;
    const PARAMS: Range = Range::UNIT;
    const MULTIPLIER: usize = 64;
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(first_at_least(&input.key, input.target.0, output.r#return)));

    fn input(Query { keys, target }: Query) -> Input {
        Input { pos: NodeScalar::positions(keys.len()), key: Node(keys), target: Graph(target) }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let Input { key: a, target: Graph(target), .. } = input;
        let n = a.len();
        let (mut low, mut high) = (0, n - 1);
        let mut mid = usize::midpoint(low, high);
        let mut x = Hint {
            pred_h: NodeOrder::to_left(n),
            low: NodeMaskOne(low),
            high: NodeMaskOne(high),
            mid: NodeMaskOne(mid),
        };
        trace.hint(&x);

        while low < high {
            if *target <= a[mid] {
                high = mid;
            } else {
                low = mid + 1;
            }
            mid = usize::midpoint(low, high);
            (x.low, x.high, x.mid) = (NodeMaskOne(low), NodeMaskOne(high), NodeMaskOne(mid));
            trace.hint(&x);
        }
        Output { r#return: x.high }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::trace::Traces;

    #[test]
    fn finds_a_number_that_is_in_the_array() {
        let query = Query { keys: vec![1.0, 2.0, 3.0, 5.0, 8.0, 13.0], target: 5.0 };
        let traces = Traces::of::<BinarySearch>(query);
        assert_eq!(traces.last::<NodeMaskOne>("return"), NodeMaskOne(3));
    }

    proptest! {
        #[test]
        fn finds_the_first_key_of_at_least_the_target_or_the_last_key(
            mut keys in proptest::collection::vec(0..9u8, 2..20),
            target in 0..10u8,
        ) {
            keys.sort_unstable();
            let wanted = keys.partition_point(|&key| key < target).min(keys.len() - 1);
            let keys = keys.into_iter().map(f64::from).collect();
            let traces = Traces::of::<BinarySearch>(Query { keys, target: f64::from(target) });
            prop_assert_eq!(traces.last::<NodeMaskOne>("return"), NodeMaskOne(wanted));
        }

        #[test]
        fn sixteen_keys_take_four_comparisons_whatever_the_target(target in -1.0..17.0) {
            let keys = (0..16).map(f64::from).collect();
            prop_assert_eq!(Traces::of::<BinarySearch>(Query { keys, target }).steps(0), 1 + 4);
        }
    }
}
