//! One run of a sweep: started, resumed, or skipped if it is done.

use narscope_model::Error;
use narscope_model::run::{Observer, Outcome, Run};

use crate::Result;
use crate::file::{PlannedRun, Sweep};
use crate::run_state::{RunState, clear_failure, mark_done};

/// How [`execute`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// The run is done.
    Done,
    /// The run was already done.
    AlreadyDone,
    /// The run was interrupted after a step and saved; it can be resumed.
    Saved {
        /// The step.
        step: usize,
    },
    /// Another process is doing the run.
    Busy,
}

/// Does a run of a sweep, or what is left of it.
pub fn execute(
    sweep: &Sweep,
    planned: &PlannedRun,
    observer: &mut dyn Observer,
) -> Result<RunOutcome> {
    let folder = sweep.folder(planned);
    if RunState::of(sweep, planned)? == RunState::Done {
        return Ok(RunOutcome::AlreadyDone);
    }
    let is_begun = || folder.join("config.toml").is_file();
    let (run, is_new) = if is_begun() {
        (Run::open(&folder)?, false)
    } else {
        match Run::create(&folder, planned.config.clone()) {
            // Another process has just started it.
            Err(_) if is_begun() => (Run::open(&folder)?, false),
            created => (created?, true),
        }
    };
    let lock = match run.lock() {
        Err(Error::Busy { .. }) => return Ok(RunOutcome::Busy),
        locked => locked?,
    };
    // Before the lock was held, another process may have finished the run, or started a different one here.
    if RunState::of(sweep, planned)? == RunState::Done {
        return Ok(RunOutcome::AlreadyDone);
    }
    clear_failure(&folder)?;
    match run.train_locked(&lock, observer) {
        Ok(Outcome::Done(_)) => {
            mark_done(&folder, &planned.config)?;
            Ok(RunOutcome::Done)
        }
        Ok(Outcome::Interrupted(step)) => Ok(RunOutcome::Saved { step }),
        Err(error) => {
            if is_new {
                // Refused before its first step: the corrected sweep may use the folder. Why it was
                // refused says more than why its folder cannot be removed.
                let _ = run.discard_untrained(lock);
            }
            Err(error.into())
        }
    }
}
