//! The processor: one step of a block of samples, forward and backward.

use std::ops::Range;

use narscope_kernels::WithGradient;
use narscope_kernels::aggregate::{
    Aggregate, Selection, scatter_to_selected, selected_linear_backward,
};
use narscope_kernels::gate::{gated_update, gated_update_backward};
use narscope_kernels::incoming::Tile;
use narscope_kernels::matrix::{Mat, MatMut, add_product, product};
use narscope_kernels::messages::{
    add_bias, add_bias_relu, add_row_sum, gather_sum, gather_sum_backward, relu_backward,
};
use narscope_kernels::norm::{layer_norm, layer_norm_backward};
use narscope_kernels::pairs::{Endpoints, EndpointsBackward, PairFeatures, PairMap};

use super::fold::{Slot, add};
use super::plan::{MessageLayers, Plan, StepPart};
use super::tape::{RoundTape, Scratch, StepTape};
use crate::config::{Decay, DecayPlace, DecayTarget};

/// Number of messages computed together.
const TILE: usize = 512;

/// The processor of a task with its folded matrices.
pub(super) struct Step<'a> {
    pub(super) plan: &'a Plan,
    pub(super) folded: &'a [f32],
    pub(super) transposed: &'a [f32],
    pub(super) n: usize,
}

impl Step<'_> {
    fn slot(&self, slot: Slot) -> &[f32] {
        slot.of(self.folded)
    }

    fn aggregate(&self) -> Aggregate {
        match (self.plan.aggregate, self.plan.step.temperature) {
            (Aggregate::Softmax(_), Some(trained)) => Aggregate::Softmax(self.slot(trained)[0]),
            (aggregate, _) => aggregate,
        }
    }

    pub(super) fn pairs<'a>(&self, step: &'a StepTape) -> PairFeatures<'a> {
        self.plan.pairs(&step.edge, self.n)
    }

    /// All rounds of a step, from `before` to `after`. Edge states are computed for the samples in `pairs` only.
    pub(super) fn forward(
        &self,
        samples: usize,
        pairs: &Range<usize>,
        step: &mut StepTape,
        scratch: &mut Scratch,
        keep: bool,
    ) {
        let Plan { h, rounds, decay, .. } = *self.plan;
        let rows = samples * self.n;
        step.rounds.resize_with(if keep { rounds } else { 1 }, RoundTape::default);
        step.after.sized(rows * h);
        step.after[..rows * h].copy_from_slice(&step.before[..rows * h]);
        for round in 0..rounds {
            let index = if keep { round } else { 0 };
            let mut tape = std::mem::take(&mut step.rounds[index]);
            self.project(rows, round, step, &mut tape);
            self.aggregate_messages(rows, step, &mut tape, scratch, keep);
            self.update_states(rows, &mut tape);
            if round + 1 == rounds && !pairs.is_empty() {
                self.triplets(pairs, step, &tape, scratch, keep);
            }
            step.after[..rows * h].copy_from_slice(&tape.state[..rows * h]);
            decay.apply_to(DecayPlace::AfterStep, &mut step.after[..rows * h], h);
            step.rounds[index] = tape;
        }
    }

    /// Concatenates features and states of nodes, and computes all linear maps of them.
    fn project(&self, rows: usize, round: usize, step: &StepTape, tape: &mut RoundTape) {
        let (h, features) = (self.plan.h, self.plan.node.count);
        let (inputs, width) = (features + h, self.plan.step.node.cols);
        let x = tape.x.sized(rows * inputs);
        for (row, x) in x.chunks_exact_mut(inputs).enumerate() {
            x[..features].copy_from_slice(&step.node[row * features..][..features]);
            x[features..].copy_from_slice(&step.after[row * h..][..h]);
            self.plan.decay.apply_to(DecayPlace::BeforeStep, &mut x[features..], h);
        }
        let y = tape.y.sized(rows * width);
        let node = self.node_map(round, step);
        product(
            MatMut::new(y, rows, width),
            Mat::new(x, rows, inputs).columns(0..node.rows),
            node.mat(self.folded),
        );
        add_bias(MatMut::new(y, rows, width), rows, self.slot(self.plan.step.node_bias));
        // Features of the graph reach every receiver.
        let graph = self.plan.step.graph;
        let at = self.plan.column(StepPart::Receiver);
        for sample in 0..rows / self.n {
            let features = &step.graph[sample * graph.rows..][..graph.rows];
            for (k, &feature) in features.iter().enumerate() {
                let row = &self.slot(graph)[k * h..][..h];
                for node in y[sample * self.n * width..].chunks_exact_mut(width).take(self.n) {
                    let to = node[at..at + h].iter_mut();
                    to.zip(row).for_each(|(to, x)| *to += feature * x);
                }
            }
        }
    }

    /// Linear map of nodes, without the rows of a state that is zero.
    fn node_map(&self, round: usize, step: &StepTape) -> Slot {
        let node = self.plan.step.node;
        if round == 0 { node.top(self.plan.inputs(node, step)) } else { node }
    }

    fn columns<'a>(
        &self,
        tape: &'a RoundTape,
        rows: usize,
        part: StepPart,
        width: usize,
    ) -> Mat<'a> {
        let at = self.plan.column(part);
        let all = self.plan.step.node.cols;
        Mat::new(&tape.y, rows, all).columns(at..at + width)
    }

    fn endpoints<'a>(&self, tape: &'a RoundTape, rows: usize) -> Endpoints<'a> {
        Endpoints {
            first: self.columns(tape, rows, StepPart::Sender, self.plan.h),
            second: self.columns(tape, rows, StepPart::Receiver, self.plan.h),
        }
    }

    /// Computes messages and aggregates them, tile by tile.
    fn aggregate_messages(
        &self,
        rows: usize,
        step: &StepTape,
        tape: &mut RoundTape,
        scratch: &mut Scratch,
        keep: bool,
    ) {
        let h = self.plan.h;
        let aggregate = self.aggregate();
        let keep_messages = keep && matches!(aggregate, Aggregate::Softmax(_));
        let all = step.incoming.rows(0..rows).end;
        tape.inbox.sized(rows * h);
        tape.selected.sized(rows * h);
        if keep && self.plan.step.layers.is_some() {
            tape.active.sized(all * h);
        }
        if keep_messages {
            tape.messages.sized(all * h);
        }
        let mut active = std::mem::take(&mut tape.active);
        let mut messages = std::mem::take(&mut tape.messages);
        for tile in step.incoming.tiles(rows, TILE) {
            let of = tile.rows();
            let (count, span) = (of.len(), of.start * h..of.end * h);
            let ends = self.endpoints(tape, rows);
            let edges =
                PairMap { features: self.pairs(step), weights: self.slot(self.plan.step.edge) };
            let message: &mut [f32] = if keep_messages {
                &mut messages[span.clone()]
            } else {
                scratch.third.sized(count * h)
            };
            let bias = if let Some(layers) = self.plan.step.layers {
                let sums = scratch.first.sized(count * h);
                gather_sum(sums, &tile, ends, edges, true);
                let active: &mut [f32] =
                    if keep { &mut active[span] } else { scratch.second.sized(count * h) };
                let sums = Mat::new(sums, count, h);
                product(MatMut::new(active, count, h), sums, layers.weights.mat(self.folded));
                add_bias_relu(active, self.slot(layers.bias));
                let active = Mat::new(active, count, h);
                product(
                    MatMut::new(message, count, h),
                    active,
                    layers.second_weights.transposed(self.transposed),
                );
                self.slot(layers.second_bias)
            } else {
                gather_sum(message, &tile, ends, edges, false);
                &self.plan.zeros
            };
            let receivers = tile.receivers.start * h..tile.receivers.end * h;
            let inbox = &mut tape.inbox[receivers.clone()];
            aggregate.forward(message, bias, &tile, inbox, &mut tape.selected[receivers]);
        }
        (tape.active, tape.messages) = (active, messages);
    }

    /// Computes the next state from the aggregated messages.
    fn update_states(&self, rows: usize, tape: &mut RoundTape) {
        let (h, maps) = (self.plan.h, &self.plan.step);
        let width = maps.inbox.cols;
        let gate = tape.gate_inputs.sized(rows * width);
        product(
            MatMut::new(gate, rows, width),
            Mat::new(&tape.inbox, rows, h),
            maps.inbox.mat(self.folded),
        );
        let skip = self.plan.column(StepPart::Skip);
        // The skip connections of the state and of the gate are adjacent columns, too.
        for (row, incoming) in gate.chunks_exact_mut(width).enumerate() {
            let own = &tape.y[row * maps.node.cols + skip..][..width];
            incoming.iter_mut().zip(own).for_each(|(incoming, own)| *incoming += own);
            let rectified = if self.plan.processor.linear { h..width } else { 0..width };
            // NaN propagates.
            incoming[rectified].iter_mut().for_each(|x| *x = if *x < 0.0 { 0.0 } else { *x });
        }
        let next = tape.next.sized(rows * h);
        for (next, incoming) in next.chunks_exact_mut(h).zip(gate.chunks_exact(width)) {
            next.copy_from_slice(&incoming[..h]);
        }
        let new = tape.new.sized(rows * h);
        match maps.norm {
            Some([scale, offset]) => layer_norm(
                next,
                self.slot(scale),
                self.slot(offset),
                new,
                tape.normalised.sized(rows * h),
                tape.inverse_std.sized(rows),
            ),
            None => new.copy_from_slice(next),
        }
        let state = tape.state.sized(rows * h);
        let Some([output, bias]) = maps.gate else { return state.copy_from_slice(new) };
        let open = tape.gate.sized(rows * h);
        let incoming = Mat::strided(gate, rows, width, width).columns(h..2 * h);
        product(MatMut::new(open, rows, h), incoming, output.mat(self.folded));
        // The old state follows the features in `x`.
        for ((state, x), (open, new)) in state
            .chunks_exact_mut(h)
            .zip(tape.x.chunks_exact(self.plan.node.count + h))
            .zip(open.chunks_exact_mut(h).zip(new.chunks_exact(h)))
        {
            gated_update(open, self.slot(bias), &x[self.plan.node.count..], new, state);
        }
    }

    /// Backward pass: turns `d_after` into the gradient of the state before the step, and adds to the
    /// gradients of features.
    pub(super) fn backward(
        &self,
        samples: usize,
        pairs: &Range<usize>,
        step: &StepTape,
        scratch: &mut Scratch,
        trainable_edges: usize,
        partial: &mut [f32],
    ) {
        let Plan { h, rounds, decay, .. } = *self.plan;
        let rows = samples * self.n;
        let (features, width) = (self.plan.node.count, self.plan.step.node.cols);
        let inputs = features + h;
        for round in (0..rounds).rev() {
            let tape = &step.rounds[round];
            decay.apply_to(DecayPlace::AfterStep, &mut scratch.d_after[..rows * h], h);
            scratch.d_y.zeroed(rows * width);
            scratch.d_before.zeroed(rows * h);
            if round + 1 == rounds && !pairs.is_empty() {
                self.triplets_backward(pairs, step, scratch, trainable_edges, partial);
            }
            self.update_states_backward(rows, tape, scratch, partial);
            self.messages_backward(rows, step, tape, scratch, trainable_edges, partial);
            self.graph_backward(samples, step, scratch, partial);

            let d_y = Mat::new(&scratch.d_y, rows, width);
            let node = self.node_map(round, step);
            let x = Mat::new(&tape.x, rows, inputs).columns(0..node.rows);
            add_product(node.mat_mut(partial), x.t(), d_y);
            add_row_sum(self.plan.step.node_bias.of_mut(partial), &scratch.d_y[..rows * width]);
            if round == 0 && step.is_first {
                // Before the first step there are only inputs.
                return;
            }
            // Reuses the memory of messages.
            let d_x = scratch.first.sized(rows * inputs);
            product(MatMut::new(d_x, rows, inputs), d_y, node.transposed(self.transposed));
            for (row, d_x) in d_x.chunks_exact(inputs).enumerate() {
                add(&mut scratch.d_node[row * features..][..features], &d_x[..features]);
                add(&mut scratch.d_before[row * h..][..h], &d_x[features..]);
            }
            decay.apply_to(DecayPlace::BeforeStep, &mut scratch.d_before[..rows * h], h);
            std::mem::swap(&mut scratch.d_before, &mut scratch.d_after);
        }
    }

    /// Backward pass of gate, norm and rectifier: from `d_after` to `d_inbox` and `d_y`.
    fn update_states_backward(
        &self,
        rows: usize,
        tape: &RoundTape,
        scratch: &mut Scratch,
        partial: &mut [f32],
    ) {
        let (h, maps, features) = (self.plan.h, &self.plan.step, self.plan.node.count);
        let width = maps.inbox.cols;
        let Scratch { d_after, d_before, d_y, d_inbox, d_gate_inputs, row, .. } = scratch;
        let d_new = &mut d_after[..rows * h];
        // Gradients of the inputs of the state and of the gate.
        let d_gate_inputs = d_gate_inputs.sized(rows * width);
        if let Some([output, bias]) = maps.gate {
            let d_score = d_inbox.sized(rows * h);
            for (i, x) in tape.x.chunks_exact(features + h).take(rows).enumerate() {
                let here = i * h..(i + 1) * h;
                gated_update_backward(
                    &mut d_new[here.clone()],
                    &tape.gate[here.clone()],
                    &x[features..],
                    &tape.new[here.clone()],
                    &mut d_before[here.clone()],
                    &mut d_score[here],
                );
            }
            let incoming = Mat::new(&tape.gate_inputs, rows, width).columns(h..2 * h);
            let d_score_mat = Mat::new(d_score, rows, h);
            add_product(output.mat_mut(partial), incoming.t(), d_score_mat);
            add_row_sum(bias.of_mut(partial), d_score);
            product(
                MatMut::new(d_gate_inputs, rows, width).columns(h..2 * h),
                d_score_mat,
                output.transposed(self.transposed),
            );
        }
        if let Some([scale, offset]) = maps.norm {
            let both = row.sized(2 * h);
            let (of_scale, of_offset) = both.split_at_mut(h);
            of_scale.copy_from_slice(scale.of(partial));
            of_offset.copy_from_slice(offset.of(partial));
            layer_norm_backward(
                d_new,
                &tape.normalised,
                &tape.inverse_std,
                self.slot(scale),
                of_scale,
                of_offset,
            );
            scale.of_mut(partial).copy_from_slice(of_scale);
            offset.of_mut(partial).copy_from_slice(of_offset);
        }
        for (d_gate_inputs, d_new) in
            d_gate_inputs.chunks_exact_mut(width).zip(d_new.chunks_exact(h))
        {
            d_gate_inputs[..h].copy_from_slice(d_new);
        }
        if self.plan.processor.linear {
            for (d, incoming) in
                d_gate_inputs.chunks_exact_mut(width).zip(tape.gate_inputs.chunks_exact(width))
            {
                relu_backward(&mut d[h..], &incoming[h..]);
            }
        } else {
            relu_backward(d_gate_inputs, &tape.gate_inputs);
        }
        let skip = self.plan.column(StepPart::Skip);
        for (d_y, d) in d_y.chunks_exact_mut(maps.node.cols).zip(d_gate_inputs.chunks_exact(width))
        {
            d_y[skip..skip + width].copy_from_slice(d);
        }
        let d_gate_inputs = Mat::new(d_gate_inputs, rows, width);
        let inbox = Mat::new(&tape.inbox, rows, h);
        add_product(maps.inbox.mat_mut(partial), inbox.t(), d_gate_inputs);
        let d_inbox = d_inbox.sized(rows * h);
        product(
            MatMut::new(d_inbox, rows, h),
            d_gate_inputs,
            maps.inbox.transposed(self.transposed),
        );
    }

    /// Backward pass of aggregation and messages: from `d_inbox` to `d_y` and the features of edges.
    fn messages_backward(
        &self,
        rows: usize,
        step: &StepTape,
        tape: &RoundTape,
        scratch: &mut Scratch,
        trainable_edges: usize,
        partial: &mut [f32],
    ) {
        let h = self.plan.h;
        let maps = &self.plan.step;
        let aggregate = self.aggregate();
        let at = [StepPart::Sender, StepPart::Receiver].map(|part| self.plan.column(part));
        let Scratch {
            first,
            second,
            third,
            d_inbox,
            d_y,
            d_edge,
            retained,
            retained_rows,
            retained_selected,
            ..
        } = scratch;
        // Messages that no channel selected have no gradient and are skipped.
        let selected = retained_selected.sized(rows * h);
        let incoming = if aggregate.selects() {
            selected.copy_from_slice(&tape.selected[..rows * h]);
            retained.retain_selected(&step.incoming, selected, h, retained_rows);
            &*retained
        } else {
            &step.incoming
        };
        let mut of_temperature = 0.0;
        for tile in incoming.tiles(rows, TILE) {
            let count = tile.rows().len();
            let receivers = tile.receivers.start * h..tile.receivers.end * h;
            let outputs =
                Selection { selected: &selected[receivers.clone()], gradient: &d_inbox[receivers] };
            // Gradient of the sums, which is that of both endpoints.
            let d_sums = first.sized(count * h);
            let messages = TileMessages { tile: &tile, outputs, tape, rows: retained_rows };
            match maps.layers {
                None if aggregate.selects() => scatter_to_selected(&tile, outputs, d_sums),
                None => of_temperature += messages.aggregate_backward(aggregate, d_sums),
                Some(layers) => {
                    let d_active = second.sized(count * h);
                    let buffer = third.sized(count * h);
                    of_temperature +=
                        self.last_layer_backward(layers, &messages, d_active, buffer, partial);
                    add_row_sum(layers.bias.of_mut(partial), d_active);
                    let sums = buffer;
                    let features = self.pairs(step);
                    let edges = PairMap { features, weights: self.slot(maps.edge) };
                    gather_sum(sums, &tile, self.endpoints(tape, rows), edges, true);
                    let (d_active, inputs) =
                        (Mat::new(d_active, count, h), Mat::new(sums, count, h));
                    add_product(layers.weights.mat_mut(partial), inputs.t(), d_active);
                    let weights = layers.weights.transposed(self.transposed);
                    product(MatMut::new(d_sums, count, h), d_active, weights);
                    relu_backward(d_sums, sums);
                }
            }
            let mut map = Plan::pair_map_backward(
                self.pairs(step),
                maps.edge,
                self.slot(maps.edge),
                partial,
                d_edge,
                trainable_edges,
            );
            let gradient = MatMut::new(d_y, rows, maps.node.cols);
            let ends = EndpointsBackward { gradient, columns: at };
            gather_sum_backward(d_sums, &tile, ends, h, &mut map);
        }
        if let Some(temperature) = maps.temperature {
            temperature.of_mut(partial)[0] += of_temperature;
        }
    }

    /// Backward pass of aggregation, of the last message layer and of the rectifier before it: writes
    /// `d_active`, the gradient before that rectifier, and returns the gradient of the temperature.
    /// `buffer` is scratch memory of the size of `d_active`.
    fn last_layer_backward(
        &self,
        layers: MessageLayers,
        messages: &TileMessages<'_>,
        d_active: &mut [f32],
        buffer: &mut [f32],
        partial: &mut [f32],
    ) -> f32 {
        let (h, aggregate) = (self.plan.h, self.aggregate());
        let TileMessages { tile, outputs, tape, rows } = *messages;
        let weights = layers.second_weights;
        aggregate.bias_backward(tile, outputs, layers.second_bias.of_mut(partial));
        if aggregate.selects() {
            let active = buffer;
            for (active, &row) in active.chunks_exact_mut(h).zip(&rows[tile.rows()]) {
                active.copy_from_slice(&tape.active[row as usize * h..][..h]);
            }
            d_active.fill(0.0);
            let layer =
                WithGradient { values: self.slot(weights), gradient: weights.of_mut(partial) };
            let inputs = WithGradient { values: active, gradient: d_active };
            selected_linear_backward(tile, outputs, layer, inputs);
            relu_backward(d_active, active);
            return 0.0;
        }
        let count = tile.rows().len();
        let active = &tape.active[tile.rows().start * h..tile.rows().end * h];
        let of_temperature = messages.aggregate_backward(aggregate, buffer);
        let d_message = Mat::new(buffer, count, h);
        let inputs = Mat::new(active, count, h);
        add_product(weights.mat_mut(partial), d_message.t(), inputs);
        product(MatMut::new(d_active, count, h), d_message, weights.mat(self.folded));
        relu_backward(d_active, active);
        of_temperature
    }

    /// Backward pass to the features of graphs, which reach every receiver.
    fn graph_backward(
        &self,
        samples: usize,
        step: &StepTape,
        scratch: &mut Scratch,
        partial: &mut [f32],
    ) {
        let (h, graph) = (self.plan.h, self.plan.step.graph);
        let (width, at) = (self.plan.step.node.cols, self.plan.column(StepPart::Receiver));
        let receivers = |sample: usize| sample * self.n..(sample + 1) * self.n;
        self.graph_map_backward(
            &(0..samples),
            step,
            scratch,
            partial,
            graph,
            h,
            |d_y, sample, sum| {
                for row in receivers(sample) {
                    add(sum, &d_y[row * width + at..][..h]);
                }
            },
        );
    }

    /// Backward pass of a linear map of graph features; `gather` sums the gradient of a sample.
    #[expect(clippy::too_many_arguments, reason = "a map's share of everything")]
    pub(super) fn graph_map_backward(
        &self,
        samples: &Range<usize>,
        step: &StepTape,
        scratch: &mut Scratch,
        partial: &mut [f32],
        map: Slot,
        width: usize,
        gather: impl Fn(&[f32], usize, &mut [f32]),
    ) {
        for sample in samples.clone() {
            let Scratch { d_y, row, d_graph, .. } = scratch;
            let sum = row.zeroed(width);
            gather(d_y, sample, sum);
            for k in 0..map.rows {
                let feature = step.graph[sample * map.rows + k];
                let gradient = map.of_mut(partial)[k * width..][..width].iter_mut();
                gradient.zip(&*sum).for_each(|(gradient, d)| *gradient += feature * d);
                let weights = &self.slot(map)[k * width..][..width];
                let d: f32 = weights.iter().zip(&*sum).map(|(w, d)| w * d).sum();
                d_graph[sample * map.rows + k] += d;
            }
        }
    }
}

