//! How many samples per second we make and the reference makes, one thread each.
//!
//! Both sides are processes that stay alive and answer `ALGORITHM LENGTH COUNT` with seconds. They
//! take turns, so that whatever else the machine does at the time slows down both.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::Result;
use crate::arguments::Arguments;
use crate::python::python;
use crate::run::{built, cargo, run};
use crate::statistics::{CLRS_30, geometric_mean, least};

/// Prints a table of both sides' speed on CLRS-30.
pub(crate) fn compare(arguments: &Arguments) -> Result {
    let lengths: Vec<usize> = arguments.list("--lengths", "16,64")?;
    let algorithms: Vec<String> = arguments.list("--algorithms", CLRS_30)?;
    let rounds: usize = arguments.list("--rounds", "3")?[0];

    let example = ["--package", "narscope-clrs", "--example", "sampling_speed"];
    run(cargo(&["build", "--release"]).args(example))?;
    let mut reference = Side::start(python("sampling_speed.py")?, 0.3)?;
    let mut ours = Side::start(Command::new(built("examples/sampling_speed")), 0.1)?;

    println!("| algorithm | n | reference, samples/s | ours, samples/s | ratio |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let mut ratios = Vec::new();
    for &length in &lengths {
        for algorithm in &algorithms {
            let task = format!("{algorithm} {length}");
            let (slow, fast) = best_of(rounds, &task, &mut reference, &mut ours)?;
            let ratio = fast / slow;
            println!("| {algorithm} | {length} | {slow:.1} | {fast:.0} | {ratio:.0} x |");
            ratios.push((length, ratio));
        }
    }

    println!("\n| n | geometric mean | minimum |");
    println!("| ---: | ---: | ---: |");
    for &length in &lengths {
        let of_length = ratios.iter().filter(|(of, _)| *of == length).map(|&(_, ratio)| ratio);
        print_summary(&length.to_string(), &of_length.collect::<Vec<_>>());
    }
    print_summary("all", &ratios.iter().map(|&(_, ratio)| ratio).collect::<Vec<_>>());
    Ok(())
}

/// The samples per second of either side in its best round.
fn best_of(rounds: usize, task: &str, reference: &mut Side, ours: &mut Side) -> Result<(f64, f64)> {
    let counts = (reference.calibrate(task)?, ours.calibrate(task)?);
    let mut best: (f64, f64) = (0.0, 0.0);
    for _ in 0..rounds.max(1) {
        best.0 = best.0.max(reference.samples_per_second(task, counts.0)?);
        best.1 = best.1.max(ours.samples_per_second(task, counts.1)?);
    }
    Ok(best)
}

fn print_summary(name: &str, ratios: &[f64]) {
    let (mean, least) = (geometric_mean(ratios), least(ratios));
    println!("| {name} | {mean:.0} x | {least:.0} x |");
}

/// A process that makes samples when asked to, and says how long it took.
struct Side {
    name: String,
    child: Child,
    answers: BufReader<ChildStdout>,
    /// The seconds from which on a measurement is taken seriously.
    least: f64,
}

impl Side {
    fn start(mut command: Command, least: f64) -> Result<Self> {
        let name = format!("{command:?}");
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| format!("{name} could not be started: {error}"))?;
        let answers = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Ok(Self { name, child, answers, least })
    }

    fn seconds(&mut self, task: &str, count: usize) -> Result<f64> {
        let stdin = self.child.stdin.as_mut().expect("stdin is piped");
        let mut answer = String::new();
        writeln!(stdin, "{task} {count}")
            .and_then(|()| self.answers.read_line(&mut answer))
            .map_err(|error| format!("{} cannot be asked: {error}", self.name))?;
        answer
            .trim()
            .parse()
            .map_err(|_| format!("{} answered {answer:?} to `{task} {count}`", self.name))
    }

    fn samples_per_second(&mut self, task: &str, count: usize) -> Result<f64> {
        Ok(count as f64 / self.seconds(task, count)?)
    }

    /// How many samples to ask for so that a measurement takes long enough.
    fn calibrate(&mut self, task: &str) -> Result<usize> {
        let mut count = 1;
        loop {
            let seconds = self.seconds(task, count)?;
            if seconds >= self.least {
                return Ok(count);
            }
            // At most tenfold, because the first samples are slower than the rest.
            let factor = (1.5 * self.least / seconds).clamp(1.5, 10.0);
            count = (count as f64 * factor).ceil() as usize;
        }
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // Closes its standard input, on which it ends; how it ends no longer matters.
        let _ = self.child.wait();
    }
}
