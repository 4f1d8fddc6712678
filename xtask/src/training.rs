//! Time and memory of training and prediction, ours and the reference's.
//!
//! Every measurement is a process of its own: `narscope bench` and `training_speed.py` take turns,
//! so that whatever else the machine does slows down both. Both learn from the same batches and
//! predict the same problems. What is known of a network is kept in a file as soon as all rounds on
//! it are done: a comparison that was interrupted goes on where it stopped.

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
use crate::run::{answer, built, cargo, run};
use crate::statistics::{CLRS_30, geometric_mean, least, rounded};

/// The lengths that the reference's run script trains on.
const TRAIN_LENGTHS: [usize; 5] = [4, 7, 11, 13, 16];
/// The length of the benchmark's test problems.
const PREDICT_LENGTH: usize = 64;
/// Updates of each length that a process measures, after one that it does not.
const PASSES: usize = 5;
/// After how many seconds of updates the reference begins no further pass.
const SECONDS: usize = 20;
/// Predictions that a process measures.
const PREDICTIONS: usize = 2;
/// Problems that are predicted at once.
const PROBLEMS: usize = 32;
/// The same where an update of the reference takes longer than [`SLOW_MS`]: it would be minutes.
const FEW_PROBLEMS: usize = 4;
const SLOW_MS: f64 = 2000.0;
/// How long the reference may take for one update, with all that JAX compiles before it.
const TRAIN_PATIENCE: Duration = Duration::from_mins(30);

/// What is compared: its key in the file, its name in tables, and whether it is milliseconds.
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

/// Measures what is not in the file yet, and prints tables of all that was asked for.
pub(crate) fn compare(arguments: &Arguments) -> Result {
    let algorithms: Vec<String> = arguments.list("--algorithms", CLRS_30)?;
    let processors: Vec<String> = arguments.list("--processors", "mpnn,triplet_gmpnn")?;
    let rounds = arguments.list::<usize>("--rounds", "2")?[0].max(1);
    let patience = Duration::from_secs(arguments.list("--predict-timeout", "300")?[0]);
    let default = PathBuf::from("experiments/results/training-speed/results.jsonl");
    let file = arguments.get("--out").map_or(default, PathBuf::from);

    // All of the workspace's defaults, so that Cargo finds Burn as everyday builds leave it.
    run(&mut cargo(&["build", "--release"]))?;
    // Names are checked, and the reference is installed, before hours of measuring.
    for processor in &processors {
        let names = ["--algorithms", &algorithms.join(","), "--processor_type", processor];
        answer(Command::new(built("narscope")).args(["train", "--print-config"]).args(names))?;
    }
    python("training_speed.py")?;

    let context = context()?;
    let records = read(&file)?;
    let mut wanted = vec![];
    for algorithm in &algorithms {
        for processor in &processors {
            let is_it = |record: &Value| {
                record["algorithm"] == **algorithm && record["processor"] == **processor
            };
            let known = records.iter().rev().find(|record| is_it(record));
            if let Some(record) = known.filter(|_| arguments.get("--again").is_none()) {
                wanted.push(record.clone());
                continue;
            }
            let mut record = Network { algorithm, processor }.measure(rounds, patience)?;
            record["context"] = json!(context);
            record["rounds"] = json!(rounds);
            append(&file, &record)?;
            wanted.push(record);
        }
    }
    print(&wanted);
    Ok(())
}

/// Who was compared, where and when.
fn context() -> Result<String> {
    let requirements = fs::read_to_string("tools/reference/requirements.txt").unwrap_or_default();
    let reference = requirements.lines().collect::<Vec<_>>().join(" ");
    Ok(format!("{}, {reference}; {}", build()?, machine()?))
}

/// A number, or why there is none.
#[derive(Clone, Debug, PartialEq)]
enum Figure {
    Known(f64),
    /// Nobody waited longer than so many milliseconds.
    MoreThan(f64),
    Missing(String),
}

impl Figure {
    fn to_json(&self) -> Value {
        match self {
            Self::Known(number) => json!(number),
            Self::MoreThan(ms) => json!({"more_than_ms": ms}),
            Self::Missing(why) => json!(why),
        }
    }

