//! Decoders of a stage: from states to raw predictions of all its probes, and back.

use std::ops::Range;

use narscope_clrs::probe::{Kind, Location, Probe};
use narscope_kernels::Buffer;
use narscope_kernels::matrix::{Mat, MatMut, add_product, product};
use narscope_kernels::messages::{add_bias, add_row_sum};
use narscope_kernels::pairs::{
    Endpoints, EndpointsBackward, PairFeatures, PairMap, Sample, pair_sums, pair_sums_backward,
};
use narscope_kernels::pointer::{
    Candidates, channel_weights_backward, node_scores, node_scores_backward, pair_scores,
    pair_scores_backward,
};
use narscope_kernels::sinkhorn::{log_sinkhorn, log_sinkhorn_backward};

use super::fold::{Slot, add};
use super::plan::{EdgeMap, Head, Plan, StageMaps};
use super::tape::{HeadTape, Scratch, StageTape, StepTape};
use crate::sinkhorn::ROUNDS_IN_DECODERS;
use crate::values::size;

/// A stage of a task with its folded matrices.
pub(super) struct Stage<'a> {
    pub(super) plan: &'a Plan,
    pub(super) maps: &'a StageMaps,
    pub(super) weighed: &'a Weighed,
    pub(super) folded: &'a [f32],
    pub(super) turned: &'a [f32],
    pub(super) n: usize,
}

/// The maps that lead to the scores of pointers, with the weights of channels put in.
#[derive(Debug, Default)]
pub(super) struct Weighed {
    /// Per probe, the map of the numbers of edges.
    edges: Vec<Buffer>,
    /// The transpose of the map of the processor's word on pairs.
    processed: Buffer,
}

impl Weighed {
    /// Puts the weights in.
    pub(super) fn fill(&mut self, maps: &StageMaps, folded: &[f32], turned: &[f32]) {
        self.edges.resize_with(maps.heads.len(), Buffer::default);
        if let Some(slot) = maps.processed {
            self.processed.sized(slot.range().len()).copy_from_slice(slot.of(turned));
        }
        for ((_, head), weighed) in maps.heads.iter().zip(&mut self.edges) {
            let Some((edge, score)) = head.edge() else { continue };
            let weighed = weighed.sized(edge.map.range().len());
            weighed.copy_from_slice(edge.map.of(folded));
            let Some(score) = score else { continue };
            let weights = score.of(folded);
            let times = |row: &mut [f32]| row.iter_mut().zip(weights).for_each(|(x, w)| *x *= w);
            weighed.chunks_exact_mut(weights.len()).for_each(times);
            if let (Some(slot), Some(at)) = (maps.processed, edge.processed) {
                let channels = self.processed.chunks_exact_mut(slot.rows).skip(at);
                for (channel, w) in channels.zip(weights) {
                    for x in channel {
                        *x *= w;
                    }
                }
            }
        }
    }
}

impl Head {
    /// What is read off pairs, and the weights of channels if scores are made of it.
    fn edge(self) -> Option<(EdgeMap, Option<Slot>)> {
        match self {
            Self::Node { .. } | Self::Graph { .. } => None,
            Self::Edge { edge, .. } => Some((edge, None)),
            Self::Pointer { edge, score, .. } | Self::EdgePointer { edge, score, .. } => {
                Some((edge, Some(score)))
            }
        }
    }
}

/// How many rows of pairs are read off the processor's word at once.
const ROWS_AT_ONCE: usize = 2048;

