//! One normal distribution against a mixture of two: likelihoods, and a test of their ratio.
//!
//! The likelihood ratio of a mixture does not have the usual chi-squared distribution: without the second component
//! its parameters have no meaning. So its p-value comes from a parametric bootstrap: samples are drawn from the single
//! normal distribution, and both models are fitted to each of them.

use std::f64::consts::TAU;

use narscope_clrs::rng::Rng;
use serde::{Deserialize, Serialize};

use super::{exceedance, normal, sorted};

/// Smallest deviation of a component, as a share of that of all values. Without a floor, a component that shrinks to a
/// single value has an infinite likelihood.
const DEVIATION_FLOOR: f64 = 0.05;
/// Shares of the values, in increasing order, that the first component starts from.
const STARTS: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];
/// A fit ends when a round raises the log-likelihood by less than this.
const TOLERANCE: f64 = 1e-6;
/// A fit ends after this number of rounds.
const MAX_ROUNDS: usize = 500;

/// A normal distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Normal {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub deviation: f64,
}

impl Normal {
    /// The distribution of highest likelihood for values.
    pub fn fit(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        Self { mean, deviation: (squares / count).sqrt() }
    }

    /// Density at `x`.
    pub fn density(self, x: f64) -> f64 {
        let z = (x - self.mean) / self.deviation;
        (-0.5 * z * z).exp() / (self.deviation * TAU.sqrt())
    }

    fn log_likelihood(self, values: &[f64]) -> f64 {
        let log_scale = self.deviation.ln() + 0.5 * TAU.ln();
        let squares: f64 = values.iter().map(|x| ((x - self.mean) / self.deviation).powi(2)).sum();
        -0.5 * squares - values.len() as f64 * log_scale
    }
}

/// A mixture of two normal distributions, that with the smaller mean first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mixture {
    /// Shares of the two, which add up to 1.
    pub weights: [f64; 2],
    /// The two distributions.
    pub components: [Normal; 2],
    /// Logarithm of the likelihood of the values that it was fitted to.
    pub log_likelihood: f64,
}

impl Mixture {
    /// The mixture of highest likelihood that expectation maximisation finds from several starts: the values in
    /// increasing order, split at several places; the inner against the outer half; and no split. No component has less than
    /// 5 % of the standard deviation of all values. `None` for fewer than four values, and without spread.
    pub fn fit(values: &[f64]) -> Option<Self> {
        let values = sorted(values);
        let all = Normal::fit(&values);
        if values.len() < 4 || all.deviation <= 1e-12 * (1.0 + all.mean.abs()) {
            return None;
        }
        let floor = DEVIATION_FLOOR * all.deviation;
        let fits =
            starts(values.len()).map(|first| Self::climb(&values, first, floor, |_likelihood| ()));
        fits.max_by(|a, b| a.log_likelihood.total_cmp(&b.log_likelihood))
    }

    /// Density at `x`.
    pub fn density(&self, x: f64) -> f64 {
        self.expect(x).log_density.exp()
    }

    /// Distance of the means in units of the root mean square of the deviations (Ashman, Bird and Zepf 1994). From 2
    /// on, the components are clearly apart.
    pub fn ashmans_distance(&self) -> f64 {
        let [one, other] = self.components;
        let square = f64::midpoint(one.deviation.powi(2), other.deviation.powi(2));
        (one.mean - other.mean).abs() / square.sqrt()
    }

    /// The value between the two means that both components explain equally well; `None` if one of them explains
    /// all values between the means better.
    pub fn threshold(&self) -> Option<f64> {
        let [mut low, mut high] = self.components.map(|it| it.mean);
        let is_first = |x: f64| self.expect(x).first > 0.5;
        if !is_first(low) || is_first(high) {
            return None;
        }
        while low < f64::midpoint(low, high) && f64::midpoint(low, high) < high {
            let middle = f64::midpoint(low, high);
            if is_first(middle) { low = middle } else { high = middle }
        }
        Some(high)
    }

    /// What the mixture says about a value.
    fn expect(&self, x: f64) -> Expectation {
        // In logarithms: far away from both components, densities are too small for a number.
        let [one, other] = [0, 1].map(|index| {
            let Normal { mean, deviation } = self.components[index];
            let z = (x - mean) / deviation;
            (self.weights[index] / deviation).ln() - 0.5 * z * z
        });
        let (apart, largest) = (other - one, one.max(other));
        Expectation {
            first: 1.0 / (1.0 + apart.exp()),
            log_density: largest + (-apart.abs()).exp().ln_1p() - 0.5 * TAU.ln(),
        }
    }