    fn of_json(value: &Value) -> Self {
        let known = value.as_f64().map(Self::Known);
        let bound = || value["more_than_ms"].as_f64().map(Self::MoreThan);
        known
            .or_else(bound)
            .unwrap_or_else(|| Self::Missing(value.as_str().unwrap_or("unknown").to_owned()))
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(number) => write!(f, "{}", rounded(*number)),
            Self::MoreThan(ms) => write!(f, "> {} s", ms / 1000.0),
            Self::Missing(why) => write!(f, "{why}"),
        }
    }
}

/// The two things that networks do, each in a process of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Train,
    Predict,
}

impl Phase {
    /// What both programs call it.
    fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Predict => "predict",
        }
    }

    /// The key of its peak.
    fn memory(self) -> &'static str {
        match self {
            Self::Train => "train_mb",
            Self::Predict => "predict_mb",
        }
    }
}

/// What one side measured of one network, in one round or in the best of several.
#[derive(Debug, Default, PartialEq)]
struct Findings {
    /// By length, the milliseconds of each batch, in the order in which they were drawn.
    updates: BTreeMap<u64, Vec<f64>>,
    /// What is a single number, and the best of several: by key of the file.
    numbers: BTreeMap<&'static str, f64>,
    /// Why numbers are missing.
    problems: BTreeMap<Phase, Figure>,
}

impl Findings {
    fn note(&mut self, key: &'static str, number: &Value) {
        if let Some(number) = number.as_f64() {
            let best = self.numbers.entry(key).or_insert(number);
            *best = best.min(number);
        }
    }

    fn note_update(&mut self, length: &Value, ms: &Value) {
        if let (Some(length), Some(ms)) = (length.as_u64(), ms.as_f64()) {
            self.updates.entry(length).or_default().push(ms);
        }
    }

    /// The best of both rounds. The same batch takes either side the same work in every round, but
    /// batches differ: so it is the best of each batch, and not the easiest batch.
    fn merge(&mut self, other: Self) {
        // What was measured once is known, whatever happens later.
        if !other.problems.is_empty() && other.problems.keys().all(|phase| self.knows(*phase)) {
            return;
        }
        for (length, times) in other.updates {
            let known = self.updates.entry(length).or_insert_with(|| times.clone());
            for (known, time) in known.iter_mut().zip(times) {
                *known = known.min(time);
            }
        }
        for (key, number) in other.numbers {
            self.note(key, &json!(number));
        }
        self.problems.extend(other.problems);
    }

    /// The mean over the largest problems.
    fn longest_ms(&self) -> Option<f64> {
        self.updates.values().next_back().map(|times| mean(times))
    }

    /// Forgets batches that the other side did not get to.
    fn keep_common(&mut self, other: &Self) {
        for (length, times) in &mut self.updates {
            times.truncate(other.updates.get(length).map_or(times.len(), Vec::len));
        }
    }

    fn knows(&self, phase: Phase) -> bool {
        self.numbers.contains_key(phase.memory()) && !self.problems.contains_key(&phase)
    }

    fn to_json(&self) -> Value {
        let means: Vec<f64> = self.updates.values().map(|times| mean(times)).collect();
        let mut numbers = self.numbers.clone();
        numbers.extend(self.longest_ms().map(|longest| ("longest_ms", longest)));
        numbers.extend((!means.is_empty()).then(|| ("mixed_ms", mean(&means))));
        let figures = TIMES.iter().chain(&COSTS).map(|&(key, ..)| {
            // The first update is known although later ones may not be.
            let problem = match key {
                "first_update_s" => None,
                "predict_ms" | "predict_mb" => self.problems.get(&Phase::Predict),
                _ => self.problems.get(&Phase::Train),
            };
            let known = numbers.get(key).map(|&number| Figure::Known(number));
            let figure = problem.cloned().or(known);
            let figure = figure.unwrap_or_else(|| Figure::Missing("unknown".to_owned()));
            (key.to_owned(), figure.to_json())
        });
        figures.collect()
    }
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// A processor that learns an algorithm.
#[derive(Clone, Copy)]
struct Network<'a> {
    algorithm: &'a str,
    processor: &'a str,
}

