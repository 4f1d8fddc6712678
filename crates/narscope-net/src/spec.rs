//! Specs: algorithms as a network sees them.

use narscope_clrs::algorithms::{self, Entry};
use narscope_clrs::convert as conversions;
use narscope_clrs::probe::Probe;
use narscope_clrs::trace::Traces;

use crate::Result;
use crate::config::Config;

/// An algorithm and its probes as a network encodes and decodes them.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The algorithm.
    pub entry: &'static Entry,
    /// Its probes, converted as the configuration says.
    pub probes: Vec<Probe>,
}

impl Spec {
    /// Spec of one algorithm under a configuration.
    pub fn new(entry: &'static Entry, config: &Config) -> Result<Self> {
        let mut traces = Traces::new(entry.probes.to_vec(), 1);
        convert(&mut traces, config)?;
        Ok(Self { entry, probes: traces.probes })
    }

    /// Specs of all algorithms of a configuration, in its order.
    pub fn all(config: &Config) -> Result<Vec<Self>> {
        let names = config.algorithms.iter();
        names.map(|name| Self::new(algorithms::find(name)?, config)).collect()
    }
}

/// Converts traces as the configuration says, except for random positions.
pub fn convert(traces: &mut Traces, config: &Config) -> Result<()> {
    if config.enforce_pred_as_input {
        conversions::pred_as_input(traces);
    }
    conversions::permutations(traces, config.enforce_permutations)?;
    Ok(())
}
