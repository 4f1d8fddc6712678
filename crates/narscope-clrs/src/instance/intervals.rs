//! Activities with start and finish times.

use super::keys::{Keys, Range};
use super::user::{UserInstance, invalid};
use super::{Instance, at_least};
use crate::Result;
use crate::options::{OptionName, Options};
use crate::rng::Rng;

/// Activities with start and finish times.
#[derive(Clone, Debug, PartialEq)]
pub struct Intervals {
    /// The start time of each activity.
    pub start: Vec<f64>,
    /// The finish time of each activity.
    pub finish: Vec<f64>,
}

impl Instance for Intervals {
    type Params = Range;

    fn options(params: &Range, options: &Options) -> Vec<OptionName> {
        Keys::options(params, options)
    }

    fn sample(params: &Range, rng: &mut Rng, length: usize, options: &Options) -> Result<Self> {
        at_least(2, length)?;
        let (low, high) = options.range(params.low, params.high)?;
        let mut start = rng.uniforms(low, high, length);
        let mut finish = rng.uniforms(low, high, length);
        for (s, f) in start.iter_mut().zip(&mut finish) {
            (*s, *f) = (s.min(*f), s.max(*f));
        }
        options.truncate(&mut start);
        options.truncate(&mut finish);
        Ok(Self { start, finish })
    }

    fn wanted(_params: &Range) -> String {
        "at least 2 activities: columns s (start) and f (finish)".to_owned()
    }

    fn read(params: &Range, user: &UserInstance) -> Result<Self> {
        let wanted = Self::wanted(params);
        let (start, finish) = user.pair(["s", "f"], &wanted)?;
        if start.len() != finish.len() {
            let found = format!("{} starts and {} finishes", start.len(), finish.len());
            return Err(invalid(wanted, found));
        }
        at_least(2, start.len())?;
        if let Some(i) = (0..start.len()).find(|&i| start[i] > finish[i]) {
            let found = format!("activity {i} from {} to {}", start[i], finish[i]);
            return Err(invalid("activities that do not finish before they start", found));
        }
        Ok(Self { start, finish })
    }
}
