//! How many instructions every kernel takes: the same on a busy machine as on an idle one, so a
//! change of more than a few percent is a change of the code.
//!
//! `cargo xtask instructions` compares with `instructions.toml` beside this file and fails where a
//! kernel takes over 5 % more; `cargo xtask instructions --record` writes that file anew.
//!
//! Valgrind counts. It knows no AVX-512 and says so when the program asks what the processor can do,
//! so what is counted are the kernels for AVX2, whatever the machine has: `V3` of pulp, `fma` of
//! gemm. Blocks of products depend on the machine's caches, the rest on the compiler alone.

#![allow(missing_docs, unreachable_pub, reason = "the macros of gungraun make public items")]

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
#[bench::meet(Messages::new(), Messages::meet)]
#[bench::add_and_rectify(Messages::new(), Messages::add_and_rectify)]
#[bench::max(Messages::new(), |x| x.reduce(Aggregate::Max))]
#[bench::mean(Messages::new(), |x| x.reduce(Aggregate::Mean))]
#[bench::softmax(Messages::new(), |x| x.reduce(SOFTMAX))]
#[bench::softmax_back(Messages::new(), |x| x.spread(SOFTMAX))]
#[bench::scatter_to_chosen(Messages::new(), Messages::scatter_to_chosen)]
#[bench::back_to_chosen(Messages::new(), Messages::back_to_chosen)]
#[bench::stop_where_cut_off(Messages::new(), Messages::stop_where_cut_off)]
#[bench::part(Messages::new(), Messages::part)]
fn messages(mut x: Messages, kernel: fn(&mut Messages)) -> Messages {
    kernel(&mut x);
    x
}

#[library_benchmark]
#[bench::node_scores(Pointers::new(), Pointers::node_scores)]
#[bench::node_scores_back(Pointers::new(), Pointers::node_scores_back)]
#[bench::pair_rows(Pointers::new(), Pointers::pair_rows)]
#[bench::pair_rows_back(Pointers::new(), Pointers::pair_rows_back)]
#[bench::weigh(Pointers::new(), Pointers::weigh)]
#[bench::softmax_of_scores(Pointers::new(), Pointers::softmax)]
#[bench::choice_loss(Pointers::new(), Pointers::choice_loss)]
#[bench::pair_scores(Pointers::new(), Pointers::pair_scores)]
#[bench::pair_scores_back(Pointers::new(), Pointers::pair_scores_back)]
fn pointers(mut x: Pointers, kernel: fn(&mut Pointers)) -> Pointers {
    kernel(&mut x);
    x
}

#[library_benchmark]
#[bench::triplets(Squares::new(N), Squares::triplets)]
#[bench::triplets_back(Squares::new(N), Squares::triplets_back)]
#[bench::log_sinkhorn(Squares::new(N), Squares::log_sinkhorn)]
#[bench::log_sinkhorn_back(Squares::new(N), Squares::log_sinkhorn_back)]
fn squares(mut x: Squares, kernel: fn(&mut Squares)) -> Squares {
    kernel(&mut x);
    x
}

#[library_benchmark]
#[bench::normalise(Norm::new(), Norm::normalise)]
#[bench::normalise_back(Norm::new(), Norm::normalise_back)]
fn norm(mut x: Norm, kernel: fn(&mut Norm)) -> Norm {
    kernel(&mut x);
    x
}

#[library_benchmark]
#[bench::mix(Gate::new(), Gate::mix)]
#[bench::mix_back(Gate::new(), Gate::mix_back)]
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
