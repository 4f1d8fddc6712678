//! How long every kernel takes, beside the product of matrices that is the limit of all of them.
//!
//! `cargo bench --package narscope-kernels --bench kernels`; a kernel's share of the peak is its rate
//! of products divided by that of `peak`.

mod inputs;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use inputs::{H, Messages, Norm, Pointers, Product, ROWS, Squares, TILE};
use narscope_kernels::aggregate::Aggregate;

fn products(c: &mut Criterion) {
    let mut group = c.benchmark_group("product");
    for (name, rows) in [("peak", 8192), ("tile", TILE), ("nodes", ROWS)] {
        let mut x = Product::new(rows);
        group.throughput(Throughput::Elements((2 * rows * H * H) as u64));
        group.bench_function(name, |b| b.iter(|| x.product()));
        group.bench_function(format!("{name}, gradient of weights"), |b| {
            b.iter(|| x.gradient_of_layer());
        });
    }
    group.finish();
}

fn messages(c: &mut Criterion) {
    let mut group = c.benchmark_group("messages, tile");
    let mut x = Messages::new();
    group.bench_function("meet", |b| b.iter(|| x.meet()));
    group.bench_function("part", |b| b.iter(|| x.part()));
    group.bench_function("add_and_rectify", |b| b.iter(|| x.add_and_rectify()));
    group.bench_function("stop_where_cut_off", |b| b.iter(|| x.stop_where_cut_off()));
    for aggregate in [Aggregate::Sum, Aggregate::Softmax(0.01)] {
        group.bench_function(format!("{aggregate:?}"), |b| b.iter(|| x.reduce(aggregate)));
        group.bench_function(format!("{aggregate:?}, back"), |b| b.iter(|| x.spread(aggregate)));
    }
    group.bench_function("Max", |b| b.iter(|| x.reduce(Aggregate::Max)));
    group.bench_function("back_to_chosen", |b| b.iter(|| x.back_to_chosen()));
    group.finish();
}

fn rest(c: &mut Criterion) {
    let mut group = c.benchmark_group("one sample");
    let mut x = Pointers::new();
    group.bench_function("node_scores", |b| b.iter(|| x.node_scores()));
    group.bench_function("node_scores_back", |b| b.iter(|| x.node_scores_back()));
    group.bench_function("pair_scores", |b| b.iter(|| x.pair_scores()));
    group.bench_function("pair_scores_back", |b| b.iter(|| x.pair_scores_back()));
    for n in [16, 64] {
        let mut x = Squares::new(n);
        group.bench_function(format!("triplets, {n} nodes"), |b| b.iter(|| x.triplets()));
        group.bench_function(format!("triplets_back, {n} nodes"), |b| b.iter(|| x.triplets_back()));
        group.bench_function(format!("log_sinkhorn, {n} nodes, 10 rounds"), |b| {
            b.iter(|| x.log_sinkhorn());
        });
    }
    let mut x = Norm::new();
    group.bench_function("normalise a block", |b| b.iter(|| x.normalise()));
    group.finish();
}

criterion_group!(benches, products, messages, rest);
criterion_main!(benches);
