//! Time and memory of training and prediction, of narscope and of the reference.
//!
//! Every measurement is a separate process. `narscope bench` and `training_speed.py` alternate, so
//! that other load on the machine slows down both. Both train on the same batches and predict the
//! same samples. The results of a network are written to a file when all of its rounds are done, so
//! an interrupted comparison continues where it stopped.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Result;
use crate::arguments::Arguments;
use crate::context::{build, machine};
use crate::python::python;
use crate::records::{append, contexts, read};
use crate::run::{cargo, output, release_binary, run};
use crate::statistics::{CLRS_30, geometric_mean, mean, minimum, rounded};

/// Training lengths of the reference's run script.
const TRAIN_LENGTHS: [usize; 5] = [4, 7, 11, 13, 16];
/// Length of the benchmark's test samples.
const PREDICT_LENGTH: usize = 64;
/// Measured updates per length and process, after one that is not measured.
const PASSES: usize = 5;
/// Seconds of updates after which the reference starts no further pass.
const SECONDS: usize = 20;
/// Measured predictions per process.
const PREDICTIONS: usize = 2;
/// Samples per batch.
const BATCH_SIZE: usize = 32;
/// Samples per predicted batch where an update of the reference takes longer than [`SLOW_MS`]: a
/// full batch would take minutes.
const SMALL_BATCH_SIZE: usize = 4;
const SLOW_MS: f64 = 2000.0;
/// Longest time that the reference may take for one update, compilation included.
const TRAIN_TIMEOUT: Duration = Duration::from_mins(30);

/// A compared quantity: key in the file, name in tables, and whether its unit is milliseconds.
type Measure = (&'static str, &'static str, bool);
const TIMES: [Measure; 3] = [
    ("longest_ms", "update, n = 16, ms", true),
    ("mixed_ms", "update, mixed, ms", true),
    (PREDICTION, "prediction, n = 64, ms", true),
];
const PREDICTION: &str = "predict_ms";
const COSTS: [Measure; 3] = [
    ("train_mb", "training, MB", false),
    ("predict_mb", "prediction, MB", false),
    ("first_update_s", "command to first update, s", false),
];

/// Measures the networks that are not in the file yet, and prints tables of all selected networks.
pub(crate) fn compare(arguments: &Arguments) -> Result {
    let algorithms: Vec<String> = arguments.list("--algorithms", CLRS_30)?;
    let processors: Vec<String> = arguments.list("--processors", "mpnn,triplet_gmpnn")?;
    let rounds = arguments.list::<usize>("--rounds", "2")?[0].max(1);
    let timeout = Duration::from_secs(arguments.list("--predict-timeout", "300")?[0]);
    let default = PathBuf::from("experiments/results/training-speed/results.jsonl");
    let file = arguments.get("--out").map_or(default, PathBuf::from);

    // The whole workspace with default features, so that Cargo reuses Burn from everyday builds.
    run(&mut cargo(&["build", "--release"]))?;
    // Check the names and install the reference before hours of measuring.
    for processor in &processors {
        let names = ["--algorithms", &algorithms.join(","), "--processor_type", processor];
        output(
            Command::new(release_binary("narscope")).args(["train", "--print-config"]).args(names),
        )?;
    }
    python("training_speed.py")?;

    let context = context()?;
    let records = read(&file)?;
    let mut selected = vec![];
    for algorithm in &algorithms {
        for processor in &processors {
            let matches = |record: &Value| {
                record["algorithm"] == **algorithm && record["processor"] == **processor
            };
            let previous = records.iter().rev().find(|record| matches(record));
            if let Some(record) = previous.filter(|_| arguments.get("--again").is_none()) {
                selected.push(record.clone());
                continue;
            }
            let mut record = Network { algorithm, processor }.measure(rounds, timeout)?;
            record["context"] = json!(context);
            record["rounds"] = json!(rounds);
            append(&file, &record)?;
            selected.push(record);
        }
    }
    print(&selected);
    Ok(())
}

