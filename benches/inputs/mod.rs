//! Inputs of both benchmarks: every kernel at the sizes of training (a block of 8 samples of 16
//! nodes, 128 channels), on one thread, with all buffers allocated.

use narscope_kernels::aggregate::{
    Aggregate, Selection, scatter_to_selected, selected_linear_backward,
};
use narscope_kernels::gate::{gated_update, gated_update_backward};
use narscope_kernels::incoming::Incoming;
use narscope_kernels::matrix::{Mat, MatMut, add_product, configure_gemm, product};
use narscope_kernels::messages::{add_bias_relu, gather_sum, gather_sum_backward, relu_backward};
use narscope_kernels::norm::{layer_norm, layer_norm_backward};
use narscope_kernels::pairs::{
    Endpoints, EndpointsBackward, PairFeatures, PairMap, PairMapBackward, Sample, pair_sums,
    pair_sums_backward,
};
use narscope_kernels::pointer::{
    Candidates, channel_weights_backward, node_scores, node_scores_backward, pair_scores,
    pair_scores_backward,
};
use narscope_kernels::sinkhorn::{Scratch, log_sinkhorn, log_sinkhorn_backward};
use narscope_kernels::softmax::{cross_entropy, softmax};
use narscope_kernels::triplets::{Size, triplet_max, triplet_max_backward};
use narscope_kernels::{Buffer, WithGradient};

pub(crate) const SAMPLES: usize = 8;
pub(crate) const N: usize = 16;
pub(crate) const H: usize = 128;
pub(crate) const F: usize = 8;
pub(crate) const K: usize = 6;
pub(crate) const ROWS: usize = SAMPLES * N;
/// Messages of a tile.
pub(crate) const TILE: usize = 512;
/// Receivers of a tile.
const RECEIVERS: usize = TILE / N;

/// Pseudorandom values between -1 and 1.
fn random(count: usize) -> Buffer {
    let value = |i| (i as f32 * 12.9898).sin() * 43758.547 % 1.0;
    (0..count).map(value).collect()
}

fn zeros<T: Copy + Default>(count: usize) -> Buffer<T> {
    std::iter::repeat_n(T::default(), count).collect()
}

/// A product of rows and a square layer.
pub(crate) struct Product {
    rows: usize,
    x: Buffer,
    layer: Buffer,
    out: Buffer,
    layer_gradient: Buffer,
}

impl Product {
    pub(crate) fn new(rows: usize) -> Self {
        let (x, layer) = (random(rows * H), random(H * H));
        let mut inputs =
            Self { rows, x, layer, out: zeros(rows * H), layer_gradient: zeros(H * H) };
        configure_gemm();
        // The first product detects caches and instruction set.
        inputs.product();
        inputs
    }

    pub(crate) fn product(&mut self) {
        let Self { rows, x, layer, out, .. } = self;
        product(MatMut::new(out, *rows, H), Mat::new(x, *rows, H), Mat::new(layer, H, H));
    }

    pub(crate) fn gradient_of_layer(&mut self) {
        let Self { rows, x, out, layer_gradient, .. } = self;
        let (x, d) = (Mat::new(x, *rows, H), Mat::new(out, *rows, H));
        add_product(MatMut::new(layer_gradient, H, H), x.t(), d);
    }
}

/// Messages of a tile, forward and backward.
#[expect(clippy::struct_field_names, reason = "the names of the kernel's arguments")]
pub(crate) struct Messages {
    incoming: Incoming,
    y: Buffer,
    edges: Buffer,
    map: Buffer,
    bias: Buffer,
    layer: Buffer,
    messages: Buffer,
    rectified: Buffer,
    out: Buffer,
    selected: Buffer<u32>,
    out_gradient: Buffer,
    gradient: Buffer,
    y_gradient: Buffer,
    map_gradient: Buffer,
    edges_gradient: Buffer,
    layer_gradient: Buffer,
}

