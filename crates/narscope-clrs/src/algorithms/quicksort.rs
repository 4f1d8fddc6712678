//! Quicksort. CLRS 3rd ed., §7.1.

use crate::algorithms::{Algorithm, Category};
use crate::array::NodeArray;
use crate::instance::keys::{Keys, Range};
use crate::trace::Tracer;
use crate::validity::{Checker, sorted};
use crate::values::{Node, NodeChain, NodeMaskOne, NodePointer, NodeScalar};

/// Partitions the array around a pivot and sorts both sides.
pub struct Quicksort;

crate::probes!(Quicksort {
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
        /// the first node of the range being partitioned
        p: NodeMaskOne,
        /// the last node of the range being partitioned: the pivot, until it is swapped into
        /// position
        r: NodeMaskOne,
        /// the node after those known to be at most the pivot; at the end of a partition, the pivot
        i: NodeMaskOne,
        /// the node at the position compared with the pivot last; at the end, the last of the range
        j: NodeMaskOne,
    }
});

impl Algorithm for Quicksort {
    const NAME: &'static str = "quicksort";
    const SUMMARY: &'static str = "partitions the array around a pivot and sorts both sides";
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
        // Parity: there is no initial hint; the first one follows the first comparison.
        let mut x = Hint {
            pred_h: NodePointer::to_left(n),
            p: NodeMaskOne(0),
            r: NodeMaskOne(n - 1),
            i: NodeMaskOne(0),
            j: NodeMaskOne(0),
        };
        quicksort(&mut a, 0, n - 1, &mut x, trace);
        Output { pred: NodeChain::chained(&a.nodes) }
    }
}

/// QUICKSORT(A, p, r)
fn quicksort(a: &mut NodeArray, p: usize, r: usize, x: &mut Hint, trace: &mut Tracer<Hint>) {
    if p >= r {
        return;
    }
    let q = partition(a, p, r, |a, i, j| {
        x.p = NodeMaskOne(a.nodes[p]);
        x.r = NodeMaskOne(a.nodes[r]);
        x.i = NodeMaskOne(a.nodes[i]);
        x.j = NodeMaskOne(a.nodes[j]);
        x.pred_h.chain(&a.nodes);
        trace.hint(x);
    });
    quicksort(a, p, q.saturating_sub(1), x, trace);
    quicksort(a, q + 1, r, x, trace);
}

/// PARTITION(A, p, r): moves the keys that are at most the pivot `A[r]` before it and the others
/// after it, and returns its new position.
///
/// Calls `step(a, i, j)` after each comparison: `i` is the position after the keys known to be at
/// most the pivot (the book's `i` plus 1), `j` the position compared last. The final call has
/// `j = r` and the pivot at position `i`.
pub(super) fn partition(
    a: &mut NodeArray,
    p: usize,
    r: usize,
    mut step: impl FnMut(&NodeArray, usize, usize),
) -> usize {
    let pivot = a.keys[r];
    let mut i = p;
    for j in p..r {
        if a.keys[j] <= pivot {
            a.swap(i, j);
            i += 1;
        }
        step(a, i, j);
    }
    a.swap(i, r);
    step(a, i, r);
    i
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Traces;

    /// The array of figure 7.1.
    const FIGURE_7_1: [f64; 8] = [2.0, 8.0, 7.0, 1.0, 3.0, 5.0, 6.0, 4.0];

    #[test]
    fn partitions_the_array_of_figure_7_1() {
        let mut a = NodeArray::of(&FIGURE_7_1);
        let mut steps = Vec::new();
        let q = partition(&mut a, 0, 7, |_, i, j| steps.push((i, j)));
        assert_eq!(q, 3);
        assert_eq!(a.keys, [2.0, 1.0, 3.0, 4.0, 7.0, 5.0, 6.0, 8.0]);
        assert_eq!(steps, [(1, 0), (1, 1), (1, 2), (2, 3), (3, 4), (3, 5), (3, 6), (3, 7)]);
    }

    #[test]
    fn sorts_the_array_of_figure_7_1() {
        let traces = Traces::of::<Quicksort>(Keys(FIGURE_7_1.to_vec()));
        let sorted = NodeChain::chained(&[3, 0, 4, 7, 5, 6, 2, 1]);
        assert_eq!(traces.last::<NodeChain>("pred"), sorted);
    }

    #[test]
    fn a_sorted_array_shrinks_by_one_node_per_partition() {
        let traces = Traces::of::<Quicksort>(Keys(vec![1.0, 2.0, 3.0, 4.0, 5.0]));
        assert_eq!(traces.steps(0), 5 + 4 + 3 + 2);
    }
}