impl Network<'_> {
    /// What is found of both sides, as the file has it.
    fn measure(self, rounds: usize, patience: Duration) -> Result<Value> {
        let Self { algorithm, processor } = self;
        let (mut ours, mut reference) = (Findings::default(), Findings::default());
        let mut problems = None;
        for round in 1..=rounds {
            for phase in [Phase::Train, Phase::Predict] {
                let name = phase.name();
                eprintln!("{algorithm}, {processor}: {name}, round {round} of {rounds}");
                // The reference learns before anybody predicts, so it is known by then.
                let is_slow = reference.longest_ms().is_none_or(|ms| ms > SLOW_MS);
                let samples = if is_slow { FEW_PROBLEMS } else { PROBLEMS };
                let samples = match phase {
                    Phase::Train => PROBLEMS,
                    Phase::Predict => *problems.get_or_insert(samples),
                };
                ours.merge(self.ours(phase, samples)?);
                // Who has failed once is not waited for again.
                if !reference.problems.contains_key(&phase) {
                    reference.merge(self.reference(phase, samples, patience)?);
                }
            }
        }
        ours.keep_common(&reference);
        Ok(json!({
            "algorithm": algorithm, "processor": processor, "predicted": problems,
            "ours": ours.to_json(), "reference": reference.to_json(),
        }))
    }

    fn ours(self, phase: Phase, samples: usize) -> Result<Findings> {
        let mut command = Command::new(built("narscope"));
        command.args(["bench", "--json", "--algorithms", self.algorithm]);
        command.args(["--processor_type", self.processor]);
        command.args(["--only", phase.name()]);
        command.args(["--train_lengths", &comma_separated(&TRAIN_LENGTHS)]);
        command.args(["--steps", &(PASSES * TRAIN_LENGTHS.len()).to_string()]);
        command.args(["--predict-length", &PREDICT_LENGTH.to_string()]);
        command.args(["--predict-samples", &samples.to_string()]);
        command.args(["--rounds", &PREDICTIONS.to_string()]);
        let mut found = Findings::default();
        let end = listen(command, Duration::MAX, |answer| {
            let (train, predict) = (&answer["train"], &answer["predict"][0]);
            found.note("train_mb", &train["peak_memory_mb"]);
            found.note("first_update_s", &train["first_update_s"]);
            found.note("predict_mb", &predict["peak_memory_mb"]);
            found.note("predict_ms", &predict["best_ms"]);
            for length in train["lengths"].as_array().into_iter().flatten() {
                for ms in length["ms"].as_array().into_iter().flatten() {
                    found.note_update(&length["lengths"][0], ms);
                }
            }
        })?;
        found.problems.extend(end.map(|problem| (phase, problem)));
        Ok(found)
    }

    fn reference(self, phase: Phase, samples: usize, patience: Duration) -> Result<Findings> {
        let mut command = python("training_speed.py")?;
        command.args([phase.name(), self.algorithm, self.processor]);
        let (lengths, passes, patience) = match phase {
            Phase::Train => (comma_separated(&TRAIN_LENGTHS), PASSES, TRAIN_PATIENCE),
            Phase::Predict => (PREDICT_LENGTH.to_string(), PREDICTIONS, patience),
        };
        command.args(["--lengths", &lengths, "--passes", &passes.to_string()]);
        command.args(["--batch", &samples.to_string(), "--seconds", &SECONDS.to_string()]);
        let mut found = Findings::default();
        let (mut peak, mut is_out_of_memory, mut is_ready) = (Value::Null, false, false);
        let end = listen(command, patience, |line| {
            match line["measure"].as_str() {
                Some("first_update") => found.note("first_update_s", &line["seconds"]),
                Some("update") => found.note_update(&line["length"], &line["ms"]),
                Some("prediction") => found.note("predict_ms", &line["ms"]),
                Some("compilation") => is_ready = true,
                Some("out_of_memory") => is_out_of_memory = true,
                _ => {}
            }
            // Only grows.
            peak = line["peak_memory_mb"].clone();
        })?;
        found.note(phase.memory(), &peak);
        let end = match end {
            _ if is_out_of_memory => Some(Figure::Missing(OUT_OF_MEMORY.to_owned())),
            // One prediction is known, the next one was too much.
            Some(Figure::MoreThan(_)) if found.numbers.contains_key("predict_ms") => None,
            // It may still have been compiling, which says nothing of the work itself.
            Some(Figure::MoreThan(ms)) if phase == Phase::Train || !is_ready => {
                Some(Figure::Missing(format!("not compiled in {} s", ms / 1000.0)))
            }
            end => end,
        };
        found.problems.extend(end.map(|problem| (phase, problem)));
        Ok(found)
    }
}