impl Messages {
    pub(crate) fn new() -> Self {
        let mut incoming = Incoming::default();
        incoming.fill(SAMPLES, N, |_, _| true);
        let mut inputs = Self {
            incoming,
            y: random(ROWS * 2 * H),
            edges: random(ROWS * N * K),
            map: random(K * H),
            bias: random(H),
            layer: random(H * H),
            messages: zeros(TILE * H),
            rectified: random(TILE * H),
            out: zeros(RECEIVERS * H),
            selected: zeros(RECEIVERS * H),
            out_gradient: random(RECEIVERS * H),
            gradient: random(TILE * H),
            y_gradient: zeros(ROWS * 2 * H),
            map_gradient: zeros(K * H),
            edges_gradient: zeros(ROWS * N * K),
            layer_gradient: zeros(H * H),
        };
        inputs.gather_sum();
        inputs.aggregate(Aggregate::Max);
        inputs
    }

    pub(crate) fn gather_sum(&mut self) {
        let y = Mat::new(&self.y, ROWS, 2 * H);
        let ends = Endpoints { first: y.columns(0..H), second: y.columns(H..2 * H) };
        let map = pair_map(&self.edges, &self.map);
        gather_sum(&mut self.messages, &self.incoming.tile(0..RECEIVERS), ends, map, true);
    }

    pub(crate) fn gather_sum_backward(&mut self) {
        let mut map = PairMapBackward {
            map: pair_map(&self.edges, &self.map),
            weights_gradient: &mut self.map_gradient,
            features_gradient: &mut self.edges_gradient,
            trainable_from: K / 2,
        };
        let gradient = MatMut::new(&mut self.y_gradient, ROWS, 2 * H);
        let ends = EndpointsBackward { gradient, columns: [0, H] };
        let tile = self.incoming.tile(0..RECEIVERS);
        gather_sum_backward(&self.gradient, &tile, ends, H, &mut map);
    }

    pub(crate) fn add_bias_relu(&mut self) {
        add_bias_relu(&mut self.rectified, &self.bias);
    }

    pub(crate) fn relu_backward(&mut self) {
        relu_backward(&mut self.gradient, &self.messages);
    }

    pub(crate) fn aggregate(&mut self, aggregate: Aggregate) {
        let Self { incoming, messages, bias, out, selected, .. } = self;
        aggregate.forward(messages, bias, &incoming.tile(0..RECEIVERS), out, selected);
    }

    pub(crate) fn aggregate_backward(&mut self, aggregate: Aggregate) {
        let Self { incoming, messages, out_gradient, gradient, .. } = self;
        aggregate.backward(messages, &incoming.tile(0..RECEIVERS), out_gradient, gradient);
    }

    pub(crate) fn scatter_to_selected(&mut self) {
        let outputs = Selection { selected: &self.selected, gradient: &self.out_gradient };
        scatter_to_selected(&self.incoming.tile(0..RECEIVERS), outputs, &mut self.gradient);
    }

    pub(crate) fn selected_linear_backward(&mut self) {
        let outputs = Selection { selected: &self.selected, gradient: &self.out_gradient };
        let layer = WithGradient { values: &self.layer, gradient: &mut self.layer_gradient };
        let inputs = WithGradient { values: &self.messages, gradient: &mut self.gradient };
        selected_linear_backward(&self.incoming.tile(0..RECEIVERS), outputs, layer, inputs);
    }
}

/// The map of edge features.
fn pair_map<'a>(edges: &'a [f32], weights: &'a [f32]) -> PairMap<'a> {
    PairMap { features: PairFeatures::new(edges, N, K), weights }
}

const SAMPLE: Sample = Sample { start: 0, n: N };

/// Pointers of one sample, forward and backward.
pub(crate) struct Pointers {
    y: Buffer,
    edges: Buffer,
    map: Buffer,
    weights: Buffer,
    zeros: Buffer,
    row: Buffer,
    scores: Buffer,
    wins: Buffer<u8>,
    pair: Buffer,
    pair_scores: Buffer,
    columns: Buffer,
    y_gradient: Buffer,
    map_gradient: Buffer,
    edges_gradient: Buffer,
    pair_gradient: Buffer,
}

