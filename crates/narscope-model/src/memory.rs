//! How much memory a batch takes, so that too large a one is refused and not killed.

use narscope_clrs::probe::{Location, Stage};
use narscope_clrs::trace::Traces;

use crate::config::Config;
use crate::net::{Net, Spec};
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

/// Refuses an update that would not fit, if it needs so many bytes.
pub fn check_update(spec: &Spec, traces: &Traces, needed: usize) -> Result<()> {
    let what = || {
        let (name, samples, nodes) = (spec.entry.name, traces.len(), traces.nodes);
        format!("an update of {name} on {samples} samples of {nodes} nodes")
    };
    check(needed, what)
}

/// How many samples, up to `most`, can be predicted at once.
///
/// # Errors
/// If not even one can.
pub fn batch_that_fits(
    config: &Config,
    (net, task): (&Net, usize),
    spec: &Spec,
    nodes: usize,
    most: usize,
) -> Result<usize> {
    let needed = |samples: usize| match &net.kernels {
        Some(kernels) => kernels.bytes(task, nodes, samples),
        None => samples * bytes_per_step(config, spec, nodes),
    };
    check(needed(1), || format!("one sample of {} with {nodes} nodes", spec.entry.name))?;
    // Half of what is free: somebody else may need some, and this is an estimate.
    let free = available();
    let fits = |samples: &usize| free.is_none_or(|free| needed(*samples) <= free / 2);
    Ok((1..=most).rev().find(fits).unwrap_or(1))
}

fn check(needed: usize, what: impl FnOnce() -> String) -> Result<()> {
    const GB: f64 = 1e9;
    match available() {
        Some(free) if needed > free => Err(Error::Memory {
            what: what(),
            needed_gb: needed as f64 / GB,
            available_gb: free as f64 / GB,
        }),
        _ => Ok(()),
    }
}

/// How many bytes are free, where the system says so.
fn available() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