    /// The mixture of highest likelihood if each value belongs to the first component with the given probability.
    /// Its own likelihood is not known yet.
    fn maximised(values: &[f64], first: &[f64], floor: f64) -> Self {
        let component = |share: &dyn Fn(f64) -> f64| {
            let shares = || values.iter().zip(first).map(|(&x, &first)| (x, share(first)));
            let total: f64 = shares().map(|(_, share)| share).sum();
            // A component without values may be anywhere; its weight is zero.
            let of = total.max(f64::MIN_POSITIVE);
            let mean = shares().map(|(x, share)| share * x).sum::<f64>() / of;
            let square = shares().map(|(x, share)| share * (x - mean).powi(2)).sum::<f64>() / of;
            (total / values.len() as f64, Normal { mean, deviation: square.sqrt().max(floor) })
        };
        let (one, other) = (component(&|first| first), component(&|first| 1.0 - first));
        Self {
            weights: [one.0, other.0],
            components: [one.1, other.1],
            log_likelihood: f64::NEG_INFINITY,
        }
    }

    /// Expectation maximisation from the given probabilities of the first component until the likelihood rises no
    /// more. `round` receives the log-likelihood of every round.
    fn climb(values: &[f64], mut first: Vec<f64>, floor: f64, mut round: impl FnMut(f64)) -> Self {
        let mut best = Self::maximised(values, &first, floor);
        for _ in 0..MAX_ROUNDS {
            let before = best.log_likelihood;
            best.log_likelihood = 0.0;
            for (first, &x) in first.iter_mut().zip(values) {
                let found = best.expect(x);
                *first = found.first;
                best.log_likelihood += found.log_density;
            }
            round(best.log_likelihood);
            if best.log_likelihood - before < TOLERANCE {
                break;
            }
            best = Self {
                log_likelihood: best.log_likelihood,
                ..Self::maximised(values, &first, floor)
            };
        }
        best.in_order()
    }

    /// That with the smaller mean first.
    fn in_order(mut self) -> Self {
        if self.components[0].mean > self.components[1].mean {
            self.components.reverse();
            self.weights.reverse();
        }
        self
    }
}

/// What a mixture says about a value.
struct Expectation {
    /// Probability that it belongs to the first component.
    first: f64,
    /// Logarithm of the density there.
    log_density: f64,
}

/// Probabilities of the first component to start from, for values in increasing order.
fn starts(count: usize) -> impl Iterator<Item = Vec<f64>> {
    let at = move |share: f64| (share * count as f64) as usize;
    let split = move |share: f64| (0..count).map(move |index| f64::from(index < at(share)));
    let is_inner = move |index: usize| (at(0.25)..at(0.75)).contains(&index);
    let inner = (0..count).map(move |index| f64::from(is_inner(index))).collect();
    // Half of every value is the single distribution: no fit is less likely.
    STARTS.into_iter().map(move |share| split(share).collect()).chain([inner, vec![0.5; count]])
}

/// A test of two normal distributions against one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MixtureTest {
    /// The single distribution.
    pub single: Normal,
    /// The mixture of two.
    pub mixture: Mixture,
    /// Twice the logarithm of the likelihood ratio.
    pub ratio: f64,
    /// Probability of a ratio at least as large for a sample of the single distribution, by simulation.
    pub p: f64,
    /// Distance of the two means, see [`Mixture::ashmans_distance`].
    pub ashmans_distance: f64,
}

impl MixtureTest {
    /// Tests values with `draws` samples of the single distribution. `None` for fewer than four values, and without
    /// spread.
    pub fn of(values: &[f64], draws: usize, rng: &mut Rng) -> Option<Self> {
        let (single, mixture, ratio) = ratio(values)?;
        let simulated = (0..draws).filter_map(|_| {
            let draw = |_| single.mean + single.deviation * normal(rng);
            Some(self::ratio(&(0..values.len()).map(draw).collect::<Vec<f64>>())?.2)
        });
        let p = exceedance(ratio, simulated);
        Some(Self { single, mixture, ratio, p, ashmans_distance: mixture.ashmans_distance() })
    }
}

