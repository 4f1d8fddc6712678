//! Sampling speed of narscope and of the reference, one thread each.
//!
//! Both sides are long-running processes that read `ALGORITHM LENGTH COUNT` and print the seconds
//! that the samples took. They alternate, so that other load on the machine slows down both.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::Result;
use crate::arguments::Arguments;
use crate::python::python;
use crate::run::{cargo, release_binary, run};
use crate::statistics::{CLRS_30, geometric_mean, minimum};

/// Prints a table of the samples per second of both sides.
pub(crate) fn compare(arguments: &Arguments) -> Result {
    let lengths: Vec<usize> = arguments.list("--lengths", "16,64")?;
    let algorithms: Vec<String> = arguments.list("--algorithms", CLRS_30)?;
    let rounds: usize = arguments.list("--rounds", "3")?[0];

    let example = ["--package", "narscope-clrs", "--example", "sampling_speed"];
    run(cargo(&["build", "--release"]).args(example))?;
    let mut reference = Worker::start(python("sampling_speed.py")?, 0.3)?;
    let mut ours = Worker::start(Command::new(release_binary("examples/sampling_speed")), 0.1)?;

    println!("| algorithm | n | reference, samples/s | ours, samples/s | ratio |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let mut ratios = Vec::new();
    for &length in &lengths {
        for algorithm in &algorithms {
            let task = format!("{algorithm} {length}");
            let (reference_speed, our_speed) = best_of(rounds, &task, &mut reference, &mut ours)?;
            let ratio = our_speed / reference_speed;
            println!(
                "| {algorithm} | {length} | {reference_speed:.1} | {our_speed:.0} | {ratio:.0} x |"
            );
            ratios.push((length, ratio));
        }
    }

    println!("\n| n | geometric mean | minimum |");
    println!("| ---: | ---: | ---: |");
    for &length in &lengths {
        let of_length = ratios.iter().filter(|(n, _)| *n == length).map(|&(_, ratio)| ratio);
        print_summary(&length.to_string(), &of_length.collect::<Vec<_>>());
    }
    print_summary("all", &ratios.iter().map(|&(_, ratio)| ratio).collect::<Vec<_>>());
    Ok(())
}

/// Returns the samples per second of the reference and of narscope, each in its best round.
pub(crate) fn best_of(
    rounds: usize,
    task: &str,
    reference: &mut Worker,
    ours: &mut Worker,
) -> Result<(f64, f64)> {
    let counts = (reference.calibrate(task)?, ours.calibrate(task)?);
    let mut best: (f64, f64) = (0.0, 0.0);
    for _ in 0..rounds.max(1) {
        best.0 = best.0.max(reference.samples_per_second(task, counts.0)?);
        best.1 = best.1.max(ours.samples_per_second(task, counts.1)?);
    }
    Ok(best)
}

fn print_summary(name: &str, ratios: &[f64]) {
    let (mean, minimum) = (geometric_mean(ratios), minimum(ratios));
    println!("| {name} | {mean:.0} x | {minimum:.0} x |");
}

/// A process that draws samples on request and prints how long it took.
pub(crate) struct Worker {
    name: String,
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// Shortest measurement that is accurate enough, in seconds.
    min_seconds: f64,
}

impl Worker {
    pub(crate) fn start(mut command: Command, min_seconds: f64) -> Result<Self> {
        let name = format!("{command:?}");
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| format!("{name} could not be started: {error}"))?;
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Ok(Self { name, child, stdout, min_seconds })
    }

    /// Draws `count` samples and returns the seconds that it took.
    fn seconds(&mut self, task: &str, count: usize) -> Result<f64> {
        let stdin = self.child.stdin.as_mut().expect("stdin is piped");
        let mut reply = String::new();
        writeln!(stdin, "{task} {count}")
            .and_then(|()| self.stdout.read_line(&mut reply))
            .map_err(|error| format!("no connection to {}: {error}", self.name))?;
        reply
            .trim()
            .parse()
            .map_err(|_| format!("{} printed {reply:?} for `{task} {count}`", self.name))
    }

    fn samples_per_second(&mut self, task: &str, count: usize) -> Result<f64> {
        Ok(count as f64 / self.seconds(task, count)?)
    }

    /// Returns the number of samples for which a measurement takes at least `min_seconds`.
    fn calibrate(&mut self, task: &str) -> Result<usize> {
        let mut count = 1;
        loop {
            let seconds = self.seconds(task, count)?;
            if seconds >= self.min_seconds {
                return Ok(count);
            }
            // At most a factor of ten: the first samples are slower than the rest.
            let factor = (1.5 * self.min_seconds / seconds).clamp(1.5, 10.0);
            count = (count as f64 * factor).ceil() as usize;
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // `wait` closes the standard input, and the process exits. Its status does not matter.
        let _ = self.child.wait();
    }
}
