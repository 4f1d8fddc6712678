//! `narscope train`: train a network.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use narscope::files::atomic::{self, Existing};
use narscope::model::checkpoint::Progress as Standing;
use narscope::model::config::{Config, Kernels};
use narscope::model::engines::trains_fused;
use narscope::model::evaluation::Evaluation;
use narscope::model::metrics::to_csv;
use narscope::model::run::{Lock, Observer, Outcome, Run, RunInfo};
use narscope::sweep::submit::shell;

use crate::flags::ConfigFlags;
use crate::progress::{Progress, note, warn};
use crate::{identity, interrupt, table};

/// Train a network to execute algorithms and test it on samples four times larger
///
/// A run is a folder with its configuration, metrics (JSON lines and TensorBoard), and the best
/// and the last checkpoint. Training can be stopped at any time, even with `kill -9`, and continued
/// with --resume; the final weights are bit for bit those of an uninterrupted run.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  narscope train --algorithms bellman_ford --processor_type mpnn --train_steps 2000 --out runs/bf
  narscope train quick                                             # seconds; comes with the program
  narscope train bellman_ford --seed 43 --out runs/bf-43
  narscope train --algorithms bfs,dfs,dijkstra --out runs/three     # one network, three algorithms
  narscope train --preset paper --algorithms bellman_ford --processor_type linear_pgn --decay 0.9
  narscope train --resume runs/bf
  tensorboard --logdir runs")]
pub(crate) struct Train {
    /// Configuration files; later files override earlier ones, flags override files
    #[arg(value_name = "CONFIG")]
    files: Vec<PathBuf>,
    /// More configuration files, applied after the positional ones
    #[arg(long, short, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// Defaults to start from: `clrs` (those of dm-clrs) or `paper` (those of the latent-space paper); files and flags override them
    #[arg(long)]
    preset: Option<String>,
    /// Folder of the new run [default: runs/ALGORITHMS/PROCESSOR/seed=SEED]
    #[arg(long, aliases = ["checkpoint_path", "checkpoint-path"], conflicts_with = "resume")]
    out: Option<PathBuf>,
    /// Continue a run from its last checkpoint; only `--train_steps` and `--early_stop` can change
    #[arg(long, value_name = "RUN", conflicts_with_all = ["files", "config", "preset"])]
    resume: Option<PathBuf>,
    /// Print the complete configuration as TOML and exit
    #[arg(long, alias = "print_config")]
    print_config: bool,
    /// Print the test scores as JSON
    #[arg(long)]
    json: bool,
    /// Also write the metrics as a table, metrics.csv, when training stops
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    flags: ConfigFlags,
}

impl Train {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Self { mut files, config, preset, out, resume, print_config, json, csv, flags } = self;
        files.extend(config);
        if let Some(path) = resume {
            let (run, is_changed) = Run::reopen(&path, flags.into_draft()?)?;
            if print_config {
                return print_config_file(&run.config);
            }
            // Locked first: another process may be training this run.
            let lock = run.lock()?;
            if is_changed {
                run.write_config()?;
            }
            let outcome = train(&run, &lock, csv)?;
            return finish(&run, outcome, json);
        }
        let config = flags.into_config(preset.as_deref(), &files)?;
        if print_config {
            return print_config_file(&config);
        }
        let out = out.unwrap_or_else(|| Run::default_folder(&config));
        let run = Run::create(&out, config)?;
        let lock = run.lock()?;
        match train(&run, &lock, csv) {
            Ok(outcome) => finish(&run, outcome, json),
            Err(error) => {
                // Why training failed says more than why its folder cannot be removed.
                let _ = run.discard_untrained(lock);
                Err(error)
            }
        }
    }
}

fn print_config_file(config: &Config) -> anyhow::Result<()> {
    Ok(write!(std::io::stdout(), "{}", config.to_toml())?)
}

/// Trains a run until it is finished or interrupted.
fn train(run: &Run, lock: &Lock, csv: bool) -> anyhow::Result<(Outcome, Duration)> {
    if run.config.kernels == Kernels::Fused && !trains_fused(&run.config) {
        note(
            "no fused kernels for this configuration: the generic engine trains several times slower",
        );
    }
    interrupt::save_before_exit();
    let mut progress = TrainingProgress::new(run.config.train_steps);
    let start = Instant::now();
    let outcome = run.train_locked(lock, &mut progress)?;
    drop(progress);
    let table = run.file("metrics.csv");
    // A table that was requested once is kept up to date.
    if csv || table.exists() {
        write_csv(&run.file("metrics.jsonl"), &table)?;
    }
    Ok((outcome, start.elapsed()))
}

