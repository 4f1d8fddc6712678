//! Maximum subarray, by divide and conquer. CLRS 3rd ed., §4.1.

use crate::algorithms::{Algorithm, Category};
use crate::instance::keys::{Keys, Range};
use crate::trace::Tracer;
use crate::validity::{Checker, subarray};
use crate::values::{Graph, GraphClass, GraphScalar, Node, NodeMaskOne, NodeOrder, NodeScalar};

/// Returns the best of the left half, the right half and the subarrays that cross the middle.
pub struct FindMaximumSubarray;

crate::classes!(
    /// The current phase of a call.
    Phase {
        /// The halves are being solved, or the best of the three candidates is returned.
        Dividing,
        /// The crossing subarray is extended to the left.
        GrowingLeft,
        /// The crossing subarray is extended to the right.
        GrowingRight,
    }
);

crate::probes!(FindMaximumSubarray {
    input {
        /// the node's position in the array, in [0, 1)
        pos: NodeScalar,
        /// the value of the element
        key: NodeScalar,
    }
    output {
        /// the first node of the subarray with the largest sum
        start: NodeMaskOne,
        /// the last node of the subarray with the largest sum
        end: NodeMaskOne,
    }
    hint {
        /// the predecessor in the array
        pred_h: NodeOrder,
        /// the first node of the current range
        low: NodeMaskOne,
        /// the last node of the current range
        high: NodeMaskOne,
        /// the middle of the range: the last node of the left half
        mid: NodeMaskOne,
        /// the first node of the left half, and of its best subarray once that is known
        left_low: NodeMaskOne,
        /// the last node of the left half, and of its best subarray once that is known
        left_high: NodeMaskOne,
        /// the largest sum in the left half, 0 until it is known; while extending to the right, the
        /// sum of the left part of the crossing subarray
        left_sum: GraphScalar,
        /// the first node of the right half, and of its best subarray once that is known
        right_low: NodeMaskOne,
        /// the last node of the right half, and of its best subarray once that is known
        right_high: NodeMaskOne,
        /// the largest sum in the right half, 0 until it is known; while extending to the right,
        /// the sum of the right part of the crossing subarray
        right_sum: GraphScalar,
        /// the first node of the best crossing subarray so far
        cross_low: NodeMaskOne,
        /// the last node of the best crossing subarray so far
        cross_high: NodeMaskOne,
        /// the sum of the best crossing subarray so far
        cross_sum: GraphScalar,
        /// the first node of the range, and of its best subarray when that is returned
        ret_low: NodeMaskOne,
        /// the last node of the range, and of its best subarray when that is returned
        ret_high: NodeMaskOne,
        /// the largest sum in the range when it is returned, 0 until then
        ret_sum: GraphScalar,
        /// the left end of the crossing subarray considered last
        i: NodeMaskOne,
        /// the right end of the crossing subarray considered last
        j: NodeMaskOne,
        /// the sum from the middle to i (extending to the left) or j (extending to the right)
        sum: GraphScalar,
        /// the largest sum of a subarray that ends at the middle; initially its key minus 0.1
        left_x_sum: GraphScalar,
        /// the largest sum of a subarray that starts after the middle; initially its key minus 0.1
        right_x_sum: GraphScalar,
        /// whether the halves are solved or the crossing subarray is extended, and to which side
        phase: GraphClass<Phase>,
    }
});

impl Algorithm for FindMaximumSubarray {
    const NAME: &'static str = "find_maximum_subarray";
    const SUMMARY: &'static str = "the subarray with the largest sum, by divide and conquer";
    const CATEGORY: Category = Category::DivideAndConquer;
    type Instance = Keys;
    const PARAMS: Range = Range { low: -1.0, high: 1.0 };
    const IN_CLRS_30: bool = false;
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(subarray(&input.key, output.start, output.end)));

    fn input(Keys(keys): Keys) -> Input {
        Input { pos: NodeScalar::positions(keys.len()), key: Node(keys) }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let best = find_maximum_subarray(&input.key, 0, input.key.len() - 1, trace);
        Output { start: NodeMaskOne(best.low), end: NodeMaskOne(best.high) }
    }
}

