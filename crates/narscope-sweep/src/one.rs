//! One run of a sweep: begun, taken up, or left alone because it is done.

use narscope_model::Error;
use narscope_model::run::{Observer, Outcome, Run};

use crate::Result;
use crate::file::{Planned, Sweep};
use crate::state::{State, forget_failure, mark_done};

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It is done.
    Done,
    /// It was done already.
    AlreadyDone,
    /// It was told to stop after so many steps, and can be taken up.
    Saved(usize),
    /// Another process is doing it.
    Busy,
}

/// Does a run, or what is left of it.
pub fn run(sweep: &Sweep, planned: &Planned, observer: &mut dyn Observer) -> Result<Ending> {
    let folder = sweep.folder(planned);
    if State::of(sweep, planned)? == State::Done {
        return Ok(Ending::AlreadyDone);
    }
    let is_begun = || folder.join("config.toml").is_file();
    let run = if is_begun() {
        Run::open(&folder)?
    } else {
        match Run::create(&folder, planned.config.clone()) {
            // Somebody else has just begun it.
            Err(_) if is_begun() => Run::open(&folder)?,
            created => created?,
        }
    };
    let alone = match run.lock() {
        Err(Error::Busy { .. }) => return Ok(Ending::Busy),
        locked => locked?,
    };
    // Until now, somebody else may have done it, or begun another one in its place.
    if State::of(sweep, planned)? == State::Done {
        return Ok(Ending::AlreadyDone);
    }
    forget_failure(&folder)?;
    match run.train_locked(&alone, observer)? {
        Outcome::Done(_) => {
            mark_done(&folder, &planned.config)?;
            Ok(Ending::Done)
        }
        Outcome::Interrupted(step) => Ok(Ending::Saved(step)),
    }
}
