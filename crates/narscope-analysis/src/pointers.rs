//! Pointers, distances and weights of samples, for analyses that look at single nodes.

use narscope_clrs::column::Column;
use narscope_clrs::probe::{Kind, Location, Probe, Stage};
use narscope_clrs::trace::Traces;
use narscope_model::trajectory::Trajectories;

use crate::Error;

/// The first output that points from nodes to nodes, and its place among the outputs.
pub(crate) fn pointer_output(probes: &[Probe]) -> Option<(usize, &Probe)> {
    let outputs = probes.iter().filter(|probe| probe.stage == Stage::Output).enumerate();
    let mut pointers = outputs.filter(|(_, probe)| {
        let points = matches!(
            probe.kind,
            Kind::Pointer | Kind::ShouldBePermutation | Kind::PermutationPointer
        );
        points && probe.location == Location::Node
    });
    pointers.next()
}

/// Records of pointers, a slice of nodes per record.
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

/// All records of a column of numbers.
pub(crate) struct Reals {
    width: usize,
    all: Column,
}

impl Reals {
    /// Those of a probe.
    pub(crate) fn find(traces: &Traces, stage: Stage, name: &str) -> Option<Self> {
        let place = traces.find(stage, name)?;
        let probe = &traces.probes[place];
        let is_real = probe.kind == Kind::Scalar;
        let width = probe.width(traces.nodes);
        is_real.then(|| Self { width, all: traces.columns[place].unpacked() })
    }

    pub(crate) fn get(&self, record: usize) -> &[f64] {
        &self.all.plain::<f64>()[record * self.width..][..self.width]
    }
}

/// Shortest paths: what is needed to say how near a wrong answer is to the right one.
pub(crate) struct Paths {
    sources: Column,
    /// Weights of edges, 0 where there is none.
    weights: Reals,
    /// True distances at every step.
    distances: Reals,
    /// Predicted ones, if the network says any.
    predicted: Option<Reals>,
}

impl Paths {
    /// If the algorithm finds shortest paths from one source, with distances as a hint.
    pub(crate) fn of(all: &Trajectories) -> Option<Self> {
        let source = all.truth.find(Stage::Input, "s")?;
        Some(Self {
            sources: all.truth.columns[source].unpacked(),
            weights: Reals::find(&all.truth, Stage::Input, "A")?,
            distances: Reals::find(&all.truth, Stage::Hint, "d")?,
            predicted: Reals::find(&all.predicted, Stage::Hint, "d"),
        })
    }

    /// For analyses that cannot do without.
    pub(crate) fn missing(analysis: &'static str) -> Error {
        let wanted = "shortest paths from one source, with distances `d` among the hints";
        Error::unsuitable(analysis, wanted, "this algorithm or network has none")
    }

    /// The node that all paths of a sample start from.
    pub(crate) fn source(&self, sample: usize) -> usize {
        self.sources.plain::<u32>()[sample] as usize
    }

    /// The weights of a sample, row after row.
    pub(crate) fn weights(&self, sample: usize) -> &[f64] {
        self.weights.get(sample)
    }

    /// True distances at the end.
    pub(crate) fn distances(&self, all: &Trajectories, sample: usize) -> &[f64] {
        self.distances.get(all.truth.records(Stage::Hint, sample).end - 1)
    }

    /// Predicted distances at the end.
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
        // The first hint is given.
        let record = all.predicted.records(Stage::Hint, sample).start + 1 + step;
        self.predicted.as_ref().map(|predicted| predicted.get(record))
    }
}
