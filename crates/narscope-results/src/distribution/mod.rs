//! Questions about the distribution of one number over many networks.
//!
//! | File | Question |
//! | --- | --- |
//! | [`dip`] | does it have more than one mode? |
//! | [`mixture`] | do two normal distributions describe it better than one? |
//! | [`variance_components`] | which of two factors decides it? |
//! | [`two_samples`] | do two groups differ in it? |
//! | [`rank_correlation`] | does it rise with another number? |

pub mod dip;
pub mod mixture;
pub mod rank_correlation;
pub mod two_samples;
pub mod variance_components;

use narscope_clrs::rng::Rng;

/// Share of simulated statistics that are at least as large as the observed one, which counts as one of them: a
/// p-value from draws is never zero.
fn exceedance(observed: f64, simulated: impl IntoIterator<Item = f64>) -> f64 {
    let (mut draws, mut as_large) = (1, 1);
    for value in simulated {
        draws += 1;
        as_large += usize::from(value >= observed);
    }
    as_large as f64 / f64::from(draws)
}

/// A draw from the standard normal distribution (Box–Muller).
fn normal(rng: &mut Rng) -> f64 {
    // `1 - double` is above 0, so its logarithm is finite.
    let radius = (-2.0 * (1.0 - rng.double()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.double()).cos()
}

/// The values in increasing order.
fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_p_value_from_draws_counts_the_observed_value_and_is_never_zero() {
        assert_eq!(exceedance(3.0, [1.0, 2.0, 0.0]), 0.25);
        assert_eq!(exceedance(1.0, [1.0, 2.0, 0.0]), 0.75);
        assert_eq!(exceedance(1.0, []), 1.0);
    }
}
