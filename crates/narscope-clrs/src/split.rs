//! The splits of CLRS-30, by name.

use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::options::{OptionName, Options};
use crate::registry;
use crate::rng::Rng;
use crate::trace::Traces;
use crate::{Error, Result};

/// A split of the benchmark.
///
/// ```
/// use narscope_clrs::{Edition, Split, algorithms};
///
/// let test = Split::Test.generate(algorithms::find("bfs")?, Edition::Current)?;
/// assert_eq!((test.len(), test.nodes), (32, 64));
/// # Ok::<(), narscope_clrs::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// 1,000 samples of length 16.
    Train,
    /// Samples of length 16.
    Val,
    /// Samples of length 64, four times the training length.
    Test,
}

/// The version of the samplers that made the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edition {
    /// Those of dm-clrs 2.0.3.
    #[default]
    Current,
    /// Those of 2022, which made the archive that dm-clrs downloads.
    Archive2022,
}

impl Split {
    /// All splits.
    pub const ALL: [Self; 3] = [Self::Train, Self::Val, Self::Test];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Val => "val",
            Self::Test => "test",
        }
    }

    /// The length passed to the sampler.
    pub fn length(self) -> usize {
        match self {
            Self::Train | Self::Val => 16,
            Self::Test => 64,
        }
    }

    /// The seed of the sampler.
    pub fn seed(self) -> u32 {
        match self {
            Self::Train => 1,
            Self::Val => 2,
            Self::Test => 3,
        }
    }

    /// The number of samples. Algorithms with few scored values have more.
    pub fn count(self, entry: &Entry) -> usize {
        match self {
            Self::Train => 1000,
            Self::Val | Self::Test => 32 * entry.multiplier,
        }
    }

    /// Generates the samples.
    pub fn generate(self, entry: &Entry, edition: Edition) -> Result<Traces> {
        let mut rng = Rng::seeded(self.seed());
        let (length, options) = edition.settings(entry, self.length());
        let traces = entry.generate(&mut rng, length, &options, self.count(entry))?;
        Ok(edition.finish(entry, traces))
    }
}

impl Edition {
    /// The length and the options that are passed to the sampler.
    fn settings(self, entry: &Entry, length: usize) -> (usize, Options) {
        let mut options = Options::default();
        if self == Self::Current {
            return (length, options);
        }
        let accepted = entry.options(&options);
        // Collinear points were not rejected.
        if accepted.contains(&OptionName::CollinearityAttempts) {
            options.collinearity_attempts = Some(0);
        }
        // The length was that of the haystack, without the needle.
        if accepted.contains(&OptionName::LengthNeedle) {
            let needle = length / 4;
            options.length_needle = Some(needle as i64);
            return (length + needle, options);
        }
        (length, options)
    }

    /// Removes hints that were added to the specs later.
    fn finish(self, entry: &Entry, mut traces: Traces) -> Traces {
        const LATER: &[(&str, &str)] = &[("quickselect", "pivot")];
        if self == Self::Archive2022 {
            for &(_, hint) in LATER.iter().filter(|(algorithm, _)| *algorithm == entry.name) {
                let place = traces.probes.iter().position(|probe| probe.name == hint);
                let place = place.expect("the spec still has the hint");
                traces.probes.remove(place);
                traces.columns.remove(place);
            }
        }
        traces
    }
}

impl std::str::FromStr for Split {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        registry::find("split", &Self::ALL, |split| split.name(), name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::{ALL, find};

    #[test]
    fn the_benchmark_has_thirty_algorithms_and_seven_have_more_samples() {
        let thirty: Vec<&Entry> = ALL.iter().filter(|entry| entry.in_clrs_30).collect();
        assert_eq!(thirty.len(), 30);
        let count = |times| thirty.iter().filter(|entry| entry.multiplier == times).count();
        assert_eq!((count(1), count(32), count(64)), (23, 1, 6));
        let kadane = find("find_maximum_subarray_kadane").unwrap();
        assert_eq!(Split::ALL.map(|split| split.count(kadane)), [1000, 1024, 1024]);
    }

    #[test]
    fn a_split_is_found_by_its_name() {
        assert_eq!("test".parse(), Ok(Split::Test));
        let error = "tset".parse::<Split>().unwrap_err();
        assert_eq!(error.to_string(), r#"unknown split "tset"; the closest name is "test""#);
    }

    #[test]
    fn collinear_points_were_not_rejected_in_2022() {
        let entry = find("graham_scan").unwrap();
        let (length, options) = Edition::Archive2022.settings(entry, 16);
        assert_eq!((length, options.collinearity_attempts), (16, Some(0)));
        // Both draw the same values unless a sample is rejected, which is rare.
        let val = |edition| Split::Val.generate(entry, edition).unwrap();
        assert_eq!(val(Edition::Archive2022), val(Edition::Current));
    }
}
