//! What both benchmarks run: every kernel at the sizes of training (a block of 8 samples of 16
//! nodes, 128 channels), on one thread, with everything it reads and writes at hand.

use narscope_kernels::Buffer;
use narscope_kernels::aggregate::{Aggregate, back_to_chosen, scatter_to_chosen};
use narscope_kernels::gate::{mix, mix_back};
use narscope_kernels::heard::{Heard, Pairs, PairsBack};
use narscope_kernels::matrix::{Mat, MatMut, add_product, product};
use narscope_kernels::messages::{add_and_rectify, meet, part, stop_where_cut_off};
use narscope_kernels::norm::{normalise, normalise_back};
use narscope_kernels::pointer::{
    Candidates, node_scores, node_scores_back, pair_rows, pair_rows_back, pair_scores,
    pair_scores_back, weigh,
};
use narscope_kernels::sinkhorn::{Scratch, log_sinkhorn, log_sinkhorn_back};
use narscope_kernels::softmax::{choice_loss, softmax};
use narscope_kernels::triplets::{largest, largest_back};

pub(crate) const SAMPLES: usize = 8;
pub(crate) const N: usize = 16;
pub(crate) const H: usize = 128;
pub(crate) const F: usize = 8;
pub(crate) const K: usize = 6;
pub(crate) const ROWS: usize = SAMPLES * N;
/// Messages that are made at once.
pub(crate) const TILE: usize = 512;
/// Who gets them.
const RECEIVERS: usize = TILE / N;

/// Numbers that look random.
fn numbers(count: usize) -> Buffer {
    let number = |i| (i as f32 * 12.9898).sin() * 43758.547 % 1.0;
    (0..count).map(number).collect()
}

fn zeros<T: Copy + Default>(count: usize) -> Buffer<T> {
    std::iter::repeat_n(T::default(), count).collect()
}

/// Rows times a square layer.
pub(crate) struct Product {
    rows: usize,
    x: Buffer,
    layer: Buffer,
    out: Buffer,
    layer_gradient: Buffer,
}

