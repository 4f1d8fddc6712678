//! Quicksort. CLRS 3rd ed., §7.1.

use crate::algorithms::{Algorithm, Category};
use crate::array::NodeArray;
use crate::instance::keys::{Keys, Range};
use crate::trace::Tracer;
use crate::validity::{Checker, sorted};
use crate::values::{Node, NodeChain, NodeMaskOne, NodePointer, NodeScalar};

/// Splits the array at a pivot and sorts both sides.
pub struct Quicksort;

crate::probes!(Quicksort {
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
        /// the first node of the range that is split
        p: NodeMaskOne,
        /// the last node of the range that is split: the pivot, until it goes to its place
        r: NodeMaskOne,
        /// the node just after those known to be at most the pivot; in the end the pivot itself
        i: NodeMaskOne,
        /// the node at the place compared with the pivot last; in the end the last of the range
        j: NodeMaskOne,
    }
});

impl Algorithm for Quicksort {
    const NAME: &'static str = "quicksort";
    const SUMMARY: &'static str = "splits the array at a pivot and sorts both sides";
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

/// PARTITION(A, p, r): moves what is at most `A[r]` before it and the rest behind it, and returns
/// its new place.
///
/// `step` is called after each comparison with the array, the place `i` just after the keys known
/// to be at most the pivot (one more than the book's `i`) and the place `j` compared last; and once
/// more, with `j = r`, when the pivot has come to its place `i`.
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
    fn splits_one_node_off_at_a_time_if_the_array_is_sorted() {
        let traces = Traces::of::<Quicksort>(Keys(vec![1.0, 2.0, 3.0, 4.0, 5.0]));
        assert_eq!(traces.steps(0), 5 + 4 + 3 + 2);
    }
}