impl Stage<'_> {
    fn width(&self) -> usize {
        self.maps.node.cols
    }

    /// The map of nodes, as far as there is anything to map, and what it maps.
    fn node_map<'a>(&self, step: &'a StepTape, samples: &Range<usize>) -> (Slot, Mat<'a>) {
        let (rows, view) = (samples.len() * self.n, self.plan.view().width());
        let node = self.maps.node.top(self.plan.inputs(self.maps.node, step));
        let seen = Mat::new(&step.view[samples.start * self.n * view..], rows, view);
        (node, seen.columns(0..node.rows))
    }

    fn pairs<'a>(&self, step: &'a StepTape) -> PairFeatures<'a> {
        self.plan.pairs(&step.edge, self.n)
    }

    /// Runs of samples whose pairs are looked at together.
    fn groups(&self, samples: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let each = (ROWS_AT_ONCE / (self.n * self.n)).max(1);
        let (start, end) = (samples.start, samples.end);
        (start..end).step_by(each).map(move |first| first..(first + each).min(end))
    }

    /// Predicts for some samples; `keep` what the way back needs. `noise(place)` blurs permutations.
    pub(super) fn forward<'n>(
        &self,
        samples: &Range<usize>,
        step: &StepTape,
        tape: &mut StageTape,
        scratch: &mut Scratch,
        keep: bool,
        noise: impl Fn(usize) -> Option<&'n [f32]>,
    ) {
        let n = self.n;
        let (rows, width) = (samples.len() * n, self.width());
        let y = tape.y.sized(rows * width);
        let (node, seen) = self.node_map(step, samples);
        product(MatMut::new(y, rows, width), seen, node.mat(self.folded));
        add_bias(MatMut::new(y, rows, width), rows, self.maps.node_bias.of(self.folded));

        tape.heads.resize_with(self.maps.heads.len(), HeadTape::default);
        for ((probe, _), head) in self.maps.heads.iter().zip(&mut tape.heads) {
            head.raw.sized(samples.len() * size(probe, n));
        }
        for group in self.groups(samples) {
            let (first, squares) = (group.start * n * n, group.len() * n * n);
            if let Some(slot) = self.maps.processed {
                product(
                    MatMut::new(scratch.pairs.sized(squares * slot.cols), squares, slot.cols),
                    Mat::new(&step.processed[first * self.plan.h..], squares, self.plan.h),
                    slot.mat(self.folded),
                );
            }
            for sample in group.clone() {
                let place = sample - samples.start;
                let said = self.maps.processed.map(|slot| {
                    let start = (sample - group.start) * n * n * slot.cols;
                    Mat::new(&scratch.pairs[start..], n * n, slot.cols)
                });
                let y = Mat::strided(&tape.y[place * n * width..], n, width, width);
                for ((probe, head), tape) in self.maps.heads.iter().zip(&mut tape.heads) {
                    self.predict(
                        (probe, *head),
                        (sample, place),
                        step,
                        (y, said),
                        tape,
                        &mut scratch.row,
                        keep,
                    );
                }
            }
        }
        for (at, ((probe, head), tape)) in self.maps.heads.iter().zip(&mut tape.heads).enumerate() {
            self.finish(probe, *head, samples, step, tape, scratch, noise(at));
        }
    }

    /// The scores of one probe for one sample, as its decoder makes them.
    #[expect(clippy::too_many_arguments, reason = "a sample's share of everything")]
    fn predict(
        &self,
        (probe, head): (&Probe, Head),
        (sample, place): (usize, usize),
        step: &StepTape,
        (y, said): (Mat<'_>, Option<Mat<'_>>),
        tape: &mut HeadTape,
        row: &mut Buffer,
        keep: bool,
    ) {
        let (n, h, folded) = (self.n, self.plan.h, self.folded);
        let size = size(probe, n);
        let raw = &mut tape.raw[place * size..][..size];
        let at = Sample { start: sample * n, n };
        let map =
            |edge: EdgeMap| PairMap { features: self.pairs(step), weights: edge.map.of(folded) };
        let ends = |first: usize, second: usize, width: usize| Endpoints {
            first: y.columns(first..first + width),
            second: y.columns(second..second + width),
        };
        let processed = |edge: EdgeMap, width: usize| {
            said.zip(edge.processed).map(|(said, at)| said.columns(at..at + width))
        };
        match head {
            Head::Node { at, options } => {
                for (i, raw) in raw.chunks_exact_mut(options).enumerate() {
                    raw.copy_from_slice(&y.row(i)[at..at + options]);
                }
            }
            Head::Pointer { from, to, edge, score, bias } => {
                let square = n * n * h;
                let taken =
                    keep.then(|| &mut tape.taken.sized((place + 1) * square)[place * square..]);
                let candidates = Candidates {
                    from: y.columns(from..from + h),
                    to: y.columns(to..to + h),
                    map: map(edge),
                    edge_states: processed(edge, h),
                    weights: score.of(folded),
                    zeros: &self.plan.nothing,
                };
                node_scores(&candidates, at, bias.of(folded)[0], raw, taken, row);
            }
            Head::Edge { first, second, edge, options } => {
                let ends = ends(first, second, options);
                pair_sums(raw, ends, map(edge), processed(edge, options), at);
            }
            Head::EdgePointer { first, second, to, edge, score, bias } => {
                let square = n * n * h;
                // Samples take turns in the same memory if the way back does not need theirs.
                let place = if keep { place } else { 0 };
                let pair = &mut tape.pair.sized((place + 1) * square)[place * square..];
                pair_sums(pair, ends(first, second, h), map(edge), processed(edge, h), at);
                let to = y.columns(to..to + h);
                pair_scores(pair, to, score.of(folded), bias.of(folded)[0], n, raw, row);
            }
            Head::Graph { node, graph, bias, options, to } => {
                let count = (place + 1) * 3 * h;
                let most = &mut tape.most.sized(count)[place * 3 * h..];
                let most_of = &mut tape.most_of.sized(count)[place * 3 * h..];
                self.largest_of_nodes(sample, step, most, most_of);
                let value = row.sized(options);
                value.copy_from_slice(bias.of(folded));
                let numbers = &step.graph[sample * self.plan.graph.count..][..graph.rows];
                for (slot, inputs) in [(node, &*most), (graph, numbers)] {
                    for (x, weights) in inputs.iter().zip(slot.of(folded).chunks_exact(options)) {
                        value.iter_mut().zip(weights).for_each(|(value, w)| *value += x * w);
                    }
                }
                match to {
                    None => raw.copy_from_slice(value),
                    Some(to) => {
                        raw.iter_mut().enumerate().for_each(|(i, x)| *x = value[0] + y.row(i)[to]);
                    }
                }
            }
        }
    }

    /// The largest over nodes of all that decoders see of them.
    fn largest_of_nodes(
        &self,
        sample: usize,
        step: &StepTape,
        most: &mut [f32],
        most_of: &mut [u32],
    ) {
        let (n, h, view) = (self.n, self.plan.h, self.plan.view());
        most.fill(f32::NEG_INFINITY);
        most_of.fill(0);
        for i in 0..n {
            let row = sample * n + i;
            let states = &step.view[row * view.width()..][..view.width()];
            let (before, after) = (&states[view.before.clone()], &states[view.after.clone()]);
            let seen = step.dense[row * h..][..h].iter().chain(before).chain(after);
            for ((most, of), x) in most.iter_mut().zip(most_of.iter_mut()).zip(seen) {
                if x > most {
                    (*most, *of) = (*x, i as u32);
                }
            }
        }
    }

    /// Whether only what is linked can be chosen.
    fn is_masked(&self, probe: &Probe, head: Head) -> bool {
        let edge_mask =
            probe.location == Location::Edge && matches!(probe.kind, Kind::Mask | Kind::MaskOne);
        self.plan.processor.masked && (edge_mask || matches!(head, Head::Pointer { .. }))
    }

    /// What is done to all scores of a probe together.
    #[expect(clippy::too_many_arguments, reason = "a probe's share of everything")]
    fn finish(
        &self,
        probe: &Probe,
        head: Head,
        samples: &Range<usize>,
        step: &StepTape,
        tape: &mut HeadTape,
        scratch: &mut Scratch,
        noise: Option<&[f32]>,
    ) {
        let square = self.n * self.n;
        let raw = &mut tape.raw[..samples.len() * size(probe, self.n)];
        if self.is_masked(probe, head) {
            tape.least.clear();
            let links = step.links[samples.start * square..].chunks_exact(square);
            for (raw, links) in raw.chunks_exact_mut(square).zip(links) {
                tape.least.push(choose_among_linked(raw, links));
            }
        }
        if probe.kind == Kind::PermutationPointer {
            if let Some(noise) = noise {
                raw.iter_mut().zip(noise).for_each(|(raw, noise)| *raw += noise);
            }
            tape.plain.sized(raw.len()).copy_from_slice(raw);
            for raw in raw.chunks_exact_mut(square) {
                log_sinkhorn(raw, self.n, ROUNDS_IN_DECODERS, &mut scratch.sinkhorn);
            }
        }
    }

    /// The way back: from gradients of raw predictions to those of numbers and states, which are
    /// added to those in `scratch`, and of maps, in `lane`.
    ///
    /// What leads to the scores of pointers is summed up without the weights of channels;
    /// [`put_weights_in`](Self::put_weights_in) does that once for all steps.
    #[expect(clippy::too_many_arguments, reason = "a stage's share of everything")]
    pub(super) fn backward(
        &self,
        samples: &Range<usize>,
        step: &StepTape,
        tape: &StageTape,
        scratch: &mut Scratch,
        gradients: &mut [Buffer],
        learnt_edges: usize,
        lane: &mut [f32],
    ) {
        let (n, h, folded) = (self.n, self.plan.h, self.folded);
        let rows = samples.len() * n;
        let (width, view) = (self.width(), self.plan.view().width());
        for (((probe, head), tape), d) in
            self.maps.heads.iter().zip(&tape.heads).zip(&mut *gradients)
        {
            let d = &mut d[..samples.len() * size(probe, n)];
            self.finish_back(probe, *head, samples, step, tape, d, &mut scratch.sinkhorn);
        }
        scratch.d_y.zeroed(rows * width);
        for group in self.groups(samples) {
            let (first, squares) = (group.start * n * n, group.len() * n * n);
            if let Some(slot) = self.maps.processed {
                scratch.pairs.zeroed(squares * slot.cols);
            }
            for sample in group.clone() {
                let place = sample - samples.start;
                let offset = (sample - group.start) * n * n;
                let heads = self.maps.heads.iter().zip(&self.weighed.edges);
                for (((probe, head), weighed), (tape_of_head, d)) in
                    heads.zip(tape.heads.iter().zip(&*gradients))
                {
                    let size = size(probe, n);
                    self.predict_back(
                        (*head, weighed),
                        (sample, place, offset),
                        step,
                        (&tape.y, tape_of_head),
                        scratch,
                        &d[place * size..][..size],
                        learnt_edges,
                        lane,
                    );
                }
            }
            if let Some(slot) = self.maps.processed {
                let d = Mat::new(&scratch.pairs, squares, slot.cols);
                let said = Mat::new(&step.processed[first * h..], squares, h);
                add_product(slot.mat_mut(lane), said.t(), d);
                add_product(
                    MatMut::new(&mut scratch.d_processed[first * h..], squares, h),
                    d,
                    Mat::new(&self.weighed.processed, slot.cols, slot.rows),
                );
            }
        }
        for (_, head) in &self.maps.heads {
            let columns: &[usize] = match head {
                Head::Pointer { from, to, .. } => &[*from, *to],
                Head::EdgePointer { first, second, to, .. } => &[*first, *second, *to],
                _ => &[],
            };
            let (Head::Pointer { score, .. } | Head::EdgePointer { score, .. }) = head else {
                continue;
            };
            for &at in columns {
                channel_weights_backward(
                    Mat::new(&tape.y, rows, width).columns(at..at + h),
                    MatMut::new(&mut scratch.d_y, rows, width).columns(at..at + h),
                    rows,
                    score.of(folded),
                    score.of_mut(lane),
                );
            }
        }
        let (node, seen) = self.node_map(step, samples);
        let d_y = Mat::new(&scratch.d_y, rows, width);
        add_product(node.mat_mut(lane), seen.t(), d_y);
        add_row_sum(self.maps.node_bias.of_mut(lane), &scratch.d_y[..rows * width]);
        add_product(
            MatMut::new(&mut scratch.d_x[samples.start * n * view..], rows, view)
                .columns(0..node.rows),
            d_y,
            node.turned(self.turned),
        );
    }

    #[expect(clippy::too_many_arguments, reason = "a sample's share of everything")]
    fn predict_back(
        &self,
        (head, weighed): (Head, &[f32]),
        (sample, place, offset): (usize, usize, usize),
        step: &StepTape,
        (y, tape): (&[f32], &HeadTape),
        scratch: &mut Scratch,
        d: &[f32],
        learnt_edges: usize,
        lane: &mut [f32],
    ) {
        let (n, h, folded, width) = (self.n, self.plan.h, self.folded, self.width());
        let Scratch { d_y, pairs: d_pairs, d_edge, row, d_graph, first: d_pair, .. } = scratch;
        let d_y = &mut d_y[place * n * width..][..n * width];
        let mut d_processed = self
            .maps
            .processed
            .map(|slot| MatMut::new(&mut d_pairs[offset * slot.cols..], n * n, slot.cols));
        let mut columns = |edge: EdgeMap, count: usize| {
            d_processed.take().zip(edge.processed).map(|(d, at)| d.columns(at..at + count))
        };
        let at = Sample { start: sample * n, n };
        match head {
            Head::Node { at, options } => {
                for (i, d) in d.chunks_exact(options).enumerate() {
                    d_y[i * width + at..][..options].copy_from_slice(d);
                }
            }
            Head::Pointer { from, to, edge, bias, .. } => {
                bias.of_mut(lane)[0] += d.iter().sum::<f32>();
                let map = (edge.map, weighed);
                let mut numbers =
                    Plan::pairs_back(self.pairs(step), map, lane, d_edge, learnt_edges);
                node_scores_backward(
                    d,
                    &tape.taken[place * n * n * h..],
                    at,
                    EndpointsBackward { gradient: MatMut::new(d_y, n, width), columns: [from, to] },
                    &mut numbers,
                    columns(edge, h),
                    row.sized(h),
                );
            }
            Head::Edge { first, second, edge, options } => {
                let map = (edge.map, weighed);
                let mut numbers =
                    Plan::pairs_back(self.pairs(step), map, lane, d_edge, learnt_edges);
                let gradient = MatMut::new(d_y, n, width);
                let ends = EndpointsBackward { gradient, columns: [first, second] };
                pair_sums_backward(d, ends, &mut numbers, columns(edge, options), at);
            }
            Head::EdgePointer { first, second, to, edge, bias, .. } => {
                bias.of_mut(lane)[0] += d.iter().sum::<f32>();
                let square = n * n * h;
                let d_pair = d_pair.zeroed(square);
                let y = Mat::new(&y[place * n * width..], n, width);
                pair_scores_backward(
                    d,
                    &tape.pair[place * square..][..square],
                    y.columns(to..to + h),
                    n,
                    d_pair,
                    MatMut::new(d_y, n, width).columns(to..to + h),
                );
                let map = (edge.map, weighed);
                let mut numbers =
                    Plan::pairs_back(self.pairs(step), map, lane, d_edge, learnt_edges);
                let gradient = MatMut::new(d_y, n, width);
                let ends = EndpointsBackward { gradient, columns: [first, second] };
                pair_sums_backward(d_pair, ends, &mut numbers, columns(edge, h), at);
            }
            Head::Graph { node, graph, bias, options, to } => {
                let sum = [d.iter().sum::<f32>()];
                let value: &[f32] = if to.is_some() { &sum } else { d };
                if let Some(to) = to {
                    d.iter().enumerate().for_each(|(i, d)| d_y[i * width + to] = *d);
                }
                add(bias.of_mut(lane), value);
                let most = &tape.most[place * 3 * h..][..3 * h];
                let count = self.plan.graph.count;
                let numbers = &step.graph[sample * count..][..graph.rows];
                for (slot, inputs) in [(node, most), (graph, numbers)] {
                    let gradient = slot.of_mut(lane).chunks_exact_mut(options);
                    for (x, gradient) in inputs.iter().zip(gradient) {
                        gradient.iter_mut().zip(value).for_each(|(g, d)| *g += x * d);
                    }
                }
                for (k, weights) in graph.of(folded).chunks_exact(options).enumerate() {
                    d_graph[sample * count + k] += dot(weights, value);
                }
                let view = self.plan.view();
                for (c, weights) in node.of(folded).chunks_exact(options).enumerate() {
                    let row = sample * n + tape.most_of[place * 3 * h + c] as usize;
                    let d = dot(weights, value);
                    let d_view = &mut scratch.d_x[row * view.width()..][..view.width()];
                    match c / h {
                        0 => scratch.d_dense[row * h + c] += d,
                        1 => d_view[view.before.clone()][c - h] += d,
                        _ => d_view[view.after.clone()][c - 2 * h] += d,
                    }
                }
            }
        }
    }

    /// The way back of [`finish`](Self::finish).
    #[expect(clippy::too_many_arguments, reason = "a probe's share of everything")]
    fn finish_back(
        &self,
        probe: &Probe,
        head: Head,
        samples: &Range<usize>,
        step: &StepTape,
        tape: &HeadTape,
        gradient: &mut [f32],
        scratch: &mut narscope_kernels::sinkhorn::Scratch,
    ) {
        let square = self.n * self.n;
        if probe.kind == Kind::PermutationPointer {
            for (d, plain) in gradient.chunks_exact_mut(square).zip(tape.plain.chunks_exact(square))
            {
                log_sinkhorn_backward(d, plain, self.n, ROUNDS_IN_DECODERS, scratch);
            }
        }
        if self.is_masked(probe, head) {
            let links = step.links[samples.start * square..].chunks_exact(square);
            for ((d, links), least) in gradient.chunks_exact_mut(square).zip(links).zip(&tape.least)
            {
                let mut of_least = 0.0;
                for (d, linked) in d.iter_mut().zip(links) {
                    if *linked == 0 {
                        of_least += std::mem::take(d);
                    }
                }
                if let Some(least) = least {
                    d[*least as usize] += of_least;
                }
            }
        }
    }

    /// Puts the weights of channels into the gradients of what leads to the scores of pointers.
    pub(super) fn put_weights_in(&self, lane: &mut [f32]) {
        for (_, head) in &self.maps.heads {
            let Some((edge, Some(score))) = head.edge() else { continue };
            let weights = score.of(self.folded);
            let mut learnt = score.of(lane).to_vec();
            let map = edge.map;
            let values = map.mat(self.folded);
            channel_weights_backward(values, map.mat_mut(lane), map.rows, weights, &mut learnt);
            if let (Some(slot), Some(at)) = (self.maps.processed, edge.processed) {
                let columns = at..at + weights.len();
                let values = slot.mat(self.folded).columns(columns.clone());
                let gradient = slot.mat_mut(lane).columns(columns);
                channel_weights_backward(values, gradient, slot.rows, weights, &mut learnt);
            }
            score.of_mut(lane).copy_from_slice(&learnt);
        }
    }
}

/// Scores of pairs that are not linked become worse than all others; returns where the worst was,
/// if the new scores depend on it.
fn choose_among_linked(raw: &mut [f32], links: &[u8]) -> Option<u32> {
    let mut least = 0;
    for (i, x) in raw.iter().enumerate() {
        if *x < raw[least] {
            least = i;
        }
    }
    let below = raw[least] - 1.0;
    let instead = below.min(-1.0);
    for (x, linked) in raw.iter_mut().zip(links) {
        if *linked == 0 {
            *x = instead;
        }
    }
    (below < -1.0).then_some(least as u32)
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