/// Writes the metrics of a run as a table.
fn write_csv(metrics: &Path, table: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(metrics)
        .with_context(|| format!("{} cannot be read", metrics.display()))?;
    let csv = to_csv(&text)
        .map_err(|line| anyhow!("line {line} of {} is not a line of metrics", metrics.display()))?;
    atomic::write(table, Existing::Replace, |file| file.write_all(csv.as_bytes()))?;
    Ok(())
}

/// Prints the test scores of a finished run, or how to continue an interrupted one.
fn finish(run: &Run, (outcome, time): (Outcome, Duration), json: bool) -> anyhow::Result<()> {
    match outcome {
        Outcome::Interrupted(step) => {
            let words = ["narscope", "train", "--resume", &run.path.to_string_lossy()];
            let command = shell(&words.map(str::to_owned));
            let reason = interrupt::reason();
            note(&format!("{reason}: saved after step {step}; continue with: {command}"));
            std::process::exit(interrupt::EXIT_CODE);
        }
        Outcome::Done(evaluations) if json => {
            let mut out = std::io::stdout().lock();
            serde_json::to_writer_pretty(&mut out, &evaluations)?;
            writeln!(out)?;
        }
        Outcome::Done(evaluations) => {
            let mut out = std::io::stdout().lock();
            writeln!(
                out,
                "{}: trained in {:.0} s; test scores of the best checkpoint:",
                run.path.display(),
                time.as_secs_f64()
            )?;
            table::scores(&evaluations, &mut out)?;
        }
    }
    Ok(())
}

/// Shows the progress of training and testing.
pub(crate) struct TrainingProgress {
    progress: Progress,
    /// The latest loss and validation scores.
    loss: f64,
    validation: String,
    /// The algorithm being tested, once training is finished.
    testing: Option<String>,
    /// Training steps or test samples shown so far.
    shown: usize,
}

impl TrainingProgress {
    pub(crate) fn new(steps: usize) -> Self {
        let progress = Progress::new("steps", steps);
        Self { progress, loss: f64::NAN, validation: String::new(), testing: None, shown: 0 }
    }

    fn update_message(&self) {
        self.progress.set_message(&format!("loss {:.4}{}", self.loss, self.validation));
    }

    fn advance_to(&mut self, done: usize) {
        self.progress.advance(done - self.shown);
        self.shown = done;
    }
}

impl Observer for TrainingProgress {
    fn info(&self) -> RunInfo {
        identity::info()
    }

    fn started(&mut self, step: usize) {
        if step > 0 {
            note(&format!("continuing after step {step}"));
            // Earlier steps do not count towards the rate.
            self.progress.start_at(step);
            self.shown = step;
        }
    }

    fn stepped(&mut self, standing: &Standing, loss: f64) {
        self.loss = loss;
        self.update_message();
        self.advance_to(standing.step);
    }

    fn validated(&mut self, step: usize, evaluations: &[Evaluation], is_best: bool) {
        let scores: Vec<String> =
            evaluations.iter().map(|one| format!("{} {:.4}", one.algorithm, one.score)).collect();
        let scores = scores.join(", ");
        let losses = evaluations.iter().filter_map(|one| one.losses.as_ref());
        let losses: Vec<String> = losses.map(|losses| format!("{:.4}", losses.total)).collect();
        let losses = losses.join(", ");
        let suffix = if is_best { " (best)" } else { "" };
        self.validation = format!(", validation {scores}");
        self.update_message();
        self.progress.news(&format!("step {step}: validation {scores}{suffix}, loss {losses}"));
    }

    fn tested(&mut self, algorithm: &str, samples: usize, of: usize) {
        if self.testing.as_deref() != Some(algorithm) {
            self.testing = Some(algorithm.to_owned());
            self.progress = Progress::new(&format!("test samples of {algorithm}"), of);
            self.progress.start_at(samples);
            self.shown = samples;
        }
        self.advance_to(samples);
    }

    fn notice(&mut self, message: &str) {
        warn(message);
    }

    fn wants_to_stop(&mut self) -> bool {
        interrupt::is_requested()
    }
}
