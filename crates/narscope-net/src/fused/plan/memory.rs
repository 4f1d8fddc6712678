//! Memory estimates.

use narscope_kernels::aggregate::Aggregate;

use super::Plan;
use super::heads::{Head, StageMaps};
use crate::values::size;

impl Plan {
    /// Estimated number of floats to run one sample; `keep` if a backward pass follows.
    pub(in crate::fused) fn floats_per_sample(&self, n: usize, steps: usize, keep: bool) -> usize {
        let (h, square) = (self.h, n * n);
        // Rows of nodes, as named in the tape.
        let round = n * (self.node.count + h + self.step.node.cols + self.step.inbox.cols + 8 * h);
        let soft = matches!(self.aggregate, Aggregate::Softmax(_));
        let kept_messages = usize::from(self.step.layers.is_some()) + usize::from(soft);
        let messages = if keep { square * h * kept_messages } else { 0 };
        let triplets = if self.processor.triplets { square * (2 * self.f + h) } else { 0 };
        let features =
            n * self.node.count + square * self.edge.count + n * (self.node.count + 5 * h);
        let hints = self.hint_decoders.as_ref().map_or(0, |stage| stage.floats(n, h, keep));
        let step = self.rounds * (round + messages) + triplets + features + hints;
        let outputs = self.output_decoders.floats(n, h, keep);
        // Plus the gradients of one step, or, without a backward pass, the previous step.
        (if keep { steps + 1 } else { 2 }) * step + 2 * outputs
    }

    /// Estimated number of floats of the inputs of a sample, and for the loss its true values.
    pub(in crate::fused) fn input_floats(&self, n: usize, steps: usize, keep: bool) -> usize {
        let inputs = n * self.node.count + n * n * (self.edge.count + 1) + self.graph.count;
        let truths = |stage: &StageMaps| -> usize {
            // An index, and whether it counts.
            stage.heads.iter().map(|(probe, _)| 2 * probe.locations(n)).sum()
        };
        let hints = self.hint_decoders.as_ref().map_or(0, truths);
        let truths = (steps + 1) * hints + truths(&self.output_decoders);
        inputs + if keep { truths } else { 0 }
    }
}

impl StageMaps {
    /// Estimated number of floats of the predictions of one sample at one step.
    fn floats(&self, n: usize, h: usize, keep: bool) -> usize {
        let square = n * n;
        let edge_states = self.edge_states.map_or(0, |slot| square * slot.cols);
        let heads = self.heads.iter().map(|(probe, head)| {
            let raw = size(probe, n);
            let kept = match head {
                // A byte for each channel of each candidate.
                Head::Pointer { .. } if keep => square * h / 4,
                Head::EdgePointer { .. } if keep => square * h,
                _ => 0,
            };
            3 * raw + kept
        });
        n * self.node.cols + edge_states / 4 + heads.sum::<usize>()
    }
}
