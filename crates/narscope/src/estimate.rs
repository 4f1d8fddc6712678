//! How long things take on this machine, from a short try.

use std::time::{Duration, Instant};

use narscope::clrs::options::Options;
use narscope::model::Device;
use narscope::model::config::Config;
use narscope::model::data::drawn;
use narscope::model::evaluate::{Wanted, evaluate};
use narscope::model::net::{Net, Use};
use narscope::model::train::Trainer;

use crate::process;

/// How fast this machine is with networks of one kind.
#[derive(Clone, Copy)]
pub(crate) struct Speed {
    /// The mean time of an update, over all lengths.
    pub(crate) update: Duration,
    /// The time of a prediction, if it was tried.
    pub(crate) sample: Duration,
    /// The most memory that training took, in megabytes.
    pub(crate) memory_mb: f64,
}

impl Speed {
    /// Of training, from a few updates of each length.
    pub(crate) fn of_training(config: &Config) -> anyhow::Result<Self> {
        Ok(Self::try_training(config)?.0)
    }

    fn try_training(config: &Config) -> anyhow::Result<(Self, Trainer)> {
        const PASSES: usize = 2;
        process::forget_peak_memory();
        let mut trainer = Trainer::new(config)?;
        // The first one finds its memory.
        trainer.step()?;
        let lengths = config.train_lengths.len();
        let start = Instant::now();
        for _ in 0..PASSES * lengths {
            trainer.step()?;
        }
        let update = start.elapsed() / (PASSES * lengths) as u32;
        let memory_mb = process::peak_memory_mb().unwrap_or(0.0);
        Ok((Self { update, sample: Duration::ZERO, memory_mb }, trainer))
    }

    /// The same, and of predictions for samples of a length.
    pub(crate) fn of_study(config: &Config, length: usize) -> anyhow::Result<Self> {
        const SAMPLES: usize = 16;
        let (speed, trainer) = Self::try_training(config)?;
        let spec = &trainer.specs[0];
        let net =
            Net::bind(config, &trainer.specs, &trainer.weights, &Device::flex(), Use::Predict);
        let traces = drawn(spec, config, length, &Options::default(), 0, SAMPLES)?;
        let network = (&net, 0, spec, config);
        let start = Instant::now();
        evaluate(network, &traces, Wanted::default(), &mut |_| true)?;
        Ok(Self { sample: start.elapsed() / SAMPLES as u32, ..speed })
    }
}

/// A time as one would say it.
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
