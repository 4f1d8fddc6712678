//! What a sweep would do, and for how long.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::Duration;

use narscope::model::config::Config;
use narscope::sweep::file::Sweep as Runs;
use narscope::sweep::state::State;
use serde_json::json;

use super::{in_words, seen};
use crate::estimate::{self, Training, in_time};
use crate::progress::Progress;

pub(super) fn plan(sweep: &Runs, as_json: bool) -> anyhow::Result<()> {
    let mut speeds: BTreeMap<String, Training> = BTreeMap::new();
    let mut left = Duration::ZERO;
    let mut rows = vec![];
    let progress = Progress::new("runs looked at", sweep.runs.len());
    for run in &sweep.runs {
        let train_steps = run.config.train_steps;
        let kind = kind(&run.config);
        let speed = match speeds.get(&kind) {
            Some(speed) => *speed,
            None => estimate::training(&run.config)?,
        };
        speeds.insert(kind, speed);
        let state = seen(sweep, run);
        let left_of = |steps: usize| speed.time(steps, run.config.eval_every);
        let time = match state {
            State::Done => Duration::ZERO,
            State::Begun { step } => left_of(train_steps.saturating_sub(step)),
            State::Waiting | State::Failed { .. } => left_of(train_steps),
        };
        left = left.saturating_add(time);
        rows.push((run, state, time, speed.memory_mb));
        progress.advance(1);
    }
    drop(progress);
    let mut out = std::io::stdout().lock();
    if as_json {
        let rows: Vec<_> = rows
            .iter()
            .enumerate()
            .map(|(index, (run, state, time, memory))| {
                json!({
                    "index": index, "name": run.name, "state": state, "seconds_left": time.as_secs_f64(),
                    "memory_mb": memory, "config": run.config,
                })
            })
            .collect();
        serde_json::to_writer_pretty(&mut out, &rows)?;
        writeln!(out)?;
        return Ok(());
    }
    let width = rows.iter().map(|(run, ..)| run.name.len()).max().unwrap_or(0);
    for (index, (run, state, time, memory)) in rows.iter().enumerate() {
        let (name, state, time) = (&run.name, in_words(run, state), in_time(*time));
        writeln!(out, "{index:>5}  {name:width$}  {time:>7} left, {memory:.0} MB  {state}")?;
    }
    let (count, out_folder) = (rows.len(), sweep.out.display());
    writeln!(
        out,
        "{count} runs into {out_folder}, {} left, one after the other on this machine",
        in_time(left)
    )?;
    Ok(())
}

/// Runs of one kind take about as long per step: one of each is tried.
fn kind(config: &Config) -> String {
    let usual = Config::default();
    let kind = Config {
        seed: usual.seed,
        train_steps: usual.train_steps,
        learning_rate: usual.learning_rate,
        temperature: usual.temperature,
        decay: usual.decay,
        decay_towards: usual.decay_towards,
        decay_at: usual.decay_at,
        ..config.clone()
    };
    kind.to_toml()
}
