//! Time of every kernel, and its rate of operations relative to the peak of the machine.
//!
//! `cargo bench --package narscope-benches --bench kernels`. Every addition, multiplication, comparison and
//! `exp` counts as one operation. The peak is the best rate of matrix products on one thread, either large or
//! of the size of a tile; it is measured first.

mod inputs;

use std::time::{Duration, Instant};

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use inputs::{F, Gate, H, K, Messages, N, Norm, Pointers, Product, ROWS, Squares, TILE};
use narscope_kernels::aggregate::Aggregate;

/// Rows of a product that exceeds the caches of one core.
const LARGE: usize = 8192;

/// Wall time; throughput is reported as a percentage of the peak.
struct OfPeak {
    time: WallTime,
    /// Operations per nanosecond.
    peak: f64,
}

impl OfPeak {
    fn new() -> Self {
        const TRIES: usize = 50;
        let rate = |rows: usize| {
            let mut x = Product::new(rows);
            let tries = (0..TRIES).map(|_| {
                let start = Instant::now();
                x.product();
                start.elapsed()
            });
            let best = tries.min().expect("at least one try");
            product_operations(rows) as f64 / best.as_nanos() as f64
        };
        Self { time: WallTime, peak: rate(LARGE).max(rate(TILE)) }
    }
}

impl Measurement for OfPeak {
    type Intermediate = Instant;
    type Value = Duration;

    fn start(&self) -> Instant {
        self.time.start()
    }

    fn end(&self, start: Instant) -> Duration {
        self.time.end(start)
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        self.time.add(one, other)
    }

    fn zero(&self) -> Duration {
        self.time.zero()
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        self.time.to_f64(value)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        self
    }
}

impl ValueFormatter for OfPeak {
    fn scale_values(&self, typical: f64, values: &mut [f64]) -> &'static str {
        self.time.formatter().scale_values(typical, values)
    }

    fn scale_throughputs(
        &self,
        typical: f64,
        throughput: &Throughput,
        values: &mut [f64],
    ) -> &'static str {
        let Throughput::Elements(operations) = throughput else {
            return self.time.formatter().scale_throughputs(typical, throughput, values);
        };
        for value in values {
            *value = 100.0 * *operations as f64 / *value / self.peak;
        }
        "% of peak"
    }

    fn scale_for_machines(&self, values: &mut [f64]) -> &'static str {
        self.time.formatter().scale_for_machines(values)
    }
}

type Group<'a> = BenchmarkGroup<'a, OfPeak>;

/// Times a kernel that does `operations` operations.
fn time<T>(
    group: &mut Group<'_>,
    name: &str,
    operations: usize,
    x: &mut T,
    kernel: impl Fn(&mut T),
) {
    group.throughput(Throughput::Elements(operations as u64));
    group.bench_function(name, |b| b.iter(|| kernel(x)));
}

fn product_operations(rows: usize) -> usize {
    2 * rows * H * H
}

fn products(c: &mut Criterion<OfPeak>) {
    let mut group = c.benchmark_group("product");
    for (name, rows) in [("large", LARGE), ("tile", TILE), ("nodes", ROWS)] {
        let x = &mut Product::new(rows);
        let operations = product_operations(rows);
        time(&mut group, name, operations, x, Product::product);
        let name = format!("{name}, gradient of weights");
        time(&mut group, &name, operations, x, Product::gradient_of_layer);
    }
}

