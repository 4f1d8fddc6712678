//! Kadane's maximum subarray, in one pass. CLRS 3rd ed., exercise 4.1-5.

use crate::algorithms::{Algorithm, Category};
use crate::instance::keys::{Keys, Range};
use crate::trace::Tracer;
use crate::validity::{Checker, subarray};
use crate::values::{Graph, GraphScalar, Node, NodeMaskOne, NodeOrder, NodeScalar};

/// Scans the array, keeping the best subarray that ends at the current element.
pub struct FindMaximumSubarrayKadane;

crate::probes!(FindMaximumSubarrayKadane {
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
        /// the first node of the best subarray so far
        best_low: NodeMaskOne,
        /// the last node of the best subarray so far
        best_high: NodeMaskOne,
        /// the sum of the best subarray so far
        best_sum: GraphScalar,
        /// the first node of the best subarray that ends at j
        i: NodeMaskOne,
        /// the node scanned last
        j: NodeMaskOne,
        /// the sum of the best subarray that ends at j
        sum: GraphScalar,
    }
});

impl Algorithm for FindMaximumSubarrayKadane {
    const NAME: &'static str = "find_maximum_subarray_kadane";
    const SUMMARY: &'static str = "the subarray with the largest sum, in one pass";
    const CATEGORY: Category = Category::DivideAndConquer;
    type Instance = Keys;
    const PARAMS: Range = Range { low: -1.0, high: 1.0 };
    const MULTIPLIER: usize = 32;
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(subarray(&input.key, output.start, output.end)));

    fn input(Keys(keys): Keys) -> Input {
        Input { pos: NodeScalar::positions(keys.len()), key: Node(keys) }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let a = &input.key;
        let n = a.len();
        let mut x = Hint {
            pred_h: NodeOrder::to_left(n),
            best_low: NodeMaskOne(0),
            best_high: NodeMaskOne(0),
            best_sum: Graph(a[0]),
            i: NodeMaskOne(0),
            j: NodeMaskOne(0),
            sum: Graph(a[0]),
        };
        trace.hint(&x);

        for j in 1..n {
            x.j = NodeMaskOne(j);
            // The best subarray that ends at j extends the one that ends at j - 1, or starts at j.
            if x.sum.0 + a[j] >= a[j] {
                x.sum.0 += a[j];
            } else {
                x.i = NodeMaskOne(j);
                x.sum.0 = a[j];
            }
            if x.sum.0 > x.best_sum.0 {
                (x.best_low, x.best_high, x.best_sum.0) = (x.i, x.j, x.sum.0);
            }
            trace.hint(&x);
        }
        Output { start: x.best_low, end: x.best_high }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::algorithms::find_maximum_subarray::tests::{FIGURE_4_3, largest_sum};
    use crate::trace::Traces;

    #[test]
    fn finds_the_subarray_of_figure_4_3() {
        let traces = Traces::of::<FindMaximumSubarrayKadane>(Keys(FIGURE_4_3.to_vec()));
        assert_eq!(traces.last::<NodeMaskOne>("start"), NodeMaskOne(7));
        assert_eq!(traces.last::<NodeMaskOne>("end"), NodeMaskOne(10));
        assert_eq!(traces.last::<GraphScalar>("best_sum"), Graph(43.0));
    }

    proptest! {
        #[test]
        fn no_subarray_has_a_larger_sum(keys in proptest::collection::vec(-9..9i8, 2..20)) {
            let keys: Vec<f64> = keys.into_iter().map(f64::from).collect();
            let traces = Traces::of::<FindMaximumSubarrayKadane>(Keys(keys.clone()));
            let (NodeMaskOne(start), NodeMaskOne(end)) = (traces.last("start"), traces.last("end"));
            prop_assert_eq!(keys[start..=end].iter().sum::<f64>(), largest_sum(&keys));
            prop_assert_eq!(traces.steps(0), keys.len());
        }
    }
}
