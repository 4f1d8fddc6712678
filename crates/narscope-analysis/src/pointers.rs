//! Pointers, distances and weights of samples, for analyses of single nodes.

use narscope_clrs::column::Column;
use narscope_clrs::kind::Storage;
use narscope_clrs::probe::{Location, Probe, Stage};
use narscope_clrs::trace::Traces;
use narscope_model::trajectory::Trajectories;

use crate::Error;

/// The first output with a pointer per node, and its index among the outputs.
pub(crate) fn pointer_output(probes: &[Probe]) -> Option<(usize, &Probe)> {
    let outputs = probes.iter().filter(|probe| probe.stage == Stage::Output).enumerate();
    let mut pointers =
        outputs.filter(|(_, probe)| probe.kind.is_pointer() && probe.location == Location::Node);
    pointers.next()
}

/// Records of a probe with a pointer per node.
pub(crate) struct Pointers {
    nodes: usize,
    all: Vec<u32>,
}

impl Pointers {
    /// All records of a column.
    pub(crate) fn of(column: &Column, nodes: usize) -> Self {
        Self { nodes, all: column.unpacked().plain::<u32>().to_vec() }
    }

    pub(crate) fn get(&self, record: usize) -> &[u32] {
        &self.all[record * self.nodes..][..self.nodes]
    }

    /// Some of the records.
    pub(crate) fn select(&self, records: impl Iterator<Item = usize>) -> Self {
        let all = records.flat_map(|record| self.get(record)).copied().collect();
        Self { nodes: self.nodes, all }
    }
}

/// Lengths of the paths from a source along predecessors; `None` where they do not lead to the source along edges.
/// A weight of 0 means no edge.
pub(crate) fn path_lengths(
    source: usize,
    predecessors: &[usize],
    weights: &[f64],
) -> Vec<Option<f64>> {
    let nodes = predecessors.len();
    let length = |node: usize| {
        let (mut at, mut edges) = (node, vec![]);
        while at != source {
            let before = predecessors[at];
            let weight = weights[before * nodes + at];
            if before == at || weight == 0.0 || edges.len() == nodes {
                return None;
            }
            edges.push(weight);
            at = before;
        }
        // From the source on, as algorithms add them up.
        Some(edges.iter().rev().fold(0.0, |sum, weight| sum + weight))
    };
    (0..nodes).map(length).collect()
}

/// Records of a probe with real values.
pub(crate) struct Reals {
    width: usize,
    all: Column,
}

impl Reals {
    /// The records of a scalar probe.
    pub(crate) fn find(traces: &Traces, stage: Stage, name: &str) -> Option<Self> {
        let place = traces.find(stage, name)?;
        let probe = &traces.probes[place];
        let is_real = probe.kind.info().storage == Storage::Real;
        let width = probe.locations(traces.nodes);
        is_real.then(|| Self { width, all: traces.columns[place].unpacked() })
    }

    pub(crate) fn get(&self, record: usize) -> &[f64] {
        &self.all.plain::<f64>()[record * self.width..][..self.width]
    }
}

/// Weights and distances of shortest-path problems.
pub(crate) struct Paths {
    sources: Column,
    /// Weights of edges; 0 without an edge.
    weights: Reals,
    /// True distances after every step.
    distances: Reals,
    /// Predicted distances, if the network predicts hints.
    predicted: Option<Reals>,
}

impl Paths {
    /// Returns `None` unless the algorithm has a source `s`, weights `A` and distances `d` as a hint.
    pub(crate) fn of(all: &Trajectories) -> Option<Self> {
        let source = all.truth.find(Stage::Input, "s")?;
        Some(Self {
            sources: all.truth.columns[source].unpacked(),
            weights: Reals::find(&all.truth, Stage::Input, "A")?,
            distances: Reals::find(&all.truth, Stage::Hint, "d")?,
            predicted: Reals::find(&all.predicted, Stage::Hint, "d"),
        })
    }

    /// Error of analyses that need them.
    pub(crate) fn missing(analysis: &'static str) -> Error {
        let needed = "shortest paths from one source, with distances `d` among the hints";
        Error::unsuitable(analysis, needed, "this algorithm or network has none")
    }

    /// Source node of a sample.
    pub(crate) fn source(&self, sample: usize) -> usize {
        self.sources.plain::<u32>()[sample] as usize
    }

    /// Weights of a sample, in row-major order.
    pub(crate) fn weights(&self, sample: usize) -> &[f64] {
        self.weights.get(sample)
    }

    /// True distances at the end of the algorithm.
    pub(crate) fn distances(&self, all: &Trajectories, sample: usize) -> &[f64] {
        self.distances.get(all.truth.records(Stage::Hint, sample).end - 1)
    }

    /// Predicted distances at the end of the rollout.
    pub(crate) fn predicted(&self, all: &Trajectories, sample: usize) -> Option<&[f64]> {
        self.predicted_at(all, sample, all.steps(sample) - 1)
    }

    /// Predicted distances after a step.
    pub(crate) fn predicted_at(
        &self,
        all: &Trajectories,
        sample: usize,
        step: usize,
    ) -> Option<&[f64]> {
        // The first hint is given, not predicted.
        let record = all.predicted.records(Stage::Hint, sample).start + 1 + step;
        self.predicted.as_ref().map(|predicted| predicted.get(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_ends_at_the_source_and_uses_edges_only() {
        let mut weights = vec![0.0; 25];
        for (u, v, weight) in [(0, 1, 0.5), (1, 2, 0.25), (3, 4, 1.0), (4, 3, 1.0)] {
            weights[u * 5 + v] = weight;
        }
        let lengths = path_lengths(0, &[0, 0, 1, 4, 3], &weights);
        assert_eq!(lengths, [Some(0.0), Some(0.5), Some(0.75), None, None], "a cycle");
        let lengths = path_lengths(0, &[0, 1, 0, 3, 4], &weights);
        assert_eq!(lengths, [Some(0.0), None, None, None, None], "itself, and no edge");
    }
}
