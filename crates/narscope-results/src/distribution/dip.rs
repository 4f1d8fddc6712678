//! Hartigan's dip test: does a distribution have more than one mode?
//!
//! The dip is the largest difference between the empirical distribution function and the unimodal distribution
//! function that is closest to it (Hartigan and Hartigan 1985, Annals of Statistics 13; AS 217). A unimodal
//! distribution function is convex up to its mode and concave from there on, so the closest one follows the greatest
//! convex minorant, then a straight line around the mode, then the least concave majorant. The algorithm narrows the
//! interval of the mode until the two curves are no further apart there than the fit is elsewhere.

use narscope_clrs::rng::Rng;
use serde::{Deserialize, Serialize};

use super::{exceedance, sorted};

/// Result of the dip test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DipTest {
    /// The dip statistic, from `1 / (2 n)` to 1/4.
    pub dip: f64,
    /// Probability of a dip at least as large for a uniform sample of the same size, which has the largest dips of
    /// all unimodal distributions; by simulation.
    pub p: f64,
}

impl DipTest {
    /// Tests values against `draws` uniform samples of their number. `None` without values.
    pub fn of(values: &[f64], draws: usize, rng: &mut Rng) -> Option<Self> {
        let observed = dip(values)?;
        let simulated = (0..draws).filter_map(|_| dip(&rng.uniforms(0.0, 1.0, values.len())));
        Some(Self { dip: observed, p: exceedance(observed, simulated) })
    }
}

/// Hartigan's dip statistic; `None` without values.
///
/// ```
/// use narscope_results::distribution::dip::dip;
///
/// assert_eq!(dip(&[0.0, 0.0, 1.0, 1.0]), Some(0.25), "two equal point masses have the largest dip");
/// assert_eq!(dip(&[1.0, 2.0, 3.0, 4.0]), Some(1.0 / 8.0), "an even grid has the smallest: 1 / (2 n)");
/// ```
pub fn dip(values: &[f64]) -> Option<f64> {
    let values = sorted(values);
    let mut modal = Interval { low: 0, high: values.len().checked_sub(1)? };
    // In units of 1 / (2 n); no fit is closer than one, because the empirical distribution function has steps.
    let mut dip = 1.0_f64;
    while values[modal.low] < values[modal.high] {
        let minorant = hull(&values, modal, Side::Below);
        let majorant = hull(&values, modal, Side::Above);
        let Some((gap, inner)) = widest_gap(&values, &minorant, &majorant) else { break };
        if gap < dip {
            break;
        }
        dip = dip.max(misfit_below(&values, &minorant, inner.low));
        dip = dip.max(misfit_above(&values, &majorant, inner.high));
        if inner == modal {
            break;
        }
        modal = inner;
    }
    Some(dip / (2 * values.len()) as f64)
}

/// Indices of the first and the last value of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Interval {
    low: usize,
    high: usize,
}

/// The side of the points on which a hull is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    Above,
}

/// The knots of the convex hull of the points (value, index) of an interval, on one side.
fn hull(values: &[f64], interval: Interval, side: Side) -> Vec<usize> {
    let mut knots: Vec<usize> = vec![];
    for next in interval.low..=interval.high {
        while let [.., before, last] = knots[..] {
            // The slopes on both sides of `last`, without division, as values may be equal.
            let left = (last - before) as f64 * (values[next] - values[last]);
            let right = (next - last) as f64 * (values[last] - values[before]);
            let bends = if side == Side::Below { left < right } else { left > right };
            if bends {
                break;
            }
            knots.pop();
        }
        knots.push(next);
    }
    knots
}

/// Height at `value` of the line from the point of index `from` to that of `to`.
fn line(values: &[f64], (from, to): (usize, usize), value: f64) -> f64 {
    let slope = (to - from) as f64 / (values[to] - values[from]);
    from as f64 + (value - values[from]) * slope
}

/// The largest distance between the two hulls, in steps of the distribution function, and the interval of the mode
/// that follows from it: from a knot of the minorant to one of the majorant. `None` if both have no inner knot.
fn widest_gap(values: &[f64], minorant: &[usize], majorant: &[usize]) -> Option<(f64, Interval)> {
    let at_minorant = within(minorant, majorant).map(|(knot, segment)| {
        let gap = line(values, segment, values[knot]) - knot as f64 + 1.0;
        (gap, Interval { low: knot, high: segment.1 })
    });
    let at_majorant = within(majorant, minorant).map(|(knot, segment)| {
        let gap = knot as f64 + 1.0 - line(values, segment, values[knot]);
        (gap, Interval { low: segment.0, high: knot })
    });
    at_minorant.chain(at_majorant).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Every inner knot of a hull with the segment of another hull that it is on.
fn within<'a>(
    knots: &'a [usize],
    others: &'a [usize],
) -> impl Iterator<Item = (usize, (usize, usize))> + 'a {
    let inner = knots.get(1..knots.len() - 1).unwrap_or_default();
    let mut end = 1;
    inner.iter().map(move |&knot| {
        while others[end] < knot {
            end += 1;
        }
        (knot, (others[end - 1], others[end]))
    })
}

