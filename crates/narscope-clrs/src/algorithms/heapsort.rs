//! Heapsort. CLRS 3rd ed., §6.4.

use crate::algorithms::{Algorithm, Category};
use crate::array::NodeArray;
use crate::instance::keys::{Keys, Range};
use crate::trace::Tracer;
use crate::validity::{Checker, sorted};
use crate::values::{Graph, GraphClass, Node, NodeChain, NodeMaskOne, NodePointer, NodeScalar};

/// Builds a max-heap and extracts the largest key repeatedly.
pub struct Heapsort;

crate::classes!(
    /// The current operation on the heap.
    Phase {
        /// BUILD-MAX-HEAP, from the end of the array to the front.
        Building,
        /// The root was just swapped with the last key of the heap and removed.
        Extracting,
        /// MAX-HEAPIFY moves the new root down.
        Sinking,
    }
);

crate::probes!(Heapsort {
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
        /// the parent in the heap; the node itself at the root and outside the heap
        parent: NodePointer,
        /// the node at the position of the outer loop; when extracting, the new root
        i: NodeMaskOne,
        /// the node at the position being heapified (after a swap); when extracting, the old root
        j: NodeMaskOne,
        /// the node that moved down, j if none did; when extracting, always node 0
        largest: NodeMaskOne,
        /// the last node of the heap
        heap_size: NodeMaskOne,
        /// whether the heap is being built, was just extracted from, or is being restored
        phase: GraphClass<Phase>,
    }
});

impl Algorithm for Heapsort {
    const NAME: &'static str = "heapsort";
    const SUMMARY: &'static str = "extracts the largest key from a heap repeatedly";
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
        let last = NodeMaskOne(n - 1);
        let mut x = Hint {
            pred_h: NodePointer::to_left(n),
            parent: NodePointer::to_self(n),
            i: last,
            j: last,
            largest: last,
            heap_size: last,
            phase: Graph(Phase::Building),
        };
        x.show(&a, n);
        trace.hint(&x);

        // BUILD-MAX-HEAP(A). Parity: the book starts at the last internal node, the reference at
        // the last leaf.
        for i in (0..n).rev() {
            max_heapify(&mut a, i, n, i, &mut x, trace);
        }

        for i in (1..n).rev() {
            a.swap(0, i);
            x.i = NodeMaskOne(a.nodes[0]);
            x.j = NodeMaskOne(a.nodes[i]);
            // Parity: node 0, not the node at position 0.
            x.largest = NodeMaskOne(0);
            x.phase = Graph(Phase::Extracting);
            x.show(&a, i);
            trace.hint(&x);

            x.phase = Graph(Phase::Sinking);
            max_heapify(&mut a, 0, i, i, &mut x, trace);
        }
        Output { pred: NodeChain::chained(&a.nodes) }
    }
}

/// MAX-HEAPIFY(A, i), called when the outer loop is at position `outer`.
fn max_heapify(
    a: &mut NodeArray,
    mut i: usize,
    heap_size: usize,
    outer: usize,
    x: &mut Hint,
    trace: &mut Tracer<Hint>,
) {
    loop {
        let (left, right) = (2 * i + 1, 2 * i + 2);
        let mut largest = i;
        if left < heap_size && a.keys[left] > a.keys[largest] {
            largest = left;
        }
        if right < heap_size && a.keys[right] > a.keys[largest] {
            largest = right;
        }
        a.swap(i, largest);
        x.i = NodeMaskOne(a.nodes[outer]);
        x.j = NodeMaskOne(a.nodes[i]);
        x.largest = NodeMaskOne(a.nodes[largest]);
        x.show(a, heap_size);
        trace.hint(x);
        if largest == i {
            return;
        }
        i = largest;
    }
}

impl Hint {
    /// Sets the hints for the array, whose first `heap_size` positions are the heap.
    fn show(&mut self, a: &NodeArray, heap_size: usize) {
        self.pred_h.chain(&a.nodes);
        for (position, &node) in a.nodes.iter().enumerate() {
            let below_root = (1..heap_size).contains(&position);
            self.parent[node] = if below_root { a.nodes[(position - 1) / 2] } else { node };
        }
        self.heap_size = NodeMaskOne(a.nodes[heap_size - 1]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::probe::Stage;
    use crate::signature::Value as _;
    use crate::trace::Traces;
    use crate::values::Classes as _;

    /// The hints of one probe.
    fn hints<'a>(traces: &'a Traces, name: &str) -> &'a crate::column::Column {
        &traces.columns[traces.find(Stage::Hint, name).unwrap()]
    }

    /// The number of hints in a phase.
    fn count(traces: &Traces, phase: Phase) -> usize {
        hints(traces, "phase").plain::<i8>().iter().filter(|&&code| code == phase.code()).count()
    }

    #[test]
    fn builds_the_heap_of_figure_6_3_and_sorts_it() {
        let keys = vec![4.0, 1.0, 3.0, 2.0, 16.0, 9.0, 10.0, 14.0, 8.0, 7.0];
        let traces = Traces::of::<Heapsort>(Keys(keys));

        let built = count(&traces, Phase::Building) - 1;
        // 16 14 10 8 7 9 3 2 4 1.
        let heap = NodePointer::chained(&[4, 7, 6, 8, 9, 5, 2, 3, 0, 1]);
        assert_eq!(NodePointer::read(10, hints(&traces, "pred_h"), built), heap);
        let parents = NodePointer::from([8, 9, 6, 8, 4, 6, 4, 4, 7, 7]);
        assert_eq!(NodePointer::read(10, hints(&traces, "parent"), built), parents);
        let sorted = NodeChain::chained(&[1, 3, 2, 0, 9, 8, 5, 6, 7, 4]);
        assert_eq!(traces.last::<NodeChain>("pred"), sorted);
    }

    proptest! {
        #[test]
        fn records_a_hint_per_call_and_one_per_key_moved_down(
            keys in proptest::collection::vec(0..9u8, 2..20),
        ) {
            let n = keys.len();
            let traces = Traces::of::<Heapsort>(Keys(keys.into_iter().map(f64::from).collect()));
            let phases = hints(&traces, "phase").plain::<i8>();
            let (j, largest) = (hints(&traces, "j").plain::<u32>(), hints(&traces, "largest").plain::<u32>());
            let sinks = (1..phases.len())
                .filter(|&t| phases[t] != Phase::Extracting.code() && j[t] != largest[t])
                .count();
            prop_assert_eq!(traces.steps(0), 3 * n - 1 + sinks);
            prop_assert_eq!(count(&traces, Phase::Extracting), n - 1);
        }
    }
}
