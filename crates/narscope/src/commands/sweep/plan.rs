//! The runs of a sweep, with estimates of their time and memory.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::Duration;

use narscope::model::config::Config;
use narscope::sweep::file::{PlannedRun, Sweep as SweepFile};
use narscope::sweep::run_state::RunState;
use serde_json::json;

use super::{in_words, state};
use crate::estimate::{self, Training, in_time};
use crate::progress::Progress;

/// A run with its estimates.
struct Estimate<'a> {
    run: &'a PlannedRun,
    state: RunState,
    time_left: Duration,
    memory_mb: f64,
}

pub(super) fn plan(sweep: &SweepFile, as_json: bool) -> anyhow::Result<()> {
    let mut speeds: BTreeMap<String, Training> = BTreeMap::new();
    let mut left = Duration::ZERO;
    let mut estimates = vec![];
    let progress = Progress::new("runs estimated", sweep.runs.len());
    for run in &sweep.runs {
        let train_steps = run.config.train_steps;
        let kind = speed_key(&run.config);
        let speed = match speeds.get(&kind) {
            Some(speed) => *speed,
            None => estimate::training(&run.config)?,
        };
        speeds.insert(kind, speed);
        let state = state(sweep, run);
        let left_of = |steps: usize| speed.time(steps, run.config.eval_every);
        let time_left = match state {
            RunState::Done => Duration::ZERO,
            RunState::Begun { step } => left_of(train_steps.saturating_sub(step)),
            RunState::Waiting | RunState::Failed { .. } => left_of(train_steps),
        };
        left = left.saturating_add(time_left);
        estimates.push(Estimate { run, state, time_left, memory_mb: speed.memory_mb });
        progress.advance(1);
    }
    drop(progress);
    let mut out = std::io::stdout().lock();
    if as_json {
        let rows: Vec<_> = estimates
            .iter()
            .enumerate()
            .map(|(index, Estimate { run, state, time_left, memory_mb })| {
                json!({
                    "index": index, "name": run.name, "state": state, "seconds_left": time_left.as_secs_f64(),
                    "memory_mb": memory_mb, "config": run.config,
                })
            })
            .collect();
        serde_json::to_writer_pretty(&mut out, &rows)?;
        writeln!(out)?;
        return Ok(());
    }
    let width = estimates.iter().map(|it| it.run.name.len()).max().unwrap_or(0);
    for (index, Estimate { run, state, time_left, memory_mb }) in estimates.iter().enumerate() {
        let (name, state, time) = (&run.name, in_words(run, state), in_time(*time_left));
        writeln!(out, "{index:>5}  {name:width$}  {time:>7} left, {memory_mb:.0} MB  {state}")?;
    }
    let (count, out_folder) = (estimates.len(), sweep.out.display());
    writeln!(
        out,
        "{count} runs in {out_folder}; about {} left if done one after the other on this machine",
        in_time(left)
    )?;
    Ok(())
}

/// Key of the measured speed: runs that differ only in these keys take the same time per step.
fn speed_key(config: &Config) -> String {
    let default = Config::default();
    let key = Config {
        seed: default.seed,
        train_steps: default.train_steps,
        learning_rate: default.learning_rate,
        temperature: default.temperature,
        decay: default.decay,
        decay_towards: default.decay_towards,
        decay_at: default.decay_at,
        ..config.clone()
    };
    key.to_toml()
}
