//! How much memory a batch takes, so that too large a one is refused and not killed.

use narscope_clrs::chunk::Chunk;
use narscope_clrs::probe::{Location, Stage};
use narscope_clrs::trace::Traces;
use sysinfo::{
    MemoryRefreshKind, Process, ProcessRefreshKind, ProcessesToUpdate, System, get_current_pid,
};

use crate::config::Config;
use crate::net::{Net, Spec};
use crate::rollout::Plan;
use crate::values::size;
use crate::{Error, Result};

/// Tensors as large as the messages that a processor step makes, and keeps if it learns.
const MESSAGES: usize = 10;
/// The same for the scores of a pointer.
const POINTER: usize = 5;
/// The same for the scores of triplets.
const TRIPLETS: usize = 4;

/// About how many bytes one step takes for one sample without kernels.
fn bytes_per_step(config: &Config, spec: &Spec, nodes: usize) -> usize {
    let (n, h) = (nodes, config.hidden_size);
    let processor = config.preset_of_processor().config;
    let mut numbers = MESSAGES * n * n * h * config.nb_msg_passing_steps;
    if processor.has_edges() {
        numbers += TRIPLETS * n * n * n * config.nb_triplet_fts + 2 * n * n * h;
    }
    let decoded = spec.probes.iter().filter(|probe| match probe.stage {
        Stage::Input => false,
        Stage::Output => true,
        Stage::Hint => config.hint_mode.decodes(),
    });
    for probe in decoded {
        numbers += match (probe.location, probe.kind.is_pointer()) {
            (Location::Edge, true) => POINTER * n * n * n * h,
            (Location::Node, true) => POINTER * n * n * h,
            (Location::Edge, false) => n * n * h,
            _ => n * h,
        };
    }
    4 * numbers
}

/// About how many bytes an update on a batch takes without kernels: all its steps are kept for the
/// way back.
pub fn of_update(config: &Config, spec: &Spec, traces: &Traces) -> usize {
    let steps: usize = (0..traces.len()).map(|i| traces.steps(i).saturating_sub(1).max(1)).sum();
    steps * bytes_per_step(config, spec, traces.nodes)
}

/// The same of an update on a window of steps.
pub fn of_window(config: &Config, spec: &Spec, chunk: &Chunk) -> usize {
    chunk.is_first.len() * bytes_per_step(config, spec, chunk.nodes)
}

/// What updates have been granted so far: what was granted once is not asked for again. Kernels keep their
/// memory from update to update, so that it counts for a larger one; without them, it is free again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Granted(usize);

impl Granted {
    /// Refuses an update of so many bytes that would not fit.
    pub fn check(
        &mut self,
        spec: &Spec,
        (samples, nodes): (usize, usize),
        needed: usize,
        is_kept: bool,
    ) -> Result<()> {
        if needed > self.0 {
            let what = || {
                let name = spec.entry.name;
                format!("an update of {name} on {samples} samples of {nodes} nodes")
            };
            // An estimate: it may turn out to be somewhat more.
            let at_most = needed + needed / 4;
            let own = if is_kept { self.0 } else { 0 };
            check(at_most, available().map(|free| free + own), what)?;
            self.0 = needed;
        }
        Ok(())
    }
}

/// How often raw predictions are in memory that are kept: in the block that made them, put together,
/// and in the form that whoever asked for them makes of them.
const COPIES: usize = 3;

/// Samples that a network is to run on.
#[derive(Clone, Copy)]
pub struct Ahead<'a> {
    network: (&'a Net, usize, &'a Spec, &'a Config),
    plan: &'a Plan,
    nodes: usize,
    /// The most steps that any of them takes.
    longest: usize,
    /// Whether a hook looks at states, so that all samples go side by side.
    hooked: bool,
}

