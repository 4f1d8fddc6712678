//! Instruction counts of every kernel. They do not depend on the load of the machine, so a change of
//! more than a few percent is a change of the code.
//!
//! `cargo xtask instructions` compares with `instructions.toml` beside this file and fails if a
//! kernel takes over 5 % more; `cargo xtask instructions --record` rewrites that file.
//!
//! Valgrind counts the instructions. It does not support AVX-512 and hides it from the program, so
//! the AVX2 kernels are measured on every machine: `V3` of pulp, `fma` of gemm. The blocking of
//! products depends on the caches of the machine, all other counts on the compiler only.

#![allow(missing_docs, unreachable_pub, reason = "the macros of gungraun define public items")]

mod inputs;

use gungraun::Callgrind;
use gungraun::prelude::*;
use inputs::{Gate, Messages, N, Norm, Pointers, Product, Squares, TILE};
use narscope_kernels::aggregate::Aggregate;

const SOFTMAX: Aggregate = Aggregate::Softmax(0.01);

#[library_benchmark]
#[bench::product(Product::new(TILE), Product::product)]
#[bench::gradient_of_layer(Product::new(TILE), Product::gradient_of_layer)]
fn product(mut x: Product, kernel: fn(&mut Product)) -> Product {
    kernel(&mut x);
    x
}

#[library_benchmark]
#[bench::gather_sum(Messages::new(), Messages::gather_sum)]
#[bench::add_bias_relu(Messages::new(), Messages::add_bias_relu)]
#[bench::max(Messages::new(), |x| x.aggregate(Aggregate::Max))]
#[bench::mean(Messages::new(), |x| x.aggregate(Aggregate::Mean))]
#[bench::softmax(Messages::new(), |x| x.aggregate(SOFTMAX))]
#[bench::softmax_backward(Messages::new(), |x| x.aggregate_backward(SOFTMAX))]
#[bench::scatter_to_selected(Messages::new(), Messages::scatter_to_selected)]
#[bench::selected_linear_backward(Messages::new(), Messages::selected_linear_backward)]
#[bench::relu_backward(Messages::new(), Messages::relu_backward)]
#[bench::gather_sum_backward(Messages::new(), Messages::gather_sum_backward)]
fn messages(mut x: Messages, kernel: fn(&mut Messages)) -> Messages {
    kernel(&mut x);
    x
}

#[library_benchmark]
#[bench::node_scores(Pointers::new(), Pointers::node_scores)]
#[bench::node_scores_backward(Pointers::new(), Pointers::node_scores_backward)]
#[bench::pair_sums(Pointers::new(), Pointers::pair_sums)]
#[bench::pair_sums_backward(Pointers::new(), Pointers::pair_sums_backward)]
#[bench::channel_weights_backward(Pointers::new(), Pointers::channel_weights_backward)]
#[bench::softmax_of_scores(Pointers::new(), Pointers::softmax)]
#[bench::cross_entropy(Pointers::new(), Pointers::cross_entropy)]
#[bench::pair_scores(Pointers::new(), Pointers::pair_scores)]
#[bench::pair_scores_backward(Pointers::new(), Pointers::pair_scores_backward)]
fn pointers(mut x: Pointers, kernel: fn(&mut Pointers)) -> Pointers {
    kernel(&mut x);
    x
}

#[library_benchmark]
#[bench::triplet_max(Squares::new(N), Squares::triplet_max)]
#[bench::triplet_max_backward(Squares::new(N), Squares::triplet_max_backward)]
#[bench::log_sinkhorn(Squares::new(N), Squares::log_sinkhorn)]
#[bench::log_sinkhorn_backward(Squares::new(N), Squares::log_sinkhorn_backward)]
fn squares(mut x: Squares, kernel: fn(&mut Squares)) -> Squares {
    kernel(&mut x);
    x
}

#[library_benchmark]
#[bench::layer_norm(Norm::new(), Norm::layer_norm)]
#[bench::layer_norm_backward(Norm::new(), Norm::layer_norm_backward)]
fn norm(mut x: Norm, kernel: fn(&mut Norm)) -> Norm {
    kernel(&mut x);
    x
}

#[library_benchmark]
#[bench::gated_update(Gate::new(), Gate::gated_update)]
#[bench::gated_update_backward(Gate::new(), Gate::gated_update_backward)]
fn gate(mut x: Gate, kernel: fn(&mut Gate)) -> Gate {
    kernel(&mut x);
    x
}

library_benchmark_group!(
    name = kernels,
    benchmarks = [product, messages, pointers, squares, norm, gate]
);
main!(
    config = LibraryBenchmarkConfig::default().tool(Callgrind::with_args(["--cache-sim=no"]));
    library_benchmark_groups = kernels
);
