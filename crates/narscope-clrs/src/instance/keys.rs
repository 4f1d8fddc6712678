//! An array of numbers.

use super::own::Own;
use super::{Instance, at_least};
use crate::Result;
use crate::options::Options;
use crate::rng::Rng;

/// An array of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys(pub Vec<f64>);

/// The range that random keys come from.
pub struct Range {
    /// The least key.
    pub low: f64,
    /// The bound of the keys.
    pub high: f64,
}

impl Range {
    /// What most algorithms take.
    pub const UNIT: Self = Self { low: 0.0, high: 1.0 };
}

impl Instance for Keys {
    type Law = Range;

    fn options(_law: &Range, _options: &Options) -> Vec<&'static str> {
        vec!["low", "high", "truncate_decimals"]
    }

    fn sample(law: &Range, rng: &mut Rng, length: usize, options: &Options) -> Result<Self> {
        at_least(2, length)?;
        let (low, high) = options.range(law.low, law.high)?;
        let mut keys = rng.uniforms(low, high, length);
        options.truncate(&mut keys);
        Ok(Self(keys))
    }

    fn wanted(_law: &Range) -> String {
        "an array of at least 2 numbers".to_owned()
    }

    fn read(law: &Range, own: &Own) -> Result<Self> {
        let keys = own.array(&Self::wanted(law))?;
        at_least(2, keys.len())?;
        Ok(Self(keys))
    }
}
