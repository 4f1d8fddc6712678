//! Every kernel at the sizes of training (a block of 8 samples of 16 nodes, 128 channels), on one
//! thread, beside the product of matrices that is the limit of all of them.
//!
//! `cargo bench --package narscope-kernels`; a kernel's share of the peak is its rate of products
//! divided by that of `peak`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use narscope_kernels::Buffer;
use narscope_kernels::aggregate::{Aggregate, back_to_chosen};
use narscope_kernels::heard::{Heard, Pairs, PairsBack};
use narscope_kernels::matrix::{Mat, MatMut, add_product, product};
use narscope_kernels::messages::{add_and_rectify, meet, part, stop_where_cut_off};
use narscope_kernels::norm::normalise;
use narscope_kernels::pointer::{
    Candidates, node_scores, node_scores_back, pair_scores, pair_scores_back,
};
use narscope_kernels::sinkhorn::{Scratch, log_sinkhorn};
use narscope_kernels::triplets::largest;

const SAMPLES: usize = 8;
const N: usize = 16;
const H: usize = 128;
const F: usize = 8;
const K: usize = 6;
const ROWS: usize = SAMPLES * N;
/// Messages that are made at once.
const TILE: usize = 512;

/// Numbers that look random.
fn numbers(count: usize) -> Buffer {
    let number = |i| (i as f32 * 12.9898).sin() * 43758.547 % 1.0;
    (0..count).map(number).collect()
}

fn zeros<T: Copy + Default>(count: usize) -> Buffer<T> {
    std::iter::repeat_n(T::default(), count).collect()
}

fn everyone() -> Heard {
    let mut heard = Heard::default();
    heard.fill(SAMPLES, N, |_, _| true);
    heard
}

fn products(c: &mut Criterion) {
    let mut group = c.benchmark_group("product");
    let flops = |rows: usize| Throughput::Elements((2 * rows * H * H) as u64);
    for (name, rows) in [("peak", 8192), ("tile", TILE), ("nodes", ROWS)] {
        let (a, w, mut out) = (numbers(rows * H), numbers(H * H), zeros(rows * H));
        group.throughput(flops(rows));
        group.bench_function(name, |b| {
            b.iter(|| {
                product(MatMut::new(&mut out, rows, H), Mat::new(&a, rows, H), Mat::new(&w, H, H));
            });
        });
        let mut gradient = zeros(H * H);
        group.bench_function(format!("{name}, gradient of weights"), |b| {
            b.iter(|| {
                let (a, d) = (Mat::new(&a, rows, H), Mat::new(&out, rows, H));
                add_product(MatMut::new(&mut gradient, H, H), a.t(), d);
            });
        });
    }
    group.finish();
}

fn messages(c: &mut Criterion) {
    let mut group = c.benchmark_group("messages, tile");
    let heard = everyone();
    let receivers = TILE / N;
    let (y, edges, map) = (numbers(ROWS * 2 * H), numbers(ROWS * N * K), numbers(K * H));
    let y = Mat::new(&y, ROWS, 2 * H);
    let pairs = Pairs::new(&edges, N, K);
    let (mut met, bias) = (numbers(TILE * H), numbers(H));
    group.bench_function("meet", |b| {
        b.iter(|| {
            let ends = (y.columns(0..H), y.columns(H..2 * H));
            meet(&mut met, (&heard, 0..receivers), ends, (pairs, &map), true);
        });
    });
    let (mut d_y, mut d_map, mut d_edges) =
        (zeros(ROWS * 2 * H), zeros(K * H), zeros(ROWS * N * K));
    group.bench_function("part", |b| {
        b.iter(|| {
            let mut edges = PairsBack {
                pairs,
                map: &map,
                map_gradient: &mut d_map,
                gradient: &mut d_edges,
                learnt_from: K / 2,
            };
            let y = (MatMut::new(&mut d_y, ROWS, 2 * H), [0, H]);
            part(&met, (&heard, 0..receivers), y, H, &mut edges);
        });
    });
    let mut x = numbers(TILE * H);
    group.bench_function("add_and_rectify", |b| b.iter(|| add_and_rectify(&mut x, &bias)));
    group.bench_function("stop_where_cut_off", |b| b.iter(|| stop_where_cut_off(&mut x, &met)));
    let (mut out, mut chosen) = (zeros(receivers * H), zeros(receivers * H));
    for aggregate in [Aggregate::Max, Aggregate::Sum, Aggregate::Softmax(0.01)] {
        group.bench_function(format!("{aggregate:?}"), |b| {
            b.iter(|| {
                let to = (&heard, 0..receivers);
                aggregate.reduce(&met, &bias, to, &mut out, &mut chosen);
            });
        });
    }
    Aggregate::Max.reduce(&met, &bias, (&heard, 0..receivers), &mut out, &mut chosen);
    let (layer, mut d_layer, d_out) = (numbers(H * H), zeros(H * H), numbers(receivers * H));
    group.bench_function("back_to_chosen", |b| {
        b.iter(|| {
            let to = (&heard, 0..receivers);
            back_to_chosen(to, (&chosen, &d_out), (&layer, &mut d_layer), &met, &mut x);
        });
    });
    group.finish();
}

