//! A sorted array and a number to look for.

use super::keys::{Keys, Range};
use super::own::{Own, refuse};
use super::{Instance, at_least};
use crate::Result;
use crate::options::Options;
use crate::rng::Rng;

/// A sorted array and a number to look for.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// In ascending order.
    pub keys: Vec<f64>,
    /// What is looked for; it need not be there.
    pub target: f64,
}

impl Instance for Query {
    type Law = Range;

    fn options(law: &Range, options: &Options) -> Vec<&'static str> {
        Keys::options(law, options)
    }

    fn sample(law: &Range, rng: &mut Rng, length: usize, options: &Options) -> Result<Self> {
        at_least(2, length)?;
        let (low, high) = options.range(law.low, law.high)?;
        let mut keys = rng.uniforms(low, high, length);
        keys.sort_by(f64::total_cmp);
        let mut target = [rng.uniform(low, high)];
        options.truncate(&mut keys);
        options.truncate(&mut target);
        Ok(Self { keys, target: target[0] })
    }

    fn wanted(_law: &Range) -> String {
        "an array of at least 2 numbers in ascending order, and a target".to_owned()
    }

    fn read(law: &Range, own: &Own) -> Result<Self> {
        let wanted = Self::wanted(law);
        let keys = own.array(&wanted)?;
        at_least(2, keys.len())?;
        if let Some(i) = keys.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(refuse(wanted, format!("{} before {}", keys[i], keys[i + 1])));
        }
        match own.target {
            Some(target) if target.is_finite() => Ok(Self { keys, target }),
            Some(target) => Err(refuse("a finite target", target.to_string())),
            None => Err(refuse(wanted, "no target: give it with --target")),
        }
    }

    fn takes_target(_: &Range) -> bool {
        true
    }
}