/// Versions of both sides, machine and date.
fn context() -> Result<String> {
    let requirements = fs::read_to_string("tools/reference/requirements.txt").unwrap_or_default();
    let reference = requirements.lines().collect::<Vec<_>>().join(" ");
    Ok(format!("{}, {reference}; {}", build()?, machine()?))
}

/// A measured value, a lower bound, or the reason why there is none.
#[derive(Clone, Debug, PartialEq)]
enum Measurement {
    Known(f64),
    /// Stopped after this many milliseconds.
    MoreThan(f64),
    Missing(String),
}

impl Measurement {
    fn to_json(&self) -> Value {
        match self {
            Self::Known(number) => json!(number),
            Self::MoreThan(ms) => json!({"more_than_ms": ms}),
            Self::Missing(reason) => json!(reason),
        }
    }

    fn from_json(value: &Value) -> Self {
        let known = value.as_f64().map(Self::Known);
        let bound = || value["more_than_ms"].as_f64().map(Self::MoreThan);
        known
            .or_else(bound)
            .unwrap_or_else(|| Self::Missing(value.as_str().unwrap_or("unknown").to_owned()))
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(number) => write!(f, "{}", rounded(*number)),
            Self::MoreThan(ms) => write!(f, "> {} s", ms / 1000.0),
            Self::Missing(reason) => write!(f, "{reason}"),
        }
    }
}

/// What a process measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Train,
    Predict,
}

impl Phase {
    /// Name on the command line of both programs.
    fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Predict => "predict",
        }
    }

    /// Key of the peak memory.
    fn memory_key(self) -> &'static str {
        match self {
            Self::Train => "train_mb",
            Self::Predict => "predict_mb",
        }
    }
}

/// Results of one side for one network, of one round or the best of several rounds.
#[derive(Debug, Default, PartialEq)]
struct SideResults {
    /// Milliseconds per batch in the order in which the batches are drawn, by length.
    updates: BTreeMap<u64, Vec<f64>>,
    /// Other quantities by key of the file; the minimum over all rounds.
    minima: BTreeMap<&'static str, f64>,
    /// Phases that failed, with the reason.
    failures: BTreeMap<Phase, Measurement>,
}

impl SideResults {
    /// Records a value if it is the smallest one so far.
    fn record(&mut self, key: &'static str, number: &Value) {
        if let Some(number) = number.as_f64() {
            let best = self.minima.entry(key).or_insert(number);
            *best = best.min(number);
        }
    }

    /// Records the time of the next batch of a length.
    fn record_update(&mut self, length: &Value, ms: &Value) {
        if let (Some(length), Some(ms)) = (length.as_u64(), ms.as_f64()) {
            self.updates.entry(length).or_default().push(ms);
        }
    }

    /// Merges another round: keeps the best time of each batch. A batch takes the same work in
    /// every round but batches differ, so the minimum over all batches would be that of the easiest
    /// one.
    fn merge(&mut self, other: Self) {
        // A failed round does not discard results of an earlier one.
        if !other.failures.is_empty() && other.failures.keys().all(|phase| self.has_result(*phase))
        {
            return;
        }
        for (length, times) in other.updates {
            let best = self.updates.entry(length).or_insert_with(|| times.clone());
            for (best, time) in best.iter_mut().zip(times) {
                *best = best.min(time);
            }
        }
        for (key, number) in other.minima {
            self.record(key, &json!(number));
        }
        self.failures.extend(other.failures);
    }

    /// Mean time of an update on the longest samples.
    fn longest_ms(&self) -> Option<f64> {
        self.updates.values().next_back().map(|times| mean(times))
    }

    /// Removes batches that the other side did not measure.
    fn truncate_to(&mut self, other: &Self) {
        for (length, times) in &mut self.updates {
            times.truncate(other.updates.get(length).map_or(times.len(), Vec::len));
        }
    }

