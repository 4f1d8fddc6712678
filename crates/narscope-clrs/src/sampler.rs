//! Samplers: batches of one algorithm, from a fixed set or an endless stream.

use crate::batch::Batch;
use crate::entry::Entry;
use crate::options::Options;
use crate::rng::Rng;
use crate::trace::Traces;
use crate::{Error, Result};

/// The number of samples that the reference draws to estimate the longest run.
const PROBING_SAMPLES: usize = 1000;

/// Draws batches of one algorithm and length.
///
/// ```
/// use narscope_clrs::{Options, Sampler, algorithms};
///
/// let minimum = algorithms::find("minimum")?;
/// let mut sampler = Sampler::fixed(minimum, 8, 42, Options::default(), 100)?;
/// assert_eq!(sampler.next_batch(4)?.traces.len(), 4);
/// # Ok::<(), narscope_clrs::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sampler {
    entry: &'static Entry,
    length: usize,
    options: Options,
    rng: Rng,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// A fixed set, drawn with replacement.
    Fixed(Traces),
    /// New samples for every batch, padded to the longest run so far if that is tracked.
    Endless { longest: Option<usize> },
}

impl Sampler {
    /// A sampler that generates `num_samples` samples once and draws batches from them.
    pub fn fixed(
        entry: &'static Entry,
        length: usize,
        seed: u32,
        options: Options,
        num_samples: usize,
    ) -> Result<Self> {
        let mut rng = Rng::seeded(seed);
        let traces = entry.generate(&mut rng, length, &options, num_samples)?;
        Ok(Self { entry, length, options, rng, source: Source::Fixed(traces) })
    }

    /// A sampler that generates new samples for every batch.
    ///
    /// With `track_max_steps`, batches are padded to the longest run so far, initialised from 1,000
    /// discarded samples.
    pub fn endless(
        entry: &'static Entry,
        length: usize,
        seed: u32,
        options: Options,
        track_max_steps: bool,
    ) -> Result<Self> {
        let mut rng = Rng::seeded(seed);
        let longest = if track_max_steps {
            Some(entry.generate(&mut rng, length, &options, PROBING_SAMPLES)?.longest())
        } else {
            // Bad options fail here and not at the first batch.
            entry.generate(&mut rng.clone(), length, &options, 1)?;
            None
        };
        Ok(Self { entry, length, options, rng, source: Source::Endless { longest } })
    }

    /// The next batch.
    pub fn next_batch(&mut self, batch_size: usize) -> Result<Batch> {
        match &mut self.source {
            Source::Fixed(traces) => {
                let samples = traces.len();
                if batch_size > samples {
                    return Err(Error::BatchTooLarge { batch: batch_size, samples });
                }
                // Parity: drawn with replacement, by the generator that made the samples, and
                // padded as the whole set is.
                let runs = self.rng.integers(samples, batch_size);
                Ok(Batch::new(traces.select(&runs), traces.longest()))
            }
            Source::Endless { longest } => {
                let Self { entry, length, options, rng, .. } = self;
                let traces = entry.generate(rng, *length, options, batch_size)?;
                let batch = Batch::new(traces, longest.unwrap_or(0));
                if let Some(longest) = longest {
                    *longest = batch.steps;
                }
                Ok(batch)
            }
        }
    }

    /// The length of its samples.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The state of the generator.
    pub fn rng(&self) -> &Rng {
        &self.rng
    }

    /// Replaces the generator, so that a new sampler can continue where an old one stopped.
    pub fn set_rng(&mut self, rng: Rng) {
        self.rng = rng;
    }

    /// All samples of a fixed set, in order; `None` for an endless sampler.
    pub fn all(&self) -> Option<Batch> {
        match &self.source {
            Source::Fixed(traces) => Some(Batch::new(traces.clone(), 0)),
            Source::Endless { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::find;

    #[test]
    fn a_batch_is_not_larger_than_the_fixed_set() {
        let entry = find("minimum").unwrap();
        let mut sampler = Sampler::fixed(entry, 4, 1, Options::default(), 3).unwrap();
        let error = sampler.next_batch(4).unwrap_err();
        assert_eq!(error.to_string(), "a batch of 4 cannot be drawn from 3 samples");
        assert_eq!(sampler.all().unwrap().traces.len(), 3);
    }

    #[test]
    fn bad_options_are_errors_of_the_constructor() {
        let entry = find("bfs").unwrap();
        let options = Options { p: Some(vec![2.0]), ..Options::default() };
        let error = Sampler::endless(entry, 4, 1, options, false).unwrap_err();
        assert_eq!(error.to_string(), "bfs: p must be a probability from 0 to 1, got 2");
    }

    #[test]
    fn an_endless_sampler_generates_new_samples_for_every_batch() {
        let entry = find("minimum").unwrap();
        let mut sampler = Sampler::endless(entry, 4, 1, Options::default(), false).unwrap();
        assert_ne!(sampler.next_batch(2).unwrap(), sampler.next_batch(2).unwrap());
        assert_eq!(sampler.all(), None);
    }
}
