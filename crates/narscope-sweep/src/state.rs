//! What has become of runs: read from their folders, and nowhere else.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use narscope_files::whole::{self, Existing};
use narscope_model::config::Config;
use narscope_model::random::fnv;
use narscope_model::run::{Run, Which};
use narscope_results::RunResult;
use serde::Serialize;

use crate::file::{Planned, Sweep};
use crate::{Error, Result};

/// The file of a run that is done; it says what was done.
const DONE: &str = "DONE";
/// The file of a run that failed; it says why.
const FAILED: &str = "FAILED";

/// How far a run has got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum State {
    /// Nobody has begun it.
    Waiting,
    /// It was begun, and may be going on.
    Begun {
        /// The step of its newest checkpoint.
        step: usize,
    },
    /// It is over.
    Done,
    /// It was tried and failed.
    Failed {
        /// The last lines of what it said.
        why: String,
    },
}

/// A number that is another one for other configurations. What has its default is left out: a version that
/// knows one key more has the same number.
fn hash(config: &Config) -> String {
    let [mut said, usual] = [config, &Config::default()]
        .map(|config| serde_json::to_value(config).expect("a configuration is JSON"));
    if let Some(keys) = said.as_object_mut() {
        keys.retain(|key, value| usual.get(key) != Some(value));
    }
    format!("{:016x}", fnv(said.to_string().bytes()))
}

impl State {
    /// Of a run of a sweep.
    pub fn of(sweep: &Sweep, run: &Planned) -> Result<Self> {
        let folder = sweep.folder(run);
        if run.kept.is_some() {
            return Ok(Self::Done);
        }
        Self::of_folder(folder, run)
    }

    /// Of a run, by its folder alone.
    pub fn of_folder(folder: PathBuf, run: &Planned) -> Result<Self> {
        if folder.exists() && !folder.is_dir() {
            return Err(Error::InTheWay(folder));
        }
        // Somebody may have failed to begin it.
        let said = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        let failed = || said(FAILED).map(|why| Self::Failed { why });
        if !folder.join("config.toml").is_file() {
            return Ok(failed().unwrap_or(Self::Waiting));
        }
        let there = Run::open(&folder)?;
        if there.config != run.config {
            return Err(Error::OtherRun(folder));
        }
        let is_marked = said(DONE).is_some_and(|said| said.trim() == hash(&run.config));
        // What it left may have been lost since; then it is made again.
        if is_marked && matches!(RunResult::from_run(&folder, &run.name), Ok(Some(_))) {
            return Ok(Self::Done);
        }
        if let Some(failed) = failed() {
            return Ok(failed);
        }
        // A checkpoint that cannot be read is the run's own business when it goes on.
        let step = there.checkpoint(Which::Last).map_or(0, |last| last.progress.step);
        Ok(Self::Begun { step })
    }
}

/// Says that a run is over.
pub fn mark_done(folder: &Path, config: &Config) -> Result<()> {
    let text = hash(config);
    whole::write(&folder.join(DONE), Existing::Replace, |file| writeln!(file, "{text}"))?;
    forget_failure(folder)
}

/// Says that a run failed, and why.
pub fn mark_failed(folder: &Path, why: &str) -> Result<()> {
    // It may have failed before there was a folder.
    std::fs::create_dir_all(folder).map_err(Error::io("make the folder", folder))?;
    whole::write(&folder.join(FAILED), Existing::Replace, |file| file.write_all(why.as_bytes()))?;
    Ok(())
}

/// A run that goes on has not failed.
pub fn forget_failure(folder: &Path) -> Result<()> {
    Ok(whole::remove(&folder.join(FAILED))?)
}