/// Both fits, and twice the logarithm of their likelihood ratio.
fn ratio(values: &[f64]) -> Option<(Normal, Mixture, f64)> {
    let (single, mixture) = (Normal::fit(values), Mixture::fit(values)?);
    let ratio = 2.0 * (mixture.log_likelihood - single.log_likelihood(values));
    Some((single, mixture, ratio))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert, prop_assert_eq, prop_assume, proptest};

    use super::*;

    /// `count` values: the share `weight` of them from the first distribution.
    fn drawn(count: usize, weight: f64, [one, other]: [(f64, f64); 2], seed: u32) -> Vec<f64> {
        let mut rng = Rng::seeded(seed);
        let first = (weight * count as f64) as usize;
        let of = |index: usize| if index < first { one } else { other };
        (0..count).map(|index| of(index).0 + of(index).1 * normal(&mut rng)).collect()
    }

    #[test]
    fn the_components_of_a_drawn_mixture_are_found() {
        let values = drawn(4000, 0.3, [(-1.0, 0.2), (1.0, 0.5)], 1);
        let found = Mixture::fit(&values).unwrap();
        let near = |found: f64, expected: f64| (found - expected).abs() < 0.03;
        assert!(near(found.weights[0], 0.3) && near(found.weights[1], 0.7), "{found:?}");
        let [one, other] = found.components;
        assert!(near(one.mean, -1.0) && near(one.deviation, 0.2), "{one:?}");
        assert!(near(other.mean, 1.0) && near(other.deviation, 0.5), "{other:?}");
        let expected = 2.0 / f64::midpoint(0.04, 0.25).sqrt();
        assert!((found.ashmans_distance() - expected).abs() < 0.2);
    }

    #[test]
    fn both_components_explain_the_threshold_equally_well() {
        let component = |mean| Normal { mean, deviation: 1.0 };
        let of = |weights: [f64; 2]| Mixture {
            weights,
            components: [component(0.0), component(4.0)],
            log_likelihood: 0.0,
        };
        assert!((of([0.5, 0.5]).threshold().unwrap() - 2.0).abs() < 1e-12);
        // The logarithm of the ratio of the weights over the distance of the means.
        let expected = 2.0 + 9.0_f64.ln() / 4.0;
        assert!((of([0.9, 0.1]).threshold().unwrap() - expected).abs() < 1e-12);
        assert_eq!(of([1.0, 0.0]).threshold(), None, "the first explains everything");
    }

    #[test]
    fn two_groups_are_significant_and_a_normal_sample_is_not() {
        let test = |values: &[f64]| MixtureTest::of(values, 99, &mut Rng::seeded(5)).unwrap();
        let groups = test(&drawn(80, 0.5, [(0.0, 0.3), (3.0, 0.3)], 2));
        assert_eq!(groups.p, 0.01, "no drawn ratio is as large");
        assert!(groups.ashmans_distance > 5.0, "{groups:?}");
        let one = test(&drawn(80, 0.5, [(0.0, 1.0); 2], 3));
        assert!(one.p > 0.05, "{one:?}");
    }

    #[test]
    fn a_wide_and_a_narrow_component_with_one_mean_are_not_apart() {
        let values = drawn(200, 0.5, [(0.0, 0.2), (0.0, 2.0)], 4);
        let test = MixtureTest::of(&values, 29, &mut Rng::seeded(5)).unwrap();
        assert!(test.p < 0.05 && test.ashmans_distance < 1.0, "{test:?}");
    }

    #[test]
    fn values_without_spread_have_no_mixture() {
        assert_eq!(Mixture::fit(&[0.25; 9]), None);
        assert_eq!(Mixture::fit(&[0.0, 1.0, 2.0]), None, "too few");
        let repeated = Mixture::fit(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]).unwrap();
        assert!(repeated.log_likelihood.is_finite(), "the floor holds: {repeated:?}");
    }

    proptest! {
        #[test]
        fn the_likelihood_never_decreases(
            values in prop::collection::vec(-2.0..2.0_f64, 4..60),
            first in prop::collection::vec(0.0..1.0_f64, 60),
        ) {
            let floor = DEVIATION_FLOOR * Normal::fit(&values).deviation;
            prop_assume!(floor > 1e-6);
            let mut rounds = vec![];
            let first = first[..values.len()].to_vec();
            Mixture::climb(&values, first, floor, |likelihood| rounds.push(likelihood));
            let falls = rounds.windows(2).find(|pair| pair[1] < pair[0] - 1e-9);
            prop_assert_eq!(falls, None);
        }

        #[test]
        fn two_distributions_are_at_least_as_likely_as_one(
            values in prop::collection::vec(-2.0..2.0_f64, 4..60),
        ) {
            if let Some((_, mixture, ratio)) = ratio(&values) {
                prop_assert!(ratio > -1e-3, "{ratio}");
                prop_assert!((mixture.weights[0] + mixture.weights[1] - 1.0).abs() < 1e-9);
            }
        }
    }
}
