//! Runs a block of samples through all steps, forward and backward.

use std::ops::Range;

use narscope_clrs::probe::Stage as ProbeStage;
use narscope_clrs::trace::Traces;
use narscope_kernels::Buffer;
use narscope_kernels::matrix::{Mat, MatMut, add_product, product};
use narscope_kernels::messages::{add_bias, add_row_sum};

use super::Prepared;
use super::feed::{Features, link, read_prediction, read_prediction_backward};
use super::fold::add;

use super::plan::{Plan, StageMaps};
use super::stage::Stage;
use super::step::Step;
use super::tape::{Scratch, StageTape, StepTape, Tape};
use super::training::Draws;
use crate::feedback::Feedback;
use crate::loss::{add_loss, count};
use crate::pooling::Pooling;
use crate::processor::Reach;
use crate::values::{Reader, Values, size};

/// Settings of a run.
#[derive(Clone, Copy)]
pub(super) struct Mode<'a> {
    pub(super) feedback: Feedback,
    /// Random draws, in training.
    pub(super) draws: Option<&'a Draws>,
    /// Whether a backward pass follows.
    pub(super) keep: bool,
    pub(super) keep_hints: bool,
    pub(super) every_output: bool,
    pub(super) keep_states: Option<Pooling>,
}

/// Raw predictions of some rows, probe by probe.
pub(super) type Raw = Vec<Vec<f32>>;

/// A block of samples, longest first.
pub(super) struct Run<'a> {
    plan: &'a Plan,
    step: Step<'a>,
    hints: Option<Stage<'a>>,
    outputs: Stage<'a>,
    mode: Mode<'a>,
    n: usize,
    /// Index of its first sample in the batch, and number of samples of the batch that run each step.
    first: usize,
    running_in_batch: &'a [usize],
    /// Number of steps and of hints of each sample.
    lengths: Vec<usize>,
    hint_counts: Vec<usize>,
    /// Features of inputs, with room for those of hints, and links of inputs.
    node: Vec<f32>,
    edge: Vec<f32>,
    graph: Vec<f32>,
    links: Vec<u8>,
    /// True hints per time and probe, of the samples that have one then; true outputs.
    truths: Vec<Vec<Values>>,
    true_outputs: Vec<Values>,
    pub(super) tape: Tape,
    /// Predictions: outputs at the last step of each sample, hints and outputs at each step.
    pub(super) finished: Raw,
    pub(super) hints_over_time: Vec<Raw>,
    pub(super) outputs_over_time: Vec<Raw>,
    /// Recorded states of each sample.
    pub(super) states: Vec<Vec<f32>>,
}

impl<'a> Run<'a> {
    /// Reads inputs and true values of a block of samples.
    pub(super) fn new(
        prepared: &'a Prepared<'a>,
        mode: Mode<'a>,
        traces: &Traces,
        order: &[usize],
        lengths: &[usize],
        first: usize,
    ) -> Self {
        let Prepared { plan, folded, transposed, hints, outputs, n, running } = *prepared;
        let hint_counts: Vec<usize> = order.iter().map(|&i| traces.steps(i)).collect();
        let samples = order.len();
        let mut reader = Reader::new(traces, ProbeStage::Hint, order);
        // The loss needs the hints of all steps; prediction needs the first ones only.
        let times =
            if mode.keep { *hint_counts.iter().max().expect("a block has samples") } else { 1 };
        let truths = (0..times).map(|time| {
            reader.next(hint_counts.iter().filter(|&&hint_counts| hint_counts > time).count())
        });
        let truths = truths.collect();
        let true_outputs = if mode.keep {
            Reader::new(traces, ProbeStage::Output, order).next(samples)
        } else {
            vec![]
        };
        let rows = samples * n;
        let stage = |maps, weighted| Stage { plan, maps, weighted, folded, transposed, n };
        let mut run = Self {
            plan,
            step: Step { plan, folded, transposed, n },
            hints: plan.hint_decoders.as_ref().map(|maps| stage(maps, hints)),
            outputs: stage(&plan.output_decoders, outputs),
            mode,
            n,
            first,
            running_in_batch: running,
            lengths: lengths.to_vec(),
            hint_counts,
            node: vec![0.0; rows * plan.node.count],
            edge: vec![0.0; rows * n * plan.edge.count],
            graph: vec![0.0; samples * plan.graph.count],
            links: (0..rows * n).map(|at| u8::from(at / n % n == at % n)).collect(),
            truths,
            true_outputs,
            tape: Tape::default(),
            finished: vec![vec![]; plan.output_decoders.heads.len()],
            hints_over_time: vec![],
            outputs_over_time: vec![],
            states: mode.keep_states.map_or(vec![], |_| vec![vec![]; samples]),
        };
        let inputs = Reader::new(traces, ProbeStage::Input, order).next(samples);
        let Self { node, edge, graph, links, .. } = &mut run;
        for (feed, values) in plan.inputs.iter().zip(&inputs) {
            let values = values.to_dense(&feed.probe, n);
            Features { node, edge, graph }.write(feed, &values, plan, n);
            link(feed, &values, n, links);
        }
        run
    }