    /// Whether a phase was measured without failure.
    fn has_result(&self, phase: Phase) -> bool {
        self.minima.contains_key(phase.memory_key()) && !self.failures.contains_key(&phase)
    }

    fn to_json(&self) -> Value {
        let means: Vec<f64> = self.updates.values().map(|times| mean(times)).collect();
        let mut values = self.minima.clone();
        values.extend(self.longest_ms().map(|longest| ("longest_ms", longest)));
        values.extend((!means.is_empty()).then(|| ("mixed_ms", mean(&means))));
        let measurements = TIMES.iter().chain(&COSTS).map(|&(key, ..)| {
            // The first update may be measured even if later ones fail.
            let failure = match key {
                "first_update_s" => None,
                "predict_ms" | "predict_mb" => self.failures.get(&Phase::Predict),
                _ => self.failures.get(&Phase::Train),
            };
            let known = values.get(key).map(|&value| Measurement::Known(value));
            let measurement = failure.cloned().or(known);
            let measurement =
                measurement.unwrap_or_else(|| Measurement::Missing("unknown".to_owned()));
            (key.to_owned(), measurement.to_json())
        });
        measurements.collect()
    }
}

/// A network: a processor and the algorithm that it is trained on.
#[derive(Clone, Copy)]
struct Network<'a> {
    algorithm: &'a str,
    processor: &'a str,
}

impl Network<'_> {
    /// Measures both sides and returns a record for the file.
    fn measure(self, rounds: usize, timeout: Duration) -> Result<Value> {
        let Self { algorithm, processor } = self;
        let (mut ours, mut reference) = (SideResults::default(), SideResults::default());
        let mut predict_samples = None;
        for round in 1..=rounds {
            for phase in [Phase::Train, Phase::Predict] {
                let name = phase.name();
                eprintln!("{algorithm}, {processor}: {name}, round {round} of {rounds}");
                // Only used for prediction, and the reference has been trained by then.
                let is_slow = reference.longest_ms().is_none_or(|ms| ms > SLOW_MS);
                let samples = if is_slow { SMALL_BATCH_SIZE } else { BATCH_SIZE };
                let samples = match phase {
                    Phase::Train => BATCH_SIZE,
                    Phase::Predict => *predict_samples.get_or_insert(samples),
                };
                ours.merge(self.ours(phase, samples)?);
                // If the reference failed in an earlier round, it is not run again.
                if !reference.failures.contains_key(&phase) {
                    reference.merge(self.reference(phase, samples, timeout)?);
                }
            }
        }
        ours.truncate_to(&reference);
        Ok(json!({
            "algorithm": algorithm, "processor": processor, "predicted": predict_samples,
            "ours": ours.to_json(), "reference": reference.to_json(),
        }))
    }

    fn ours(self, phase: Phase, samples: usize) -> Result<SideResults> {
        let mut command = Command::new(release_binary("narscope"));
        command.args(["bench", "--json", "--algorithms", self.algorithm]);
        command.args(["--processor_type", self.processor]);
        command.args(["--only", phase.name()]);
        command.args(["--train_lengths", &comma_separated(&TRAIN_LENGTHS)]);
        command.args(["--steps", &(PASSES * TRAIN_LENGTHS.len()).to_string()]);
        command.args(["--predict-length", &PREDICT_LENGTH.to_string()]);
        command.args(["--predict-samples", &samples.to_string()]);
        command.args(["--rounds", &PREDICTIONS.to_string()]);
        let mut results = SideResults::default();
        let failure = read_json_lines(command, Duration::MAX, |report| {
            let (train, predict) = (&report["train"], &report["predict"][0]);
            results.record("train_mb", &train["peak_memory_mb"]);
            results.record("first_update_s", &train["first_update_s"]);
            results.record("predict_mb", &predict["peak_memory_mb"]);
            results.record("predict_ms", &predict["best_ms"]);
            for length in train["lengths"].as_array().into_iter().flatten() {
                for ms in length["ms"].as_array().into_iter().flatten() {
                    results.record_update(&length["lengths"][0], ms);
                }
            }
        })?;
        results.failures.extend(failure.map(|failure| (phase, failure)));
        Ok(results)
    }

    fn reference(self, phase: Phase, samples: usize, timeout: Duration) -> Result<SideResults> {
        let mut command = python("training_speed.py")?;
        command.args([phase.name(), self.algorithm, self.processor]);
        let (lengths, passes, timeout) = match phase {
            Phase::Train => (comma_separated(&TRAIN_LENGTHS), PASSES, TRAIN_TIMEOUT),
            Phase::Predict => (PREDICT_LENGTH.to_string(), PREDICTIONS, timeout),
        };
        command.args(["--lengths", &lengths, "--passes", &passes.to_string()]);
        command.args(["--batch", &samples.to_string(), "--seconds", &SECONDS.to_string()]);
        let mut results = SideResults::default();
        let (mut peak, mut is_out_of_memory, mut is_compiled) = (Value::Null, false, false);
        let failure = read_json_lines(command, timeout, |line| {
            match line["measure"].as_str() {
                Some("first_update") => results.record("first_update_s", &line["seconds"]),
                Some("update") => results.record_update(&line["length"], &line["ms"]),
                Some("prediction") => results.record("predict_ms", &line["ms"]),
                Some("compilation") => is_compiled = true,
                Some("out_of_memory") => is_out_of_memory = true,
                _ => {}
            }
            // Peak memory never decreases, so the last value is the largest.
            peak = line["peak_memory_mb"].clone();
        })?;
        results.record(phase.memory_key(), &peak);
        let failure = match failure {
            _ if is_out_of_memory => Some(Measurement::Missing(OUT_OF_MEMORY.to_owned())),
            // At least one prediction was measured before the timeout.
            Some(Measurement::MoreThan(_)) if results.minima.contains_key("predict_ms") => None,
            // It may have been compiling still, so the timeout is no bound on the computation.
            Some(Measurement::MoreThan(ms)) if phase == Phase::Train || !is_compiled => {
                Some(Measurement::Missing(format!("not compiled in {} s", ms / 1000.0)))
            }
            failure => failure,
        };
        results.failures.extend(failure.map(|failure| (phase, failure)));
        Ok(results)
    }
}