impl Pointers {
    pub(crate) fn new() -> Self {
        let mut inputs = Self {
            y: random(N * 2 * H),
            edges: random(N * N * K),
            map: random(K * H),
            weights: random(H),
            zeros: zeros(H),
            row: zeros(H),
            scores: zeros(N * N),
            wins: zeros(N * N * H),
            pair: random(N * N * H),
            pair_scores: zeros(N * N * N),
            columns: Buffer::default(),
            y_gradient: zeros(N * 2 * H),
            map_gradient: zeros(K * H),
            edges_gradient: zeros(N * N * K),
            pair_gradient: zeros(N * N * H),
        };
        inputs.node_scores();
        inputs.pair_scores();
        inputs
    }

    pub(crate) fn node_scores(&mut self) {
        let y = Mat::new(&self.y, N, 2 * H);
        let candidates = Candidates {
            from: y.columns(0..H),
            to: y.columns(H..2 * H),
            map: pair_map(&self.edges, &self.map),
            edge_states: None,
            weights: &self.weights,
            zeros: &self.zeros,
        };
        let wins = Some(&mut self.wins[..]);
        node_scores(&candidates, SAMPLE, 0.0, &mut self.scores, wins, &mut self.row);
    }

    pub(crate) fn node_scores_backward(&mut self) {
        let mut map = PairMapBackward {
            map: pair_map(&self.edges, &self.map),
            weights_gradient: &mut self.map_gradient,
            features_gradient: &mut self.edges_gradient,
            trainable_from: K / 2,
        };
        let gradient = MatMut::new(&mut self.y_gradient, N, 2 * H);
        let ends = EndpointsBackward { gradient, columns: [0, H] };
        let row = self.row.sized(H);
        node_scores_backward(&self.scores, &self.wins, SAMPLE, ends, &mut map, None, row);
    }

    pub(crate) fn pair_sums(&mut self) {
        let y = Mat::new(&self.y, N, 2 * H);
        let ends = Endpoints { first: y.columns(0..H), second: y.columns(H..2 * H) };
        pair_sums(&mut self.pair, ends, pair_map(&self.edges, &self.map), None, SAMPLE);
    }

    pub(crate) fn pair_sums_backward(&mut self) {
        let mut map = PairMapBackward {
            map: pair_map(&self.edges, &self.map),
            weights_gradient: &mut self.map_gradient,
            features_gradient: &mut self.edges_gradient,
            trainable_from: K / 2,
        };
        let gradient = MatMut::new(&mut self.y_gradient, N, 2 * H);
        let ends = EndpointsBackward { gradient, columns: [0, H] };
        pair_sums_backward(&self.pair, ends, &mut map, None, SAMPLE);
    }

    pub(crate) fn channel_weights_backward(&mut self) {
        let Self { y, y_gradient, weights, row, .. } = self;
        let values = Mat::new(y, N, 2 * H).columns(0..H);
        let gradient = MatMut::new(y_gradient, N, 2 * H).columns(0..H);
        channel_weights_backward(values, gradient, N, weights, row);
    }

    pub(crate) fn softmax(&mut self) {
        softmax(&mut self.scores, N);
    }

    pub(crate) fn cross_entropy(&mut self) {
        let rows = self.scores.chunks_exact(N).zip(self.pair_scores.chunks_exact_mut(N));
        for (scores, gradient) in rows {
            cross_entropy(scores, 3, 0.5, gradient);
        }
    }

    pub(crate) fn pair_scores(&mut self) {
        let Self { y, pair, weights, pair_scores: scores, columns, .. } = self;
        let to = Mat::new(y, N, 2 * H).columns(0..H);
        pair_scores(pair, to, weights, 0.0, N, scores, columns);
    }

    pub(crate) fn pair_scores_backward(&mut self) {
        let Self { y, pair, pair_scores: scores, y_gradient, pair_gradient, .. } = self;
        let to = Mat::new(y, N, 2 * H).columns(0..H);
        let to_gradient = MatMut::new(y_gradient, N, 2 * H).columns(0..H);
        pair_scores_backward(scores, pair, to, N, pair_gradient, to_gradient);
    }
}