/// How far the distribution function rises above its minorant, up to the knot `last`.
fn misfit_below(values: &[f64], minorant: &[usize], last: usize) -> f64 {
    let segments = minorant.windows(2).filter(|ends| ends[1] <= last);
    segments.fold(1.0, |largest, ends| {
        misfit(values, (ends[0], ends[1]), |height, index| index + 1.0 - height).max(largest)
    })
}

/// How far the distribution function falls below its majorant, from the knot `first` on.
fn misfit_above(values: &[f64], majorant: &[usize], first: usize) -> f64 {
    let segments = majorant.windows(2).filter(|ends| ends[0] >= first);
    segments.fold(1.0, |largest, ends| {
        misfit(values, (ends[0], ends[1]), |height, index| height - index + 1.0).max(largest)
    })
}

/// The largest misfit over the points of a segment; 1, a step, on a vertical one.
fn misfit(values: &[f64], ends: (usize, usize), of: impl Fn(f64, f64) -> f64) -> f64 {
    if values[ends.0] == values[ends.1] {
        return 1.0;
    }
    let points = ends.0..=ends.1;
    points.map(|index| of(line(values, ends, values[index]), index as f64)).fold(1.0, f64::max)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, prop, prop_assert, proptest};

    use super::*;

    /// Ratings of statistics departments, the example of Hartigan and Hartigan (1985); `statfaculty` in R's diptest.
    const FACULTY: [u8; 63] = [
        30, 33, 35, 36, 37, 37, 39, 39, 39, 39, 39, 40, 40, 40, 40, 41, 42, 43, 43, 43, 44, 44, 45,
        45, 46, 46, 47, 47, 48, 48, 48, 49, 50, 50, 51, 52, 52, 53, 53, 53, 53, 53, 54, 54, 57, 57,
        59, 60, 60, 60, 61, 61, 61, 61, 62, 62, 62, 62, 63, 66, 70, 72, 72,
    ];

    fn of(values: &[u8]) -> f64 {
        dip(&values.iter().map(|&value| f64::from(value)).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn dips_of_published_samples_are_the_published_ones() {
        assert!((of(&FACULTY) - 0.059_523_809_5).abs() < 1e-9, "{}", of(&FACULTY));
        assert!((of(&[0, 2, 3, 5, 6]) - 4.0 / 30.0).abs() < 1e-12);
        assert!((of(&[0, 1, 3, 4, 6]) - 4.0 / 30.0).abs() < 1e-12, "its mirror image");
        assert_eq!(of(&[1, 1, 2, 2]), 0.25);
        assert_eq!(of(&[0, 1, 3, 6]), 1.0 / 8.0, "unimodal");
        assert_eq!(of(&[1, 2, 2, 2, 2, 2, 2, 2, 2, 2]), 1.0 / 20.0, "unimodal");
    }

    #[test]
    fn a_sample_without_spread_is_unimodal_and_one_without_values_has_no_dip() {
        assert_eq!(of(&[7, 7, 7]), 1.0 / 6.0);
        assert_eq!(of(&[7]), 0.5);
        assert_eq!(dip(&[]), None);
    }

    #[test]
    fn two_separate_groups_have_a_small_p_value_and_a_uniform_sample_has_not() {
        let mut rng = Rng::seeded(3);
        let uniform = rng.uniforms(0.0, 1.0, 60);
        let groups: Vec<f64> =
            (0..60).map(|index| rng.double() + f64::from(index % 2) * 3.0).collect();
        let p = |values: &[f64]| DipTest::of(values, 300, &mut Rng::seeded(4)).unwrap().p;
        assert_eq!(p(&groups), 1.0 / 301.0);
        assert!(p(&uniform) > 0.05, "{}", p(&uniform));
    }

    /// The published 5 % point for 50 values is 0.0702 (Hartigan and Hartigan 1985, table 1).
    #[test]
    fn simulated_p_values_agree_with_the_published_table() {
        let mut rng = Rng::seeded(1);
        let dips = (0..2000).map(|_| dip(&rng.uniforms(0.0, 1.0, 50)).unwrap());
        let share = dips.filter(|&dip| dip >= 0.0702).count() as f64 / 2000.0;
        // Three standard errors of the share.
        assert!((share - 0.05).abs() < 0.015, "{share}");
    }

    fn values() -> impl Strategy<Value = Vec<f64>> {
        // Few distinct values, so that there are ties.
        prop::collection::vec((-20_i32..20).prop_map(f64::from), 1..40)
    }

    proptest! {
        #[test]
        fn a_dip_does_not_change_with_order_place_scale_or_direction(values in values()) {
            let expected = dip(&values).unwrap();
            let same = |f: &dyn Fn(f64) -> f64| {
                let found = dip(&values.iter().rev().map(|&x| f(x)).collect::<Vec<_>>()).unwrap();
                (found - expected).abs() < 1e-9
            };
            prop_assert!(same(&|x| x));
            prop_assert!(same(&|x| 4.0 * x + 64.0));
            prop_assert!(same(&|x| -x), "{expected}");
        }

        #[test]
        fn a_dip_is_between_half_a_step_and_a_quarter(values in values()) {
            let found = dip(&values).unwrap();
            let least = 0.5 / values.len() as f64;
            prop_assert!(least <= found && found <= 0.25_f64.max(least) + 1e-12, "{found}");
        }
    }
}
