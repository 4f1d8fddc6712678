//! The processor: one step of a block of samples, forward and back.

use std::ops::Range;

use narscope_kernels::WithGradient;
use narscope_kernels::aggregate::{
    Aggregate, Selection, scatter_to_selected, selected_linear_backward,
};
use narscope_kernels::gate::{gated_update, gated_update_backward};
use narscope_kernels::matrix::{Mat, MatMut, add_product, product};
use narscope_kernels::messages::{
    add_bias, add_bias_relu, add_row_sum, gather_sum, gather_sum_backward, relu_backward,
};
use narscope_kernels::norm::{layer_norm, layer_norm_backward};
use narscope_kernels::pairs::{Endpoints, EndpointsBackward, PairFeatures, PairMap};

use super::fold::{Slot, add};
use super::plan::{Plan, StepPart};
use super::tape::{RoundTape, Scratch, StepTape};
use crate::config::{Decay, DecayPlace, DecayTarget};

/// How many messages are made at once.
const TILE: usize = 512;

/// The processor of a task with its folded matrices.
pub(super) struct Step<'a> {
    pub(super) plan: &'a Plan,
    pub(super) folded: &'a [f32],
    pub(super) turned: &'a [f32],
    pub(super) n: usize,
}

impl Step<'_> {
    fn slot(&self, slot: Slot) -> &[f32] {
        slot.of(self.folded)
    }

    fn aggregate(&self) -> Aggregate {
        match (self.plan.aggregate, self.plan.step.temperature) {
            (Aggregate::Softmax(_), Some(learnt)) => Aggregate::Softmax(self.slot(learnt)[0]),
            (aggregate, _) => aggregate,
        }
    }

    pub(super) fn pairs<'a>(&self, step: &'a StepTape) -> PairFeatures<'a> {
        self.plan.pairs(&step.edge, self.n)
    }

    /// From `before` to `after`, all rounds. Only samples in `pairs` have their pairs read.
    pub(super) fn forward(
        &self,
        (samples, pairs): (usize, &Range<usize>),
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
            let place = if keep { round } else { 0 };
            let mut tape = std::mem::take(&mut step.rounds[place]);
            self.begin(rows, round, step, &mut tape);
            self.hear(rows, step, &mut tape, scratch, keep);
            self.conclude(rows, &mut tape);
            if round + 1 == rounds && !pairs.is_empty() {
                self.triplets(pairs, step, &tape, scratch, keep);
            }
            step.after[..rows * h].copy_from_slice(&tape.state[..rows * h]);
            decay.apply_to(DecayPlace::AfterStep, &mut step.after[..rows * h], h);
            step.rounds[place] = tape;
        }
    }

    /// Lays numbers and states side by side, and makes all that is linear in them.
    fn begin(&self, rows: usize, round: usize, step: &StepTape, tape: &mut RoundTape) {
        let (h, numbers) = (self.plan.h, self.plan.node.count);
        let (inputs, width) = (numbers + h, self.plan.step.node.cols);
        let x = tape.x.sized(rows * inputs);
        for (row, x) in x.chunks_exact_mut(inputs).enumerate() {
            x[..numbers].copy_from_slice(&step.node[row * numbers..][..numbers]);
            x[numbers..].copy_from_slice(&step.after[row * h..][..h]);
            self.plan.decay.apply_to(DecayPlace::BeforeStep, &mut x[numbers..], h);
        }
        let y = tape.y.sized(rows * width);
        let node = self.node_map(round, step);
        product(
            MatMut::new(y, rows, width),
            Mat::new(x, rows, inputs).columns(0..node.rows),
            node.mat(self.folded),
        );
        add_bias(MatMut::new(y, rows, width), rows, self.slot(self.plan.step.node_bias));
        // What the graph says is heard by every receiver.
        let graph = self.plan.step.graph;
        let at = self.plan.column(StepPart::Receiver);
        for sample in 0..rows / self.n {
            let numbers = &step.graph[sample * graph.rows..][..graph.rows];
            for (k, &number) in numbers.iter().enumerate() {
                let said = &self.slot(graph)[k * h..][..h];
                for node in y[sample * self.n * width..].chunks_exact_mut(width).take(self.n) {
                    let to = node[at..at + h].iter_mut();
                    to.zip(said).for_each(|(to, said)| *to += number * said);
                }
            }
        }
    }

    /// The map of nodes, as far as there is anything to map.
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

    /// Makes messages and aggregates them, tile by tile.
    fn hear(
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
        let all = step.heard.rows(0..rows).end;
        tape.inbox.sized(rows * h);
        tape.chosen.sized(rows * h);
        if keep && self.plan.step.layers.is_some() {
            tape.active.sized(all * h);
        }
        if keep_messages {
            tape.messages.sized(all * h);
        }
        let mut active = std::mem::take(&mut tape.active);
        let mut messages = std::mem::take(&mut tape.messages);
        for tile in step.heard.tiles(rows, TILE) {
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
            let bias = if let Some([weights, bias, second, second_bias]) = self.plan.step.layers {
                let met = scratch.first.sized(count * h);
                gather_sum(met, &tile, ends, edges, true);
                let active: &mut [f32] =
                    if keep { &mut active[span] } else { scratch.second.sized(count * h) };
                let met = Mat::new(met, count, h);
                product(MatMut::new(active, count, h), met, weights.mat(self.folded));
                add_bias_relu(active, self.slot(bias));
                let active = Mat::new(active, count, h);
                product(MatMut::new(message, count, h), active, second.turned(self.turned));
                self.slot(second_bias)
            } else {
                gather_sum(message, &tile, ends, edges, false);
                &self.plan.nothing
            };
            let receivers = tile.receivers.start * h..tile.receivers.end * h;
            let inbox = &mut tape.inbox[receivers.clone()];
            aggregate.forward(message, bias, &tile, inbox, &mut tape.chosen[receivers]);
        }
        (tape.active, tape.messages) = (active, messages);
    }

    /// From what was heard to the next state.
    fn conclude(&self, rows: usize, tape: &mut RoundTape) {
        let (h, maps) = (self.plan.h, &self.plan.step);
        let width = maps.inbox.cols;
        let gate = tape.gate.sized(rows * width);
        product(
            MatMut::new(gate, rows, width),
            Mat::new(&tape.inbox, rows, h),
            maps.inbox.mat(self.folded),
        );
        let skip = self.plan.column(StepPart::Skip);
        // What the node itself says to its state and to the gate stands side by side as well.
        for (row, heard) in gate.chunks_exact_mut(width).enumerate() {
            let own = &tape.y[row * maps.node.cols + skip..][..width];
            heard.iter_mut().zip(own).for_each(|(heard, own)| *heard += own);
            let rectified = if self.plan.processor.linear { h..width } else { 0..width };
            // What is no number stays none.
            heard[rectified].iter_mut().for_each(|x| *x = if *x < 0.0 { 0.0 } else { *x });
        }
        let next = tape.next.sized(rows * h);
        for (next, heard) in next.chunks_exact_mut(h).zip(gate.chunks_exact(width)) {
            next.copy_from_slice(&heard[..h]);
        }
        let new = tape.new.sized(rows * h);
        match maps.norm {
            Some([scale, offset]) => layer_norm(
                next,
                self.slot(scale),
                self.slot(offset),
                new,
                tape.normal.sized(rows * h),
                tape.spread.sized(rows),
            ),
            None => new.copy_from_slice(next),
        }
        let state = tape.state.sized(rows * h);
        let Some([output, bias]) = maps.gate else { return state.copy_from_slice(new) };
        let open = tape.open.sized(rows * h);
        let heard = Mat::strided(gate, rows, width, width).columns(h..2 * h);
        product(MatMut::new(open, rows, h), heard, output.mat(self.folded));
        // The old state is in `x`, behind the numbers.
        for ((state, x), (open, new)) in state
            .chunks_exact_mut(h)
            .zip(tape.x.chunks_exact(self.plan.node.count + h))
            .zip(open.chunks_exact_mut(h).zip(new.chunks_exact(h)))
        {
            gated_update(open, self.slot(bias), &x[self.plan.node.count..], new, state);
        }
    }

    /// The way back: `d_after` becomes the gradient of the state before the step; gradients of
    /// numbers are added to.
    pub(super) fn backward(
        &self,
        (samples, pairs): (usize, &Range<usize>),
        step: &StepTape,
        scratch: &mut Scratch,
        learnt_edges: usize,
        lane: &mut [f32],
    ) {
        let Plan { h, rounds, decay, .. } = *self.plan;
        let rows = samples * self.n;
        let (numbers, width) = (self.plan.node.count, self.plan.step.node.cols);
        let inputs = numbers + h;
        for round in (0..rounds).rev() {
            let tape = &step.rounds[round];
            decay.apply_to(DecayPlace::AfterStep, &mut scratch.d_after[..rows * h], h);
            scratch.d_y.zeroed(rows * width);
            scratch.d_before.zeroed(rows * h);
            if round + 1 == rounds && !pairs.is_empty() {
                self.triplets_back(pairs, step, scratch, learnt_edges, lane);
            }
            self.conclude_back(rows, tape, scratch, lane);
            self.hear_back(rows, step, tape, scratch, learnt_edges, lane);
            self.graph_back(samples, step, scratch, lane);

            let d_y = Mat::new(&scratch.d_y, rows, width);
            let node = self.node_map(round, step);
            let x = Mat::new(&tape.x, rows, inputs).columns(0..node.rows);
            add_product(node.mat_mut(lane), x.t(), d_y);
            add_row_sum(self.plan.step.node_bias.of_mut(lane), &scratch.d_y[..rows * width]);
            if round == 0 && step.from_nothing {
                // What comes before is data.
                return;
            }
            // The memory of messages is free now.
            let d_x = scratch.first.sized(rows * inputs);
            product(MatMut::new(d_x, rows, inputs), d_y, node.turned(self.turned));
            for (row, d_x) in d_x.chunks_exact(inputs).enumerate() {
                add(&mut scratch.d_node[row * numbers..][..numbers], &d_x[..numbers]);
                add(&mut scratch.d_before[row * h..][..h], &d_x[numbers..]);
            }
            decay.apply_to(DecayPlace::BeforeStep, &mut scratch.d_before[..rows * h], h);
            std::mem::swap(&mut scratch.d_before, &mut scratch.d_after);
        }
    }

    /// Back through gate, norm and rectifier: from `d_after` to `d_inbox` and `d_y`.
    fn conclude_back(
        &self,
        rows: usize,
        tape: &RoundTape,
        scratch: &mut Scratch,
        lane: &mut [f32],
    ) {
        let (h, maps, numbers) = (self.plan.h, &self.plan.step, self.plan.node.count);
        let width = maps.inbox.cols;
        let Scratch { d_after, d_before, d_y, d_inbox, d_heard, row, .. } = scratch;
        let d_new = &mut d_after[..rows * h];
        // The gradient of all that was heard, for the state and for the gate.
        let d_heard = d_heard.sized(rows * width);
        if let Some([output, bias]) = maps.gate {
            let d_score = d_inbox.sized(rows * h);
            for (i, x) in tape.x.chunks_exact(numbers + h).take(rows).enumerate() {
                let here = i * h..(i + 1) * h;
                gated_update_backward(
                    &mut d_new[here.clone()],
                    &tape.open[here.clone()],
                    &x[numbers..],
                    &tape.new[here.clone()],
                    &mut d_before[here.clone()],
                    &mut d_score[here],
                );
            }
            let heard = Mat::new(&tape.gate, rows, width).columns(h..2 * h);
            let d_score_mat = Mat::new(d_score, rows, h);
            add_product(output.mat_mut(lane), heard.t(), d_score_mat);
            add_row_sum(bias.of_mut(lane), d_score);
            product(
                MatMut::new(d_heard, rows, width).columns(h..2 * h),
                d_score_mat,
                output.turned(self.turned),
            );
        }
        if let Some([scale, offset]) = maps.norm {
            let learnt = row.sized(2 * h);
            let (of_scale, of_offset) = learnt.split_at_mut(h);
            of_scale.copy_from_slice(scale.of(lane));
            of_offset.copy_from_slice(offset.of(lane));
            layer_norm_backward(
                d_new,
                &tape.normal,
                &tape.spread,
                self.slot(scale),
                of_scale,
                of_offset,
            );
            scale.of_mut(lane).copy_from_slice(of_scale);
            offset.of_mut(lane).copy_from_slice(of_offset);
        }
        for (d_heard, d_new) in d_heard.chunks_exact_mut(width).zip(d_new.chunks_exact(h)) {
            d_heard[..h].copy_from_slice(d_new);
        }
        if self.plan.processor.linear {
            for (d, heard) in d_heard.chunks_exact_mut(width).zip(tape.gate.chunks_exact(width)) {
                relu_backward(&mut d[h..], &heard[h..]);
            }
        } else {
            relu_backward(d_heard, &tape.gate);
        }
        let skip = self.plan.column(StepPart::Skip);
        for (d_y, d) in d_y.chunks_exact_mut(maps.node.cols).zip(d_heard.chunks_exact(width)) {
            d_y[skip..skip + width].copy_from_slice(d);
        }
        let d_heard = Mat::new(d_heard, rows, width);
        let inbox = Mat::new(&tape.inbox, rows, h);
        add_product(maps.inbox.mat_mut(lane), inbox.t(), d_heard);
        let d_inbox = d_inbox.sized(rows * h);
        product(MatMut::new(d_inbox, rows, h), d_heard, maps.inbox.turned(self.turned));
    }

    /// Back through aggregation and messages: from `d_inbox` to `d_y` and the numbers of edges.
    fn hear_back(
        &self,
        rows: usize,
        step: &StepTape,
        tape: &RoundTape,
        scratch: &mut Scratch,
        learnt_edges: usize,
        lane: &mut [f32],
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
            taken,
            taken_rows,
            taken_chosen,
            ..
        } = scratch;
        // Messages that nobody took have no gradient, so nothing is done for them.
        let chosen = taken_chosen.sized(rows * h);
        let heard = if aggregate.selects() {
            chosen.copy_from_slice(&tape.chosen[..rows * h]);
            taken.retain_selected(&step.heard, chosen, h, taken_rows);
            &*taken
        } else {
            &step.heard
        };
        let mut of_temperature = 0.0;
        for tile in heard.tiles(rows, TILE) {
            let of = tile.rows();
            let (count, span) = (of.len(), of.start * h..of.end * h);
            let receivers = tile.receivers.start * h..tile.receivers.end * h;
            let outputs = Selection {
                selected: &chosen[receivers.clone()],
                gradient: &d_inbox[receivers.clone()],
            };
            let ends = self.endpoints(tape, rows);
            let edges = PairMap { features: self.pairs(step), weights: self.slot(maps.edge) };
            // The gradient of what met becomes that of every end of a message.
            let d_met = first.sized(count * h);
            let mut spread = |d: &mut [f32]| {
                of_temperature += aggregate.backward(
                    tape.messages.get(span.clone()).unwrap_or_default(),
                    &tile,
                    &d_inbox[receivers.clone()],
                    d,
                );
            };
            match maps.layers {
                None if aggregate.selects() => scatter_to_selected(&tile, outputs, d_met),
                None => spread(d_met),
                Some([weights, bias, second_weights, second_bias]) => {
                    let d_active = second.sized(count * h);
                    let of_bias = second_bias.of_mut(lane);
                    aggregate.bias_backward(&tile, outputs, of_bias);
                    let active = if aggregate.selects() {
                        let active = third.sized(count * h);
                        let rows = &taken_rows[of.clone()];
                        for (active, &row) in active.chunks_exact_mut(h).zip(rows) {
                            active.copy_from_slice(&tape.active[row as usize * h..][..h]);
                        }
                        d_active.fill(0.0);
                        selected_linear_backward(
                            &tile,
                            outputs,
                            WithGradient {
                                values: self.slot(second_weights),
                                gradient: second_weights.of_mut(lane),
                            },
                            WithGradient { values: active, gradient: d_active },
                        );
                        &*active
                    } else {
                        let active = &tape.active[span.clone()];
                        let d_message = third.sized(count * h);
                        spread(d_message);
                        let d_message = Mat::new(d_message, count, h);
                        let inputs = Mat::new(active, count, h);
                        add_product(second_weights.mat_mut(lane), d_message.t(), inputs);
                        let weights = second_weights.mat(self.folded);
                        product(MatMut::new(d_active, count, h), d_message, weights);
                        active
                    };
                    relu_backward(d_active, active);
                    add_row_sum(bias.of_mut(lane), d_active);
                    let met = third.sized(count * h);
                    gather_sum(met, &tile, ends, edges, true);
                    let d_active = Mat::new(d_active, count, h);
                    add_product(weights.mat_mut(lane), Mat::new(met, count, h).t(), d_active);
                    product(MatMut::new(d_met, count, h), d_active, weights.turned(self.turned));
                    relu_backward(d_met, met);
                }
            }
            let map = (maps.edge, self.slot(maps.edge));
            let mut numbers = Plan::pairs_back(self.pairs(step), map, lane, d_edge, learnt_edges);
            let gradient = MatMut::new(d_y, rows, maps.node.cols);
            let ends = EndpointsBackward { gradient, columns: at };
            gather_sum_backward(d_met, &tile, ends, h, &mut numbers);
        }
        if let Some(learnt) = maps.temperature {
            learnt.of_mut(lane)[0] += of_temperature;
        }
    }

    /// Back to the numbers of graphs, which every receiver heard.
    fn graph_back(&self, samples: usize, step: &StepTape, scratch: &mut Scratch, lane: &mut [f32]) {
        let (h, graph) = (self.plan.h, self.plan.step.graph);
        let (width, at) = (self.plan.step.node.cols, self.plan.column(StepPart::Receiver));
        let receivers = |sample: usize| sample * self.n..(sample + 1) * self.n;
        self.graph_map_back(&(0..samples), step, scratch, lane, graph, h, |d_y, sample, sum| {
            for row in receivers(sample) {
                add(sum, &d_y[row * width + at..][..h]);
            }
        });
    }

    /// What a map of the graph's numbers learns, if `gather` sums up a sample's gradient.
    #[expect(clippy::too_many_arguments, reason = "a map's share of everything")]
    pub(super) fn graph_map_back(
        &self,
        samples: &Range<usize>,
        step: &StepTape,
        scratch: &mut Scratch,
        lane: &mut [f32],
        map: Slot,
        width: usize,
        gather: impl Fn(&[f32], usize, &mut [f32]),
    ) {
        for sample in samples.clone() {
            let Scratch { d_y, row, d_graph, .. } = scratch;
            let sum = row.zeroed(width);
            gather(d_y, sample, sum);
            for k in 0..map.rows {
                let number = step.graph[sample * map.rows + k];
                let learnt = map.of_mut(lane)[k * width..][..width].iter_mut();
                learnt.zip(&*sum).for_each(|(learnt, d)| *learnt += number * d);
                let weights = &self.slot(map)[k * width..][..width];
                let d: f32 = weights.iter().zip(&*sum).map(|(w, d)| w * d).sum();
                d_graph[sample * map.rows + k] += d;
            }
        }
    }
}

impl Decay {
    /// Shrinks states, row by row; the way back is the same map.
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
