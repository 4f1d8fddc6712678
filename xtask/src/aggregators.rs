//! Time of an update with softmax aggregation, beside one with max.
//!
//! Runs `narscope bench` in turns with both aggregators, and with an earlier program if one is given:
//! a new process for every measurement, the same batches. An update is the mean over all batches, each
//! in its best round.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::Result;
use crate::arguments::Arguments;
use crate::context::{build, machine};
use crate::run::{cargo, output, release_binary, run};
use crate::statistics::{geometric_mean, mean, rounded};

const ALGORITHMS: &str = "bellman_ford,bfs,binary_search,dag_shortest_paths,dijkstra,\
                          floyd_warshall,insertion_sort,lcs_length,minimum,mst_prim";

/// Flags of each aggregator.
const AGGREGATORS: [&[&str]; 2] =
    [&["--aggregator", "max"], &["--aggregator", "softmax", "--temperature", "0.01"]];

/// Measures and prints a table.
pub(crate) fn compare(arguments: &Arguments) -> Result {
    let algorithms: Vec<String> = arguments.list("--algorithms", ALGORITHMS)?;
    let processors: Vec<String> = arguments.list("--processors", "mpnn,triplet_gmpnn")?;
    let rounds: Vec<usize> = arguments.list("--rounds", "3")?;
    run(&mut cargo(&["build", "--release"]))?;
    let mut programs = vec![("now", release_binary("narscope"))];
    if let Some(before) = arguments.get("--before") {
        programs.insert(0, ("before", PathBuf::from(before)));
    }

    println!("{}; {}\n", build()?, machine()?);
    let names = programs.iter().flat_map(|(name, _)| {
        [format!("{name}: max, ms"), "softmax, ms".to_owned(), "ratio".to_owned()]
    });
    println!("| algorithm | processor | {} |", names.collect::<Vec<_>>().join(" | "));
    println!("| --- | --- |{}", " ---: |".repeat(3 * programs.len()));
    let mut ratios = vec![vec![]; programs.len()];
    for algorithm in &algorithms {
        for processor in &processors {
            let mut best = vec![[const { Vec::new() }; 2]; programs.len()];
            for _ in 0..rounds[0].max(1) {
                for ((_, program), best) in programs.iter().zip(&mut best) {
                    for (flags, best) in AGGREGATORS.iter().zip(best) {
                        keep_best(best, &updates(program, algorithm, processor, flags)?);
                    }
                }
            }
            let cells = best.iter().zip(&mut ratios).map(|(best, ratios)| {
                let [max, softmax] = best.each_ref().map(|times| mean(times));
                ratios.push(softmax / max);
                format!("{} | {} | {:.2} x", rounded(max), rounded(softmax), softmax / max)
            });
            let cells = cells.collect::<Vec<_>>().join(" | ");
            println!("| {algorithm} | {processor} | {cells} |");
        }
    }
    println!();
    for ((name, _), ratios) in programs.iter().zip(&ratios) {
        let largest = ratios.iter().copied().fold(0.0, f64::max);
        println!("{name}: geometric mean {:.2} x, {largest:.2} x at most", geometric_mean(ratios));
    }
    Ok(())
}

/// Milliseconds of every measured update, in order.
fn updates(program: &Path, algorithm: &str, processor: &str, flags: &[&str]) -> Result<Vec<f64>> {
    let mut bench = Command::new(program);
    bench.args(["bench", "--only", "train", "--json", "--quiet", "--algorithms", algorithm]);
    let json = output(bench.args(["--processor_type", processor]).args(flags))?;
    let times = || {
        let report: Value = serde_json::from_str(&json).ok()?;
        let lengths = report.pointer("/train/lengths")?.as_array()?;
        let times = lengths.iter().map(|length| length["ms"].as_array());
        let times = times.collect::<Option<Vec<_>>>()?.into_iter().flatten();
        times.map(Value::as_f64).collect::<Option<Vec<_>>>()
    };
    times().ok_or_else(|| format!("`narscope bench` printed no times of updates: {json:?}"))
}

/// Keeps the smaller time of each update.
fn keep_best(best: &mut Vec<f64>, times: &[f64]) {
    if best.is_empty() {
        best.extend(times);
    }
    best.iter_mut().zip(times).for_each(|(best, time)| *best = best.min(*time));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_round_of_every_update_counts() {
        let mut best = vec![];
        keep_best(&mut best, &[3.0, 1.0]);
        keep_best(&mut best, &[2.0, 5.0]);
        assert_eq!((mean(&best), best), (1.5, vec![2.0, 1.0]));
    }
}
