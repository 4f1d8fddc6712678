//! Tasks with deadlines, and penalties for missing them.

use super::keys::Range;
use super::user::{UserInstance, invalid};
use super::{Instance, at_least};
use crate::Result;
use crate::options::{OptionName, Options, bad};
use crate::rng::Rng;

/// Tasks of one unit of time each.
#[derive(Clone, Debug, PartialEq)]
pub struct Tasks {
    /// The deadline of each task: integers of at least 1.
    pub deadline: Vec<f64>,
    /// The penalty for missing the deadline.
    pub penalty: Vec<f64>,
}

impl Instance for Tasks {
    type Params = Range;

    fn options(_params: &Range, _options: &Options) -> Vec<OptionName> {
        vec![
            OptionName::MaxDeadline,
            OptionName::Low,
            OptionName::High,
            OptionName::TruncateDecimals,
        ]
    }

    fn sample(params: &Range, rng: &mut Rng, length: usize, options: &Options) -> Result<Self> {
        at_least(2, length)?;
        let (low, high) = options.range(params.low, params.high)?;
        let latest = options.max_deadline.unwrap_or(length);
        if latest == 0 {
            return Err(bad("max_deadline", "at least 1", latest));
        }
        let deadline = rng.integers(latest, length).iter().map(|&d| (d + 1) as f64).collect();
        let mut penalty = rng.uniforms(low, high, length);
        options.truncate(&mut penalty);
        Ok(Self { deadline, penalty })
    }

    fn wanted(_params: &Range) -> String {
        "at least 2 tasks: columns d (deadline, an integer of at least 1) and w (penalty)"
            .to_owned()
    }

    fn read(params: &Range, user: &UserInstance) -> Result<Self> {
        let wanted = Self::wanted(params);
        let (deadline, penalty) = user.pair(["d", "w"], &wanted)?;
        if deadline.len() != penalty.len() {
            let found = format!("{} deadlines and {} penalties", deadline.len(), penalty.len());
            return Err(invalid(wanted, found));
        }
        at_least(2, deadline.len())?;
        if let Some(d) = deadline.iter().find(|&&d| d < 1.0 || d.fract() != 0.0) {
            return Err(invalid(wanted, format!("the deadline {d}")));
        }
        Ok(Self { deadline, penalty })
    }
}
