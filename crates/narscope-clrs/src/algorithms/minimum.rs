//! Minimum of an array. CLRS 3rd ed., §9.1.

use crate::algorithms::{Algorithm, Category};
use crate::instance::keys::{Keys, Range};
use crate::trace::Tracer;
use crate::validity::{Checker, smallest};
use crate::values::{Node, NodeMaskOne, NodeOrder, NodeScalar};

/// Scans the keys and keeps the smallest so far.
pub struct Minimum;

crate::probes!(Minimum {
    input {
        /// the node's position in the array, in [0, 1)
        pos: NodeScalar,
        /// the key to compare
        key: NodeScalar,
    }
    output {
        /// the node with the smallest key; the first one wins ties
        min: NodeMaskOne,
    }
    hint {
        /// the predecessor in the array
        pred_h: NodeOrder,
        /// the node with the smallest key so far
        min_h: NodeMaskOne,
        /// the node scanned last
        i: NodeMaskOne,
    }
});

impl Algorithm for Minimum {
    const NAME: &'static str = "minimum";
    const SUMMARY: &'static str = "the smallest key of an array";
    const CATEGORY: Category = Category::Searching;
    type Instance = Keys;
    const PARAMS: Range = Range::UNIT;
    const MULTIPLIER: usize = 64;
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(smallest(&input.key, output.min)));

    fn input(Keys(keys): Keys) -> Input {
        Input { pos: NodeScalar::positions(keys.len()), key: Node(keys) }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let a = &input.key;
        let n = a.len();
        let mut x =
            Hint { pred_h: NodeOrder::to_left(n), min_h: NodeMaskOne(0), i: NodeMaskOne(0) };
        trace.hint(&x);

        // MINIMUM(A)
        for i in 1..n {
            if a[x.min_h.0] > a[i] {
                x.min_h = NodeMaskOne(i);
            }
            x.i = NodeMaskOne(i);
            trace.hint(&x);
        }
        Output { min: x.min_h }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::trace::Traces;

    proptest! {
        #[test]
        fn finds_the_first_smallest_key_with_one_hint_per_key(
            keys in proptest::collection::vec(0..9u8, 2..20),
        ) {
            // `position` finds the first one.
            let first = keys.iter().position(|key| key == keys.iter().min().unwrap()).unwrap();
            let n = keys.len();
            let traces = Traces::of::<Minimum>(Keys(keys.into_iter().map(f64::from).collect()));
            prop_assert_eq!(traces.last::<NodeMaskOne>("min"), NodeMaskOne(first));
            prop_assert_eq!(traces.steps(0), n);
        }
    }
}