/// A subarray and its sum.
#[derive(Clone, Copy)]
struct Subarray {
    low: usize,
    high: usize,
    sum: f64,
}

/// Parity: the book initialises maxima to minus infinity, the reference to this much below the
/// first candidate.
const BELOW: f64 = 0.1;

/// FIND-MAXIMUM-SUBARRAY(A, low, high)
fn find_maximum_subarray(a: &[f64], low: usize, high: usize, trace: &mut Tracer<Hint>) -> Subarray {
    let mid = usize::midpoint(low, high);
    let next = (mid + 1).min(high);
    // Every call has its own hints, like the local variables in the book.
    let mut x = Hint {
        pred_h: NodeOrder::to_left(a.len()),
        low: NodeMaskOne(low),
        high: NodeMaskOne(high),
        mid: NodeMaskOne(mid),
        left_low: NodeMaskOne(low),
        left_high: NodeMaskOne(mid),
        left_sum: Graph(0.0),
        right_low: NodeMaskOne(next),
        right_high: NodeMaskOne(high),
        right_sum: Graph(0.0),
        cross_low: NodeMaskOne(mid),
        cross_high: NodeMaskOne(next),
        cross_sum: Graph(0.0),
        ret_low: NodeMaskOne(low),
        ret_high: NodeMaskOne(high),
        ret_sum: Graph(0.0),
        i: NodeMaskOne(mid),
        j: NodeMaskOne(next),
        sum: Graph(0.0),
        left_x_sum: Graph(a[mid] - BELOW),
        right_x_sum: Graph(a[next] - BELOW),
        phase: Graph(Phase::Dividing),
    };
    if low == high {
        x.ret_sum = Graph(a[low]);
        trace.hint(&x);
        return Subarray { low, high, sum: a[low] };
    }
    x.cross_sum = Graph(a[mid] + a[next] - 2.0 * BELOW);
    trace.hint(&x);

    let left = find_maximum_subarray(a, low, mid, trace);
    x.set_left(left);
    trace.hint(&x);

    let right = find_maximum_subarray(a, next, high, trace);
    x.set_right(right);
    trace.hint(&x);

    let cross = find_max_crossing_subarray(a, &mut x, trace);
    let best = if left.sum >= right.sum && left.sum >= cross.sum {
        left
    } else if right.sum >= left.sum && right.sum >= cross.sum {
        right
    } else {
        cross
    };
    // Parity: the outermost call returns without a hint.
    if high - low + 1 < a.len() {
        x.set_left(left);
        x.set_right(right);
        x.ret_low = NodeMaskOne(best.low);
        x.ret_high = NodeMaskOne(best.high);
        x.ret_sum = Graph(best.sum);
        x.i = NodeMaskOne(low);
        x.j = NodeMaskOne(high);
        x.phase = Graph(Phase::Dividing);
        trace.hint(&x);
    }
    best
}

/// FIND-MAX-CROSSING-SUBARRAY(A, low, mid, high)
fn find_max_crossing_subarray(a: &[f64], x: &mut Hint, trace: &mut Tracer<Hint>) -> Subarray {
    let (NodeMaskOne(low), NodeMaskOne(mid), NodeMaskOne(high)) = (x.low, x.mid, x.high);
    x.phase = Graph(Phase::GrowingLeft);
    trace.hint(x);

    for i in (low..=mid).rev() {
        x.i = NodeMaskOne(i);
        x.sum.0 += a[i];
        if x.sum.0 > x.left_x_sum.0 {
            x.left_x_sum = x.sum.clone();
            x.cross_low = NodeMaskOne(i);
        }
        // Parity: not `left_x_sum + right_x_sum`, which rounds differently.
        x.cross_sum = Graph(x.left_x_sum.0 + a[mid + 1] - BELOW);
        trace.hint(x);
    }

    x.phase = Graph(Phase::GrowingRight);
    x.i = NodeMaskOne(low);
    x.sum = Graph(0.0);
    x.show_crossing_sums();
    trace.hint(x);

    for j in mid + 1..=high {
        x.j = NodeMaskOne(j);
        x.sum.0 += a[j];
        if x.sum.0 > x.right_x_sum.0 {
            x.right_x_sum = x.sum.clone();
            x.cross_high = NodeMaskOne(j);
        }
        x.show_crossing_sums();
        trace.hint(x);
    }
    Subarray { low: x.cross_low.0, high: x.cross_high.0, sum: x.cross_sum.0 }
}

