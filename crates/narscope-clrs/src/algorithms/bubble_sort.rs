//! Bubble sort. CLRS 3rd ed., problem 2-2.

use crate::algorithms::{Algorithm, Category};
use crate::array::NodeArray;
use crate::instance::keys::{Keys, Range};
use crate::trace::Tracer;
use crate::validity::{Checker, sorted};
use crate::values::{Node, NodeChain, NodeMaskOne, NodePointer, NodeScalar};

/// Swaps adjacent keys that are out of order, from the back to the front.
pub struct BubbleSort;

crate::probes!(BubbleSort {
    input {
        /// the node's position in the array, in [0, 1)
        pos: NodeScalar,
        /// the key to sort by
        key: NodeScalar,
    }
    output {
        /// the predecessor in sorted order
        pred: NodeChain,
    }
    hint {
        /// the predecessor in the current order of the array
        pred_h: NodePointer,
        /// the node at position i, which the next smallest key moves to
        i: NodeMaskOne,
        /// the node at position j, the right one of the pair compared last (after a swap)
        j: NodeMaskOne,
    }
});

impl Algorithm for BubbleSort {
    const NAME: &'static str = "bubble_sort";
    const SUMMARY: &'static str = "swaps adjacent keys that are out of order";
    const CATEGORY: Category = Category::Sorting;
    type Instance = Keys;
    const PARAMS: Range = Range::UNIT;
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(sorted(&input.key, &output.pred)));

    fn input(Keys(keys): Keys) -> Input {
        Input { pos: NodeScalar::positions(keys.len()), key: Node(keys) }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let mut a = NodeArray::of(&input.key);
        let n = a.len();
        let mut x = Hint { pred_h: NodePointer::to_left(n), i: NodeMaskOne(0), j: NodeMaskOne(0) };
        trace.hint(&x);

        for i in 0..n - 1 {
            for j in (i + 1..n).rev() {
                if a.keys[j] < a.keys[j - 1] {
                    a.swap(j, j - 1);
                }
                x.i = NodeMaskOne(a.nodes[i]);
                x.j = NodeMaskOne(a.nodes[j]);
                x.pred_h.chain(&a.nodes);
                trace.hint(&x);
            }
        }
        Output { pred: NodeChain::chained(&a.nodes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Traces;

    #[test]
    fn makes_n_choose_2_comparisons_and_keeps_equal_keys_in_order() {
        let traces = Traces::of::<BubbleSort>(Keys(vec![3.0, 1.0, 2.0, 1.0, 3.0]));
        assert_eq!(traces.last::<NodeChain>("pred"), NodeChain::chained(&[1, 3, 2, 0, 4]));
        assert_eq!(traces.steps(0), 1 + 5 * 4 / 2);
    }
}
