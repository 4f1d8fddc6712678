//! Decoders of a stage: from states to raw predictions of all its probes, forward and backward.

use std::ops::Range;

use narscope_clrs::kind::Activation;
use narscope_clrs::probe::Probe;
use narscope_kernels::Buffer;
use narscope_kernels::matrix::{Mat, MatMut, add_product, product};
use narscope_kernels::messages::{add_bias, add_row_sum};
use narscope_kernels::pairs::{
    Endpoints, EndpointsBackward, PairFeatures, PairMap, PairMapBackward, Sample, pair_sums,
    pair_sums_backward,
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
    pub(super) weighted: &'a WeightedMaps,
    pub(super) folded: &'a [f32],
    pub(super) transposed: &'a [f32],
    pub(super) n: usize,
}

/// Linear maps of pointer decoders, multiplied by the weights of channels.
#[derive(Debug, Default)]
pub(super) struct WeightedMaps {
    /// Per probe, the map of edge features.
    edges: Vec<Buffer>,
    /// Transposed map of edge states.
    edge_states: Buffer,
}

impl WeightedMaps {
    /// Multiplies the maps by the weights.
    pub(super) fn fill(&mut self, maps: &StageMaps, folded: &[f32], transposed: &[f32]) {
        self.edges.resize_with(maps.heads.len(), Buffer::default);
        if let Some(slot) = maps.edge_states {
            self.edge_states.sized(slot.range().len()).copy_from_slice(slot.of(transposed));
        }
        for ((_, head), weighted) in maps.heads.iter().zip(&mut self.edges) {
            let Some((edge, score)) = head.edge() else { continue };
            let weighted = weighted.sized(edge.map.range().len());
            weighted.copy_from_slice(edge.map.of(folded));
            let Some(score) = score else { continue };
            let weights = score.of(folded);
            let times = |row: &mut [f32]| row.iter_mut().zip(weights).for_each(|(x, w)| *x *= w);
            weighted.chunks_exact_mut(weights.len()).for_each(times);
            if let (Some(slot), Some(at)) = (maps.edge_states, edge.edge_states) {
                let channels = self.edge_states.chunks_exact_mut(slot.rows).skip(at);
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
    /// Map of pairs, and the weights of channels if it is a pointer.
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

/// Number of pairs whose edge states are mapped together.
const ROWS_AT_ONCE: usize = 2048;

/// A sample of a stage.
#[derive(Clone, Copy)]
struct SampleIndex {
    /// Index in the block.
    sample: usize,
    /// Index among the decoded samples.
    index: usize,
    /// Row of its first pair among those of its group.
    first_pair: usize,
}

/// Inputs of a head for one sample.
#[derive(Clone, Copy)]
struct HeadInputs<'a> {
    step: &'a StepTape,
    /// Linear maps of nodes.
    y: Mat<'a>,
    /// Linear maps of edge states.
    edge_maps: Option<Mat<'a>>,
    /// Whether a backward pass follows.
    keep: bool,
}

/// A head in the backward pass, for one sample.
struct HeadBackward<'a> {
    head: Head,
    /// Map of edge features, multiplied by the weights of channels.
    weighted: &'a [f32],
    step: &'a StepTape,
    /// Linear maps of nodes, of all decoded samples.
    y: &'a [f32],
    tape: &'a HeadTape,
    /// Gradient of the raw prediction.
    d: &'a [f32],
    /// First edge feature that needs a gradient.
    trainable_edges: usize,
}

impl Stage<'_> {
    fn width(&self) -> usize {
        self.maps.node.cols
    }

    /// Linear map of nodes, without the rows of a state that is zero, and its inputs.
    fn node_map<'a>(&self, step: &'a StepTape, samples: &Range<usize>) -> (Slot, Mat<'a>) {
        let (rows, view) = (samples.len() * self.n, self.plan.view().width());
        let node = self.maps.node.top(self.plan.inputs(self.maps.node, step));
        let inputs = Mat::new(&step.view[samples.start * self.n * view..], rows, view);
        (node, inputs.columns(0..node.rows))
    }

