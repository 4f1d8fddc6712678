//! Growth of time and memory of training and prediction with problem size.
//!
//! Every measurement is a separate `narscope bench` process, because it reports the peak memory of
//! its process.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::Result;
use crate::arguments::Arguments;
use crate::chart::{Line, Panel, draw};
use crate::context::{build, machine};
use crate::records::{append, contexts, read};
use crate::run::{cargo, output, release_binary, run, target};
use crate::statistics::rounded;

/// Batch size of training and of prediction.
const SAMPLES: &str = "32";

/// Measured quantities: key in the file and name in tables.
const MEASURES: [(&str, &str); 4] = [
    ("train_ms", "training, ms"),
    ("train_mb", "MB"),
    ("predict_ms", "prediction, ms"),
    ("predict_mb", "MB"),
];

/// Measures, or with `--draw` reads the last measurements; prints a table and draws a figure.
pub(crate) fn measure(arguments: &Arguments) -> Result {
    let figure = PathBuf::from(arguments.get("--out").unwrap_or("docs/growth.svg"));
    let file = target().join("growth.jsonl");
    if arguments.get("--draw").is_none() {
        let algorithm = arguments.get("--algorithm").unwrap_or("bellman_ford");
        let processors: Vec<String> = arguments.list("--processors", "mpnn,triplet_gmpnn")?;
        let lengths: Vec<usize> = arguments.list("--lengths", "8,16,32,64,128")?;
        let (narscope, version) = program(arguments)?;
        let context = format!("{version}; {}", machine()?);
        // The file may not exist yet.
        let _ = fs::remove_file(&file);
        for processor in &processors {
            for &n in &lengths {
                let mut record = json!({
                    "algorithm": algorithm, "processor": processor, "n": n, "context": context,
                });
                for phase in ["train", "predict"] {
                    eprintln!("{algorithm}, {processor}, n = {n}: {phase}");
                    let mut bench = Command::new(&narscope);
                    bench.args(["bench", "--json", "--quiet", "--algorithms", algorithm]);
                    bench.args(["--processor_type", processor, "--batch_size", SAMPLES]);
                    bench.args(["--only", phase]).args(bench_flags(phase, n));
                    add_measurements(&mut record, phase, &output(&mut bench)?)?;
                }
                append(&file, &record)?;
            }
        }
    }
    let records = read(&file)?;
    if records.is_empty() {
        return Err(format!(
            "{} has no measurements: run the task without --draw first",
            file.display()
        ));
    }
    println!("{}\n\n{}", contexts(&records), table(&records));
    fs::write(&figure, chart(&records)?)
        .map_err(|error| format!("{} could not be written: {error}", figure.display()))?;
    eprintln!("figure written to {}", figure.display());
    Ok(())
}

/// Returns the program to measure and its version.
fn program(arguments: &Arguments) -> Result<(PathBuf, String)> {
    if let Some(path) = arguments.get("--narscope") {
        return Ok((path.into(), output(Command::new(path).arg("--version"))?));
    }
    run(&mut cargo(&["build", "--release"]))?;
    Ok((release_binary("narscope"), build()?))
}

/// Returns the flags of `narscope bench`. Large problems get fewer steps, so that all measurements
/// together take minutes.
fn bench_flags(phase: &str, n: usize) -> Vec<String> {
    let count = (512 / n.max(1)).clamp(3, 32);
    let flags = match phase {
        "train" => format!("--train_lengths {n} --warmup 1 --steps {count}"),
        _ => format!("--predict-length {n} --predict-samples {SAMPLES} --rounds {count}"),
    };
    flags.split(' ').map(str::to_owned).collect()
}

/// Adds best time and peak memory from the output of `narscope bench --json` to a record.
fn add_measurements(record: &mut Value, phase: &str, json: &str) -> Result {
    let report: Value = serde_json::from_str(json)
        .map_err(|error| format!("`narscope bench` printed invalid JSON: {error}: {json:?}"))?;
    let (best, peak) = match phase {
        "train" => ("/train/lengths/0/best_ms", "/train/peak_memory_mb"),
        _ => ("/predict/0/best_ms", "/predict/0/peak_memory_mb"),
    };
    for (unit, path) in [("ms", best), ("mb", peak)] {
        let number = report.pointer(path).and_then(Value::as_f64);
        record[format!("{phase}_{unit}")] = number
            .ok_or_else(|| {
                format!("the output of `narscope bench` has no number at {path}: {report}")
            })?
            .into();
    }
    record["threads"] = report["threads"].clone();
    Ok(())
}

/// Exponent k of the growth n^k of a cost between two sizes.
fn exponent((n, cost): (f64, f64), (larger_n, larger_cost): (f64, f64)) -> f64 {
    (larger_cost / cost).ln() / (larger_n / n).ln()
}

/// Pairs of size and cost.
type Points = Vec<(f64, f64)>;

/// Returns a quantity of a processor by n, sorted and without duplicates.
fn points(records: &[Value], processor: &str, key: &str) -> Points {
    let of_processor = records.iter().filter(|record| record["processor"] == processor);
    let mut points: Points = of_processor
        .filter_map(|record| Some((record["n"].as_f64()?, record[key].as_f64()?)))
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points.dedup_by_key(|point| point.0);
    points
}

/// Returns the processors in the order in which they were measured.
fn processors(records: &[Value]) -> Vec<&str> {
    let mut processors: Vec<&str> =
        records.iter().filter_map(|record| record["processor"].as_str()).collect();
    processors.dedup();
    processors
}

