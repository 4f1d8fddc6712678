//! Feeding: writes the values of probes into features of nodes, edges and graphs, and turns gradients
//! of these features into gradients of the predictions that were fed back.

use narscope_clrs::kind::Activation;
use narscope_kernels::gate::sigmoids;
use narscope_kernels::sinkhorn::{self, log_sinkhorn, log_sinkhorn_backward};
use narscope_kernels::softmax::{softmax, softmax_backward};

use super::plan::{FeatureColumns, Feed, Plan};
use crate::feedback::Feedback;
use crate::postprocess::argmax;
use crate::sinkhorn::ROUNDS_IN_FEEDBACK;

/// Features of a block at one step.
pub(super) struct Features<'a> {
    pub(super) node: &'a mut [f32],
    pub(super) edge: &'a mut [f32],
    pub(super) graph: &'a mut [f32],
}

impl Features<'_> {
    /// Writes the values of a probe, `(P, C)` for each sample.
    pub(super) fn write(&mut self, feed: &Feed, values: &[f32], plan: &Plan, n: usize) {
        let (features, columns, at) = match feed.columns {
            FeatureColumns::Node(at) => (&mut *self.node, plan.node.count, at),
            FeatureColumns::Edge(at) => (&mut *self.edge, plan.edge.count, at),
            FeatureColumns::Graph(at) => (&mut *self.graph, plan.graph.count, at),
            FeatureColumns::EdgePointer(at) => {
                return self.write_pairs(at, values, plan.edge.count, n);
            }
        };
        let rows = features.chunks_exact_mut(columns);
        for (row, values) in rows.zip(values.chunks_exact(feed.width)) {
            row[at..at + feed.width].copy_from_slice(values);
        }
    }

    /// The pointer of pair `(i, j)` to `k` adds to a feature of `(j, k)` and to one of `(i, k)`.
    fn write_pairs(&mut self, at: usize, values: &[f32], columns: usize, n: usize) {
        let share = 1.0 / n as f32;
        for (sample, cube) in values.chunks_exact(n * n * n).enumerate() {
            let edge = &mut self.edge[sample * n * n * columns..][..n * n * columns];
            edge.chunks_exact_mut(columns).for_each(|row| row[at..at + 2].fill(0.0));
            for (pair, to) in cube.chunks_exact(n).enumerate() {
                let (i, j) = (pair / n, pair % n);
                for (k, value) in to.iter().enumerate() {
                    edge[(j * n + k) * columns + at] += value * share;
                    edge[(i * n + k) * columns + at + 1] += value * share;
                }
            }
        }
    }

    /// Backward pass of [`write`](Self::write): reads the gradient of a probe's values.
    pub(super) fn read(&self, feed: &Feed, values: &mut [f32], plan: &Plan, n: usize) {
        let (features, columns, at) = match feed.columns {
            FeatureColumns::Node(at) => (&*self.node, plan.node.count, at),
            FeatureColumns::Edge(at) => (&*self.edge, plan.edge.count, at),
            FeatureColumns::Graph(at) => (&*self.graph, plan.graph.count, at),
            FeatureColumns::EdgePointer(at) => {
                return self.read_pairs(at, values, plan.edge.count, n);
            }
        };
        let rows = features.chunks_exact(columns);
        for (row, values) in rows.zip(values.chunks_exact_mut(feed.width)) {
            values.copy_from_slice(&row[at..at + feed.width]);
        }
    }

    fn read_pairs(&self, at: usize, values: &mut [f32], columns: usize, n: usize) {
        let share = 1.0 / n as f32;
        for (sample, cube) in values.chunks_exact_mut(n * n * n).enumerate() {
            let edge = &self.edge[sample * n * n * columns..][..n * n * columns];
            for (pair, to) in cube.chunks_exact_mut(n).enumerate() {
                let (i, j) = (pair / n, pair % n);
                for (k, value) in to.iter_mut().enumerate() {
                    let by_first = edge[(j * n + k) * columns + at];
                    let by_second = edge[(i * n + k) * columns + at + 1];
                    *value = (by_first + by_second) * share;
                }
            }
        }
    }
}

/// Links the pairs that a probe marks as edges.
// Parity: soft masks are never 0, so feeding them back links everything with everything.
pub(super) fn link(feed: &Feed, values: &[f32], n: usize, links: &mut [u8]) {
    let Some(threshold) = feed.link_threshold else { return };
    for (values, links) in values.chunks_exact(n * n).zip(links.chunks_exact_mut(n * n)) {
        for i in 0..n {
            for j in 0..n {
                links[i * n + j] |= u8::from(values[i * n + j] + values[j * n + i] > threshold);
            }
        }
    }
}

/// Postprocesses a prediction that is fed back, in place.
pub(super) fn read_prediction(
    feedback: Feedback,
    feed: &Feed,
    raw: &mut [f32],
    n: usize,
    scratch: &mut sinkhorn::Scratch,
) {
    let width = feed.probe.choices(n);
    match (feed.probe.kind.info().activation, feedback) {
        (Activation::Identity, _) => {}
        (Activation::Sigmoid, Feedback::Soft) => sigmoids(raw),
        (Activation::Sigmoid, Feedback::Hard) => {
            for x in raw.iter_mut() {
                *x = f32::from(*x > 0.0);
            }
        }
        (Activation::Softmax, Feedback::Soft) => softmax(raw, width),
        (Activation::Softmax, Feedback::Hard) => {
            raw.chunks_exact_mut(width).for_each(one_hot_argmax);
        }
        (Activation::Sinkhorn, _) => {
            for square in raw.chunks_exact_mut(n * n) {
                log_sinkhorn(square, n, ROUNDS_IN_FEEDBACK, scratch);
                for x in square {
                    *x = x.exp();
                }
            }
            if feedback == Feedback::Hard {
                raw.chunks_exact_mut(width).for_each(one_hot_argmax);
            }
        }
    }
}

/// Backward pass of [`read_prediction`] with soft feedback: turns the gradient of the postprocessed
/// prediction `read` into that of the `raw` one.
pub(super) fn read_prediction_backward(
    feed: &Feed,
    gradient: &mut [f32],
    raw: &[f32],
    read: &[f32],
    n: usize,
    scratch: &mut sinkhorn::Scratch,
) {
    match feed.probe.kind.info().activation {
        Activation::Identity => {}
        Activation::Sigmoid => {
            for (d, p) in gradient.iter_mut().zip(read) {
                *d *= p * (1.0 - p);
            }
        }
        Activation::Sinkhorn => {
            for (d, p) in gradient.iter_mut().zip(read) {
                *d *= p;
            }
            for (d, raw) in gradient.chunks_exact_mut(n * n).zip(raw.chunks_exact(n * n)) {
                log_sinkhorn_backward(d, raw, n, ROUNDS_IN_FEEDBACK, scratch);
            }
        }
        Activation::Softmax => softmax_backward(gradient, read, feed.probe.choices(n)),
    }
}

/// 1 at the first maximum, 0 elsewhere.
fn one_hot_argmax(scores: &mut [f32]) {
    let best = argmax(scores);
    scores.fill(0.0);
    scores[best] = 1.0;
}
