//! Samplers at the sizes of CLRS-30, and the random number generator.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use narscope_clrs::algorithms;
use narscope_clrs::options::Options;
use narscope_clrs::rng::Rng;
use narscope_clrs::trace::Traces;

/// Training and test lengths of CLRS-30.
const LENGTHS: [usize; 2] = [16, 64];

/// The batch size of training.
const BATCH: usize = 32;

/// One per kind of work: relaxation, a queue, a stack, tables of pairs, arrays, points.
const ALGORITHMS: [&str; 8] = [
    "bellman_ford",
    "dijkstra",
    "dfs",
    "floyd_warshall",
    "mst_kruskal",
    "optimal_bst",
    "quickselect",
    "graham_scan",
];

fn samplers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("samples");
    group.throughput(Throughput::Elements(BATCH as u64));
    for name in ALGORITHMS {
        let entry = algorithms::find(name).expect("the algorithm is registered");
        for length in LENGTHS {
            let (mut rng, options) = (Rng::seeded(1), Options::default());
            let mut spare = Traces::new(vec![], 0);
            group.bench_function(BenchmarkId::new(name, length), |bencher| {
                bencher.iter(|| {
                    let used = std::mem::replace(&mut spare, Traces::new(vec![], 0));
                    spare = entry
                        .generate_into(used, &mut rng, length, &options, BATCH)
                        .expect("the length is valid");
                });
            });
        }
    }
}

fn random_numbers(criterion: &mut Criterion) {
    const COUNT: usize = 4096;
    let mut group = criterion.benchmark_group("random numbers");
    group.throughput(Throughput::Elements(COUNT as u64));
    let mut rng = Rng::seeded(1);
    group.bench_function("coins", |b| b.iter(|| black_box(rng.coins(0.5, COUNT))));
    group.bench_function("uniforms", |b| b.iter(|| black_box(rng.uniforms(0.0, 1.0, COUNT))));
    group.bench_function("integers", |b| b.iter(|| black_box(rng.integers(60, COUNT))));
}

criterion_group!(benches, samplers, random_numbers);
criterion_main!(benches);