fn rest(c: &mut Criterion) {
    let mut group = c.benchmark_group("one sample");
    let (y, edges, map, weights) =
        (numbers(N * 2 * H), numbers(N * N * K), numbers(K * H), numbers(H));
    let y = Mat::new(&y, N, 2 * H);
    let (mut scores, mut taken, mut row) = (zeros(N * N), zeros(N * N * H), zeros(H));
    let nothing = zeros(H);
    let candidates = Candidates {
        from: y.columns(0..H),
        to: y.columns(H..2 * H),
        pairs: Pairs::new(&edges, N, K),
        map: &map,
        processed: None,
        weights: &weights,
        nothing: &nothing,
    };
    group.bench_function("node_scores", |b| {
        b.iter(|| node_scores(&candidates, (0, N), 0.0, &mut scores, Some(&mut taken), &mut row));
    });
    let (mut d_y, mut d_map, mut d_edges) = (zeros(N * 2 * H), zeros(K * H), zeros(N * N * K));
    group.bench_function("node_scores_back", |b| {
        b.iter(|| {
            let mut pairs = PairsBack {
                pairs: Pairs::new(&edges, N, K),
                map: &map,
                map_gradient: &mut d_map,
                gradient: &mut d_edges,
                learnt_from: K / 2,
            };
            let y = (MatMut::new(&mut d_y, N, 2 * H), [0, H]);
            node_scores_back((&scores, &taken), (0, N), y, &mut pairs, None, &mut row);
        });
    });
    let (pair, mut cube, mut columns) = (numbers(N * N * H), zeros(N * N * N), Buffer::default());
    group.bench_function("pair_scores", |b| {
        b.iter(|| pair_scores(&pair, y.columns(0..H), &weights, 0.0, N, &mut cube, &mut columns));
    });
    let mut d_pair = zeros(N * N * H);
    group.bench_function("pair_scores_back", |b| {
        b.iter(|| {
            let to = MatMut::new(&mut d_y, N, 2 * H).columns(0..H);
            pair_scores_back(&cube, (&pair, y.columns(0..H)), N, &mut d_pair, to);
        });
    });
    for n in [16, 64] {
        let (first, second) = (numbers(n * n * F), numbers(n * n * F));
        let (mut out, mut chosen, mut scratch) =
            (zeros(n * n * F), zeros(n * n * F), Buffer::default());
        group.bench_function(format!("triplets, {n} nodes"), |b| {
            b.iter(|| {
                let chosen = Some(&mut chosen[..]);
                largest((&first, &second), (n, F), &mut out, chosen, &mut scratch);
            });
        });
        let (mut square, mut scratch) = (numbers(n * n), Scratch::default());
        group.bench_function(format!("log_sinkhorn, {n} nodes, 10 rounds"), |b| {
            b.iter(|| log_sinkhorn(&mut square, n, 10, &mut scratch));
        });
    }
    let (x, mut out, mut normal, mut spread) =
        (numbers(ROWS * H), zeros(ROWS * H), zeros(ROWS * H), zeros(ROWS));
    group.bench_function("normalise a block", |b| {
        b.iter(|| normalise(&x, (&weights, &weights), &mut out, &mut normal, &mut spread));
    });
    group.finish();
}

criterion_group!(benches, products, messages, rest);
criterion_main!(benches);