fn comma_separated(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

const OUT_OF_MEMORY: &str = "out of memory";

/// Hears every line of JSON that a program prints, until it ends or is silent for longer than
/// `patience`, which ends it. Returns what is wrong if it did not end by itself, and well.
fn listen(
    mut command: Command,
    patience: Duration,
    mut hear: impl FnMut(&Value),
) -> Result<Option<Figure>> {
    let name = format!("{command:?}");
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{name} could not be started: {error}"))?;
    let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let (sender, lines) = mpsc::channel();
    // A pipe cannot be waited for with a limit, a channel can.
    let reader = thread::spawn(move || {
        stdout.lines().map_while(std::result::Result::ok).try_for_each(|line| sender.send(line))
    });
    let is_silent = loop {
        match lines.recv_timeout(patience) {
            // What is not JSON is some library's chatter.
            Ok(line) => serde_json::from_str(&line).iter().for_each(&mut hear),
            Err(RecvTimeoutError::Timeout) => break true,
            Err(RecvTimeoutError::Disconnected) => break false,
        }
    };
    if is_silent {
        // It may have ended this very moment, which is as good.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| format!("{name} was lost: {error}"))?;
    // Everybody has hung up by now.
    let _ = reader.join();
    Ok(match status {
        _ if is_silent => Some(Figure::MoreThan(1000.0 * patience.as_secs_f64())),
        status if status.success() => None,
        status if was_killed(status) => Some(Figure::Missing(OUT_OF_MEMORY.to_owned())),
        _ => Some(Figure::Missing("failed".to_owned())),
    })
}

/// Whether somebody else ended a process, which is what systems do that run out of memory.
fn was_killed(status: ExitStatus) -> bool {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&status) == Some(9);
    #[cfg(not(unix))]
    return false;
}

fn print(records: &[Value]) {
    println!("{}\n", contexts(records));
    println!(
        "Milliseconds per update and per prediction of {PROBLEMS} samples, or of {FEW_PROBLEMS} where an update of the reference takes \
         more than {SLOW_MS} ms (marked *); ratios are reference / ours. An update is the mean over up to {PASSES} batches of each length, \
         the same on both sides, each in its best round; ours includes drawing the batch, the reference's does not. \
         Mixed is the mean over the lengths {}; string matchers have one length, 20, in both columns. Compiling is not included but in \
         the time to the first update.\n",
        comma_separated(&TRAIN_LENGTHS)
    );
    print_table(records, &TIMES);
    print_table(records, &COSTS);

    print_summary(records);
}

/// Minima and means by measure and processor. Bounds are kept apart: they are not measurements.
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
                let (mean, least) = (geometric_mean(&known), least(&known));
                println!("| {name} | {processor} | {count} | {mean:.1} x | {least:.1} x |");
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
            "\nNetworks on which the reference was stopped are not in these means. Counted as if it \
             had answered at that moment, which is a lower bound: {}.",
            bounded.join("; ")
        );
    }
}

/// How many times as much the reference takes.
struct Ratio {
    value: f64,
    /// Whether it is at least that much.
    is_bound: bool,
}

