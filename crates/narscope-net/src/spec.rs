//! Specs: algorithms as a network sees them.

use narscope_clrs::algorithms::{self, Entry};
use narscope_clrs::column::Column;
use narscope_clrs::convert as conversions;
use narscope_clrs::probe::Probe;
use narscope_clrs::trace::Traces;

use crate::config::Config;
use crate::{Error, Result};

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

/// Refuses values that overflow single precision, in which networks compute.
pub fn check_precision(traces: &Traces) -> Result<()> {
    for (probe, column) in traces.probes.iter().zip(&traces.columns) {
        let Column::Real(records) = column else { continue };
        let unpacked = records.unpacked();
        if let Some(&found) = unpacked.plain().iter().find(|x| !(**x as f32).is_finite()) {
            return Err(Error::Precision { probe: probe.name.to_string(), found });
        }
    }
    Ok(())
}
