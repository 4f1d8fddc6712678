//! `narscope bench`: speed of training and prediction on this machine.
//!
//! Samples leave a batch when they finish, so the time of a step depends on its samples. For long
//! trainings the mean is the better estimate; the JSON output has every measured time, so that
//! repeated benchmarks can be compared batch by batch.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use narscope::clrs::options::Options;
use narscope::kernels::Buffer;
use narscope::kernels::matrix::{self, Mat, MatMut};
use narscope::model::config::Config;
use narscope::model::evaluation::{EvaluateOptions, Evaluator};
use narscope::model::model::EVALUATION_BATCH;
use narscope::model::train::Trainer;
use narscope::model::{Model, OpenModel as _};
use serde_json::{Value, json};

use crate::flags::ConfigFlags;
use crate::process;
use crate::progress::Progress;

/// Measure the speed of training and prediction on this machine
///
/// A training step is one update per algorithm, including the sampling of its batch. A prediction
/// is one batch of new samples, from input to scored outputs. No files are written. Memory is the
/// peak of the whole process so far: use --only to measure training or prediction alone.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope bench --algorithms bellman_ford --processor_type mpnn
  narscope bench bellman_ford --only train --steps 100
  narscope bench --algorithms floyd_warshall --only predict --predict-length 128
  narscope bench --algorithms bfs --threads 1 --json")]
pub(crate) struct Bench {
    /// Configuration files; later files override earlier ones, flags override files
    #[arg(value_name = "CONFIG")]
    files: Vec<PathBuf>,
    /// Measure only training or only prediction: train or predict
    #[arg(long, value_name = "WHAT", value_parser = ["train", "predict"], hide_possible_values = true)]
    only: Option<String>,
    /// Training steps to measure [default: three per training length]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    steps: Option<u32>,
    /// Unmeasured training steps before them [default: one per training length]
    #[arg(long)]
    warmup: Option<u32>,
    /// Size of the samples to predict
    #[arg(long, alias = "predict_length", value_name = "LENGTH", default_value_t = 64)]
    predict_length: usize,
    /// Number of samples to predict
    #[arg(long, alias = "predict_samples", value_name = "NUM", default_value_t = 32,
          value_parser = clap::value_parser!(u32).range(1..))]
    predict_samples: u32,
    /// Number of repetitions of the prediction
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Print JSON, with every measured time
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    flags: ConfigFlags,
}

impl Bench {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self {
            files,
            only,
            steps,
            warmup,
            predict_length,
            predict_samples,
            rounds,
            json,
            flags,
        } = self;
        let config = flags.into_config(None, &files)?;
        let is_selected = |what| only.as_deref().is_none_or(|only| only == what);
        let pass = config.train_lengths.len();
        let steps = steps.map_or(3 * pass, |steps| steps as usize);
        let warmup = warmup.map_or(pass, |steps| steps as usize);
        let training = is_selected("train").then(|| train(&config, warmup, steps)).transpose()?;
        let predictions = is_selected("predict")
            .then(|| predict(&config, predict_length, predict_samples as usize, rounds as usize))
            .transpose()?;

        let mut out = std::io::stdout().lock();
        if json {
            let result = json!({
                "version": env!("CARGO_PKG_VERSION"),
                "threads": rayon::current_num_threads(),
                "config": config,
                "train": training.map(|training| training.to_json()),
                "predict": predictions.map(|all| all.iter().map(Prediction::to_json).collect::<Vec<_>>()),
            });
            writeln!(out, "{result}")?;
            return Ok(());
        }
        let (algorithms, processor) = (config.algorithms.join(", "), &config.processor_type);
        let threads = rayon::current_num_threads();
        writeln!(out, "{algorithms} with {processor}, {threads} threads")?;
        training.map_or(Ok(()), |training| training.print(&mut out))?;
        predictions.map_or(Ok(()), |predictions| print_predictions(&predictions, &mut out))
    }
}

/// Durations of repetitions of the same work, in milliseconds.
#[derive(Default)]
struct Times(Vec<f64>);

