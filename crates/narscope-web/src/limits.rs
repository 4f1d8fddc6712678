//! Sizes that a browser's tab can bear. What is larger is refused with a sentence.

use narscope_clrs::trace::Traces;
use serde::Serialize;

use crate::{Error, Result};

/// Bytes that a request may take: a quarter of what a tab has, for a telephone has less.
const BYTES: usize = 1 << 30;

/// Limits, as the page shows them.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Limits {
    nodes: usize,
    steps: usize,
    graphs: usize,
}

/// The limits.
pub(crate) const LIMITS: Limits = Limits { nodes: 256, steps: 2048, graphs: 10_000 };

impl Limits {
    /// Refuses problems of too many nodes.
    pub(crate) fn check_nodes(self, nodes: usize) -> Result<()> {
        within("nodes", nodes, self.nodes)
    }

    /// Refuses rollouts of too many steps.
    pub(crate) fn check_steps(self, steps: usize) -> Result<()> {
        within("steps", steps, self.steps)
    }

    /// Refuses corpora of too many samples.
    pub(crate) fn check_graphs(self, graphs: usize) -> Result<()> {
        within("graphs", graphs, self.graphs)
    }
}

/// Refuses traces that do not fit, stored in full.
pub(crate) fn check_trace(traces: &Traces) -> Result<()> {
    check_bytes("the trace", 2 * traces.unpacked_bytes())
}

/// Refuses what takes more bytes than a tab can bear.
pub(crate) fn check_bytes(what: &str, bytes: usize) -> Result<()> {
    if bytes <= BYTES {
        return Ok(());
    }
    let (needed, most) = (bytes as f64 / 1e9, BYTES as f64 / 1e9);
    Err(Error::new(format!(
        "{what} would take about {needed:.1} GB of memory; the explorer uses at most {most:.1} GB: choose fewer nodes or steps"
    )))
}

/// Memory that a network may use.
#[expect(clippy::unnecessary_wraps, reason = "other limits are unknown")]
pub(crate) fn available() -> Option<usize> {
    Some(BYTES)
}

fn within(what: &str, found: usize, most: usize) -> Result<()> {
    if found <= most {
        return Ok(());
    }
    Err(Error::new(format!(
        "the explorer takes at most {most} {what}, found {found}; use the command line for more"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_thousand_nodes_are_refused_with_a_sentence() {
        assert_eq!(
            LIMITS.check_nodes(2000).unwrap_err().0,
            "the explorer takes at most 256 nodes, found 2000; use the command line for more"
        );
        LIMITS.check_nodes(256).unwrap();
    }

    #[test]
    fn what_does_not_fit_is_refused_with_both_sizes() {
        let sentence = check_bytes("this", 3 << 30).unwrap_err().0;
        assert!(sentence.starts_with("this would take about 3.2 GB of memory"), "{sentence}");
        check_bytes("this", 1 << 30).unwrap();
    }
}