fn messages(c: &mut Criterion<OfPeak>) {
    let group = &mut c.benchmark_group("messages, tile");
    let x = &mut Messages::new();
    // Per channel of a message: both endpoints, every feature of the pair, and the ReLU.
    let (all, of_receivers) = (TILE * H, TILE / N * H);
    time(group, "gather_sum", all * (2 + 2 * K), x, Messages::gather_sum);
    // Gradients of both endpoints, of the map of features and of half of the features.
    time(group, "gather_sum_backward", all * (2 + 3 * K), x, Messages::gather_sum_backward);
    time(group, "add_bias_relu", 2 * all, x, Messages::add_bias_relu);
    time(group, "relu_backward", all, x, Messages::relu_backward);
    for aggregate in [Aggregate::Max, Aggregate::Min, Aggregate::Mean, Aggregate::Sum] {
        time(group, &format!("{aggregate:?}"), all, x, |x| x.aggregate(aggregate));
    }
    time(group, "scatter_to_selected", of_receivers, x, Messages::scatter_to_selected);
    for aggregate in [Aggregate::Mean, Aggregate::Sum] {
        time(group, &format!("{aggregate:?}, backward"), all, x, |x| {
            x.aggregate_backward(aggregate);
        });
    }
    let softmax = Aggregate::Softmax(0.01);
    time(group, "Softmax", 7 * all, x, |x| x.aggregate(softmax));
    time(group, "Softmax, backward", 14 * all, x, |x| x.aggregate_backward(softmax));
    // A row of the layer and one of its gradient for each selected message.
    time(
        group,
        "selected_linear_backward",
        4 * of_receivers * H,
        x,
        Messages::selected_linear_backward,
    );
}

fn decoders(c: &mut Criterion<OfPeak>) {
    let group = &mut c.benchmark_group("pointers of a sample");
    let x = &mut Pointers::new();
    let (pairs, triples) = (N * N * H, N * N * N * H);
    time(group, "node_scores", pairs * (4 + 2 * K), x, Pointers::node_scores);
    time(group, "node_scores_backward", pairs * (2 + 3 * K), x, Pointers::node_scores_backward);
    time(group, "pair_sums", pairs * (1 + 2 * K), x, Pointers::pair_sums);
    time(group, "pair_sums_backward", pairs * (2 + 3 * K), x, Pointers::pair_sums_backward);
    time(group, "pair_scores", 3 * triples, x, Pointers::pair_scores);
    time(group, "pair_scores_backward", 2 * triples, x, Pointers::pair_scores_backward);
    time(group, "channel_weights_backward", 3 * N * H, x, Pointers::channel_weights_backward);
    time(group, "softmax", 5 * N * N, x, Pointers::softmax);
    time(group, "cross_entropy", 7 * N * N, x, Pointers::cross_entropy);
}

fn squares(c: &mut Criterion<OfPeak>) {
    const ROUNDS: usize = 10;
    let group = &mut c.benchmark_group("squares of a sample");
    for n in [16, 64] {
        let x = &mut Squares::new(n);
        let name = |kernel: &str| format!("{kernel}, {n} nodes");
        time(group, &name("triplet_max"), 2 * n * n * n * F, x, Squares::triplet_max);
        time(group, &name("triplet_max_backward"), 2 * n * n * F, x, Squares::triplet_max_backward);
        // Rows and columns: maximum, difference, exponential, sum, difference.
        let operations = 2 * ROUNDS * 5 * n * n;
        time(group, &name("log_sinkhorn"), operations, x, Squares::log_sinkhorn);
        time(
            group,
            &name("log_sinkhorn_backward"),
            2 * operations,
            x,
            Squares::log_sinkhorn_backward,
        );
    }
}

fn states(c: &mut Criterion<OfPeak>) {
    let group = &mut c.benchmark_group("states of a block");
    let (x, all) = (&mut Norm::new(), ROWS * H);
    time(group, "layer_norm", 7 * all, x, Norm::layer_norm);
    time(group, "layer_norm_backward", 11 * all, x, Norm::layer_norm_backward);
    let x = &mut Gate::new();
    time(group, "gated_update", 8 * all, x, Gate::gated_update);
    time(group, "gated_update_backward", 8 * all, x, Gate::gated_update_backward);
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(OfPeak::new());
    targets = products, messages, decoders, squares, states
}
criterion_main!(benches);
