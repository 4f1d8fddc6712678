//! Outputs decoded after every step, and the true ones.

use narscope_clrs::column::Column;
use narscope_clrs::probe::{Probe, Stage};
use narscope_model::postprocess::merge_permutations;
use narscope_model::score::Tally;
use narscope_model::trajectory::Trajectories;

/// Outputs of all samples, decoded after every step.
pub(crate) struct StepOutputs {
    /// Per sample, the index of the record of its first step.
    starts: Vec<usize>,
    outputs: Vec<Output>,
}

/// One output, with the two probes of a permutation merged, as scores need them.
struct Output {
    probe: Probe,
    /// One record per sample.
    truth: Column,
    /// One record per sample and step.
    predicted: Column,
}

impl StepOutputs {
    /// From trajectories that were recorded with the outputs of every step.
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
        let truth = places.iter().map(|&place| all.truth.columns[place].unpacked()).collect();
        let (_, truth) = merge_permutations(&probes, truth);
        let (probes, predicted) = merge_permutations(&probes, all.every_output.clone());
        let outputs = probes.into_iter().zip(truth).zip(predicted);
        let outputs = outputs.map(|((probe, truth), predicted)| Output { probe, truth, predicted });
        Self { starts: starts.collect(), outputs: outputs.collect() }
    }

    /// Index of the record of a sample after a step (counted from 0) among those of all samples and steps.
    pub(crate) fn record(&self, sample: usize, step: usize) -> usize {
        self.starts[sample] + step
    }

    /// Score of a sample after a step: the mean over outputs.
    pub(crate) fn score(&self, sample: usize, step: usize) -> f64 {
        let record = self.record(sample, step);
        let each = self.outputs.iter().map(|Output { probe, truth, predicted }| {
            let mut tally = Tally::new(probe);
            let (mut truth, mut predicted) = (truth.rows_from(sample), predicted.rows_from(record));
            let (truth, predicted) = (truth.next_row(), predicted.next_row());
            tally.add(truth.expect("a record per sample"), predicted.expect("a record per step"));
            tally.score()
        });
        each.sum::<f64>() / self.outputs.len() as f64
    }

    /// Whether the outputs after a step, which is not the first, equal those after the step before.
    pub(crate) fn is_unchanged(&self, sample: usize, step: usize) -> bool {
        let record = self.record(sample, step);
        self.outputs.iter().all(|Output { predicted, .. }| {
            let (mut now, mut before) =
                (predicted.rows_from(record), predicted.rows_from(record - 1));
            now.next_row() == before.next_row()
        })
    }
}
