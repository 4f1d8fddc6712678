//! The run of a block of samples: step after step forward, and all the way back.

use std::ops::Range;

use narscope_clrs::probe::Stage as ProbeStage;
use narscope_clrs::trace::Traces;
use narscope_kernels::Buffer;
use narscope_kernels::matrix::{Mat, MatMut, add_product, product};
use narscope_kernels::messages::{add_bias, add_row_sum};

use super::Prepared;
use super::feed::{Numbers, link, read_back, read_prediction};
use super::fold::add;
use super::loss::{add_loss, count};
use super::plan::{Plan, StageMaps};
use super::stage::Stage;
use super::step::Step;
use super::tape::{Scratch, StageTape, StepTape, Tape};
use super::training::Draws;
use crate::feedback::Feedback;
use crate::pooling::Pooling;
use crate::processor::Reach;
use crate::values::{Reader, Values, size};

/// How a run goes.
#[derive(Clone, Copy)]
pub(super) struct Manner<'a> {
    pub(super) feedback: Feedback,
    /// What is random, if the network learns.
    pub(super) draws: Option<&'a Draws>,
    /// Whether the way back will be taken.
    pub(super) keep: bool,
    pub(super) keep_hints: bool,
    pub(super) every_output: bool,
    pub(super) keep_states: Option<Pooling>,
}

/// Raw predictions of some rows, probe by probe.
pub(super) type Raw = Vec<Vec<f32>>;

/// A block of samples, the longest first, that run.
pub(super) struct Run<'a> {
    plan: &'a Plan,
    step: Step<'a>,
    hints: Option<Stage<'a>>,
    outputs: Stage<'a>,
    manner: Manner<'a>,
    n: usize,
    /// The number of its first sample among all, and how many take each step of all.
    first: usize,
    running_of_all: &'a [usize],
    /// How many steps each sample takes, and how many hints it has.
    lengths: Vec<usize>,
    known: Vec<usize>,
    /// Numbers of inputs, with room for those of hints, and what inputs link.
    node: Vec<f32>,
    edge: Vec<f32>,
    graph: Vec<f32>,
    links: Vec<u8>,
    /// True hints per time and probe, of the samples that have them then; true outputs.
    truths: Vec<Vec<Values>>,
    true_outputs: Vec<Values>,
    pub(super) tape: Tape,
    /// What was predicted: outputs at the end of each sample, hints and outputs at each step.
    pub(super) finished: Raw,
    pub(super) hints_over_time: Vec<Raw>,
    pub(super) outputs_over_time: Vec<Raw>,
    /// What is kept of the states of each sample.
    pub(super) states: Vec<Vec<f32>>,
}

impl<'a> Run<'a> {
    /// Reads what a block of samples is given.
    pub(super) fn new(
        prepared: &'a Prepared<'a>,
        manner: Manner<'a>,
        traces: &Traces,
        (order, lengths): (&[usize], &[usize]),
        first: usize,
    ) -> Self {
        let Prepared { plan, folded, turned, hints, outputs, n, running } = *prepared;
        let known: Vec<usize> = order.iter().map(|&i| traces.steps(i)).collect();
        let samples = order.len();
        let mut reader = Reader::new(traces, ProbeStage::Hint, order);
        // The way back compares every prediction; without it only the first hints are needed.
        let times = if manner.keep { *known.iter().max().expect("a sample") } else { 1 };
        let truths =
            (0..times).map(|time| reader.next(known.iter().filter(|&&known| known > time).count()));
        let truths = truths.collect();
        let true_outputs = if manner.keep {
            Reader::new(traces, ProbeStage::Output, order).next(samples)
        } else {
            vec![]
        };
        let rows = samples * n;
        let stage = |maps, weighed| Stage { plan, maps, weighed, folded, turned, n };
        let mut run = Self {
            plan,
            step: Step { plan, folded, turned, n },
            hints: plan.hint_decoders.as_ref().map(|maps| stage(maps, hints)),
            outputs: stage(&plan.output_decoders, outputs),
            manner,
            n,
            first,
            running_of_all: running,
            lengths: lengths.to_vec(),
            known,
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
            states: manner.keep_states.map_or(vec![], |_| vec![vec![]; samples]),
        };
        let inputs = Reader::new(traces, ProbeStage::Input, order).next(samples);
        let Self { node, edge, graph, links, .. } = &mut run;
        for (feed, values) in plan.inputs.iter().zip(&inputs) {
            let values = values.to_dense(&feed.probe, n);
            Numbers { node, edge, graph }.write(feed, &values, plan, n);
            link(feed, &values, n, links);
        }
        run
    }

