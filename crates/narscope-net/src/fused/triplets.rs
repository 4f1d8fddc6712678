//! Triplets: edge states of the processor.

use std::ops::Range;

use narscope_kernels::matrix::{Mat, MatMut, add_product, product};
use narscope_kernels::messages::{add_bias_relu, add_row_sum, relu_backward};
use narscope_kernels::pairs::{
    Endpoints, EndpointsBackward, PairMap, Sample, pair_sums, pair_sums_backward,
};
use narscope_kernels::triplets::{Size, triplet_max, triplet_max_backward};

use super::fold::add;
use super::plan::{Plan, StepPart, TripletMaps};
use super::step::Step;
use super::tape::{RoundTape, Scratch, StepTape};

impl Step<'_> {
    fn triplet_maps(&self) -> &TripletMaps {
        self.plan.step.triplets.as_ref().expect("the processor has triplets")
    }

    /// Computes edge states, sample by sample.
    pub(super) fn triplets(
        &self,
        samples: &Range<usize>,
        step: &mut StepTape,
        tape: &RoundTape,
        scratch: &mut Scratch,
        keep: bool,
    ) {
        let (n, h, f, maps) = (self.n, self.plan.h, self.plan.f, self.triplet_maps());
        let (square, width) = (n * n * f, self.plan.step.node.cols);
        let (first, rows) = (samples.start * n * n, samples.len() * n * n);
        step.pair.sized((first + rows) * f);
        if keep {
            step.argmax.sized((first + rows) * f);
        }
        let map = |i: usize| maps.edge[i].of(self.folded);
        for sample in samples.clone() {
            let at = Sample { start: sample * n, n };
            let y = Mat::new(&tape.y[sample * n * width..], n, width);
            let end = |i: usize| {
                let at = self.plan.column(StepPart::Triplet(i));
                y.columns(at..at + f)
            };
            let pairs = self.plan.pairs(&step.edge, n);
            let Scratch { first, second, third, row, values, .. } = scratch;
            // Rows of zeros for endpoints without a term.
            let zeros = values.zeroed(n * f);
            let zeros = Mat::new(zeros, n, f);
            let edges = |i: usize| PairMap { features: pairs, weights: map(i) };
            let first = first.sized(square);
            let ends = Endpoints { first: end(0), second: zeros };
            pair_sums(first, ends, edges(0), None, at);
            let second = second.sized(square);
            let ends = Endpoints { first: zeros, second: zeros };
            pair_sums(second, ends, edges(1), None, at);
            let max = third.sized(square);
            let argmax = keep.then(|| &mut step.argmax[sample * square..][..square]);
            triplet_max(first, second, Size { n, f }, max, argmax, row);
            let pair = &mut step.pair[sample * square..][..square];
            let edge_states = Some(Mat::new(max, n * n, f));
            let ends = Endpoints { first: end(1), second: end(2) };
            pair_sums(pair, ends, edges(2), edge_states, at);
            let graph = &step.graph[sample * maps.graph.rows..][..maps.graph.rows];
            for (&feature, row) in graph.iter().zip(maps.graph.of(self.folded).chunks_exact(f)) {
                for pair in pair.chunks_exact_mut(f) {
                    pair.iter_mut().zip(row).for_each(|(pair, x)| *pair += feature * x);
                }
            }
        }
        let edge_states = &mut step.edge_states.sized((first + rows) * h)[first * h..];
        product(
            MatMut::new(edge_states, rows, h),
            Mat::new(&step.pair[first * f..], rows, f),
            maps.output.mat(self.folded),
        );
        add_bias_relu(edge_states, maps.output_bias.of(self.folded));
    }

    /// Backward pass: from `d_edge_states` to `d_y` and the features of edges and graphs.
    pub(super) fn triplets_backward(
        &self,
        samples: &Range<usize>,
        step: &StepTape,
        scratch: &mut Scratch,
        trainable_edges: usize,
        partial: &mut [f32],
    ) {
        let (n, h, f, maps) = (self.n, self.plan.h, self.plan.f, self.triplet_maps());
        let (square, width) = (n * n * f, self.plan.step.node.cols);
        let (first, rows) = (samples.start * n * n, samples.len() * n * n);
        let d_edge_states = &mut scratch.d_edge_states[first * h..][..rows * h];
        relu_backward(d_edge_states, &step.edge_states[first * h..]);
        add_row_sum(maps.output_bias.of_mut(partial), d_edge_states);
        let d_edge_states = Mat::new(d_edge_states, rows, h);
        let pair = Mat::new(&step.pair[first * f..], rows, f);
        add_product(maps.output.mat_mut(partial), pair.t(), d_edge_states);
        let d_pair = scratch.values.sized(rows * f);
        product(
            MatMut::new(d_pair, rows, f),
            d_edge_states,
            maps.output.transposed(self.transposed),
        );

        let column = |i: usize| self.plan.column(StepPart::Triplet(i));
        for sample in samples.clone() {
            let at = Sample { start: sample * n, n };
            let Scratch { first, second, third, d_y, d_edge, values: d_pair, .. } = scratch;
            let d_pair = &d_pair[(sample - samples.start) * square..][..square];
            let d_first = first.zeroed(square);
            let d_second = second.zeroed(square);
            let argmax = &step.argmax[sample * square..][..square];
            triplet_max_backward(d_pair, argmax, Size { n, f }, d_first, d_second);
            let mut backward = |i: usize, d: &[f32], y: &mut [f32], width: usize, columns| {
                let mut map_backward = Plan::pair_map_backward(
                    self.pairs(step),
                    maps.edge[i],
                    maps.edge[i].of(self.folded),
                    partial,
                    d_edge,
                    trainable_edges,
                );
                let ends = EndpointsBackward { gradient: MatMut::new(y, n, width), columns };
                pair_sums_backward(d, ends, &mut map_backward, None, at);
            };
            // Gradients of endpoints without a term are discarded.
            let discarded = third.sized(n * 2 * f);
            backward(1, d_second, discarded, 2 * f, [0, f]);
            discarded.fill(0.0);
            backward(0, d_first, discarded, 2 * f, [0, f]);
            let y = &mut d_y[sample * n * width..][..n * width];
            for (y, d) in y.chunks_exact_mut(width).zip(discarded.chunks_exact(2 * f)) {
                add(&mut y[column(0)..][..f], &d[..f]);
            }
            backward(2, d_pair, y, width, [column(1), column(2)]);
        }
        // Graph features reach every pair, so their gradient is the sum over pairs.
        let d_pair = std::mem::take(&mut scratch.values);
        self.graph_map_backward(
            samples,
            step,
            scratch,
            partial,
            maps.graph,
            f,
            |_, sample, sum| {
                let index = sample - samples.start;
                for pair in d_pair[index * square..][..square].chunks_exact(f) {
                    add(sum, pair);
                }
            },
        );
        scratch.values = d_pair;
    }
}
