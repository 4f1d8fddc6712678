//! What a network would have answered after every step, beside what is right.

use narscope_clrs::column::Column;
use narscope_clrs::probe::{Probe, Stage};
use narscope_model::answers::fuse;
use narscope_model::score::Tally;
use narscope_model::trajectory::Trajectories;

/// The answers of all samples after every step.
pub(crate) struct EveryStep {
    /// Per sample, where the record of its first step is.
    starts: Vec<usize>,
    outputs: Vec<Output>,
}

/// One output, with permutations put together as scores take them.
struct Output {
    probe: Probe,
    /// A record per sample.
    right: Column,
    /// A record per sample and step.
    said: Column,
}

impl EveryStep {
    /// Of trajectories that were recorded with the outputs of every step.
    pub(crate) fn of(all: &Trajectories) -> Self {
        let starts = (0..all.len()).scan(0, |next, sample| {
            let start = *next;
            *next += all.steps(sample);
            Some(start)
        });
        let places: Vec<usize> = (0..all.truth.probes.len())
            .filter(|&place| all.truth.probes[place].stage == Stage::Output)
            .collect();
        let probes: Vec<Probe> =
            places.iter().map(|&place| all.truth.probes[place].clone()).collect();
        let right = places.iter().map(|&place| all.truth.columns[place].unpacked()).collect();
        let (_, right) = fuse(&probes, right);
        let (probes, said) = fuse(&probes, all.every_output.clone());
        let outputs = probes.into_iter().zip(right).zip(said);
        Self {
            starts: starts.collect(),
            outputs: outputs.map(|((probe, right), said)| Output { probe, right, said }).collect(),
        }
    }

    /// Where the record of an answer is, among those of all samples and steps; steps are counted from 0.
    pub(crate) fn record(&self, sample: usize, step: usize) -> usize {
        self.starts[sample] + step
    }

    /// The score of the answer after a step: the mean over outputs.
    pub(crate) fn score(&self, sample: usize, step: usize) -> f64 {
        let record = self.record(sample, step);
        let each = self.outputs.iter().map(|Output { probe, right, said }| {
            let mut tally = Tally::new(probe);
            let (mut right, mut said) = (right.rows_from(sample), said.rows_from(record));
            let (right, said) = (right.next_row(), said.next_row());
            tally.add(right.expect("a record per sample"), said.expect("a record per step"));
            tally.score()
        });
        each.sum::<f64>() / self.outputs.len() as f64
    }

    /// Whether the answer after a step, but the first, is that of the step before.
    pub(crate) fn is_unchanged(&self, sample: usize, step: usize) -> bool {
        let record = self.record(sample, step);
        self.outputs.iter().all(|Output { said, .. }| {
            let (mut now, mut before) = (said.rows_from(record), said.rows_from(record - 1));
            now.next_row() == before.next_row()
        })
    }
}