    /// How many steps the longest sample takes.
    pub(super) fn steps(&self) -> usize {
        self.lengths[0]
    }

    /// How many samples take a step.
    pub(super) fn running(&self, step: usize) -> usize {
        self.lengths.partition_point(|&length| length > step)
    }

    /// How many samples have a true hint at a time.
    fn known(&self, time: usize) -> usize {
        self.known.iter().filter(|&&known| known > time).count()
    }

    /// Where a step is on the tape: without a way back, only the last one matters.
    fn place(&self, step: usize) -> usize {
        if self.manner.keep { step } else { step % 2 }
    }

    /// The state after a step, of the samples that took it.
    pub(super) fn state(&mut self, step: usize) -> &mut [f32] {
        let (size, place) = (self.running(step) * self.n * self.plan.h, self.place(step));
        &mut self.tape.steps[place].after[..size]
    }

    /// Takes all steps.
    pub(super) fn forward(&mut self) {
        for step in 0..self.steps() {
            self.advance(step);
            self.decode(step);
        }
    }

    /// Feeds the network and processes once.
    pub(super) fn advance(&mut self, step: usize) {
        let (running, place) = (self.running(step), self.place(step));
        if self.tape.steps.len() <= place {
            self.tape.steps.resize_with(place + 1, StepTape::default);
        }
        let mut now = std::mem::take(&mut self.tape.steps[place]);
        let rows = running * self.n;
        let h = self.plan.h;
        self.feed(step, running, &mut now);
        let n = self.n;
        let links = &now.links;
        now.heard.fill(running, n, |sender, receiver| match self.plan.processor.reach {
            Reach::All => true,
            Reach::Itself => sender % n == receiver,
            Reach::Neighbours => links[sender * n + receiver] != 0,
        });
        now.from_nothing = step == 0;
        let before = now.before.sized(rows * h);
        match step.checked_sub(1) {
            None => before.fill(0.0),
            Some(last) => {
                let last = &self.tape.steps[self.place(last)].after;
                before.copy_from_slice(&last[..rows * h]);
            }
        }
        let samples = (running, &self.read_pairs(step));
        self.step.forward(samples, &mut now, &mut self.tape.scratch, self.manner.keep);
        if let Some(kept) = self.dropout(step) {
            now.after.iter_mut().zip(&kept[self.first * self.n * h..]).for_each(|(x, k)| *x *= k);
        }
        self.tape.steps[place] = now;
    }

    /// The samples whose pairs some decoder reads after a step: of the others, nobody asks what
    /// triplets say. The reference's compiler finds that out, too.
    fn read_pairs(&self, step: usize) -> Range<usize> {
        let (running, left) = (self.running(step), self.running(step + 1));
        let reads = |stage: &StageMaps| stage.processed.is_some();
        if self.plan.hint_decoders.as_ref().is_some_and(reads) {
            0..running
        } else if reads(&self.plan.output_decoders) {
            if self.manner.every_output { 0..running } else { left..running }
        } else {
            0..0
        }
    }