fn ratio(record: &Value, &(key, _, is_ms): &Measure) -> Option<Ratio> {
    let figure = |side: &str| Figure::of_json(&record[side][key]);
    match (figure("ours"), figure("reference")) {
        (Figure::Known(ours), Figure::Known(reference)) => {
            Some(Ratio { value: reference / ours, is_bound: false })
        }
        (Figure::Known(ours), Figure::MoreThan(ms)) if is_ms => {
            Some(Ratio { value: ms / ours, is_bound: true })
        }
        _ => None,
    }
}

fn print_table(records: &[Value], measures: &[Measure]) {
    let heads = measures.iter().map(|(_, name, _)| format!(" {name}: ours | reference | ratio |"));
    println!("| algorithm | processor |{}", heads.collect::<String>());
    println!("| --- | --- |{}", " ---: | ---: | ---: |".repeat(measures.len()));
    for record in records {
        let cells = measures.iter().map(|measure| {
            let figure = |side: &str| Figure::of_json(&record[side][measure.0]);
            let ratio = match ratio(record, measure) {
                Some(Ratio { value, is_bound: true }) => format!("> {value:.1} x"),
                Some(Ratio { value, is_bound: false }) => format!("{value:.1} x"),
                None => "-".to_owned(),
            };
            let few = measure.0 == PREDICTION && record["predicted"] == FEW_PROBLEMS;
            let mark = if few { "*" } else { "" };
            format!(" {}{mark} | {}{mark} | {ratio} |", figure("ours"), figure("reference"))
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

    fn findings(updates: &[(u64, &[f64])], predict_ms: f64) -> Findings {
        let mut found = Findings::default();
        for (length, times) in updates {
            times.iter().for_each(|ms| found.note_update(&json!(length), &json!(ms)));
        }
        found.note("predict_ms", &json!(predict_ms));
        found
    }

    #[test]
    fn every_batch_counts_in_its_best_round() {
        let mut found = findings(&[(4, &[1.0, 5.0]), (16, &[10.0, 20.0])], 7.0);
        found.merge(findings(&[(4, &[3.0, 1.0]), (16, &[12.0, 18.0])], 6.0));
        let json = found.to_json();
        assert_eq!(json["longest_ms"], 14.0);
        assert_eq!(json["mixed_ms"], 7.5);
        assert_eq!(json["predict_ms"], 6.0);
        assert_eq!(json["train_mb"], "unknown");
    }

    #[test]
    fn a_round_that_fails_does_not_undo_one_that_did_not() {
        let mut found = findings(&[], 7.0);
        found.note("predict_mb", &json!(1.0));
        let mut failed = Findings::default();
        failed.problems.insert(Phase::Predict, Figure::MoreThan(3000.0));
        found.merge(failed);
        assert_eq!(found.to_json()["predict_ms"], 7.0);
    }

    #[test]
    fn who_was_stopped_enters_ratios_as_a_bound_on_time_and_not_on_memory() {
        let mut stopped = findings(&[], 1.0);
        stopped.problems.insert(Phase::Predict, Figure::MoreThan(3000.0));
        let record = json!({"ours": findings(&[], 10.0).to_json(), "reference": stopped.to_json()});
        let bound = ratio(&record, &TIMES[2]).unwrap();
        assert_eq!((bound.value, bound.is_bound), (300.0, true));
        assert!(ratio(&record, &COSTS[1]).is_none());
        assert_eq!(Figure::of_json(&record["reference"]["predict_ms"]).to_string(), "> 3 s");
    }

    #[cfg(unix)]
    #[test]
    fn programs_are_heard_until_they_end_are_silent_or_are_killed() {
        let shell = |script: &str, patience: Duration| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            let mut heard = vec![];
            let end = listen(command, patience, |line| heard.push(line.clone())).unwrap();
            (heard, end)
        };
        let (long, short) = (Duration::from_mins(1), Duration::from_millis(100));
        let one = vec![json!(1)];
        assert_eq!(shell("echo 1", long), (one.clone(), None));
        assert_eq!(
            shell("echo 1; exec sleep 60", short),
            (one.clone(), Some(Figure::MoreThan(100.0)))
        );
        let out_of_memory = Some(Figure::Missing(OUT_OF_MEMORY.to_owned()));
        assert_eq!(shell("echo 1; kill -9 $$", long), (one, out_of_memory));
    }
}
