//! Activities that start and finish.

use super::keys::{Keys, Range};
use super::own::{Own, refuse};
use super::{Instance, at_least};
use crate::Result;
use crate::options::Options;
use crate::rng::Rng;

/// Activities that start and finish.
#[derive(Clone, Debug, PartialEq)]
pub struct Intervals {
    /// When each activity starts.
    pub start: Vec<f64>,
    /// When each activity finishes.
    pub finish: Vec<f64>,
}

impl Instance for Intervals {
    type Law = Range;

    fn options(law: &Range, options: &Options) -> Vec<&'static str> {
        Keys::options(law, options)
    }

    fn sample(law: &Range, rng: &mut Rng, length: usize, options: &Options) -> Result<Self> {
        at_least(2, length)?;
        let (low, high) = options.range(law.low, law.high)?;
        let mut start = rng.uniforms(low, high, length);
        let mut finish = rng.uniforms(low, high, length);
        for (s, f) in start.iter_mut().zip(&mut finish) {
            (*s, *f) = (s.min(*f), s.max(*f));
        }
        options.truncate(&mut start);
        options.truncate(&mut finish);
        Ok(Self { start, finish })
    }

    fn wanted(_law: &Range) -> String {
        "at least 2 activities: columns s (start) and f (finish)".to_owned()
    }

    fn read(law: &Range, own: &Own) -> Result<Self> {
        let wanted = Self::wanted(law);
        let (start, finish) = own.pair(["s", "f"], &wanted)?;
        if start.len() != finish.len() {
            let found = format!("{} starts and {} finishes", start.len(), finish.len());
            return Err(refuse(wanted, found));
        }
        at_least(2, start.len())?;
        if let Some(i) = (0..start.len()).find(|&i| start[i] > finish[i]) {
            let found = format!("activity {i} from {} to {}", start[i], finish[i]);
            return Err(refuse("activities that finish after they start", found));
        }
        Ok(Self { start, finish })
    }
}
