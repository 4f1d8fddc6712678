//! Bubble sort. CLRS 3rd ed., problem 2-2.

use crate::algorithms::{Algorithm, Category};
use crate::array::NodeArray;
use crate::instance::keys::{Keys, Range};
use crate::trace::Tracer;
use crate::validity::{Checker, sorted};
use crate::values::{Node, NodeChain, NodeMaskOne, NodePointer, NodeScalar};

/// Lets small keys rise to the front, neighbour by neighbour.
pub struct BubbleSort;

crate::probes!(BubbleSort {
    input {
        /// the node's place in the array
        pos: NodeScalar,
        /// the number to be sorted
        key: NodeScalar,
    }
    output {
        /// the node just before this one in sorted order
        pred: NodeChain,
    }
    hint {
        /// the node just before this one in the array so far
        pred_h: NodePointer,
        /// the node at the place that the next smallest key rises to
        i: NodeMaskOne,
        /// the right one of the two neighbours compared last, after they changed places if they did
        j: NodeMaskOne,
    }
});

impl Algorithm for BubbleSort {
    const NAME: &'static str = "bubble_sort";
    const SUMMARY: &'static str = "swaps neighbours that are out of order";
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
    fn compares_each_pair_of_places_once_and_keeps_equal_keys_in_order() {
        let traces = Traces::of::<BubbleSort>(Keys(vec![3.0, 1.0, 2.0, 1.0, 3.0]));
        assert_eq!(traces.last::<NodeChain>("pred"), NodeChain::chained(&[1, 3, 2, 0, 4]));
        assert_eq!(traces.steps(0), 1 + 5 * 4 / 2);
    }
}