    /// Number of steps of the longest sample.
    pub(super) fn steps(&self) -> usize {
        self.lengths[0]
    }

    /// Number of samples that run a step.
    pub(super) fn running(&self, step: usize) -> usize {
        self.lengths.partition_point(|&length| length > step)
    }

    /// Number of samples that have a true hint at a time.
    fn hint_counts(&self, time: usize) -> usize {
        self.hint_counts.iter().filter(|&&hint_counts| hint_counts > time).count()
    }

    /// Index of a step on the tape; without a backward pass two steps alternate.
    fn tape_index(&self, step: usize) -> usize {
        if self.mode.keep { step } else { step % 2 }
    }

    /// State after a step, of the samples that ran it.
    pub(super) fn state(&mut self, step: usize) -> &mut [f32] {
        let (size, index) = (self.running(step) * self.n * self.plan.h, self.tape_index(step));
        &mut self.tape.steps[index].after[..size]
    }

    /// Runs all steps.
    pub(super) fn forward(&mut self) {
        for step in 0..self.steps() {
            self.advance(step);
            self.decode(step);
        }
    }

    /// Feeds the inputs of a step and runs the processor.
    pub(super) fn advance(&mut self, step: usize) {
        let (running, index) = (self.running(step), self.tape_index(step));
        if self.tape.steps.len() <= index {
            self.tape.steps.resize_with(index + 1, StepTape::default);
        }
        let mut now = std::mem::take(&mut self.tape.steps[index]);
        let rows = running * self.n;
        let h = self.plan.h;
        self.feed(step, running, &mut now);
        let n = self.n;
        let links = &now.links;
        now.incoming.fill(running, n, |sender, receiver| match self.plan.processor.reach {
            Reach::All => true,
            Reach::Itself => sender % n == receiver,
            Reach::Neighbours => links[sender * n + receiver] != 0,
        });
        now.is_first = step == 0;
        let before = now.before.sized(rows * h);
        match step.checked_sub(1) {
            None => before.fill(0.0),
            Some(last) => {
                let last = &self.tape.steps[self.tape_index(last)].after;
                before.copy_from_slice(&last[..rows * h]);
            }
        }
        let pairs = self.edge_states_read(step);
        self.step.forward(running, &pairs, &mut now, &mut self.tape.scratch, self.mode.keep);
        if let Some(kept) = self.dropout(step) {
            now.after.iter_mut().zip(&kept[self.first * self.n * h..]).for_each(|(x, k)| *x *= k);
        }
        self.tape.steps[index] = now;
    }

    /// Samples whose edge states some decoder reads after a step. For the others triplets are not
    /// computed; the reference's compiler eliminates them, too.
    fn edge_states_read(&self, step: usize) -> Range<usize> {
        let (running, left) = (self.running(step), self.running(step + 1));
        let reads = |stage: &StageMaps| stage.edge_states.is_some();
        if self.plan.hint_decoders.as_ref().is_some_and(reads) {
            0..running
        } else if reads(&self.plan.output_decoders) {
            if self.mode.every_output { 0..running } else { left..running }
        } else {
            0..0
        }
    }

