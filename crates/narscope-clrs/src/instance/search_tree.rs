//! Search probabilities for a binary search tree.

use super::user::{UserInstance, invalid};
use super::{Instance, at_least};
use crate::Result;
use crate::options::{OptionName, Options};
use crate::rng::{Rng, pairwise_sum};

/// The probabilities of searching for each key and for each gap between keys.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchTree {
    /// The search probability of each of the `n` keys.
    pub hit: Vec<f64>,
    /// The search probability of each of the `n + 1` gaps.
    pub miss: Vec<f64>,
}

impl Instance for SearchTree {
    type Params = ();

    fn options(_params: &(), _options: &Options) -> Vec<OptionName> {
        vec![OptionName::TruncateDecimals]
    }

    fn sample(_params: &(), rng: &mut Rng, length: usize, options: &Options) -> Result<Self> {
        at_least(1, length)?;
        let mut hit = rng.uniforms(0.0, 1.0, 2 * length + 1);
        let sum = pairwise_sum(&hit);
        for probability in &mut hit {
            *probability /= sum;
        }
        options.truncate(&mut hit);
        let miss = hit.split_off(length);
        Ok(Self { hit, miss })
    }

    fn wanted(_params: &()) -> String {
        "columns p (a probability per key) and q (one per gap, so one more than p)".to_owned()
    }

    fn read(params: &(), user: &UserInstance) -> Result<Self> {
        let wanted = Self::wanted(params);
        let (mut hit, miss) = user.pair(["p", "q"], &wanted)?;
        // The columns of a matrix have equal lengths: accept p padded with a zero, as in the
        // benchmark.
        if hit.len() == miss.len() && hit.last() == Some(&0.0) {
            hit.pop();
        }
        if hit.is_empty() || miss.len() != hit.len() + 1 {
            return Err(invalid(
                wanted,
                format!("{} values of p and {} of q", hit.len(), miss.len()),
            ));
        }
        if let Some(p) = hit.iter().chain(&miss).find(|&&p| p < 0.0) {
            return Err(invalid("probabilities of at least 0", format!("{p}")));
        }
        Ok(Self { hit, miss })
    }
}
