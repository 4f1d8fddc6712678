//! The state of a run, read from its folder.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use narscope_files::atomic::{self, Existing};
use narscope_model::config::Config;
use narscope_model::random::fnv;
use narscope_model::run::{Run, Which};
use narscope_results::RunResult;
use serde::Serialize;

use crate::file::{PlannedRun, Sweep};
use crate::{Error, Result};

/// File of a finished run; it holds the hash of the configuration.
const DONE: &str = "DONE";
/// File of a failed run; it holds the reason.
const FAILED: &str = "FAILED";

/// State of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum RunState {
    /// Not started.
    Waiting,
    /// Started; it may be running.
    Begun {
        /// Step of the newest checkpoint.
        step: usize,
    },
    /// Trained and tested.
    Done,
    /// Failed.
    Failed {
        /// The last lines of its log.
        why: String,
    },
}

/// Hash of the keys that differ from their defaults, so that a new key with a default does not change it.
fn hash(config: &Config) -> String {
    let [mut keys, defaults] = [config, &Config::default()]
        .map(|config| serde_json::to_value(config).expect("a configuration is JSON"));
    if let Some(keys) = keys.as_object_mut() {
        keys.retain(|key, value| defaults.get(key) != Some(value));
    }
    format!("{:016x}", fnv(keys.to_string().bytes()))
}

impl RunState {
    /// State of a run; runs in the results file are done.
    pub fn of(sweep: &Sweep, run: &PlannedRun) -> Result<Self> {
        let folder = sweep.folder(run);
        if run.result.is_some() {
            return Ok(Self::Done);
        }
        Self::of_folder(folder, run)
    }

    /// State of a run according to its folder, whatever the results file has.
    pub fn of_folder(folder: PathBuf, run: &PlannedRun) -> Result<Self> {
        if folder.exists() && !folder.is_dir() {
            return Err(Error::NotAFolder(folder));
        }
        let content = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        let failed = || content(FAILED).map(|why| Self::Failed { why });
        if !folder.join("config.toml").is_file() {
            // A run can fail before its folder is complete.
            return Ok(failed().unwrap_or(Self::Waiting));
        }
        let found = Run::open(&folder)?;
        if found.config != run.config {
            return Err(Error::OtherRun(folder));
        }
        let is_marked = content(DONE).is_some_and(|text| text.trim() == hash(&run.config));
        // If its test scores were lost since, they are computed again.
        if is_marked && matches!(RunResult::from_run(&folder, &run.name), Ok(Some(_))) {
            return Ok(Self::Done);
        }
        if let Some(failed) = failed() {
            return Ok(failed);
        }
        // An unreadable checkpoint is reported when the run is resumed.
        let step = found.checkpoint(Which::Last).map_or(0, |last| last.progress.step);
        Ok(Self::Begun { step })
    }
}

/// Marks a run as done.
pub fn mark_done(folder: &Path, config: &Config) -> Result<()> {
    let text = hash(config);
    atomic::write(&folder.join(DONE), Existing::Replace, |file| writeln!(file, "{text}"))?;
    clear_failure(folder)
}

/// Marks a run as failed.
pub fn mark_failed(folder: &Path, why: &str) -> Result<()> {
    // It may have failed before its folder was created.
    std::fs::create_dir_all(folder).map_err(Error::io("create the folder", folder))?;
    atomic::write(&folder.join(FAILED), Existing::Replace, |file| file.write_all(why.as_bytes()))?;
    Ok(())
}

/// Removes the mark of a failed run, which is tried again.
pub fn clear_failure(folder: &Path) -> Result<()> {
    Ok(atomic::remove(&folder.join(FAILED))?)
}
