//! Selection of the median by partitioning. CLRS 3rd ed., §9.2.

use super::quicksort::partition;
use crate::algorithms::{Algorithm, Category};
use crate::array::NodeArray;
use crate::instance::keys::{Keys, Range};
use crate::trace::Tracer;
use crate::validity::{Checker, median};
use crate::values::{Graph, GraphScalar, Node, NodeMaskOne, NodePointer, NodeScalar};

/// Partitions the array around a pivot and continues with the side that contains the median.
pub struct Quickselect;

crate::probes!(Quickselect {
    input {
        /// the node's position in the array, in [0, 1)
        pos: NodeScalar,
        /// the key to select by
        key: NodeScalar,
    }
    output {
        /// the node whose key is the median; the upper median of an even number of keys
        median: NodeMaskOne,
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
        /// the position of i in the array divided by n; at the end of a partition, in the range
        i_rank: GraphScalar,
        /// the rank of the median in the range, divided by n
        target: GraphScalar,
        /// the pivot
        pivot: NodeMaskOne,
    }
});

impl Algorithm for Quickselect {
    const NAME: &'static str = "quickselect";
    const SUMMARY: &'static str = "the median, by partitioning the side that contains it";
    const CATEGORY: Category = Category::Searching;
    type Instance = Keys;
    const PARAMS: Range = Range::UNIT;
    const MULTIPLIER: usize = 64;
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(median(&input.key, output.median)));

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
            i_rank: Graph(0.0),
            target: Graph(0.0),
            pivot: NodeMaskOne(n - 1),
        };

        // RANDOMIZED-SELECT(A, p, r, target), but the pivot is the last key and ranks count from 0.
        let (mut p, mut r, mut target) = (0, n - 1, n / 2);
        loop {
            let q = partition(&mut a, p, r, |a, i, j| {
                let placed = j == r;
                // Parity: the rank counts from the start of the array during the partition, and
                // from the start of the range when the pivot is in position.
                let rank = if placed { i - p } else { i };
                x.p = NodeMaskOne(a.nodes[p]);
                x.r = NodeMaskOne(a.nodes[r]);
                x.i = NodeMaskOne(a.nodes[i]);
                x.j = NodeMaskOne(a.nodes[j]);
                x.i_rank = Graph(rank as f64 / n as f64);
                x.target = Graph(target as f64 / n as f64);
                x.pivot = NodeMaskOne(a.nodes[if placed { i } else { r }]);
                x.pred_h.chain(&a.nodes);
                trace.hint(&x);
            });
            let k = q - p;
            if target == k {
                return Output { median: NodeMaskOne(a.nodes[q]) };
            }
            if target < k {
                r = q - 1;
            } else {
                p = q + 1;
                target -= k + 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::probe::Stage;
    use crate::trace::Traces;

    #[test]
    fn a_sorted_array_shrinks_by_one_node_per_partition() {
        let keys = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        let traces = Traces::of::<Quickselect>(Keys(keys));
        assert_eq!(traces.last::<NodeMaskOne>("median"), NodeMaskOne(3));
        assert_eq!(traces.steps(0), 7 + 6 + 5 + 4);
    }

    #[test]
    fn ranks_count_from_the_start_of_the_array_until_the_pivot_is_in_position() {
        // The first partition gives 1 | 2 | 4 3, the second looks for rank 0 in 4 3.
        let traces = Traces::of::<Quickselect>(Keys(vec![1.0, 3.0, 4.0, 2.0]));
        let column = |name| traces.columns[traces.find(Stage::Hint, name).unwrap()].plain::<f64>();
        assert_eq!(column("i_rank")[..4], [0.25, 0.25, 0.25, 0.25]);
        assert_eq!(column("target")[..4], [0.5, 0.5, 0.5, 0.5]);
        // The pivot is 3: no key is smaller, and position 2 of the array is rank 0 of the range.
        assert_eq!(column("i_rank")[4..], [0.5, 0.0]);
        assert_eq!(column("target")[4..], [0.0, 0.0]);
        assert_eq!(traces.last::<NodeMaskOne>("median"), NodeMaskOne(1));
    }

    proptest! {
        #[test]
        fn selects_the_key_in_the_middle_of_the_sorted_array(
            keys in proptest::collection::vec(0..9u8, 2..20),
        ) {
            let mut sorted = keys.clone();
            sorted.sort_unstable();
            let reals = keys.iter().copied().map(f64::from).collect();
            let NodeMaskOne(median) = Traces::of::<Quickselect>(Keys(reals)).last("median");
            prop_assert_eq!(keys[median], sorted[keys.len() / 2]);
        }
    }
}