fn comma_separated(values: &[usize]) -> String {
    values.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

const OUT_OF_MEMORY: &str = "out of memory";

/// Runs a program and passes every line of JSON that it prints to `on_line`. Kills the program if
/// it prints nothing for longer than `timeout`. Returns the failure unless the program exits
/// successfully.
fn read_json_lines(
    mut command: Command,
    timeout: Duration,
    mut on_line: impl FnMut(&Value),
) -> Result<Option<Measurement>> {
    let name = format!("{command:?}");
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{name} could not be started: {error}"))?;
    let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let (sender, lines) = mpsc::channel();
    // Reading from a pipe has no timeout, receiving from a channel has one.
    let reader = thread::spawn(move || {
        stdout.lines().map_while(std::result::Result::ok).try_for_each(|line| sender.send(line))
    });
    let timed_out = loop {
        match lines.recv_timeout(timeout) {
            // Lines that are not JSON are messages of libraries.
            Ok(line) => serde_json::from_str(&line).iter().for_each(&mut on_line),
            Err(RecvTimeoutError::Timeout) => break true,
            Err(RecvTimeoutError::Disconnected) => break false,
        }
    };
    if timed_out {
        // Fails if the program has just exited, which is fine.
        let _ = child.kill();
    }
    let status =
        child.wait().map_err(|error| format!("{name} could not be waited for: {error}"))?;
    // The pipe is closed, so the thread ends. Its result does not matter.
    let _ = reader.join();
    Ok(match status {
        _ if timed_out => Some(Measurement::MoreThan(1000.0 * timeout.as_secs_f64())),
        status if status.success() => None,
        status if was_killed(status) => Some(Measurement::Missing(OUT_OF_MEMORY.to_owned())),
        _ => Some(Measurement::Missing("failed".to_owned())),
    })
}

/// Whether a process was killed with SIGKILL, as the system does when memory runs out.
fn was_killed(status: ExitStatus) -> bool {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&status) == Some(9);
    #[cfg(not(unix))]
    return false;
}

