//! Answers that select a node, a range of nodes or a set of nodes.

use super::{Validity, at_most};
use crate::values::NodeMaskOne;

/// Judges a node that should have the smallest key.
pub fn smallest(keys: &[f64], node: NodeMaskOne) -> Validity {
    let smallest = keys.iter().copied().min_by(f64::total_cmp);
    Validity::from_whole(Some(keys[node.0]) == smallest)
}

/// Judges a node that should have the (upper) median key.
pub fn median(keys: &[f64], node: NodeMaskOne) -> Validity {
    let mut sorted = keys.to_vec();
    sorted.sort_by(f64::total_cmp);
    Validity::from_whole(keys[node.0] == sorted[keys.len() / 2])
}

/// Judges a node that should have the first key of at least the target, or the last key; the keys
/// are sorted.
pub fn first_at_least(keys: &[f64], target: f64, node: NodeMaskOne) -> Validity {
    let first = keys.partition_point(|&key| key < target).min(keys.len() - 1);
    Validity::from_whole(keys[node.0] == keys[first])
}

/// Judges a subarray that should have the largest sum.
pub fn subarray(keys: &[f64], start: NodeMaskOne, end: NodeMaskOne) -> Validity {
    let (mut largest, mut sum) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for &key in keys {
        sum = sum.max(0.0) + key;
        largest = largest.max(sum);
    }
    // Sums of other subarrays may have been rounded, too.
    let scale = keys.iter().map(|key| key.abs()).sum();
    let right = |keys: &[f64]| !keys.is_empty() && at_most(largest, keys.iter().sum(), scale);
    Validity::from_whole(keys.get(start.0..=end.0).is_some_and(right))
}