impl Product {
    pub(crate) fn new(rows: usize) -> Self {
        let (x, layer) = (numbers(rows * H), numbers(H * H));
        let mut inputs =
            Self { rows, x, layer, out: zeros(rows * H), layer_gradient: zeros(H * H) };
        // The first product finds out about the machine.
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

/// A tile of messages, there and back.
pub(crate) struct Messages {
    heard: Heard,
    y: Buffer,
    edges: Buffer,
    map: Buffer,
    bias: Buffer,
    layer: Buffer,
    met: Buffer,
    rectified: Buffer,
    out: Buffer,
    chosen: Buffer<u32>,
    out_gradient: Buffer,
    gradient: Buffer,
    y_gradient: Buffer,
    map_gradient: Buffer,
    edges_gradient: Buffer,
    layer_gradient: Buffer,
}

impl Messages {
    pub(crate) fn new() -> Self {
        let mut heard = Heard::default();
        heard.fill(SAMPLES, N, |_, _| true);
        let mut inputs = Self {
            heard,
            y: numbers(ROWS * 2 * H),
            edges: numbers(ROWS * N * K),
            map: numbers(K * H),
            bias: numbers(H),
            layer: numbers(H * H),
            met: zeros(TILE * H),
            rectified: numbers(TILE * H),
            out: zeros(RECEIVERS * H),
            chosen: zeros(RECEIVERS * H),
            out_gradient: numbers(RECEIVERS * H),
            gradient: numbers(TILE * H),
            y_gradient: zeros(ROWS * 2 * H),
            map_gradient: zeros(K * H),
            edges_gradient: zeros(ROWS * N * K),
            layer_gradient: zeros(H * H),
        };
        inputs.meet();
        inputs.reduce(Aggregate::Max);
        inputs
    }

    pub(crate) fn meet(&mut self) {
        let y = Mat::new(&self.y, ROWS, 2 * H);
        let ends = (y.columns(0..H), y.columns(H..2 * H));
        let edges = (Pairs::new(&self.edges, N, K), &self.map[..]);
        meet(&mut self.met, (&self.heard, 0..RECEIVERS), ends, edges, true);
    }

    pub(crate) fn part(&mut self) {
        let mut edges = PairsBack {
            pairs: Pairs::new(&self.edges, N, K),
            map: &self.map,
            map_gradient: &mut self.map_gradient,
            gradient: &mut self.edges_gradient,
            learnt_from: K / 2,
        };
        let y = (MatMut::new(&mut self.y_gradient, ROWS, 2 * H), [0, H]);
        part(&self.gradient, (&self.heard, 0..RECEIVERS), y, H, &mut edges);
    }

    pub(crate) fn add_and_rectify(&mut self) {
        add_and_rectify(&mut self.rectified, &self.bias);
    }

    pub(crate) fn stop_where_cut_off(&mut self) {
        stop_where_cut_off(&mut self.gradient, &self.met);
    }

    pub(crate) fn reduce(&mut self, aggregate: Aggregate) {
        let Self { heard, met, bias, out, chosen, .. } = self;
        aggregate.reduce(met, bias, (heard, 0..RECEIVERS), out, chosen);
    }

    pub(crate) fn spread(&mut self, aggregate: Aggregate) {
        let Self { heard, met, out_gradient, gradient, .. } = self;
        aggregate.spread(met, (heard, 0..RECEIVERS), out_gradient, gradient);
    }

    pub(crate) fn scatter_to_chosen(&mut self) {
        let outputs = (&self.chosen[..], &self.out_gradient[..]);
        scatter_to_chosen((&self.heard, 0..RECEIVERS), outputs, &mut self.gradient);
    }

    pub(crate) fn back_to_chosen(&mut self) {
        let outputs = (&self.chosen[..], &self.out_gradient[..]);
        let layer = (&self.layer[..], &mut self.layer_gradient[..]);
        let to_whom = (&self.heard, 0..RECEIVERS);
        back_to_chosen(to_whom, outputs, layer, &self.met, &mut self.gradient);
    }
}

/// Pointers of one sample, there and back.
pub(crate) struct Pointers {
    y: Buffer,
    edges: Buffer,
    map: Buffer,
    weights: Buffer,
    nothing: Buffer,
    row: Buffer,
    scores: Buffer,
    taken: Buffer<u8>,
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
            y: numbers(N * 2 * H),
            edges: numbers(N * N * K),
            map: numbers(K * H),
            weights: numbers(H),
            nothing: zeros(H),
            row: zeros(H),
            scores: zeros(N * N),
            taken: zeros(N * N * H),
            pair: numbers(N * N * H),
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
            pairs: Pairs::new(&self.edges, N, K),
            map: &self.map,
            processed: None,
            weights: &self.weights,
            nothing: &self.nothing,
        };
        let taken = Some(&mut self.taken[..]);
        node_scores(&candidates, (0, N), 0.0, &mut self.scores, taken, &mut self.row);
    }

    pub(crate) fn node_scores_back(&mut self) {
        let mut pairs = PairsBack {
            pairs: Pairs::new(&self.edges, N, K),
            map: &self.map,
            map_gradient: &mut self.map_gradient,
            gradient: &mut self.edges_gradient,
            learnt_from: K / 2,
        };
        let y = (MatMut::new(&mut self.y_gradient, N, 2 * H), [0, H]);
        let scores = (&self.scores[..], &self.taken[..]);
        node_scores_back(scores, (0, N), y, &mut pairs, None, self.row.sized(H));
    }

    pub(crate) fn pair_rows(&mut self) {
        let y = Mat::new(&self.y, N, 2 * H);
        let ends = (y.columns(0..H), y.columns(H..2 * H));
        let edges = (Pairs::new(&self.edges, N, K), &self.map[..]);
        pair_rows(&mut self.pair, ends, edges, None, (0, N));
    }

    pub(crate) fn pair_rows_back(&mut self) {
        let mut pairs = PairsBack {
            pairs: Pairs::new(&self.edges, N, K),
            map: &self.map,
            map_gradient: &mut self.map_gradient,
            gradient: &mut self.edges_gradient,
            learnt_from: K / 2,
        };
        let y = (MatMut::new(&mut self.y_gradient, N, 2 * H), [0, H]);
        pair_rows_back(&self.pair, y, &mut pairs, None, (0, N));
    }

    pub(crate) fn weigh(&mut self) {
        let Self { y, y_gradient, weights, row, .. } = self;
        let values = Mat::new(y, N, 2 * H).columns(0..H);
        let gradient = MatMut::new(y_gradient, N, 2 * H).columns(0..H);
        weigh(values, gradient, N, weights, row);
    }

    pub(crate) fn softmax(&mut self) {
        softmax(&mut self.scores, N);
    }

