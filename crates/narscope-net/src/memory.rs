//! Memory estimates: a batch that is too large is refused before it is run.

use narscope_clrs::probe::Stage;

use crate::config::Config;
use crate::engine::Engine;
use crate::rollout::RolloutOptions;
use crate::spec::Spec;
use crate::values::size;
use crate::{Error, Result};

/// Copies of kept predictions in memory: in the block that made them, collected, and in the form
/// that the caller turns them into.
const COPIES: usize = 3;

/// A rollout whose memory is estimated.
#[derive(Clone, Copy)]
pub struct MemoryEstimate<'a> {
    /// The engine that runs it.
    pub engine: &'a dyn Engine,
    /// The configuration of the network.
    pub config: &'a Config,
    /// The algorithm.
    pub spec: &'a Spec,
    /// Index of the algorithm among the tasks of the network.
    pub task: usize,
    /// How the samples are run.
    pub options: &'a RolloutOptions,
    /// Nodes of a sample.
    pub nodes: usize,
    /// Steps of the longest sample.
    pub steps: usize,
    /// Whether a hook reads states, so that all samples advance together.
    pub hooked: bool,
}

impl MemoryEstimate<'_> {
    /// Estimate of the bytes that running `samples` samples at once takes.
    pub fn bytes(&self, samples: usize) -> usize {
        let Self { engine, config, spec, task, options, nodes, steps, hooked } = *self;
        let working = engine.bytes(task, nodes, samples, hooked);
        let times_kept = |stage: Stage| match stage {
            Stage::Output if options.every_output => 1 + steps,
            Stage::Output => 1,
            Stage::Hint if options.keep_hints => steps,
            Stage::Hint | Stage::Input => 0,
        };
        let kept = spec.probes.iter().map(|probe| times_kept(probe.stage) * size(probe, nodes));
        let states = options.keep_states.map_or(0, |pooling| steps * pooling.vectors(nodes));
        // Where they are kept, and in the form that the caller turns them into.
        let states = 2 * states * config.hidden_size;
        working + 4 * samples * (COPIES * kept.sum::<usize>() + states)
    }

    /// The largest number of samples up to `most` that fits into half of the `available` bytes: the
    /// rest is for others, and for errors of the estimate.
    ///
    /// # Errors
    /// If a single sample does not fit at all.
    pub fn batch_size(&self, most: usize, available: Option<usize>) -> Result<usize> {
        self.check(1, available)?;
        let fits =
            |samples: &usize| available.is_none_or(|bytes| self.bytes(*samples) <= bytes / 2);
        Ok((1..=most).rev().find(fits).unwrap_or(1))
    }

    /// Refuses to run `samples` samples at once if they do not fit.
    pub fn check(&self, samples: usize, available: Option<usize>) -> Result<()> {
        check(self.bytes(samples), available, || {
            format!(
                "running {samples} samples of {} with {} nodes",
                self.spec.entry.name, self.nodes
            )
        })
    }
}

/// Refuses what needs more bytes than are available.
pub fn check(needed: usize, available: Option<usize>, what: impl FnOnce() -> String) -> Result<()> {
    const GB: f64 = 1e9;
    match available {
        Some(available) if needed > available => Err(Error::Memory {
            what: what(),
            needed_gb: needed as f64 / GB,
            available_gb: available as f64 / GB,
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_that_does_not_fit_is_refused_with_both_sizes() {
        assert!(check(5, Some(5), || unreachable!("it fits")).is_ok());
        assert!(check(5, None, || unreachable!("the limit is unknown")).is_ok());
        let error = check(3_000_000_000, Some(1_500_000_000), || "this".to_owned()).unwrap_err();
        let text = error.to_string();
        assert_eq!(text, "this would take about 3.0 GB of memory, 1.5 GB are available");
    }
}