    fn dropout(&self, step: usize) -> Option<&'a [f32]> {
        self.mode.draws.and_then(|draws| draws.dropout.get(step)).map(Vec::as_slice)
    }

    /// Which samples are fed true hints at a step.
    fn forced(&self, step: usize) -> Forced<'a> {
        match self.mode.draws {
            _ if step == 0 => Forced::All,
            Some(draws) if draws.always_forced => Forced::All,
            Some(draws) => match draws.forced.get(step) {
                Some(forced) => Forced::Some(&forced[self.first..]),
                None => Forced::None,
            },
            None => Forced::None,
        }
    }

    /// Writes the features of a step.
    fn feed(&mut self, step: usize, running: usize, now: &mut StepTape) {
        let (plan, n) = (self.plan, self.n);
        let StepTape { node, edge, graph, links, read, .. } = now;
        let rows = running * n;
        let copy = |to: &mut Buffer, from: &[f32], size: usize| {
            to.sized(size).copy_from_slice(&from[..size]);
        };
        copy(node, &self.node, rows * plan.node.count);
        copy(edge, &self.edge, rows * n * plan.edge.count);
        copy(graph, &self.graph, running * plan.graph.count);
        links.sized(rows * n).copy_from_slice(&self.links[..rows * n]);
        let mut features = Features {
            node: &mut node[..rows * plan.node.count],
            edge: &mut edge[..rows * n * plan.edge.count],
            graph: &mut graph[..running * plan.graph.count],
        };
        read.resize_with(plan.hints.len(), Buffer::default);
        let forced = self.forced(step);
        let mut sinkhorn = std::mem::take(&mut self.tape.scratch.sinkhorn);
        for (at, (feed, read)) in plan.hints.iter().zip(read).enumerate() {
            let size = size(&feed.probe, n);
            let truth = || {
                let mut truth = self.truths[step][at].to_dense(&feed.probe, n);
                truth.truncate(running * size);
                truth
            };
            let mut own = |read: &mut Buffer| {
                let last = &self.tape.steps[self.tape_index(step - 1)].hints.heads[at].raw;
                copy(read, last, running * size);
                let read = &mut read[..running * size];
                read_prediction(self.mode.feedback, feed, read, n, &mut sinkhorn);
            };
            let mixed: Vec<f32>;
            let values: &[f32] = match forced {
                Forced::All => {
                    mixed = truth();
                    &mixed
                }
                Forced::None => {
                    own(read);
                    &read[..running * size]
                }
                Forced::Some(forced) => {
                    own(read);
                    let mut values = truth();
                    let samples = values.chunks_exact_mut(size).zip(read.chunks_exact(size));
                    for ((truth, own), &forced) in samples.zip(forced) {
                        for (truth, own) in truth.iter_mut().zip(own) {
                            *truth = *truth * forced + own * (1.0 - forced);
                        }
                    }
                    mixed = values;
                    &mixed
                }
            };
            features.write(feed, values, plan, n);
            link(feed, values, n, links);
        }
        self.tape.scratch.sinkhorn = sinkhorn;
    }

    /// Decodes hints, and outputs of finished samples.
    pub(super) fn decode(&mut self, step: usize) {
        let (running, left) = (self.running(step), self.running(step + 1));
        let index = self.tape_index(step);
        let mut now = std::mem::take(&mut self.tape.steps[index]);
        if let Some(kept) = self.mode.keep_states {
            let states = &now.after[..running * self.n * self.plan.h];
            kept.push_all(states, self.n, self.plan.h, &mut self.states);
        }
        self.assemble_view(running, &mut now);
        let (mut hints, mut outputs) =
            (std::mem::take(&mut now.hints), std::mem::take(&mut now.outputs));
        let keep = self.mode.keep;
        let mut scratch = std::mem::take(&mut self.tape.scratch);
        let noise = |of: fn(&Draws) -> &[Vec<Vec<f32>>], probe: usize, first: usize| {
            let noise = self.mode.draws.and_then(|draws| of(draws).get(step)?.get(probe));
            noise.filter(|noise| !noise.is_empty()).map(|noise| {
                let size = self.n * self.n;
                &noise[first * size..]
            })
        };
        // Hints that are not recorded are decoded only if they are fed to the next step.
        let decoded_hints = if keep || self.mode.keep_hints {
            running
        } else if self.plan.hints.is_empty() {
            0
        } else {
            left
        };
        if let Some(stage) = self.hints.as_ref().filter(|_| decoded_hints > 0) {
            stage.forward(&(0..decoded_hints), &now, &mut hints, &mut scratch, keep, |probe| {
                noise(|draws| &draws.hint_noise, probe, self.first)
            });
        }
        let decoded = if self.mode.every_output { 0..running } else { left..running };
        if !decoded.is_empty() {
            // In the batch, finished samples follow those that continue.
            let before = if self.mode.every_output {
                0
            } else {
                self.running_in_batch.get(step + 1).copied().unwrap_or(0)
            };
            let first = self.first + decoded.start - before;
            self.outputs.forward(&decoded, &now, &mut outputs, &mut scratch, keep, |probe| {
                noise(|draws| &draws.output_noise, probe, first)
            });
        }
        (now.hints, now.outputs) = (hints, outputs);
        self.tape.scratch = scratch;
        self.record(&now, decoded, left..running);
        self.tape.steps[index] = now;
    }

    /// Assembles the inputs of decoders.
    fn assemble_view(&self, running: usize, now: &mut StepTape) {
        let (h, features, rows) = (self.plan.h, self.plan.node.count, running * self.n);
        let view = self.plan.view();
        let views = now.view.sized(rows * view.width()).chunks_exact_mut(view.width());
        for (row, inputs) in views.enumerate() {
            inputs[view.after.clone()].copy_from_slice(&now.after[row * h..][..h]);
            inputs[view.features.clone()].copy_from_slice(&now.node[row * features..][..features]);
            inputs[view.before.clone()].copy_from_slice(&now.before[row * h..][..h]);
        }
        if let Some([map, bias]) = self.plan.dense {
            let dense = now.dense.sized(rows * h);
            let folded = self.step.folded;
            product(
                MatMut::new(dense, rows, h),
                Mat::new(&now.node, rows, features),
                map.mat(folded),
            );
            add_bias(MatMut::new(dense, rows, h), rows, bias.of(folded));
        }
    }

    /// Records predictions.
    fn record(&mut self, now: &StepTape, decoded: Range<usize>, done: Range<usize>) {
        if self.mode.keep {
            return;
        }
        let n = self.n;
        let rows = |stage: &Stage<'_>, tape: &StageTape, rows: Range<usize>| -> Raw {
            let heads = stage.maps.heads.iter().zip(&tape.heads);
            let raw = heads.map(|((probe, _), tape)| {
                let size = size(probe, n);
                tape.raw[rows.start * size..rows.end * size].to_vec()
            });
            raw.collect()
        };
        if let Some(stage) = self.hints.as_ref().filter(|_| self.mode.keep_hints) {
            self.hints_over_time.push(rows(stage, &now.hints, 0..decoded.end));
        }
        if self.mode.every_output {
            self.outputs_over_time.push(rows(&self.outputs, &now.outputs, decoded.clone()));
        }
        if !done.is_empty() {
            let here = done.start - decoded.start..done.end - decoded.start;
            let outputs = rows(&self.outputs, &now.outputs, here);
            // Samples that finish later come first.
            for (all, mut new) in self.finished.iter_mut().zip(outputs) {
                new.append(all);
                *all = new;
            }
        }
    }

    /// Number of values that count in the loss of each output and each hint.
    pub(super) fn counts(&self) -> Vec<f64> {
        let outputs = self.plan.output_decoders.heads.iter().zip(&self.true_outputs);
        let outputs = outputs.map(|((probe, _), truth)| count(probe, truth));
        let heads = self.plan.hint_decoders.iter().flat_map(|stage| &stage.heads).enumerate();
        let hints = heads.map(|(at, (probe, _))| {
            self.truths[1..].iter().map(|truths| count(probe, &truths[at])).sum()
        });
        outputs.chain(hints).collect()
    }

    /// Backward pass. Each probe's loss is multiplied by its scale; gradients of folded matrices are
    /// added to `partial`. Returns the sums of losses.
    pub(super) fn backward(&mut self, scales: &[f32], partial: &mut [f32]) -> Vec<f64> {
        let mut losses = vec![0.0; scales.len()];
        let mut scratch = std::mem::take(&mut self.tape.scratch);
        for step in (0..self.steps()).rev() {
            self.losses(step, scales, &mut losses, &mut scratch);
            self.step_backward(step, &mut scratch, partial);
        }
        self.tape.scratch = scratch;
        for stage in self.hints.iter().chain([&self.outputs]) {
            stage.apply_channel_weights(partial);
        }
        losses
    }

    /// Losses of a step, and the gradients of its predictions. The buffers hold gradients of hints
    /// already, for the samples whose hints were fed to the next step.
    fn losses(&self, step: usize, scales: &[f32], losses: &mut [f64], scratch: &mut Scratch) {
        let (running, left, n) = (self.running(step), self.running(step + 1), self.n);
        let now = &self.tape.steps[step];
        let outputs = self.plan.output_decoders.heads.len();
        let Scratch { d_raw, d_outputs, .. } = scratch;
        if let Some(maps) = &self.plan.hint_decoders {
            let fed = if self.gradient_flows_into(step + 1) { left } else { 0 };
            let hint_counts = if step + 1 < self.truths.len() {
                self.hint_counts(step + 1).min(running)
            } else {
                0
            };
            d_raw.resize_with(maps.heads.len(), Buffer::default);
            for (at, ((probe, _), d)) in maps.heads.iter().zip(d_raw).enumerate() {
                let size = size(probe, n);
                d.sized(running * size)[fed * size..].fill(0.0);
                if hint_counts > 0 {
                    losses[outputs + at] += add_loss(
                        probe,
                        &now.hints.heads[at].raw[..hint_counts * size],
                        &self.truths[step + 1][at],
                        0..hint_counts,
                        n,
                        scales[outputs + at],
                        &mut d[..hint_counts * size],
                    );
                }
            }
        }
        d_outputs.resize_with(outputs, Buffer::default);
        for (at, ((probe, _), d)) in
            self.plan.output_decoders.heads.iter().zip(d_outputs).enumerate()
        {
            let size = size(probe, n);
            let d = d.zeroed((running - left) * size);
            losses[at] += add_loss(
                probe,
                now.outputs.heads.get(at).map_or(&[][..], |head| &head.raw[..d.len()]),
                &self.true_outputs[at],
                left..running,
                n,
                scales[at],
                d,
            );
        }
    }

    /// Whether the hints fed to a step depend on the weights.
    fn gradient_flows_into(&self, step: usize) -> bool {
        step > 0
            && step < self.steps()
            && !self.plan.hints.is_empty()
            && self.mode.feedback == Feedback::Soft
            && !matches!(self.forced(step), Forced::All)
    }

    fn step_backward(&self, step: usize, scratch: &mut Scratch, partial: &mut [f32]) {
        let (plan, n, h) = (self.plan, self.n, self.plan.h);
        let (running, left) = (self.running(step), self.running(step + 1));
        let now = &self.tape.steps[step];
        let (rows, features) = (running * n, plan.node.count);
        let view = plan.view();
        // Samples that finish here have no gradient from a later step.
        scratch.d_after.sized(rows * h)[left * n * h..].fill(0.0);
        scratch.d_x.zeroed(rows * view.width());
        scratch.d_node.zeroed(rows * features);
        scratch.d_edge.zeroed(rows * n * plan.edge.count);
        scratch.d_graph.zeroed(running * plan.graph.count);
        if plan.dense.is_some() {
            scratch.d_dense.zeroed(rows * h);
        }
        let pairs = self.edge_states_read(step);
        let d_edge_states = scratch.d_edge_states.sized(pairs.end * n * n * h);
        d_edge_states[pairs.start * n * n * h..].fill(0.0);
        let flows = self.gradient_flows_into(step);
        let trainable_edges = if flows { plan.edge.given } else { plan.edge.count };

        let (mut d_raw, mut d_outputs) =
            (std::mem::take(&mut scratch.d_raw), std::mem::take(&mut scratch.d_outputs));
        if let Some(stage) = &self.hints {
            let samples = 0..running;
            stage.backward(
                &samples,
                now,
                &now.hints,
                scratch,
                &mut d_raw,
                trainable_edges,
                partial,
            );
        }
        if left < running {
            let samples = left..running;
            let tape = &now.outputs;
            self.outputs.backward(
                &samples,
                now,
                tape,
                scratch,
                &mut d_outputs,
                trainable_edges,
                partial,
            );
        }
        self.view_backward(rows, now, scratch, partial);
        if let Some(kept) = self.dropout(step) {
            let kept = &kept[self.first * n * h..];
            scratch.d_after[..rows * h].iter_mut().zip(kept).for_each(|(d, k)| *d *= k);
        }
        self.step.backward(running, &pairs, now, scratch, trainable_edges, partial);
        for (row, d) in scratch.d_x[..rows * view.width()].chunks_exact(view.width()).enumerate() {
            add(&mut scratch.d_after[row * h..][..h], &d[view.before.clone()]);
        }
        if flows {
            self.feed_backward(step, running, now, scratch, &mut d_raw);
        }
        (scratch.d_raw, scratch.d_outputs) = (d_raw, d_outputs);
    }

    /// Backward pass of [`assemble_view`](Self::assemble_view).
    fn view_backward(
        &self,
        rows: usize,
        now: &StepTape,
        scratch: &mut Scratch,
        partial: &mut [f32],
    ) {
        let (h, features) = (self.plan.h, self.plan.node.count);
        let view = self.plan.view();
        let Scratch { d_x, d_node, d_after, d_dense, .. } = scratch;
        for (row, d) in d_x[..rows * view.width()].chunks_exact(view.width()).enumerate() {
            add(&mut d_node[row * features..][..features], &d[view.features.clone()]);
            add(&mut d_after[row * h..][..h], &d[view.after.clone()]);
        }
        if let Some([map, bias]) = self.plan.dense {
            let d_dense = &d_dense[..rows * h];
            add_row_sum(bias.of_mut(partial), d_dense);
            let d_dense = Mat::new(d_dense, rows, h);
            add_product(map.mat_mut(partial), Mat::new(&now.node, rows, features).t(), d_dense);
            let d_node = MatMut::new(d_node, rows, features);
            add_product(d_node, d_dense, map.mat(self.step.folded).t());
        }
    }

    /// Backward pass of [`feed`](Self::feed), to the predictions of the previous step.
    fn feed_backward(
        &self,
        step: usize,
        running: usize,
        now: &StepTape,
        scratch: &mut Scratch,
        d_raw: &mut [Buffer],
    ) {
        let (plan, n) = (self.plan, self.n);
        let Scratch { d_node, d_edge, d_graph, sinkhorn, .. } = scratch;
        let features = Features { node: d_node, edge: d_edge, graph: d_graph };
        let last = &self.tape.steps[step - 1].hints.heads;
        for (at, (feed, d)) in plan.hints.iter().zip(d_raw).enumerate() {
            let size = size(&feed.probe, n);
            let d = d.sized(running * size);
            features.read(feed, d, plan, n);
            if let Forced::Some(forced) = self.forced(step) {
                for (d, &forced) in d.chunks_exact_mut(size).zip(forced) {
                    for d in d {
                        *d *= 1.0 - forced;
                    }
                }
            }
            let (raw, read) = (&last[at].raw[..running * size], &now.read[at][..running * size]);
            read_prediction_backward(feed, d, raw, read, n, sinkhorn);
        }
    }
}

/// Which samples are fed true hints.
#[derive(Clone, Copy)]
enum Forced<'a> {
    All,
    /// 1 for those that are, 0 for the others.
    Some(&'a [f32]),
    None,
}