impl Times {
    /// Does the work and records its duration.
    fn measure<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.0.push(1000.0 * start.elapsed().as_secs_f64());
        result
    }

    fn best(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }
}

/// Measurements of training.
struct Training {
    /// Durations of steps by the sizes of their samples, one size per algorithm.
    by_length: BTreeMap<Vec<usize>, Times>,
    samples_per_step: usize,
    /// Matrix products: floating-point operations per second, and the peak of this machine.
    products: Option<[f64; 2]>,
    /// Seconds from the start of the process to the end of the first step.
    first_update: Option<f64>,
    peak_memory_mb: Option<f64>,
}

fn train(config: &Config, warmup: usize, steps: usize) -> anyhow::Result<Training> {
    let progress = Progress::new("steps", warmup + steps);
    let mut trainer = Trainer::new(config)?;
    let mut by_length: BTreeMap<_, Times> = BTreeMap::new();
    let (mut first_update, mut operations, mut seconds) = (None, 0, 0.0);
    for step in 0..warmup + steps {
        let length = trainer.next_lengths();
        let mut ignored = Times::default();
        let times = if step < warmup { &mut ignored } else { by_length.entry(length).or_default() };
        let (before, start) = (matrix::operations(), Instant::now());
        times.measure(|| trainer.step())?;
        if step >= warmup {
            operations += matrix::operations() - before;
            seconds += start.elapsed().as_secs_f64();
        }
        if step == 0 {
            first_update = process::age();
        }
        progress.advance(1);
    }
    let samples_per_step = config.batch_size * config.algorithms.len();
    let peak_memory_mb = process::peak_memory_mb();
    // The generic engine does not count its products.
    let products = (operations > 0).then(|| [operations as f64 / seconds, peak()]);
    Ok(Training { by_length, samples_per_step, products, first_update, peak_memory_mb })
}

/// Peak of this machine: operations per second of large matrix products on all threads.
fn peak() -> f64 {
    const ROWS: usize = 8192;
    const WIDTH: usize = 128;
    const ROUNDS: usize = 20;
    let values = |count: usize| (0..count).map(|i| (i as f32).sin()).collect::<Buffer>();
    let best_of_thread = || {
        let (a, b) = (values(ROWS * WIDTH), values(WIDTH * WIDTH));
        let mut out = values(ROWS * WIDTH);
        let mut times = Times::default();
        for _ in 0..ROUNDS {
            times.measure(|| {
                let (a, b) = (Mat::new(&a, ROWS, WIDTH), Mat::new(&b, WIDTH, WIDTH));
                matrix::product(MatMut::new(&mut out, ROWS, WIDTH), a, b);
            });
        }
        (2 * ROWS * WIDTH * WIDTH) as f64 / (times.best() / 1000.0)
    };
    rayon::broadcast(|_| best_of_thread()).into_iter().sum()
}

impl Training {
    /// The fastest step of each length, averaged over lengths.
    fn mean_of_best(&self) -> f64 {
        self.by_length.values().map(Times::best).sum::<f64>() / self.by_length.len() as f64
    }

    fn samples_per_second(&self) -> f64 {
        1000.0 * self.samples_per_step as f64 / self.mean_of_best()
    }

    fn to_json(&self) -> Value {
        let lengths = self.by_length.iter().map(|(lengths, times)| {
            json!({"lengths": lengths, "best_ms": times.best(), "mean_ms": times.mean(), "ms": times.0})
        });
        json!({
            "lengths": lengths.collect::<Vec<_>>(),
            "mean_of_best_ms": self.mean_of_best(),
            "samples_per_second": self.samples_per_second(),
            "products_per_second": self.products.map(|[rate, _]| rate),
            "peak_products_per_second": self.products.map(|[_, peak]| peak),
            "first_update_s": self.first_update,
            "peak_memory_mb": self.peak_memory_mb,
        })
    }

