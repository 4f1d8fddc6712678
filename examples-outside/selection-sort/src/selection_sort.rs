//! Selection sort. CLRS 3rd ed., exercise 2.2-2.

use narscope_clrs::array::NodeArray;
use narscope_clrs::instance::keys::{Keys, Range};
use narscope_clrs::{
    Algorithm, Category, Node, NodeChain, NodeMaskOne, NodePointer, NodeScalar, Tracer, probes,
};

/// Moves the smallest remaining key to the front, again and again.
pub struct SelectionSort;

probes!(SelectionSort {
    input {
        /// position in the array, scaled to [0, 1)
        pos: NodeScalar,
        /// key to sort by
        key: NodeScalar,
    }
    output {
        /// predecessor in sorted order
        pred: NodeChain,
    }
    hint {
        /// predecessor in the current order
        pred_h: NodePointer,
        /// node moved to the front last
        i: NodeMaskOne,
    }
});

impl Algorithm for SelectionSort {
    const NAME: &'static str = "selection_sort";
    const SUMMARY: &'static str = "moves the smallest remaining key to the front";
    const CATEGORY: Category = Category::Sorting;
    type Instance = Keys;
    const PARAMS: Range = Range::UNIT;
    const IN_CLRS_30: bool = false;

    fn input(Keys(keys): Keys) -> Input {
        Input { pos: NodeScalar::positions(keys.len()), key: Node(keys) }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let mut a = NodeArray::of(&input.key);
        let n = a.len();
        let mut x = Hint { pred_h: NodePointer::to_left(n), i: NodeMaskOne(0) };
        trace.hint(&x);

        for i in 0..n - 1 {
            let smallest = (i..n).reduce(|s, j| if a.keys[j] < a.keys[s] { j } else { s });
            a.swap(i, smallest.expect("i < n"));
            x.i = NodeMaskOne(a.nodes[i]);
            x.pred_h.chain(&a.nodes);
            trace.hint(&x);
        }
        Output { pred: NodeChain::chained(&a.nodes) }
    }
}