    fn dropout(&self, step: usize) -> Option<&'a [f32]> {
        self.manner.draws.and_then(|draws| draws.dropout.get(step)).map(Vec::as_slice)
    }

    /// How much of a sample's hints are true ones at a step.
    fn forced(&self, step: usize) -> Forced<'a> {
        match self.manner.draws {
            _ if step == 0 => Forced::All,
            Some(draws) if draws.always_forced => Forced::All,
            Some(draws) => match draws.forced.get(step) {
                Some(forced) => Forced::Some(&forced[self.first..]),
                None => Forced::None,
            },
            None => Forced::None,
        }
    }

    /// Writes the numbers of a step.
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
        let mut numbers = Numbers {
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
                let last = &self.tape.steps[self.place(step - 1)].hints.heads[at].raw;
                copy(read, last, running * size);
                let read = &mut read[..running * size];
                read_prediction(self.manner.feedback, feed, read, n, &mut sinkhorn);
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
            numbers.write(feed, values, plan, n);
            link(feed, values, n, links);
        }
        self.tape.scratch.sinkhorn = sinkhorn;
    }

    /// Decodes hints, and outputs where samples have finished.
    pub(super) fn decode(&mut self, step: usize) {
        let (running, left) = (self.running(step), self.running(step + 1));
        let place = self.place(step);
        let mut now = std::mem::take(&mut self.tape.steps[place]);
        if let Some(kept) = self.manner.keep_states {
            let states = &now.after[..running * self.n * self.plan.h];
            kept.push_all(states, self.n, self.plan.h, &mut self.states);
        }
        self.look(running, &mut now);
        let (mut hints, mut outputs) =
            (std::mem::take(&mut now.hints), std::mem::take(&mut now.outputs));
        let keep = self.manner.keep;
        let mut scratch = std::mem::take(&mut self.tape.scratch);
        let noise = |of: fn(&Draws) -> &[Vec<Vec<f32>>], probe: usize, first: usize| {
            let noise = self.manner.draws.and_then(|draws| of(draws).get(step)?.get(probe));
            noise.filter(|noise| !noise.is_empty()).map(|noise| {
                let size = self.n * self.n;
                &noise[first * size..]
            })
        };
        // Hints that nobody will look at are decoded only where the next step is given them.
        let asked = if keep || self.manner.keep_hints {
            running
        } else if self.plan.hints.is_empty() {
            0
        } else {
            left
        };
        if let Some(stage) = self.hints.as_ref().filter(|_| asked > 0) {
            stage.forward(&(0..asked), &now, &mut hints, &mut scratch, keep, |probe| {
                noise(|draws| &draws.hint_noise, probe, self.first)
            });
        }
        let decoded = if self.manner.every_output { 0..running } else { left..running };
        if !decoded.is_empty() {
            // Those of all samples that finish begin behind those that go on.
            let before = if self.manner.every_output {
                0
            } else {
                self.running_of_all.get(step + 1).copied().unwrap_or(0)
            };
            let first = self.first + decoded.start - before;
            self.outputs.forward(&decoded, &now, &mut outputs, &mut scratch, keep, |probe| {
                noise(|draws| &draws.output_noise, probe, first)
            });
        }
        (now.hints, now.outputs) = (hints, outputs);
        self.tape.scratch = scratch;
        self.record(&now, decoded, left..running);
        self.tape.steps[place] = now;
    }

    /// What decoders see of nodes.
    fn look(&self, running: usize, now: &mut StepTape) {
        let (h, numbers, rows) = (self.plan.h, self.plan.node.count, running * self.n);
        let view = self.plan.view();
        let views = now.view.sized(rows * view.width()).chunks_exact_mut(view.width());
        for (row, seen) in views.enumerate() {
            seen[view.after.clone()].copy_from_slice(&now.after[row * h..][..h]);
            seen[view.numbers.clone()].copy_from_slice(&now.node[row * numbers..][..numbers]);
            seen[view.before.clone()].copy_from_slice(&now.before[row * h..][..h]);
        }
        if let Some([map, bias]) = self.plan.dense {
            let dense = now.dense.sized(rows * h);
            let folded = self.step.folded;
            product(
                MatMut::new(dense, rows, h),
                Mat::new(&now.node, rows, numbers),
                map.mat(folded),
            );
            add_bias(MatMut::new(dense, rows, h), rows, bias.of(folded));
        }
    }

    /// Keeps predictions that somebody will read.
    fn record(&mut self, now: &StepTape, decoded: Range<usize>, done: Range<usize>) {
        if self.manner.keep {
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
        if let Some(stage) = self.hints.as_ref().filter(|_| self.manner.keep_hints) {
            self.hints_over_time.push(rows(stage, &now.hints, 0..decoded.end));
        }
        if self.manner.every_output {
            self.outputs_over_time.push(rows(&self.outputs, &now.outputs, decoded.clone()));
        }
        if !done.is_empty() {
            let here = done.start - decoded.start..done.end - decoded.start;
            let outputs = rows(&self.outputs, &now.outputs, here);
            // Who finished last comes first.
            for (all, mut new) in self.finished.iter_mut().zip(outputs) {
                new.append(all);
                *all = new;
            }
        }
    }

    /// How much counts of each output and of each hint.
    pub(super) fn counts(&self) -> Vec<f64> {
        let outputs = self.plan.output_decoders.heads.iter().zip(&self.true_outputs);
        let outputs = outputs.map(|((probe, _), truth)| count(probe.kind, truth));
        let heads = self.plan.hint_decoders.iter().flat_map(|stage| &stage.heads).enumerate();
        let hints = heads.map(|(at, (probe, _))| {
            self.truths[1..].iter().map(|truths| count(probe.kind, &truths[at])).sum()
        });
        outputs.chain(hints).collect()
    }

    /// The way back. `scales` is what each probe's loss is multiplied by; gradients of folded
    /// matrices are added to `lane`. Returns the sums of losses.
    pub(super) fn back(&mut self, scales: &[f32], lane: &mut [f32]) -> Vec<f64> {
        let mut losses = vec![0.0; scales.len()];
        let mut scratch = std::mem::take(&mut self.tape.scratch);
        for step in (0..self.steps()).rev() {
            self.losses(step, scales, &mut losses, &mut scratch);
            self.step_back(step, &mut scratch, lane);
        }
        self.tape.scratch = scratch;
        for stage in self.hints.iter().chain([&self.outputs]) {
            stage.put_weights_in(lane);
        }
        losses
    }

    /// Losses of a step, and the gradients of what was predicted in it. Those of hints that were
    /// fed to the next step are there already, for the samples that took it.
    fn losses(&self, step: usize, scales: &[f32], losses: &mut [f64], scratch: &mut Scratch) {
        let (running, left, n) = (self.running(step), self.running(step + 1), self.n);
        let now = &self.tape.steps[step];
        let outputs = self.plan.output_decoders.heads.len();
        let Scratch { d_raw, d_outputs, .. } = scratch;
        if let Some(maps) = &self.plan.hint_decoders {
            let fed = if self.gradient_flows_into(step + 1) { left } else { 0 };
            let known =
                if step + 1 < self.truths.len() { self.known(step + 1).min(running) } else { 0 };
            d_raw.resize_with(maps.heads.len(), Buffer::default);
            for (at, ((probe, _), d)) in maps.heads.iter().zip(d_raw).enumerate() {
                let size = size(probe, n);
                d.sized(running * size)[fed * size..].fill(0.0);
                if known > 0 {
                    losses[outputs + at] += add_loss(
                        probe,
                        &now.hints.heads[at].raw[..known * size],
                        (&self.truths[step + 1][at], 0..known),
                        n,
                        scales[outputs + at],
                        &mut d[..known * size],
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
                (&self.true_outputs[at], left..running),
                n,
                scales[at],
                d,
            );
        }
    }

    /// Whether the hints that a step was given depend on the weights.
    fn gradient_flows_into(&self, step: usize) -> bool {
        step > 0
            && step < self.steps()
            && !self.plan.hints.is_empty()
            && self.manner.feedback == Feedback::Soft
            && !matches!(self.forced(step), Forced::All)
    }

    fn step_back(&self, step: usize, scratch: &mut Scratch, lane: &mut [f32]) {
        let (plan, n, h) = (self.plan, self.n, self.plan.h);
        let (running, left) = (self.running(step), self.running(step + 1));
        let now = &self.tape.steps[step];
        let (rows, numbers) = (running * n, plan.node.count);
        let view = plan.view();
        // Samples that end here have no later step that says anything.
        scratch.d_after.sized(rows * h)[left * n * h..].fill(0.0);
        scratch.d_x.zeroed(rows * view.width());
        scratch.d_node.zeroed(rows * numbers);
        scratch.d_edge.zeroed(rows * n * plan.edge.count);
        scratch.d_graph.zeroed(running * plan.graph.count);
        if plan.dense.is_some() {
            scratch.d_dense.zeroed(rows * h);
        }
        let pairs = self.read_pairs(step);
        let d_processed = scratch.d_processed.sized(pairs.end * n * n * h);
        d_processed[pairs.start * n * n * h..].fill(0.0);
        let flows = self.gradient_flows_into(step);
        let learnt_edges = if flows { plan.edge.given } else { plan.edge.count };

        let (mut d_raw, mut d_outputs) =
            (std::mem::take(&mut scratch.d_raw), std::mem::take(&mut scratch.d_outputs));
        if let Some(stage) = &self.hints {
            let samples = 0..running;
            stage.backward(&samples, now, &now.hints, scratch, &mut d_raw, learnt_edges, lane);
        }
        if left < running {
            let samples = left..running;
            let tape = &now.outputs;
            self.outputs.backward(&samples, now, tape, scratch, &mut d_outputs, learnt_edges, lane);
        }
        self.look_back(rows, now, scratch, lane);
        if let Some(kept) = self.dropout(step) {
            let kept = &kept[self.first * n * h..];
            scratch.d_after[..rows * h].iter_mut().zip(kept).for_each(|(d, k)| *d *= k);
        }
        self.step.backward((running, &pairs), now, scratch, learnt_edges, lane);
        for (row, d) in scratch.d_x[..rows * view.width()].chunks_exact(view.width()).enumerate() {
            add(&mut scratch.d_after[row * h..][..h], &d[view.before.clone()]);
        }
        if flows {
            self.feed_back(step, running, now, scratch, &mut d_raw);
        }
        (scratch.d_raw, scratch.d_outputs) = (d_raw, d_outputs);
    }

    /// Back from what decoders saw of nodes.
    fn look_back(&self, rows: usize, now: &StepTape, scratch: &mut Scratch, lane: &mut [f32]) {
        let (h, numbers) = (self.plan.h, self.plan.node.count);
        let view = self.plan.view();
        let Scratch { d_x, d_node, d_after, d_dense, .. } = scratch;
        for (row, d) in d_x[..rows * view.width()].chunks_exact(view.width()).enumerate() {
            add(&mut d_node[row * numbers..][..numbers], &d[view.numbers.clone()]);
            add(&mut d_after[row * h..][..h], &d[view.after.clone()]);
        }
        if let Some([map, bias]) = self.plan.dense {
            let d_dense = &d_dense[..rows * h];
            add_row_sum(bias.of_mut(lane), d_dense);
            let d_dense = Mat::new(d_dense, rows, h);
            add_product(map.mat_mut(lane), Mat::new(&now.node, rows, numbers).t(), d_dense);
            let d_node = MatMut::new(d_node, rows, numbers);
            add_product(d_node, d_dense, map.mat(self.step.folded).t());
        }
    }

    /// Back from the numbers of hints to the predictions that they were read off.
    fn feed_back(
        &self,
        step: usize,
        running: usize,
        now: &StepTape,
        scratch: &mut Scratch,
        d_raw: &mut [Buffer],
    ) {
        let (plan, n) = (self.plan, self.n);
        let Scratch { d_node, d_edge, d_graph, sinkhorn, .. } = scratch;
        let numbers = Numbers { node: d_node, edge: d_edge, graph: d_graph };
        let last = &self.tape.steps[step - 1].hints.heads;
        for (at, (feed, d)) in plan.hints.iter().zip(d_raw).enumerate() {
            let size = size(&feed.probe, n);
            let d = d.sized(running * size);
            numbers.read(feed, d, plan, n);
            if let Forced::Some(forced) = self.forced(step) {
                for (d, &forced) in d.chunks_exact_mut(size).zip(forced) {
                    for d in d {
                        *d *= 1.0 - forced;
                    }
                }
            }
            let predicted = (&last[at].raw[..running * size], &now.read[at][..running * size]);
            read_back(feed, d, predicted, n, sinkhorn);
        }
    }
}

/// Which samples are shown the truth.
#[derive(Clone, Copy)]
enum Forced<'a> {
    All,
    /// 1 for those that are.
    Some(&'a [f32]),
    None,
}
