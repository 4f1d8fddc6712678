//! Triplets: what the processor says of pairs of nodes.

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
        self.plan.step.triplets.as_ref().expect("triplets are asked for")
    }

    /// What pairs hear, sample by sample.
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
            step.third.sized((first + rows) * f);
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
            // The node that the maximum is taken over says the same to every second node.
            let nothing = values.zeroed(n * f);
            let nothing = Mat::new(nothing, n, f);
            let edges = |i: usize| PairMap { features: pairs, weights: map(i) };
            let first = first.sized(square);
            let ends = Endpoints { first: end(0), second: nothing };
            pair_sums(first, ends, edges(0), None, at);
            let second = second.sized(square);
            let ends = Endpoints { first: nothing, second: nothing };
            pair_sums(second, ends, edges(1), None, at);
            let most = third.sized(square);
            let chosen = keep.then(|| &mut step.third[sample * square..][..square]);
            triplet_max(first, second, Size { n, f }, most, chosen, row);
            let pair = &mut step.pair[sample * square..][..square];
            let processed = Some(Mat::new(most, n * n, f));
            let ends = Endpoints { first: end(1), second: end(2) };
            pair_sums(pair, ends, edges(2), processed, at);
            let graph = &step.graph[sample * maps.graph.rows..][..maps.graph.rows];
            for (&number, said) in graph.iter().zip(maps.graph.of(self.folded).chunks_exact(f)) {
                for pair in pair.chunks_exact_mut(f) {
                    pair.iter_mut().zip(said).for_each(|(pair, said)| *pair += number * said);
                }
            }
        }
        let processed = &mut step.processed.sized((first + rows) * h)[first * h..];
        product(
            MatMut::new(processed, rows, h),
            Mat::new(&step.pair[first * f..], rows, f),
            maps.output.mat(self.folded),
        );
        add_bias_relu(processed, maps.output_bias.of(self.folded));
    }

    /// The way back: from `d_processed` to `d_y` and the numbers of edges and graphs.
    pub(super) fn triplets_back(
        &self,
        samples: &Range<usize>,
        step: &StepTape,
        scratch: &mut Scratch,
        learnt_edges: usize,
        lane: &mut [f32],
    ) {
        let (n, h, f, maps) = (self.n, self.plan.h, self.plan.f, self.triplet_maps());
        let (square, width) = (n * n * f, self.plan.step.node.cols);
        let (first, rows) = (samples.start * n * n, samples.len() * n * n);
        let d_processed = &mut scratch.d_processed[first * h..][..rows * h];
        relu_backward(d_processed, &step.processed[first * h..]);
        add_row_sum(maps.output_bias.of_mut(lane), d_processed);
        let d_processed = Mat::new(d_processed, rows, h);
        let pair = Mat::new(&step.pair[first * f..], rows, f);
        add_product(maps.output.mat_mut(lane), pair.t(), d_processed);
        let d_pair = scratch.values.sized(rows * f);
        product(MatMut::new(d_pair, rows, f), d_processed, maps.output.turned(self.turned));

        let column = |i: usize| self.plan.column(StepPart::Triplet(i));
        for sample in samples.clone() {
            let at = Sample { start: sample * n, n };
            let Scratch { first, second, third, d_y, d_edge, values: d_pair, .. } = scratch;
            let d_pair = &d_pair[(sample - samples.start) * square..][..square];
            let d_first = first.zeroed(square);
            let d_second = second.zeroed(square);
            let chosen = &step.third[sample * square..][..square];
            triplet_max_backward(d_pair, chosen, Size { n, f }, d_first, d_second);
            let mut back = |i: usize, d: &[f32], y: &mut [f32], width: usize, columns| {
                let map = (maps.edge[i], maps.edge[i].of(self.folded));
                let mut numbers =
                    Plan::pairs_back(self.pairs(step), map, lane, d_edge, learnt_edges);
                let ends = EndpointsBackward { gradient: MatMut::new(y, n, width), columns };
                pair_sums_backward(d, ends, &mut numbers, None, at);
            };
            // What is not said by a node leads nowhere.
            let nowhere = third.sized(n * 2 * f);
            back(1, d_second, nowhere, 2 * f, [0, f]);
            nowhere.fill(0.0);
            back(0, d_first, nowhere, 2 * f, [0, f]);
            let y = &mut d_y[sample * n * width..][..n * width];
            for (y, said) in y.chunks_exact_mut(width).zip(nowhere.chunks_exact(2 * f)) {
                add(&mut y[column(0)..][..f], &said[..f]);
            }
            back(2, d_pair, y, width, [column(1), column(2)]);
        }
        // The sum of a sample's pairs is what its graph said.
        let d_pair = std::mem::take(&mut scratch.values);
        self.graph_map_back(samples, step, scratch, lane, maps.graph, f, |_, sample, sum| {
            let place = sample - samples.start;
            for pair in d_pair[place * square..][..square].chunks_exact(f) {
                add(sum, pair);
            }
        });
        scratch.values = d_pair;
    }
}
