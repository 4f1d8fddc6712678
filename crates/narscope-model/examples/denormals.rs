//! Counts denormal numbers in training, by the place that computes them.
//!
//! ```console
//! $ cargo run --package narscope-model --features count-denormals --example denormals
//! ```
//!
//! Arguments are the number of steps [default: 100] and algorithms [default: ten that have all kinds of hints].
//! Prints a Markdown table of the places where at least one number in a million is denormal.

#![allow(clippy::print_stdout, reason = "a program, not a library")]

use std::collections::BTreeMap;

use narscope_kernels::denormals::{self, Count, Place};
use narscope_model::config::Draft;
use narscope_model::train::Trainer;

const ALGORITHMS: [&str; 10] = [
    "bellman_ford",
    "bfs",
    "binary_search",
    "dag_shortest_paths",
    "dijkstra",
    "floyd_warshall",
    "insertion_sort",
    "lcs_length",
    "minimum",
    "mst_prim",
];

/// Aggregators, as lines of a configuration.
const AGGREGATORS: [&str; 2] = ["aggregator = 'max'", "aggregator = 'softmax'\ntemperature = 0.01"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let steps: usize = arguments.next().map_or(Ok(100), |text| text.parse())?;
    let given: Vec<String> = arguments.collect();
    let algorithms: Vec<&str> = if given.is_empty() {
        ALGORITHMS.to_vec()
    } else {
        given.iter().map(String::as_str).collect()
    };
    println!("| algorithm | processor | aggregator | place | denormal, per million |");
    println!("| --- | --- | --- | --- | ---: |");
    for algorithm in algorithms {
        for processor in ["mpnn", "triplet_gmpnn"] {
            for aggregator in AGGREGATORS {
                let text = format!(
                    "algorithms = ['{algorithm}']\nprocessor_type = '{processor}'\n{aggregator}"
                );
                let mut trainer = Trainer::new(&Draft::parse(&text)?.finish()?)?;
                denormals::take();
                for _ in 0..steps {
                    trainer.step()?;
                }
                let aggregator = aggregator.split('\'').nth(1).unwrap_or_default();
                for (place, count) in denormal(denormals::take()) {
                    let share = 1e6 * count.denormal as f64 / count.all as f64;
                    println!("| {algorithm} | {processor} | {aggregator} | {place} | {share:.0} |");
                }
            }
        }
    }
    Ok(())
}

/// Places where at least one number in a million is denormal.
fn denormal(counts: BTreeMap<Place, Count>) -> impl Iterator<Item = (Place, Count)> {
    counts.into_iter().filter(|(_, count)| 1_000_000 * count.denormal >= count.all.max(1))
}
