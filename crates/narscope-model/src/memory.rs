//! Memory of training, so that a batch that is too large is refused and the process is not killed.

use narscope_clrs::trace::Traces;
pub use narscope_files::memory::available;
use narscope_net::engine::TrainingEngine;
use narscope_net::memory::check;
use narscope_net::spec::Spec;

use crate::Result;

/// The size of an update, for messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UpdateSize {
    /// Samples in the batch.
    pub(crate) samples: usize,
    /// Nodes of each.
    pub(crate) nodes: usize,
    /// Estimated bytes.
    pub(crate) bytes: usize,
}

/// The largest update that has been admitted so far: a smaller one is not checked again. Fused
/// kernels keep their memory from update to update, so it counts towards a larger one; the generic
/// engine frees it.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryBudget(usize);

impl MemoryBudget {
    /// Refuses an update on a batch that does not fit into memory.
    pub(crate) fn check_update(
        &mut self,
        engine: &dyn TrainingEngine,
        spec: &Spec,
        task: usize,
        traces: &Traces,
    ) -> Result<()> {
        let bytes = engine.bytes(task, traces);
        let size = UpdateSize { samples: traces.len(), nodes: traces.nodes, bytes };
        self.check(spec, size, engine.keeps_memory())
    }

    /// Refuses an update that does not fit into memory.
    pub(crate) fn check(
        &mut self,
        spec: &Spec,
        size: UpdateSize,
        keeps_memory: bool,
    ) -> Result<()> {
        let UpdateSize { samples, nodes, bytes } = size;
        if bytes > self.0 {
            let what = || {
                let name = spec.entry.name;
                format!("an update of {name} on {samples} samples of {nodes} nodes")
            };
            // Room for errors of the estimate.
            let at_most = bytes + bytes / 4;
            let own = if keeps_memory { self.0 } else { 0 };
            check(at_most, available().map(|free| free + own), what)?;
            self.0 = bytes;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use narscope_clrs::algorithms;
    use narscope_net::config::Config;

    use super::*;

    #[test]
    fn an_update_that_was_admitted_once_is_not_checked_again() {
        let spec = Spec::new(algorithms::find("bfs").unwrap(), &Config::default()).unwrap();
        let all = usize::MAX / 4;
        let size = UpdateSize { samples: 1, nodes: 1, bytes: all };
        let mut budget = MemoryBudget(all);
        budget.check(&spec, size, true).unwrap();
        if available().is_some() {
            assert!(MemoryBudget::default().check(&spec, size, true).is_err());
            assert!(MemoryBudget(all - 1).check(&spec, size, false).is_err());
        }
    }
}