fn print(records: &[Value]) {
    println!("{}\n", contexts(records));
    println!(
        "Milliseconds per update and per prediction of {BATCH_SIZE} samples, or of {SMALL_BATCH_SIZE} samples (marked *) where an update \
         of the reference takes more than {SLOW_MS} ms. Ratios are reference / ours. An update is the mean over up to {PASSES} batches \
         per length, the same on both sides, each in its best round. Our time includes drawing the batch, the reference's does not. \
         Mixed is the mean over the lengths {}; string matchers have a single length, 20, in both columns. Compilation is included \
         only in the time to the first update.\n",
        comma_separated(&TRAIN_LENGTHS)
    );
    print_table(records, &TIMES);
    print_table(records, &COSTS);

    print_summary(records);
}

/// Prints mean and minimum ratios by quantity and processor. Lower bounds are listed separately.
fn print_summary(records: &[Value]) {
    let mut processors: Vec<&str> =
        records.iter().filter_map(|record| record["processor"].as_str()).collect();
    processors.sort_unstable();
    processors.dedup();
    println!("| reference / ours | processor | networks | geometric mean | minimum |");
    println!("| --- | --- | ---: | ---: | ---: |");
    let mut bounded = vec![];
    for measure in TIMES.iter().chain(&COSTS) {
        for processor in &processors {
            let of_processor = records.iter().filter(|record| record["processor"] == **processor);
            let ratios: Vec<Ratio> =
                of_processor.filter_map(|record| ratio(record, measure)).collect();
            let values = |ratios: &mut dyn Iterator<Item = &Ratio>| -> Vec<f64> {
                ratios.map(|ratio| ratio.value).collect()
            };
            let known = values(&mut ratios.iter().filter(|ratio| !ratio.is_bound));
            let (name, count) = (measure.1, known.len());
            if known.is_empty() {
                println!("| {name} | {processor} | 0 | - | - |");
            } else {
                let (mean, minimum) = (geometric_mean(&known), minimum(&known));
                println!("| {name} | {processor} | {count} | {mean:.1} x | {minimum:.1} x |");
            }
            if ratios.len() > count {
                let (mean, more) =
                    (geometric_mean(&values(&mut ratios.iter())), ratios.len() - count);
                bounded.push(format!("{name}, {processor}: {mean:.1} x with {more} more"));
            }
        }
    }
    if !bounded.is_empty() {
        println!(
            "\nThese means exclude networks on which the reference timed out. Counting the timeout as \
             its time gives lower bounds: {}.",
            bounded.join("; ")
        );
    }
}

/// Ratio of the reference's cost to ours.
struct Ratio {
    value: f64,
    /// Whether the value is a lower bound.
    is_bound: bool,
}

fn ratio(record: &Value, &(key, _, is_ms): &Measure) -> Option<Ratio> {
    let measurement = |side: &str| Measurement::from_json(&record[side][key]);
    match (measurement("ours"), measurement("reference")) {
        (Measurement::Known(ours), Measurement::Known(reference)) => {
            Some(Ratio { value: reference / ours, is_bound: false })
        }
        (Measurement::Known(ours), Measurement::MoreThan(ms)) if is_ms => {
            Some(Ratio { value: ms / ours, is_bound: true })
        }
        _ => None,
    }
}

