//! A sorted array and a number to search for.

use super::keys::{Keys, Range};
use super::user::{UserInstance, invalid};
use super::{Instance, at_least};
use crate::options::{OptionName, Options};
use crate::rng::Rng;
use crate::{Error, Result};

/// A sorted array and a number to search for.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The keys, in ascending order.
    pub keys: Vec<f64>,
    /// The number to search for; it need not be one of the keys.
    pub target: f64,
}

impl Instance for Query {
    type Params = Range;

    fn options(params: &Range, options: &Options) -> Vec<OptionName> {
        Keys::options(params, options)
    }

    fn sample(params: &Range, rng: &mut Rng, length: usize, options: &Options) -> Result<Self> {
        at_least(2, length)?;
        let (low, high) = options.range(params.low, params.high)?;
        let mut keys = rng.uniforms(low, high, length);
        keys.sort_by(f64::total_cmp);
        let mut target = [rng.uniform(low, high)];
        options.truncate(&mut keys);
        options.truncate(&mut target);
        Ok(Self { keys, target: target[0] })
    }

    fn wanted(_params: &Range) -> String {
        "an array of at least 2 numbers in ascending order, and a target".to_owned()
    }

    fn read(params: &Range, user: &UserInstance) -> Result<Self> {
        let wanted = Self::wanted(params);
        let keys = user.array(&wanted)?;
        at_least(2, keys.len())?;
        if let Some(i) = keys.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(invalid(wanted, format!("{} before {}", keys[i], keys[i + 1])));
        }
        match user.target {
            Some(target) if target.is_finite() => Ok(Self { keys, target }),
            Some(target) => Err(invalid("a finite target", target.to_string())),
            None => Err(Error::MissingTarget { wanted }),
        }
    }

    fn takes_target(_: &Range) -> bool {
        true
    }
}