    fn print(&self, out: &mut impl Write) -> anyhow::Result<()> {
        writeln!(out, "\ntraining: nodes  steps   best ms   mean ms")?;
        for (lengths, times) in &self.by_length {
            let lengths: Vec<String> = lengths.iter().map(usize::to_string).collect();
            let (lengths, steps) = (lengths.join(","), times.0.len());
            let (best, mean) = (times.best(), times.mean());
            writeln!(out, "{lengths:>15}  {steps:>5}  {best:>8.1}  {mean:>8.1}")?;
        }
        let (ms, rate) = (self.mean_of_best(), self.samples_per_second());
        writeln!(
            out,
            "{ms:.1} ms per step (fastest of each length, averaged), {rate:.0} samples/s"
        )?;
        if let Some([rate, peak]) = self.products {
            let (rate, share) = (rate / 1e9, 100.0 * rate / peak);
            writeln!(
                out,
                "{rate:.0} GFLOP/s in matrix products, {share:.0} % of this machine's peak"
            )?;
        }
        if let Some(seconds) = self.first_update {
            writeln!(out, "first step finished {seconds:.2} s after the process started")?;
        }
        print_memory(self.peak_memory_mb, out)
    }
}

/// Measurements of prediction for one algorithm.
struct Prediction {
    algorithm: &'static str,
    length: usize,
    samples: usize,
    /// Batch size, as in evaluation: smaller than the default if memory is short.
    at_once: usize,
    /// Steps of the longest sample.
    steps: usize,
    times: Times,
    peak_memory_mb: Option<f64>,
}

fn predict(
    config: &Config,
    length: usize,
    samples: usize,
    rounds: usize,
) -> anyhow::Result<Vec<Prediction>> {
    let model = Model::initial(config)?;
    let progress = Progress::new("predictions", model.specs().len() * rounds);
    let mut predictions = vec![];
    for task in model.tasks() {
        let traces = task.sample(length, &Options::default(), config.seed, samples)?;
        let options = EvaluateOptions::default();
        let at_once = task.batch_size(&traces, options, EVALUATION_BATCH)?;
        let mut times = Times::default();
        for _ in 0..rounds {
            times.measure(|| {
                let mut evaluator = Evaluator::new(task.spec(), options);
                let mut go_on = |_: &Evaluator<'_>| anyhow::Ok(true);
                task.evaluate_into(&mut evaluator, &traces, EVALUATION_BATCH, &mut go_on)?;
                anyhow::Ok(evaluator.finish())
            })?;
            progress.advance(1);
        }
        predictions.push(Prediction {
            algorithm: task.spec().entry.name,
            length,
            samples,
            at_once: at_once.min(samples),
            steps: traces.longest().saturating_sub(1).max(1),
            times,
            peak_memory_mb: process::peak_memory_mb(),
        });
    }
    Ok(predictions)
}

impl Prediction {
    fn to_json(&self) -> Value {
        json!({
            "algorithm": self.algorithm,
            "length": self.length,
            "samples": self.samples,
            "at_once": self.at_once,
            "steps": self.steps,
            "best_ms": self.times.best(),
            "mean_ms": self.times.mean(),
            "ms": self.times.0,
            "peak_memory_mb": self.peak_memory_mb,
        })
    }
}

fn print_predictions(predictions: &[Prediction], out: &mut impl Write) -> anyhow::Result<()> {
    let width = predictions.iter().map(|one| one.algorithm.len()).max().unwrap_or(0);
    writeln!(
        out,
        "\nprediction: {:width$}  nodes  samples  at once  steps   best ms   mean ms",
        ""
    )?;
    for Prediction { algorithm, length, samples, at_once, steps, times, .. } in predictions {
        let (best, mean) = (times.best(), times.mean());
        writeln!(
            out,
            "            {algorithm:width$}  {length:>5}  {samples:>7}  {at_once:>7}  {steps:>5}  \
             {best:>8.1}  {mean:>8.1}"
        )?;
    }
    print_memory(predictions.last().and_then(|last| last.peak_memory_mb), out)
}

fn print_memory(peak_memory_mb: Option<f64>, out: &mut impl Write) -> anyhow::Result<()> {
    if let Some(megabytes) = peak_memory_mb {
        writeln!(out, "{megabytes:.0} MB peak memory")?;
    }
    Ok(())
}