fn print_table(records: &[Value], measures: &[Measure]) {
    let headers =
        measures.iter().map(|(_, name, _)| format!(" {name}: ours | reference | ratio |"));
    println!("| algorithm | processor |{}", headers.collect::<String>());
    println!("| --- | --- |{}", " ---: | ---: | ---: |".repeat(measures.len()));
    for record in records {
        let cells = measures.iter().map(|measure| {
            let measurement = |side: &str| Measurement::from_json(&record[side][measure.0]);
            let ratio = match ratio(record, measure) {
                Some(Ratio { value, is_bound: true }) => format!("> {value:.1} x"),
                Some(Ratio { value, is_bound: false }) => format!("{value:.1} x"),
                None => "-".to_owned(),
            };
            let is_small = measure.0 == PREDICTION && record["predicted"] == SMALL_BATCH_SIZE;
            let mark = if is_small { "*" } else { "" };
            let [ours, reference] = ["ours", "reference"].map(measurement);
            format!(" {ours}{mark} | {reference}{mark} | {ratio} |")
        });
        let [algorithm, processor] =
            ["algorithm", "processor"].map(|key| record[key].as_str().unwrap_or_default());
        println!("| {algorithm} | {processor} |{}", cells.collect::<String>());
    }
    println!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side_results(updates: &[(u64, &[f64])], predict_ms: f64) -> SideResults {
        let mut results = SideResults::default();
        for (length, times) in updates {
            times.iter().for_each(|ms| results.record_update(&json!(length), &json!(ms)));
        }
        results.record("predict_ms", &json!(predict_ms));
        results
    }

    #[test]
    fn the_best_round_of_every_batch_counts() {
        let mut results = side_results(&[(4, &[1.0, 5.0]), (16, &[10.0, 20.0])], 7.0);
        results.merge(side_results(&[(4, &[3.0, 1.0]), (16, &[12.0, 18.0])], 6.0));
        let json = results.to_json();
        assert_eq!(json["longest_ms"], 14.0);
        assert_eq!(json["mixed_ms"], 7.5);
        assert_eq!(json["predict_ms"], 6.0);
        assert_eq!(json["train_mb"], "unknown");
    }

    #[test]
    fn a_failed_round_does_not_discard_an_earlier_result() {
        let mut results = side_results(&[], 7.0);
        results.record("predict_mb", &json!(1.0));
        let mut failed = SideResults::default();
        failed.failures.insert(Phase::Predict, Measurement::MoreThan(3000.0));
        results.merge(failed);
        assert_eq!(results.to_json()["predict_ms"], 7.0);
    }

    #[test]
    fn a_timeout_gives_a_lower_bound_on_the_ratio_of_times_but_not_of_memory() {
        let mut stopped = side_results(&[], 1.0);
        stopped.failures.insert(Phase::Predict, Measurement::MoreThan(3000.0));
        let record =
            json!({"ours": side_results(&[], 10.0).to_json(), "reference": stopped.to_json()});
        let bound = ratio(&record, &TIMES[2]).unwrap();
        assert_eq!((bound.value, bound.is_bound), (300.0, true));
        assert!(ratio(&record, &COSTS[1]).is_none());
        assert_eq!(Measurement::from_json(&record["reference"]["predict_ms"]).to_string(), "> 3 s");
    }

    #[cfg(unix)]
    #[test]
    fn lines_are_read_until_the_program_exits_times_out_or_is_killed() {
        let shell = |script: &str, timeout: Duration| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            let mut lines = vec![];
            let failure =
                read_json_lines(command, timeout, |line| lines.push(line.clone())).unwrap();
            (lines, failure)
        };
        let (long, short) = (Duration::from_mins(1), Duration::from_millis(100));
        let one = vec![json!(1)];
        assert_eq!(shell("echo 1", long), (one.clone(), None));
        assert_eq!(
            shell("echo 1; exec sleep 60", short),
            (one.clone(), Some(Measurement::MoreThan(100.0)))
        );
        let out_of_memory = Some(Measurement::Missing(OUT_OF_MEMORY.to_owned()));
        assert_eq!(shell("echo 1; kill -9 $$", long), (one, out_of_memory));
    }
}
