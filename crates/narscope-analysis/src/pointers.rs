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