impl<'a> Ahead<'a> {
    /// Some or all of these samples; `hooked` if a hook looks at states.
    pub fn of(
        network: (&'a Net, usize, &'a Spec, &'a Config),
        traces: &Traces,
        plan: &'a Plan,
        hooked: bool,
    ) -> Self {
        let longest = plan.steps.of(traces.longest());
        Self { network, plan, nodes: traces.nodes, longest, hooked }
    }

    /// About how many bytes it takes to run so many of them at once.
    pub fn bytes(&self, samples: usize) -> usize {
        let Self { network: (net, task, spec, config), plan, nodes, longest, hooked } = *self;
        let at_work = match &net.kernels {
            Some(kernels) => kernels.bytes(task, nodes, samples, hooked),
            None => samples * bytes_per_step(config, spec, nodes),
        };
        let times_kept = |stage: Stage| match stage {
            Stage::Output if plan.every_output => 1 + longest,
            Stage::Output => 1,
            Stage::Hint if plan.keep_hints => longest,
            Stage::Hint | Stage::Input => 0,
        };
        let kept = spec.probes.iter().map(|probe| times_kept(probe.stage) * size(probe, nodes));
        let states = plan.keep_states.map_or(0, |kept| longest * kept.vectors(nodes));
        // Where they are kept, and in the form that whoever asked makes of them.
        let states = 2 * states * config.hidden_size;
        at_work + 4 * samples * (COPIES * kept.sum::<usize>() + states)
    }

    /// How many samples, up to `most`, can be run at once.
    ///
    /// # Errors
    /// If not even one can.
    pub fn at_once(&self, most: usize) -> Result<usize> {
        let free = available();
        self.check(1, free)?;
        // Half of what is free: somebody else may need some, and this is an estimate.
        let fits = |samples: &usize| free.is_none_or(|free| self.bytes(*samples) <= free / 2);
        Ok((1..=most).rev().find(fits).unwrap_or(1))
    }

    /// Refuses so many samples at once that would not fit.
    pub fn check_all(&self, samples: usize) -> Result<()> {
        self.check(samples, available())
    }

    fn check(&self, samples: usize, free: Option<usize>) -> Result<()> {
        let (_, _, spec, _) = self.network;
        check(self.bytes(samples), free, || {
            format!("running {samples} of {} with {} nodes", spec.entry.name, self.nodes)
        })
    }
}

fn check(needed: usize, free: Option<usize>, what: impl FnOnce() -> String) -> Result<()> {
    const GB: f64 = 1e9;
    match free {
        Some(free) if needed > free => Err(Error::Memory {
            what: what(),
            needed_gb: needed as f64 / GB,
            available_gb: free as f64 / GB,
        }),
        _ => Ok(()),
    }
}

/// How many bytes this process may still take, where the system says so: what is free, and what the
/// container or the job that it runs in leaves of it.
fn available() -> Option<usize> {
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let free = system.available_memory();
    let own = get_current_pid().ok()?;
    let only = ProcessesToUpdate::Some(&[own]);
    system.refresh_processes_specifics(only, false, ProcessRefreshKind::nothing());
    let limits = system.process(own).and_then(Process::cgroup_limits);
    // Memory that files fill counts as used there, but is given back to whoever needs it.
    let left = limits.map_or(free, |limits| limits.total_memory.saturating_sub(limits.rss));
    (free > 0).then(|| free.min(left) as usize)
}

#[cfg(test)]
mod tests {
    use narscope_clrs::algorithms;

    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_both_numbers() {
        assert!(check(5, Some(5), || unreachable!("it fits")).is_ok());
        assert!(check(5, None, || unreachable!("nobody knows")).is_ok());
        let error = check(3_000_000_000, Some(1_500_000_000), || "this".to_owned()).unwrap_err();
        let said = error.to_string();
        assert!(said.starts_with("this would take about 3.0 GB and 1.5 GB are free"), "{said}");
    }

    #[test]
    fn what_was_granted_once_is_not_asked_for_again() {
        let spec = Spec::new(algorithms::find("bfs").unwrap(), &Config::default()).unwrap();
        let all = usize::MAX / 4;
        let mut granted = Granted(all);
        granted.check(&spec, (1, 1), all, true).unwrap();
        if available().is_some() {
            assert!(Granted::default().check(&spec, (1, 1), all, true).is_err());
            assert!(Granted(all - 1).check(&spec, (1, 1), all, false).is_err());
        }
    }
}