/// Messages of a tile in the backward pass.
struct TileMessages<'a> {
    tile: &'a Tile<'a>,
    /// Aggregated messages and their gradient.
    outputs: Selection<'a>,
    tape: &'a RoundTape,
    /// If messages are selected, the row of each on the tape.
    rows: &'a [u32],
}

impl TileMessages<'_> {
    /// Backward pass of an aggregation that does not select; returns the gradient of the
    /// temperature.
    fn aggregate_backward(&self, aggregate: Aggregate, d: &mut [f32]) -> f32 {
        let h = self.outputs.gradient.len() / self.tile.receivers.len();
        let rows = self.tile.rows();
        let messages = self.tape.messages.get(rows.start * h..rows.end * h).unwrap_or_default();
        aggregate.backward(messages, self.tile, self.outputs.gradient, d)
    }
}

impl Decay {
    /// Decays states, row by row. The map is symmetric, so it is its own backward pass.
    pub(super) fn apply_to(self, place: DecayPlace, states: &mut [f32], h: usize) {
        if self.factor == 1.0 || self.place != place {
            return;
        }
        for row in states.chunks_exact_mut(h) {
            let mean = match self.towards {
                DecayTarget::Zero => 0.0,
                DecayTarget::Mean => row.iter().sum::<f32>() / h as f32,
            };
            for x in row {
                *x = (*x - mean) * self.factor + mean;
            }
        }
    }
}
