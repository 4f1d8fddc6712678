//! Insertion sort. CLRS 3rd ed., §2.1.

use crate::algorithms::{Algorithm, Category};
use crate::array::NodeArray;
use crate::instance::keys::{Keys, Range};
use crate::trace::Tracer;
use crate::validity::{Checker, sorted};
use crate::values::{Node, NodeChain, NodeMaskOne, NodePointer, NodeScalar};

/// Inserts each key into the sorted keys before it.
pub struct InsertionSort;

crate::probes!(InsertionSort {
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
        /// the node displaced by the inserted one; the inserted node itself if none moved
        i: NodeMaskOne,
        /// the node inserted last
        j: NodeMaskOne,
    }
});

impl Algorithm for InsertionSort {
    const NAME: &'static str = "insertion_sort";
    const SUMMARY: &'static str = "inserts each key into the sorted keys before it";
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

        for j in 1..n {
            // Insert A[j] into the sorted sequence A[0..j].
            let mut i = j;
            while i > 0 && a.keys[i - 1] > input.key[j] {
                a.swap(i - 1, i);
                i -= 1;
            }
            // The displaced node, if any moved, is now the right neighbour.
            let displaced = if i < j { i + 1 } else { j };
            x.i = NodeMaskOne(a.nodes[displaced]);
            x.j = NodeMaskOne(j);
            x.pred_h.chain(&a.nodes);
            trace.hint(&x);
        }
        Output { pred: NodeChain::chained(&a.nodes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Traces;

    #[test]
    fn sorts_the_cards_of_figure_2_2() {
        let traces = Traces::of::<InsertionSort>(Keys(vec![5.0, 2.0, 4.0, 6.0, 1.0, 3.0]));
        // The keys 1 2 3 4 5 6 are those of nodes 4 1 5 2 0 3.
        assert_eq!(traces.last::<NodeChain>("pred"), NodeChain::chained(&[4, 1, 5, 2, 0, 3]));
    }
}
