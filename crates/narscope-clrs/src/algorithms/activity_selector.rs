//! Activity selection. CLRS 3rd ed., §16.1.

use crate::algorithms::{Algorithm, Category};
use crate::instance::intervals::Intervals;
use crate::instance::keys::Range;
use crate::trace::Tracer;
use crate::validity::{Checker, activities};
use crate::values::{Node, NodeMask, NodeMaskOne, NodeOrder, NodeScalar};

/// Selects the compatible activity with the earliest finish time, repeatedly.
pub struct ActivitySelector;

crate::probes!(ActivitySelector {
    input {
        /// the node's position in the list of activities, in [0, 1)
        pos: NodeScalar,
        /// the start time
        s: NodeScalar,
        /// the finish time
        f: NodeScalar,
    }
    output {
        /// the selected activities, pairwise compatible
        selected: NodeMask,
    }
    hint {
        /// the predecessor in the list of activities
        pred_h: NodeOrder,
        /// the activities selected so far
        selected_h: NodeMask,
        /// the activity considered last
        m: NodeMaskOne,
        /// the activity selected last
        k: NodeMaskOne,
    }
});

impl Algorithm for ActivitySelector {
    const NAME: &'static str = "activity_selector";
    const SUMMARY: &'static str = "a largest set of activities that do not overlap";
    const CATEGORY: Category = Category::Greedy;
    type Instance = Intervals;
    const PARAMS: Range = Range::UNIT;
    const VALID: Option<Checker<Input, Output>> =
        Some(|input, output| Some(activities(&input.s, &input.f, &output.selected)));

    fn input(Intervals { start, finish }: Intervals) -> Input {
        Input { pos: NodeScalar::positions(start.len()), s: Node(start), f: Node(finish) }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let Input { s, f, .. } = input;
        let n = s.len();
        let mut x = Hint {
            pred_h: NodeOrder::to_left(n),
            selected_h: NodeMask::none(n),
            m: NodeMaskOne(0),
            k: NodeMaskOne(0),
        };
        trace.hint(&x);

        // GREEDY-ACTIVITY-SELECTOR(s, f): by finish time; the sort is stable.
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| f[a].partial_cmp(&f[b]).expect("times are not NaN"));
        for (rank, m) in order.into_iter().enumerate() {
            if rank == 0 || s[m] >= f[x.k.0] {
                x.selected_h[m] = true;
                x.k = NodeMaskOne(m);
            }
            x.m = NodeMaskOne(m);
            trace.hint(&x);
        }
        Output { selected: x.selected_h }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::trace::Traces;

    #[test]
    fn selects_the_activities_of_figure_16_2() {
        let start = vec![1.0, 3.0, 0.0, 5.0, 3.0, 5.0, 6.0, 8.0, 8.0, 2.0, 12.0];
        let finish = vec![4.0, 5.0, 6.0, 7.0, 9.0, 9.0, 10.0, 11.0, 12.0, 14.0, 16.0];
        let traces = Traces::of::<ActivitySelector>(Intervals { start, finish });
        let selected: NodeMask = traces.last("selected");
        assert_eq!((0..11).filter(|&m| selected[m]).collect::<Vec<_>>(), [0, 3, 7, 10]);
        assert_eq!(traces.steps(0), 11 + 1);
    }

    /// Whether no two of the activities in the bit set `chosen` overlap.
    fn compatible(activities: &[(u8, u8)], chosen: u32) -> bool {
        let mut chosen: Vec<_> = (0..activities.len())
            .filter(|m| (chosen >> m) & 1 == 1)
            .map(|m| activities[m])
            .collect();
        chosen.sort_unstable();
        chosen.windows(2).all(|pair| pair[0].1 <= pair[1].0)
    }

    proptest! {
        #[test]
        fn no_compatible_set_has_more_activities(
            activities in proptest::collection::vec((0..9u8, 1..5u8), 2..9),
        ) {
            let activities: Vec<(u8, u8)> =
                activities.into_iter().map(|(start, length)| (start, start + length)).collect();
            let (start, finish) =
                activities.iter().map(|&(s, f)| (f64::from(s), f64::from(f))).unzip();
            let traces = Traces::of::<ActivitySelector>(Intervals { start, finish });
            let mask: NodeMask = traces.last("selected");
            let selected: u32 = (0..activities.len()).map(|m| u32::from(mask[m]) << m).sum();

            let most = (0..1 << activities.len())
                .filter(|&chosen| compatible(&activities, chosen))
                .map(u32::count_ones)
                .max();
            prop_assert!(compatible(&activities, selected));
            prop_assert_eq!(Some(selected.count_ones()), most);
        }
    }
}