/// Judges a set of activities that should be compatible and at least as large as the reference's.
pub fn activities(start: &[f64], finish: &[f64], selected: &[bool]) -> Validity {
    let mut order: Vec<usize> = (0..start.len()).collect();
    // The reference's order: a stable sort by finish time. If an activity has no duration, another
    // order of equal finish times may allow one more.
    order.sort_by(|&a, &b| finish[a].total_cmp(&finish[b]));
    let (mut most, mut free) = (0, f64::NEG_INFINITY);
    for &m in &order {
        if start[m] >= free {
            (most, free) = (most + 1, finish[m]);
        }
    }

    let mut chosen: Vec<usize> = order.into_iter().filter(|&m| selected[m]).collect();
    chosen.sort_by(|&a, &b| start[a].total_cmp(&start[b]).then(finish[a].total_cmp(&finish[b])));
    let compatible = chosen.windows(2).all(|pair| finish[pair[0]] <= start[pair[1]]);
    Validity::from_whole(compatible && chosen.len() >= most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::algorithms::activity_selector::ActivitySelector;
    use crate::algorithms::find_maximum_subarray_kadane::FindMaximumSubarrayKadane;
    use crate::algorithms::minimum::Minimum;
    use crate::algorithms::quickselect::Quickselect;
    use crate::instance::intervals::Intervals;
    use crate::instance::keys::Keys;
    use crate::trace::Traces;
    use crate::values::NodeMask;

    /// The nodes that are valid answers.
    fn valid(keys: &[f64], judge: impl Fn(&[f64], NodeMaskOne) -> Validity) -> Vec<usize> {
        (0..keys.len()).filter(|&node| judge(keys, NodeMaskOne(node)).is_valid()).collect()
    }

    #[test]
    fn every_node_with_the_correct_key_is_valid() {
        let keys = [2.0, 1.0, 3.0, 1.0, 2.0];
        let traces = Traces::of::<Minimum>(Keys(keys.to_vec()));
        assert_eq!(traces.last::<NodeMaskOne>("min"), NodeMaskOne(1));
        assert_eq!(valid(&keys, smallest), [1, 3]);

        let NodeMaskOne(node) = Traces::of::<Quickselect>(Keys(keys.to_vec())).last("median");
        assert!([0, 4].contains(&node));
        assert_eq!(valid(&keys, median), [0, 4]);
        assert_eq!(valid(&[1.0, 2.0, 3.0, 4.0], median), [2]);

        let search = |target| move |keys: &[f64], node| first_at_least(keys, target, node);
        assert_eq!(valid(&[1.0, 2.0, 2.0, 3.0], search(1.5)), [1, 2]);
        assert_eq!(valid(&[1.0, 2.0, 2.0, 3.0], search(9.0)), [3]);
    }

    #[test]
    fn a_subarray_may_be_extended_by_elements_that_sum_to_zero() {
        let keys = [0.1, 0.2, -0.3, 1.0, -5.0, 1.0];
        let traces = Traces::of::<FindMaximumSubarrayKadane>(Keys(keys.to_vec()));
        let judge = |start, end| subarray(&keys, NodeMaskOne(start), NodeMaskOne(end)).is_valid();
        assert!(judge(0, 3) && judge(3, 3) && judge(5, 5));
        assert!(traces.last::<NodeMaskOne>("end") == NodeMaskOne(3));
        assert!(!judge(1, 3) && !judge(3, 5) && !judge(3, 2) && !judge(5, 0));
    }

    #[test]
    fn other_sets_of_the_same_size_are_valid_unless_two_activities_overlap() {
        let (start, finish) = (vec![0.0, 0.0, 2.0, 1.0], vec![1.0, 2.0, 3.0, 3.0]);
        let judge = |selected: [bool; 4]| activities(&start, &finish, &selected).is_valid();
        let (yes, no) = (true, false);
        assert!(
            judge([yes, no, yes, no]) && judge([yes, no, no, yes]) && judge([no, yes, yes, no])
        );
        assert!(!judge([no, yes, no, yes]), "both run from 1 to 2");
        assert!(!judge([yes, no, no, no]), "one more fits");
        assert!(!judge([yes, no, yes, yes]));
        let traces = Traces::of::<ActivitySelector>(Intervals {
            start: start.clone(),
            finish: finish.clone(),
        });
        assert_eq!(traces.last::<NodeMask>("selected"), NodeMask::from([yes, no, yes, no]));
    }

    #[test]
    fn an_activity_without_duration_may_be_added_to_the_references_answer() {
        let (start, finish) = ([1.0, 0.0], [1.0, 1.0]);
        assert!(activities(&start, &finish, &[true, false]).is_valid(), "the reference's");
        assert!(activities(&start, &finish, &[true, true]).is_valid());
        assert!(!activities(&start, &finish, &[false, false]).is_valid());
    }

    proptest! {
        #[test]
        fn exactly_the_largest_compatible_sets_are_valid(
            times in proptest::collection::vec((0..9u8, 1..5u8), 2..7),
        ) {
            let (start, finish): (Vec<f64>, Vec<f64>) =
                times.iter().map(|&(s, length)| (f64::from(s), f64::from(s + length))).unzip();
            let n = times.len();
            let sets = (0..1usize << n).map(|set| (0..n).map(move |m| set >> m & 1 == 1));
            let sets: Vec<Vec<bool>> = sets.map(Iterator::collect).collect();
            let disjoint = |a: usize, b: usize| finish[a] <= start[b] || finish[b] <= start[a];
            let compatible = |set: &[bool]| {
                (0..n).all(|a| (0..a).all(|b| !set[a] || !set[b] || disjoint(a, b)))
            };
            let size = |set: &[bool]| set.iter().filter(|&&selected| selected).count();
            let most = sets.iter().filter(|set| compatible(set)).map(|set| size(set)).max();
            for set in &sets {
                let wanted = compatible(set) && Some(size(set)) == most;
                prop_assert_eq!(activities(&start, &finish, set).is_valid(), wanted, "{:?}", set);
            }
        }
    }
}
