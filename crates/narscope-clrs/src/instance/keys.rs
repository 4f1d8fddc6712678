//! An array of numbers.

use super::user::UserInstance;
use super::{Instance, at_least};
use crate::Result;
use crate::options::{OptionName, Options};
use crate::rng::Rng;

/// An array of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys(pub Vec<f64>);

/// The range of random keys, half-open.
pub struct Range {
    /// The lower bound.
    pub low: f64,
    /// The upper bound, exclusive.
    pub high: f64,
}

impl Range {
    /// The unit interval, the default of most algorithms.
    pub const UNIT: Self = Self { low: 0.0, high: 1.0 };
}

impl Instance for Keys {
    type Params = Range;

    fn options(_params: &Range, _options: &Options) -> Vec<OptionName> {
        vec![OptionName::Low, OptionName::High, OptionName::TruncateDecimals]
    }

    fn sample(params: &Range, rng: &mut Rng, length: usize, options: &Options) -> Result<Self> {
        at_least(2, length)?;
        let (low, high) = options.range(params.low, params.high)?;
        let mut keys = rng.uniforms(low, high, length);
        options.truncate(&mut keys);
        Ok(Self(keys))
    }

    fn wanted(_params: &Range) -> String {
        "an array of at least 2 numbers".to_owned()
    }

    fn read(params: &Range, user: &UserInstance) -> Result<Self> {
        let keys = user.array(&Self::wanted(params))?;
        at_least(2, keys.len())?;
        Ok(Self(keys))
    }
}
