//! The probabilities that a binary search tree is looked up with.

use super::user::{UserInstance, refuse};
use super::{Instance, at_least};
use crate::Result;
use crate::options::{OptionName, Options};
use crate::rng::{Rng, pairwise_sum};

/// How often each key, and each gap between keys, is looked up.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchTree {
    /// How often each of the `n` keys is looked up.
    pub hit: Vec<f64>,
    /// How often each of the `n + 1` gaps is looked up.
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
        for share in &mut hit {
            *share /= sum;
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
        // In a matrix both columns have one length; the benchmark itself pads p with a zero.
        if hit.len() == miss.len() && hit.last() == Some(&0.0) {
            hit.pop();
        }
        if hit.is_empty() || miss.len() != hit.len() + 1 {
            return Err(refuse(wanted, format!("{} of p and {} of q", hit.len(), miss.len())));
        }
        if let Some(share) = hit.iter().chain(&miss).find(|&&share| share < 0.0) {
            return Err(refuse("probabilities", format!("{share}")));
        }
        Ok(Self { hit, miss })
    }
}