/// Formats a table: a row for every n, and between two rows the growth exponents.
fn table(records: &[Value]) -> String {
    let mut headers = vec!["n".to_owned()];
    let mut columns = vec![];
    for processor in processors(records) {
        for (index, (key, name)) in MEASURES.iter().enumerate() {
            let prefix = if index == 0 { format!("{processor}: ") } else { String::new() };
            headers.push(format!("{prefix}{name}"));
            columns.push(points(records, processor, key));
        }
    }
    let mut lines = vec![
        format!("| {} |", headers.join(" | ")),
        format!("|{}", " ---: |".repeat(headers.len())),
    ];
    let mut row = |name: &str, cell: &dyn Fn(&Points) -> Option<String>| {
        let cells = columns.iter().map(|column| cell(column).unwrap_or_else(|| "-".to_owned()));
        lines.push(format!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | ")));
    };
    let at = |n: f64, column: &Points| column.iter().copied().find(|point| point.0 == n);
    let mut sizes: Vec<f64> = columns.iter().flatten().map(|point| point.0).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    for (index, &n) in sizes.iter().enumerate() {
        if index > 0 {
            row("", &|column| {
                let power = exponent(at(sizes[index - 1], column)?, at(n, column)?);
                Some(format!("n^{power:.1}"))
            });
        }
        row(&n.to_string(), &|column| Some(rounded(at(n, column)?.1)));
    }
    lines.join("\n")
}

/// Renders the figure: time on the left, memory on the right.
fn chart(records: &[Value]) -> Result<String> {
    let lines = |unit: &str| {
        let mut lines = vec![];
        for (group, processor) in processors(records).into_iter().enumerate() {
            for (phase, name, is_dashed) in
                [("train", "training", false), ("predict", "prediction", true)]
            {
                let points = points(records, processor, &format!("{phase}_{unit}"));
                lines.push(Line { name: format!("{processor}, {name}"), group, is_dashed, points });
            }
        }
        lines
    };
    let algorithm = records[0]["algorithm"].as_str().unwrap_or_default();
    let threads = &records[0]["threads"];
    let title = format!(
        "{algorithm}: cost of training and prediction, batch size {SAMPLES}, threads: {threads}"
    );
    let panels = [
        Panel { title: "Time per update and per prediction", tick: time, lines: lines("ms") },
        Panel { title: "Peak memory of the process", tick: memory, lines: lines("mb") },
    ];
    draw(&title, "problem size n", &panels)
}

/// Formats a time.
fn time(ms: f64) -> String {
    if ms < 1000.0 { format!("{ms} ms") } else { format!("{} s", ms / 1000.0) }
}

/// Formats an amount of memory.
fn memory(mb: f64) -> String {
    if mb < 1000.0 { format!("{mb} MB") } else { format!("{} GB", mb / 1000.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_times_the_cost_at_twice_the_size_is_cubic_growth() {
        assert_eq!(exponent((8.0, 5.0), (16.0, 40.0)), 3.0);
        assert_eq!(exponent((10.0, 7.0), (30.0, 7.0)), 0.0);
    }

    #[test]
    fn best_time_and_peak_memory_are_read_from_the_output_of_bench() {
        let train = r#"{"threads": 2, "predict": null, "train": {"peak_memory_mb": 57.5, "lengths":
            [{"lengths": [16], "best_ms": 78.25, "mean_ms": 87.5, "ms": [78.25, 96.75]}]}}"#;
        let predict = r#"{"threads": 2, "train": null, "predict":
            [{"algorithm": "bfs", "best_ms": 49.5, "mean_ms": 51.5, "peak_memory_mb": 22.5}]}"#;
        let mut record = json!({});
        add_measurements(&mut record, "train", train).unwrap();
        add_measurements(&mut record, "predict", predict).unwrap();
        let expected = json!({
            "train_ms": 78.25, "train_mb": 57.5, "predict_ms": 49.5, "predict_mb": 22.5, "threads": 2,
        });
        assert_eq!(record, expected);
        let error = add_measurements(&mut record, "train", predict).unwrap_err();
        assert!(error.contains("no number at /train/lengths/0/best_ms"), "{error}");
    }

    fn record(processor: &str, n: usize, train_ms: f64) -> Value {
        json!({
            "algorithm": "bfs", "processor": processor, "n": n, "threads": 2,
            "train_ms": train_ms, "train_mb": 50.0, "predict_ms": 2.0, "predict_mb": 20.0,
        })
    }

    #[test]
    fn the_table_has_exponents_between_sizes_and_dashes_for_missing_values() {
        let records = [record("mpnn", 16, 4.0), record("mpnn", 8, 1.0), record("pgn", 8, 3.0)];
        let table = table(&records);
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| 8 | 1.00 | 50 | 2.00 | 20 | 3.00 | 50 | 2.00 | 20 |",
                "|  | n^2.0 | n^0.0 | n^0.0 | n^0.0 | - | - | - | - |",
                "| 16 | 4.00 | 50 | 2.00 | 20 | - | - | - | - |",
            ]
        );
    }

    #[test]
    fn the_figure_has_a_tick_at_every_size_and_dashed_lines_for_prediction() {
        let records = [8, 16, 32].map(|n| record("mpnn", n, n as f64));
        let svg = chart(&records).unwrap();
        for text in [">8<", ">16<", ">32<", ">mpnn, training<", ">10 ms<", "stroke-dasharray"] {
            assert!(svg.contains(text), "{text} is not in {svg}");
        }
    }
}
