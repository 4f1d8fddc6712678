//! The keys of a file of samples, and the spec that they follow.

use std::collections::BTreeMap;

use narscope_clrs::algorithms::Entry;
use narscope_clrs::convert;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;

use crate::error::{Misread, misread};
use crate::layout::key;

/// Whether an array belongs to the spec of an algorithm. Others are predictions, or the user's own.
pub(crate) fn is_of_spec(name: &str) -> bool {
    matches!(name.split_once('/'), Some(("input" | "hint" | "output", _)))
}

/// The keys of a file, each with the number of axes of one record.
#[derive(Debug, Default)]
pub(crate) struct Keys(pub(crate) BTreeMap<String, usize>);

impl Keys {
    /// The spec that the keys suggest: the algorithm's own, or a converted one.
    pub(crate) fn spec(&self, entry: &Entry) -> Vec<Probe> {
        let has = |probe: &Probe| self.0.contains_key(&key(probe));
        // Converting traces without samples converts their spec.
        let mut traces = Traces::new(entry.probes.to_vec(), 1);
        let mut moved = traces.clone();
        convert::pred_as_input(&mut moved);
        let plain = traces.probes.iter().filter(|probe| probe.constant).all(has);
        if !plain && moved.probes.iter().filter(|probe| probe.stage == Stage::Input).all(has) {
            traces = moved;
        }
        let mut converted = traces.clone();
        convert::permutations(&mut converted, true).expect("no samples, no broken chains");
        let enforced = |probe: &Probe| {
            if probe.kind.info().distinct {
                self.0.get(&key(probe)) == Some(&probe.shape(1).len())
            } else {
                !traces.probes.contains(probe) && has(probe)
            }
        };
        if converted.probes.iter().any(enforced) { converted.probes } else { traces.probes }
    }

    /// Checks that the keys are exactly those of a spec.
    pub(crate) fn check(&self, entry: &Entry, probes: &[Probe]) -> Result<(), Misread> {
        let expected: Vec<String> = probes.iter().map(key).collect();
        if let Some(missing) = expected.iter().find(|key| !self.0.contains_key(*key)) {
            return Err(missing_key(entry, missing, self.0.keys()));
        }
        match self.0.keys().find(|key| !expected.contains(key)) {
            None => Ok(()),
            Some(other) => {
                let keys = expected.join(", ");
                Err(misread(format!("only the keys of {} ({keys})", entry.name), other))
            }
        }
    }
}

/// Error for a key that is not in the file.
pub(super) fn missing_key<'a>(
    entry: &Entry,
    key: &str,
    found: impl Iterator<Item = &'a String>,
) -> Misread {
    let mut found: Vec<&str> = found.map(String::as_str).collect();
    if found.is_empty() {
        found.push("no keys");
    }
    misread(format!("the key {key} for {}", entry.name), found.join(", "))
}