    pub(crate) fn choice_loss(&mut self) {
        let rows = self.scores.chunks_exact(N).zip(self.pair_scores.chunks_exact_mut(N));
        for (scores, gradient) in rows {
            choice_loss(scores, 3, 0.5, gradient);
        }
    }

    pub(crate) fn pair_scores(&mut self) {
        let Self { y, pair, weights, pair_scores: scores, columns, .. } = self;
        let to = Mat::new(y, N, 2 * H).columns(0..H);
        pair_scores(pair, to, weights, 0.0, N, scores, columns);
    }

    pub(crate) fn pair_scores_back(&mut self) {
        let Self { y, pair, pair_scores: scores, y_gradient, pair_gradient, .. } = self;
        let to = Mat::new(y, N, 2 * H).columns(0..H);
        let to_gradient = MatMut::new(y_gradient, N, 2 * H).columns(0..H);
        pair_scores_back(scores, (pair, to), N, pair_gradient, to_gradient);
    }
}

/// Squares of one sample: triplets, and Sinkhorn's iteration.
pub(crate) struct Squares {
    n: usize,
    first: Buffer,
    second: Buffer,
    out: Buffer,
    chosen: Buffer<u32>,
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
            first: numbers(count),
            second: numbers(count + 1)[1..].iter().copied().collect(),
            out: zeros(count),
            chosen: zeros(count),
            scratch: Buffer::default(),
            first_gradient: zeros(count),
            second_gradient: zeros(count),
            square: numbers(n * n),
            square_gradient: numbers(n * n),
            sinkhorn: Scratch::default(),
        };
        inputs.triplets();
        inputs
    }

    pub(crate) fn triplets(&mut self) {
        let Self { n, first, second, out, chosen, scratch, .. } = self;
        largest((first, second), (*n, F), out, Some(chosen), scratch);
    }

    pub(crate) fn triplets_back(&mut self) {
        let Self { n, out, chosen, first_gradient, second_gradient, .. } = self;
        largest_back(out, chosen, (*n, F), (first_gradient, second_gradient));
    }

    pub(crate) fn log_sinkhorn(&mut self) {
        log_sinkhorn(&mut self.square, self.n, 10, &mut self.sinkhorn);
    }

    pub(crate) fn log_sinkhorn_back(&mut self) {
        let Self { n, square, square_gradient, sinkhorn, .. } = self;
        log_sinkhorn_back(square_gradient, square, *n, 10, sinkhorn);
    }
}

/// The states of a block before and after a norm.
pub(crate) struct Norm {
    x: Buffer,
    scale: Buffer,
    offset: Buffer,
    out: Buffer,
    normal: Buffer,
    spread: Buffer,
    scale_gradient: Buffer,
    offset_gradient: Buffer,
}

impl Norm {
    pub(crate) fn new() -> Self {
        Self {
            x: numbers(ROWS * H),
            scale: numbers(H),
            offset: numbers(H),
            out: zeros(ROWS * H),
            normal: zeros(ROWS * H),
            spread: zeros(ROWS),
            scale_gradient: zeros(H),
            offset_gradient: zeros(H),
        }
    }

    pub(crate) fn normalise(&mut self) {
        let Self { x, scale, offset, out, normal, spread, .. } = self;
        normalise(x, (scale, offset), out, normal, spread);
    }

    pub(crate) fn normalise_back(&mut self) {
        let Self { out, scale, normal, spread, scale_gradient, offset_gradient, .. } = self;
        normalise_back(out, (normal, spread), scale, scale_gradient, offset_gradient);
    }
}

/// The states of a block and its gate.
pub(crate) struct Gate {
    open: Buffer,
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
            open: numbers(ROWS * H),
            bias: numbers(H),
            old: numbers(ROWS * H),
            new: numbers(ROWS * H),
            state: zeros(ROWS * H),
            gradient: numbers(ROWS * H),
            old_gradient: zeros(ROWS * H),
            score_gradient: zeros(ROWS * H),
        }
    }

    pub(crate) fn mix(&mut self) {
        mix(&mut self.open, &self.bias, &self.old, &self.new, &mut self.state);
    }

    pub(crate) fn mix_back(&mut self) {
        let values = (&self.open[..], &self.old[..], &self.new[..]);
        let Self { gradient, old_gradient, score_gradient, .. } = self;
        mix_back(gradient, values, old_gradient, score_gradient);
    }
}
