//! Estimates of how long training and prediction take on this machine, from short measurements.

use std::time::{Duration, Instant};

use narscope::clrs::options::Options;
use narscope::clrs::split::Split;
use narscope::model::config::Config;
use narscope::model::train::Trainer;
use narscope::model::{Model, OpenModel as _};

use crate::process;

/// Measured times and memory of training.
#[derive(Clone, Copy)]
pub(crate) struct Training {
    /// Mean time of an update over all lengths.
    update: Duration,
    /// Time of a validation.
    validation: Duration,
    /// Time of the test at the end.
    test: Duration,
    /// Peak memory of the measurement, in megabytes.
    pub(crate) memory_mb: f64,
}

impl Training {
    /// Time of `steps` training steps, with validations and the test.
    pub(crate) fn time(&self, steps: usize, eval_every: usize) -> Duration {
        let validations = steps.div_ceil(eval_every) as f64;
        let (update, validation) = (self.update.as_secs_f64(), self.validation.as_secs_f64());
        let training =
            Duration::try_from_secs_f64(steps as f64 * update + validations * validation);
        training.unwrap_or(Duration::MAX).saturating_add(self.test)
    }
}

/// Measures a few updates of each length, a validation and a few test samples.
pub(crate) fn training(config: &Config) -> anyhow::Result<Training> {
    const PASSES: usize = 2;
    process::reset_peak_memory();
    let mut trainer = Trainer::new(config)?;
    // Not measured: the first update allocates memory.
    trainer.step()?;
    let lengths = config.train_lengths.len();
    let start = Instant::now();
    for _ in 0..PASSES * lengths {
        trainer.step()?;
    }
    let update = start.elapsed() / (PASSES * lengths) as u32;
    let start = Instant::now();
    trainer.validate()?;
    let validation = start.elapsed();
    let mut test = Duration::ZERO;
    for (task, spec) in trainer.specs.iter().enumerate() {
        // As many as run in parallel.
        let samples = rayon::current_num_threads();
        let options = Options::default();
        let each = prediction(config, task, (Split::Test.length(), &options), samples)?;
        test += each * Split::Test.count(spec.entry) as u32;
    }
    let memory_mb = process::peak_memory_mb().unwrap_or(0.0);
    Ok(Training { update, validation, test, memory_mb })
}

/// Measures the time of a prediction per sample, with untrained weights.
pub(crate) fn prediction(
    config: &Config,
    task: usize,
    (length, options): (usize, &Options),
    samples: usize,
) -> anyhow::Result<Duration> {
    let model = Model::initial(config)?;
    let task = model.tasks().nth(task).expect("the index of a task");
    let traces = task.sample(length, options, 0, samples)?;
    let start = Instant::now();
    task.evaluate(&traces)?;
    Ok(start.elapsed() / samples as u32)
}

/// Formats a duration with a suitable unit.
pub(crate) fn in_time(time: Duration) -> String {
    let minutes = time.as_secs_f64() / 60.0;
    if minutes < 1.0 {
        format!("{:.0} s", time.as_secs_f64().ceil())
    } else if minutes < 90.0 {
        format!("{minutes:.0} min")
    } else {
        format!("{:.1} h", minutes / 60.0)
    }
}