    fn pairs<'a>(&self, step: &'a StepTape) -> PairFeatures<'a> {
        self.plan.pairs(&step.edge, self.n)
    }

    /// Groups of samples whose pairs are decoded together.
    fn groups(&self, samples: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let each = (ROWS_AT_ONCE / (self.n * self.n)).max(1);
        let (start, end) = (samples.start, samples.end);
        (start..end).step_by(each).map(move |first| first..(first + each).min(end))
    }

    /// Predicts for some samples; `keep` keeps what the backward pass needs. `noise(probe)` is added to
    /// permutation scores.
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
        let (node, inputs) = self.node_map(step, samples);
        product(MatMut::new(y, rows, width), inputs, node.mat(self.folded));
        add_bias(MatMut::new(y, rows, width), rows, self.maps.node_bias.of(self.folded));

        tape.heads.resize_with(self.maps.heads.len(), HeadTape::default);
        for ((probe, _), head) in self.maps.heads.iter().zip(&mut tape.heads) {
            head.raw.sized(samples.len() * size(probe, n));
        }
        for group in self.groups(samples) {
            let (first, squares) = (group.start * n * n, group.len() * n * n);
            if let Some(slot) = self.maps.edge_states {
                product(
                    MatMut::new(scratch.pairs.sized(squares * slot.cols), squares, slot.cols),
                    Mat::new(&step.edge_states[first * self.plan.h..], squares, self.plan.h),
                    slot.mat(self.folded),
                );
            }
            for sample in group.clone() {
                let index = sample - samples.start;
                let edge_maps = self.maps.edge_states.map(|slot| {
                    let start = (sample - group.start) * n * n * slot.cols;
                    Mat::new(&scratch.pairs[start..], n * n, slot.cols)
                });
                let y = Mat::strided(&tape.y[index * n * width..], n, width, width);
                for ((probe, head), tape) in self.maps.heads.iter().zip(&mut tape.heads) {
                    let inputs = HeadInputs { step, y, edge_maps, keep };
                    let at = SampleIndex { sample, index, first_pair: 0 };
                    self.predict(probe, *head, at, inputs, tape, &mut scratch.row);
                }
            }
        }
        for (at, ((probe, _), tape)) in self.maps.heads.iter().zip(&mut tape.heads).enumerate() {
            self.finish(probe, samples, step, tape, scratch, noise(at));
        }
    }

    /// Decodes the scores of one probe for one sample.
    fn predict(
        &self,
        probe: &Probe,
        head: Head,
        SampleIndex { sample, index, .. }: SampleIndex,
        inputs: HeadInputs<'_>,
        tape: &mut HeadTape,
        row: &mut Buffer,
    ) {
        let (n, h, folded) = (self.n, self.plan.h, self.folded);
        let HeadInputs { step, y, edge_maps, keep } = inputs;
        let size = size(probe, n);
        let raw = &mut tape.raw[index * size..][..size];
        let at = Sample { start: sample * n, n };
        let map =
            |edge: EdgeMap| PairMap { features: self.pairs(step), weights: edge.map.of(folded) };
        let ends = |first: usize, second: usize, width: usize| Endpoints {
            first: y.columns(first..first + width),
            second: y.columns(second..second + width),
        };
        let edge_states = |edge: EdgeMap, width: usize| {
            edge_maps.zip(edge.edge_states).map(|(edge_maps, at)| edge_maps.columns(at..at + width))
        };
        match head {
            Head::Node { at, options } => {
                for (i, raw) in raw.chunks_exact_mut(options).enumerate() {
                    raw.copy_from_slice(&y.row(i)[at..at + options]);
                }
            }
            Head::Pointer { from, to, edge, score, bias } => {
                let square = n * n * h;
                let wins = keep.then(|| {
                    &mut tape.candidate_wins.sized((index + 1) * square)[index * square..]
                });
                let candidates = Candidates {
                    from: y.columns(from..from + h),
                    to: y.columns(to..to + h),
                    map: map(edge),
                    edge_states: edge_states(edge, h),
                    weights: score.of(folded),
                    zeros: &self.plan.zeros,
                };
                node_scores(&candidates, at, bias.of(folded)[0], raw, wins, row);
            }
            Head::Edge { first, second, edge, options } => {
                let ends = ends(first, second, options);
                pair_sums(raw, ends, map(edge), edge_states(edge, options), at);
            }
            Head::EdgePointer { first, second, to, edge, score, bias } => {
                let square = n * n * h;
                // Samples share memory unless the backward pass needs it.
                let index = if keep { index } else { 0 };
                let pair = &mut tape.pair.sized((index + 1) * square)[index * square..];
                pair_sums(pair, ends(first, second, h), map(edge), edge_states(edge, h), at);
                let to = y.columns(to..to + h);
                pair_scores(pair, to, score.of(folded), bias.of(folded)[0], n, raw, row);
            }
            Head::Graph { node, graph, bias, options, to } => {
                let count = (index + 1) * 3 * h;
                let max = &mut tape.max.sized(count)[index * 3 * h..];
                let argmax = &mut tape.argmax.sized(count)[index * 3 * h..];
                self.max_over_nodes(sample, step, max, argmax);
                let value = row.sized(options);
                value.copy_from_slice(bias.of(folded));
                let features = &step.graph[sample * self.plan.graph.count..][..graph.rows];
                for (slot, inputs) in [(node, &*max), (graph, features)] {
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

    /// Maximum over nodes of the inputs of decoders.
    fn max_over_nodes(&self, sample: usize, step: &StepTape, max: &mut [f32], argmax: &mut [u32]) {
        let (n, h, view) = (self.n, self.plan.h, self.plan.view());
        max.fill(f32::NEG_INFINITY);
        argmax.fill(0);
        for i in 0..n {
            let row = sample * n + i;
            let states = &step.view[row * view.width()..][..view.width()];
            let (before, after) = (&states[view.before.clone()], &states[view.after.clone()]);
            let inputs = step.dense[row * h..][..h].iter().chain(before).chain(after);
            for ((max, of), x) in max.iter_mut().zip(argmax.iter_mut()).zip(inputs) {
                if x > max {
                    (*max, *of) = (*x, i as u32);
                }
            }
        }
    }

    /// Whether scores of unlinked pairs are masked.
    fn is_masked(&self, probe: &Probe) -> bool {
        self.plan.processor.masked && probe.kind.info().adjacency_masked == Some(probe.location)
    }

    /// Masks and normalises the scores of a probe.
    fn finish(
        &self,
        probe: &Probe,
        samples: &Range<usize>,
        step: &StepTape,
        tape: &mut HeadTape,
        scratch: &mut Scratch,
        noise: Option<&[f32]>,
    ) {
        let square = self.n * self.n;
        let raw = &mut tape.raw[..samples.len() * size(probe, self.n)];
        if self.is_masked(probe) {
            tape.least.clear();
            let links = step.links[samples.start * square..].chunks_exact(square);
            for (raw, links) in raw.chunks_exact_mut(square).zip(links) {
                tape.least.push(mask_unlinked(raw, links));
            }
        }
        if probe.kind.info().activation == Activation::Sinkhorn {
            if let Some(noise) = noise {
                raw.iter_mut().zip(noise).for_each(|(raw, noise)| *raw += noise);
            }
            tape.plain.sized(raw.len()).copy_from_slice(raw);
            for raw in raw.chunks_exact_mut(square) {
                log_sinkhorn(raw, self.n, ROUNDS_IN_DECODERS, &mut scratch.sinkhorn);
            }
        }
    }

    /// Backward pass: from gradients of raw predictions to those of features and states, added to
    /// `scratch`, and of maps, added to `partial`.
    ///
    /// Gradients of pointer decoders leave out the weights of channels;
    /// [`apply_channel_weights`](Self::apply_channel_weights) applies them once for all steps.
    #[expect(clippy::too_many_arguments, reason = "a stage's share of everything")]
    pub(super) fn backward(
        &self,
        samples: &Range<usize>,
        step: &StepTape,
        tape: &StageTape,
        scratch: &mut Scratch,
        gradients: &mut [Buffer],
        trainable_edges: usize,
        partial: &mut [f32],
    ) {
        let (n, h, folded) = (self.n, self.plan.h, self.folded);
        let rows = samples.len() * n;
        let (width, view) = (self.width(), self.plan.view().width());
        for (((probe, _), tape), d) in self.maps.heads.iter().zip(&tape.heads).zip(&mut *gradients)
        {
            let d = &mut d[..samples.len() * size(probe, n)];
            self.finish_backward(probe, samples, step, tape, d, &mut scratch.sinkhorn);
        }
        scratch.d_y.zeroed(rows * width);
        for group in self.groups(samples) {
            let (first, squares) = (group.start * n * n, group.len() * n * n);
            if let Some(slot) = self.maps.edge_states {
                scratch.pairs.zeroed(squares * slot.cols);
            }
            for sample in group.clone() {
                let index = sample - samples.start;
                let offset = (sample - group.start) * n * n;
                let heads = self.maps.heads.iter().zip(&self.weighted.edges);
                for (((probe, head), weighted), (tape_of_head, d)) in
                    heads.zip(tape.heads.iter().zip(&*gradients))
                {
                    let size = size(probe, n);
                    let head = HeadBackward {
                        head: *head,
                        weighted,
                        step,
                        y: &tape.y,
                        tape: tape_of_head,
                        d: &d[index * size..][..size],
                        trainable_edges,
                    };
                    let at = SampleIndex { sample, index, first_pair: offset };
                    self.predict_backward(&head, at, scratch, partial);
                }
            }
            if let Some(slot) = self.maps.edge_states {
                let d = Mat::new(&scratch.pairs, squares, slot.cols);
                let edge_maps = Mat::new(&step.edge_states[first * h..], squares, h);
                add_product(slot.mat_mut(partial), edge_maps.t(), d);
                add_product(
                    MatMut::new(&mut scratch.d_edge_states[first * h..], squares, h),
                    d,
                    Mat::new(&self.weighted.edge_states, slot.cols, slot.rows),
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
                    score.of_mut(partial),
                );
            }
        }
        let (node, inputs) = self.node_map(step, samples);
        let d_y = Mat::new(&scratch.d_y, rows, width);
        add_product(node.mat_mut(partial), inputs.t(), d_y);
        add_row_sum(self.maps.node_bias.of_mut(partial), &scratch.d_y[..rows * width]);
        add_product(
            MatMut::new(&mut scratch.d_x[samples.start * n * view..], rows, view)
                .columns(0..node.rows),
            d_y,
            node.transposed(self.transposed),
        );
    }

    /// Backward pass of [`predict`](Self::predict).
    fn predict_backward(
        &self,
        x: &HeadBackward<'_>,
        at: SampleIndex,
        scratch: &mut Scratch,
        partial: &mut [f32],
    ) {
        let (n, h, width) = (self.n, self.plan.h, self.width());
        let SampleIndex { sample, index, first_pair } = at;
        let HeadBackward { head, y, tape, d, .. } = *x;
        let Scratch { d_y, pairs: d_pairs, d_edge, row, first: d_pair, .. } = scratch;
        let d_y = &mut d_y[index * n * width..][..n * width];
        let mut d_edge_states = self
            .maps
            .edge_states
            .map(|slot| MatMut::new(&mut d_pairs[first_pair * slot.cols..], n * n, slot.cols));
        let mut columns = |edge: EdgeMap, count: usize| {
            d_edge_states.take().zip(edge.edge_states).map(|(d, at)| d.columns(at..at + count))
        };
        let nodes = Sample { start: sample * n, n };
        match head {
            Head::Node { at, options } => {
                for (i, d) in d.chunks_exact(options).enumerate() {
                    d_y[i * width + at..][..options].copy_from_slice(d);
                }
            }
            Head::Pointer { from, to, edge, bias, .. } => {
                bias.of_mut(partial)[0] += d.iter().sum::<f32>();
                let mut map = self.pair_map_backward(x, edge, partial, d_edge);
                node_scores_backward(
                    d,
                    &tape.candidate_wins[index * n * n * h..],
                    nodes,
                    EndpointsBackward { gradient: MatMut::new(d_y, n, width), columns: [from, to] },
                    &mut map,
                    columns(edge, h),
                    row.sized(h),
                );
            }
            Head::Edge { first, second, edge, options } => {
                let mut map = self.pair_map_backward(x, edge, partial, d_edge);
                let gradient = MatMut::new(d_y, n, width);
                let ends = EndpointsBackward { gradient, columns: [first, second] };
                pair_sums_backward(d, ends, &mut map, columns(edge, options), nodes);
            }
            Head::EdgePointer { first, second, to, edge, bias, .. } => {
                bias.of_mut(partial)[0] += d.iter().sum::<f32>();
                let square = n * n * h;
                let d_pair = d_pair.zeroed(square);
                let y = Mat::new(&y[index * n * width..], n, width);
                pair_scores_backward(
                    d,
                    &tape.pair[index * square..][..square],
                    y.columns(to..to + h),
                    n,
                    d_pair,
                    MatMut::new(d_y, n, width).columns(to..to + h),
                );
                let mut map = self.pair_map_backward(x, edge, partial, d_edge);
                let gradient = MatMut::new(d_y, n, width);
                let ends = EndpointsBackward { gradient, columns: [first, second] };
                pair_sums_backward(d_pair, ends, &mut map, columns(edge, h), nodes);
            }
            Head::Graph { .. } => self.graph_head_backward(x, at, scratch, partial),
        }
    }

    /// Backward pass of the map of edge features of a head.
    fn pair_map_backward<'a>(
        &self,
        x: &HeadBackward<'a>,
        edge: EdgeMap,
        partial: &'a mut [f32],
        d_edge: &'a mut [f32],
    ) -> PairMapBackward<'a> {
        let pairs = self.pairs(x.step);
        Plan::pair_map_backward(pairs, edge.map, x.weighted, partial, d_edge, x.trainable_edges)
    }

    /// Backward pass of a head of graphs.
    fn graph_head_backward(
        &self,
        x: &HeadBackward<'_>,
        SampleIndex { sample, index, .. }: SampleIndex,
        scratch: &mut Scratch,
        partial: &mut [f32],
    ) {
        let HeadBackward { head, step, tape, d, .. } = *x;
        let Head::Graph { node, graph, bias, options, to } = head else {
            panic!("{head:?} is not a head of graphs")
        };
        let (n, h, folded, width) = (self.n, self.plan.h, self.folded, self.width());
        let Scratch { d_y, d_graph, d_x, d_dense, .. } = scratch;
        let d_y = &mut d_y[index * n * width..][..n * width];
        let sum = [d.iter().sum::<f32>()];
        let value: &[f32] = if to.is_some() { &sum } else { d };
        if let Some(to) = to {
            d.iter().enumerate().for_each(|(i, d)| d_y[i * width + to] = *d);
        }
        add(bias.of_mut(partial), value);
        let max = &tape.max[index * 3 * h..][..3 * h];
        let count = self.plan.graph.count;
        let features = &step.graph[sample * count..][..graph.rows];
        for (slot, inputs) in [(node, max), (graph, features)] {
            let gradient = slot.of_mut(partial).chunks_exact_mut(options);
            for (x, gradient) in inputs.iter().zip(gradient) {
                gradient.iter_mut().zip(value).for_each(|(g, d)| *g += x * d);
            }
        }
        for (k, weights) in graph.of(folded).chunks_exact(options).enumerate() {
            d_graph[sample * count + k] += dot(weights, value);
        }
        let view = self.plan.view();
        for (c, weights) in node.of(folded).chunks_exact(options).enumerate() {
            let row = sample * n + tape.argmax[index * 3 * h + c] as usize;
            let d = dot(weights, value);
            let d_view = &mut d_x[row * view.width()..][..view.width()];
            match c / h {
                0 => d_dense[row * h + c] += d,
                1 => d_view[view.before.clone()][c - h] += d,
                _ => d_view[view.after.clone()][c - 2 * h] += d,
            }
        }
    }

    /// Backward pass of [`finish`](Self::finish).
    fn finish_backward(
        &self,
        probe: &Probe,
        samples: &Range<usize>,
        step: &StepTape,
        tape: &HeadTape,
        gradient: &mut [f32],
        scratch: &mut narscope_kernels::sinkhorn::Scratch,
    ) {
        let square = self.n * self.n;
        if probe.kind.info().activation == Activation::Sinkhorn {
            for (d, plain) in gradient.chunks_exact_mut(square).zip(tape.plain.chunks_exact(square))
            {
                log_sinkhorn_backward(d, plain, self.n, ROUNDS_IN_DECODERS, scratch);
            }
        }
        if self.is_masked(probe) {
            let links = step.links[samples.start * square..].chunks_exact(square);
            for ((d, links), least) in gradient.chunks_exact_mut(square).zip(links).zip(&tape.least)
            {
                let mut masked_sum = 0.0;
                for (d, linked) in d.iter_mut().zip(links) {
                    if *linked == 0 {
                        masked_sum += std::mem::take(d);
                    }
                }
                if let Some(least) = least {
                    d[*least as usize] += masked_sum;
                }
            }
        }
    }

    /// Multiplies the gradients of the maps of pointer decoders by the weights of channels.
    pub(super) fn apply_channel_weights(&self, partial: &mut [f32]) {
        for (_, head) in &self.maps.heads {
            let Some((edge, Some(score))) = head.edge() else { continue };
            let weights = score.of(self.folded);
            let mut score_gradient = score.of(partial).to_vec();
            let map = edge.map;
            let values = map.mat(self.folded);
            channel_weights_backward(
                values,
                map.mat_mut(partial),
                map.rows,
                weights,
                &mut score_gradient,
            );
            if let (Some(slot), Some(at)) = (self.maps.edge_states, edge.edge_states) {
                let columns = at..at + weights.len();
                let values = slot.mat(self.folded).columns(columns.clone());
                let gradient = slot.mat_mut(partial).columns(columns);
                channel_weights_backward(values, gradient, slot.rows, weights, &mut score_gradient);
            }
            score.of_mut(partial).copy_from_slice(&score_gradient);
        }
    }
}

/// Sets the scores of unlinked pairs below all others; returns the index of the lowest score if the
/// new scores depend on it.
fn mask_unlinked(raw: &mut [f32], links: &[u8]) -> Option<u32> {
    let mut least = 0;
    for (i, x) in raw.iter().enumerate() {
        if *x < raw[least] {
            least = i;
        }
    }
    let below = raw[least] - 1.0;
    let masked = below.min(-1.0);
    for (x, linked) in raw.iter_mut().zip(links) {
        if *linked == 0 {
            *x = masked;
        }
    }
    (below < -1.0).then_some(least as u32)
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
