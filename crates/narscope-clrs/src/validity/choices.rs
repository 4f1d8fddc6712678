//! Choices of one node, of a stretch of nodes, and of a set of nodes.

use super::{Validity, at_most};
use crate::values::NodeMaskOne;

/// Judges the node with the smallest key.
pub fn smallest(keys: &[f64], node: NodeMaskOne) -> Validity {
    let smallest = keys.iter().copied().min_by(f64::total_cmp);
    Validity::of_whole(Some(keys[node.0]) == smallest)
}

/// Judges the node with the median key, the upper one of two.
pub fn median(keys: &[f64], node: NodeMaskOne) -> Validity {
    let mut sorted = keys.to_vec();
    sorted.sort_by(f64::total_cmp);
    Validity::of_whole(keys[node.0] == sorted[keys.len() / 2])
}

/// Judges the node with the first of sorted keys that is at least the target, or the last key.
pub fn first_at_least(keys: &[f64], target: f64, node: NodeMaskOne) -> Validity {
    let first = keys.partition_point(|&key| key < target).min(keys.len() - 1);
    Validity::of_whole(keys[node.0] == keys[first])
}

/// Judges the subarray with the largest sum.
pub fn subarray(keys: &[f64], start: NodeMaskOne, end: NodeMaskOne) -> Validity {
    let (mut largest, mut sum) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for &key in keys {
        sum = sum.max(0.0) + key;
        largest = largest.max(sum);
    }
    // Sums that were never returned may have been rounded, too.
    let scale = keys.iter().map(|key| key.abs()).sum();
    let right = |keys: &[f64]| !keys.is_empty() && at_most(largest, keys.iter().sum(), scale);
    Validity::of_whole(keys.get(start.0..=end.0).is_some_and(right))
}

/// Judges a set of activities of which no two take place at a time.
pub fn activities(start: &[f64], finish: &[f64], selected: &[bool]) -> Validity {
    let mut order: Vec<usize> = (0..start.len()).collect();
    // The reference's order: of those that finish at a time, the first in the list comes first. If
    // one of them takes no time, the other order may leave room for both.
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
    Validity::of_whole(compatible && chosen.len() >= most)
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

    /// Which nodes are right, if asked for one after the other.
    fn right(keys: &[f64], judge: impl Fn(&[f64], NodeMaskOne) -> Validity) -> Vec<usize> {
        (0..keys.len()).filter(|&node| judge(keys, NodeMaskOne(node)).whole()).collect()
    }

    #[test]
    fn any_of_the_nodes_with_the_right_key_is_right() {
        let keys = [2.0, 1.0, 3.0, 1.0, 2.0];
        let traces = Traces::of::<Minimum>(Keys(keys.to_vec()));
        assert_eq!(traces.last::<NodeMaskOne>("min"), NodeMaskOne(1));
        assert_eq!(right(&keys, smallest), [1, 3]);

        let NodeMaskOne(node) = Traces::of::<Quickselect>(Keys(keys.to_vec())).last("median");
        assert!([0, 4].contains(&node));
        assert_eq!(right(&keys, median), [0, 4]);
        assert_eq!(right(&[1.0, 2.0, 3.0, 4.0], median), [2]);

        let search = |target| move |keys: &[f64], node| first_at_least(keys, target, node);
        assert_eq!(right(&[1.0, 2.0, 2.0, 3.0], search(1.5)), [1, 2]);
        assert_eq!(right(&[1.0, 2.0, 2.0, 3.0], search(9.0)), [3]);
    }

    #[test]
    fn a_subarray_may_be_stretched_by_what_adds_up_to_nothing() {
        let keys = [0.1, 0.2, -0.3, 1.0, -5.0, 1.0];
        let traces = Traces::of::<FindMaximumSubarrayKadane>(Keys(keys.to_vec()));
        let judge = |start, end| subarray(&keys, NodeMaskOne(start), NodeMaskOne(end)).whole();
        assert!(judge(0, 3) && judge(3, 3) && judge(5, 5));
        assert!(traces.last::<NodeMaskOne>("end") == NodeMaskOne(3));
        assert!(!judge(1, 3) && !judge(3, 5) && !judge(3, 2) && !judge(5, 0));
    }

    #[test]
    fn as_many_other_activities_are_right_unless_two_overlap() {
        let (start, finish) = (vec![0.0, 0.0, 2.0, 1.0], vec![1.0, 2.0, 3.0, 3.0]);
        let judge = |selected: [bool; 4]| activities(&start, &finish, &selected).whole();
        let (yes, no) = (true, false);
        assert!(
            judge([yes, no, yes, no]) && judge([yes, no, no, yes]) && judge([no, yes, yes, no])
        );
        assert!(!judge([no, yes, no, yes]), "from 1 to 2 there are two");
        assert!(!judge([yes, no, no, no]), "there is room for one more");
        assert!(!judge([yes, no, yes, yes]));
        let traces = Traces::of::<ActivitySelector>(Intervals {
            start: start.clone(),
            finish: finish.clone(),
        });
        assert_eq!(traces.last::<NodeMask>("selected"), NodeMask::from([yes, no, yes, no]));
    }

    #[test]
    fn an_activity_that_takes_no_time_may_be_one_more_than_the_reference_finds() {
        let (start, finish) = ([1.0, 0.0], [1.0, 1.0]);
        assert!(activities(&start, &finish, &[true, false]).whole(), "the reference's");
        assert!(activities(&start, &finish, &[true, true]).whole());
        assert!(!activities(&start, &finish, &[false, false]).whole());
    }

    proptest! {
        #[test]
        fn right_are_the_sets_of_activities_than_which_none_is_larger(
            times in proptest::collection::vec((0..9u8, 1..5u8), 2..7),
        ) {
            let (start, finish): (Vec<f64>, Vec<f64>) =
                times.iter().map(|&(s, length)| (f64::from(s), f64::from(s + length))).unzip();
            let n = times.len();
            let sets = (0..1usize << n).map(|set| (0..n).map(move |m| set >> m & 1 == 1));
            let sets: Vec<Vec<bool>> = sets.map(Iterator::collect).collect();
            let apart = |a: usize, b: usize| finish[a] <= start[b] || finish[b] <= start[a];
            let compatible = |set: &[bool]| {
                (0..n).all(|a| (0..a).all(|b| !set[a] || !set[b] || apart(a, b)))
            };
            let size = |set: &[bool]| set.iter().filter(|&&selected| selected).count();
            let most = sets.iter().filter(|set| compatible(set)).map(|set| size(set)).max();
            for set in &sets {
                let wanted = compatible(set) && Some(size(set)) == most;
                prop_assert_eq!(activities(&start, &finish, set).whole(), wanted, "{:?}", set);
            }
        }
    }
}