/// Squares of one sample: triplets and the Sinkhorn iteration.
pub(crate) struct Squares {
    n: usize,
    first: Buffer,
    second: Buffer,
    out: Buffer,
    argmax: Buffer<u32>,
    scratch: Buffer,
    first_gradient: Buffer,
    second_gradient: Buffer,
    square: Buffer,
    square_gradient: Buffer,
    sinkhorn: Scratch,
}

impl Squares {
    pub(crate) fn new(n: usize) -> Self {
        let count = n * n * F;
        let mut inputs = Self {
            n,
            first: random(count),
            second: random(count + 1)[1..].iter().copied().collect(),
            out: zeros(count),
            argmax: zeros(count),
            scratch: Buffer::default(),
            first_gradient: zeros(count),
            second_gradient: zeros(count),
            square: random(n * n),
            square_gradient: random(n * n),
            sinkhorn: Scratch::default(),
        };
        inputs.triplet_max();
        inputs
    }

    pub(crate) fn triplet_max(&mut self) {
        let Self { n, first, second, out, argmax, scratch, .. } = self;
        triplet_max(first, second, Size { n: *n, f: F }, out, Some(argmax), scratch);
    }

    pub(crate) fn triplet_max_backward(&mut self) {
        let Self { n, out, argmax, first_gradient, second_gradient, .. } = self;
        let size = Size { n: *n, f: F };
        triplet_max_backward(out, argmax, size, first_gradient, second_gradient);
    }

    pub(crate) fn log_sinkhorn(&mut self) {
        log_sinkhorn(&mut self.square, self.n, 10, &mut self.sinkhorn);
    }

    pub(crate) fn log_sinkhorn_backward(&mut self) {
        let Self { n, square, square_gradient, sinkhorn, .. } = self;
        log_sinkhorn_backward(square_gradient, square, *n, 10, sinkhorn);
    }
}

/// States of a block before and after a layer norm.
pub(crate) struct Norm {
    x: Buffer,
    scale: Buffer,
    offset: Buffer,
    out: Buffer,
    normalised: Buffer,
    inverse_std: Buffer,
    scale_gradient: Buffer,
    offset_gradient: Buffer,
}

impl Norm {
    pub(crate) fn new() -> Self {
        Self {
            x: random(ROWS * H),
            scale: random(H),
            offset: random(H),
            out: zeros(ROWS * H),
            normalised: zeros(ROWS * H),
            inverse_std: zeros(ROWS),
            scale_gradient: zeros(H),
            offset_gradient: zeros(H),
        }
    }

    pub(crate) fn layer_norm(&mut self) {
        let Self { x, scale, offset, out, normalised, inverse_std, .. } = self;
        layer_norm(x, scale, offset, out, normalised, inverse_std);
    }

    pub(crate) fn layer_norm_backward(&mut self) {
        let Self { out, scale, normalised, inverse_std, scale_gradient, offset_gradient, .. } =
            self;
        layer_norm_backward(out, normalised, inverse_std, scale, scale_gradient, offset_gradient);
    }
}

/// States of a block and their gate.
#[expect(clippy::struct_field_names, reason = "the names of the kernel's arguments")]
pub(crate) struct Gate {
    gate: Buffer,
    bias: Buffer,
    old: Buffer,
    new: Buffer,
    state: Buffer,
    gradient: Buffer,
    old_gradient: Buffer,
    score_gradient: Buffer,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self {
            gate: random(ROWS * H),
            bias: random(H),
            old: random(ROWS * H),
            new: random(ROWS * H),
            state: zeros(ROWS * H),
            gradient: random(ROWS * H),
            old_gradient: zeros(ROWS * H),
            score_gradient: zeros(ROWS * H),
        }
    }

    pub(crate) fn gated_update(&mut self) {
        gated_update(&mut self.gate, &self.bias, &self.old, &self.new, &mut self.state);
    }

    pub(crate) fn gated_update_backward(&mut self) {
        let Self { gate, old, new, gradient, old_gradient, score_gradient, .. } = self;
        gated_update_backward(gradient, gate, old, new, old_gradient, score_gradient);
    }
}
