//! How long things take on this machine, from a short try.

use std::time::{Duration, Instant};

use narscope::clrs::options::Options;
use narscope::model::Device;
use narscope::model::config::Config;
use narscope::model::data::drawn;
use narscope::model::evaluate::{Wanted, evaluate};
use narscope::model::net::{Net, Use};
use narscope::model::train::{Trainer, specs};
use narscope::model::weights::Weights;

use crate::process;

/// What training takes.
#[derive(Clone, Copy)]
pub(crate) struct Training {
    /// The mean time of an update, over all lengths.
    pub(crate) update: Duration,
    /// The most memory that it took, in megabytes.
    pub(crate) memory_mb: f64,
}

/// Of training, from a few updates of each length.
pub(crate) fn training(config: &Config) -> anyhow::Result<Training> {
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
    Ok(Training { update, memory_mb: process::peak_memory_mb().unwrap_or(0.0) })
}

/// Of a prediction for a sample of a length; what weights it has does not matter.
pub(crate) fn prediction(config: &Config, length: usize) -> anyhow::Result<Duration> {
    const SAMPLES: usize = 16;
    let specs = specs(config)?;
    let weights = Weights::initial(Net::parameters(config, &specs), config.seed);
    let net = Net::bind(config, &specs, &weights, &Device::flex(), Use::Predict);
    let traces = drawn(&specs[0], config, length, &Options::default(), 0, SAMPLES)?;
    let start = Instant::now();
    evaluate((&net, 0, &specs[0], config), &traces, Wanted::default(), &mut |_| true)?;
    Ok(start.elapsed() / SAMPLES as u32)
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