impl Hint {
    /// Sets the hints for the best subarray of the left half.
    fn set_left(&mut self, Subarray { low, high, sum }: Subarray) {
        (self.left_low, self.left_high) = (NodeMaskOne(low), NodeMaskOne(high));
        self.left_sum = Graph(sum);
    }

    /// Sets the hints for the best subarray of the right half.
    fn set_right(&mut self, Subarray { low, high, sum }: Subarray) {
        (self.right_low, self.right_high) = (NodeMaskOne(low), NodeMaskOne(high));
        self.right_sum = Graph(sum);
    }

    /// Sets the hints for the sums of the crossing subarray.
    fn show_crossing_sums(&mut self) {
        // Parity: while the right side is extended, `left_sum` and `right_sum` are the sums of the
        // two sides of the crossing subarray, but the bounds are still those of the halves.
        self.left_sum = self.left_x_sum.clone();
        self.right_sum = self.right_x_sum.clone();
        self.cross_sum = Graph(self.left_x_sum.0 + self.right_x_sum.0);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::trace::Traces;

    /// Daily changes of a stock price.
    pub(in crate::algorithms) const FIGURE_4_3: [f64; 16] = [
        13.0, -3.0, -25.0, 20.0, -3.0, -16.0, -23.0, 18.0, 20.0, -7.0, 12.0, -5.0, -22.0, 15.0,
        -4.0, 7.0,
    ];

    /// The largest sum of all subarrays, by brute force.
    pub(in crate::algorithms) fn largest_sum(keys: &[f64]) -> f64 {
        let sums = (0..keys.len())
            .flat_map(|i| (i..keys.len()).map(move |j| keys[i..=j].iter().sum::<f64>()));
        sums.max_by(f64::total_cmp).expect("there is a key")
    }

    #[test]
    fn finds_the_subarray_of_figure_4_3() {
        let traces = Traces::of::<FindMaximumSubarray>(Keys(FIGURE_4_3.to_vec()));
        assert_eq!(traces.last::<NodeMaskOne>("start"), NodeMaskOne(7));
        assert_eq!(traces.last::<NodeMaskOne>("end"), NodeMaskOne(10));
        assert_eq!(traces.last::<GraphScalar>("cross_sum"), Graph(43.0));
    }

    /// The number of hints recorded by a call and its recursive calls.
    fn hints(n: usize) -> usize {
        if n == 1 { 1 } else { 6 + n + hints(n.div_ceil(2)) + hints(n / 2) }
    }

    proptest! {
        #[test]
        fn no_subarray_has_a_larger_sum(keys in proptest::collection::vec(-9..9i8, 2..20)) {
            let keys: Vec<f64> = keys.into_iter().map(f64::from).collect();
            let traces = Traces::of::<FindMaximumSubarray>(Keys(keys.clone()));
            let (NodeMaskOne(start), NodeMaskOne(end)) = (traces.last("start"), traces.last("end"));
            prop_assert_eq!(keys[start..=end].iter().sum::<f64>(), largest_sum(&keys));
            prop_assert_eq!(traces.steps(0), hints(keys.len()) - 1);
        }
    }
}
