//! Which exception an error of a library becomes, and what it says.

use std::error::Error as StdError;
use std::io::ErrorKind;

use narscope::{analysis, clrs, files, model, results, study};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

// `narscope/_errors.py` defines them.
pyo3::import_exception!(narscope._errors, Error);
pyo3::import_exception!(narscope._errors, InputError);
pyo3::import_exception!(narscope._errors, MissingFileError);
pyo3::import_exception!(narscope._errors, FileError);
pyo3::import_exception!(narscope._errors, InternalError);

/// The exception for an error of a library, with the sentences of all its causes, as the command line prints them.
pub(crate) fn exception(error: &(dyn StdError + 'static)) -> PyErr {
    if let Some(raised) = causes(error).find_map(raised) {
        return raised;
    }
    let sentence = match causes(error).find_map(hint) {
        Some(hint) => format!("{}; {hint}", sentences(error)),
        None => sentences(error),
    };
    match causes(error).find_map(reason) {
        Some(Reason::Interrupt) => PyKeyboardInterrupt::new_err(sentence),
        Some(Reason::Missing) => MissingFileError::new_err(sentence),
        Some(Reason::System) => FileError::new_err(sentence),
        Some(Reason::Training) => Error::new_err(sentence),
        None => InputError::new_err(sentence),
    }
}

/// The error and what it wraps or was caused by, outermost first.
fn causes<'e>(
    error: &'e (dyn StdError + 'static),
) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| wrapped(error).or_else(|| error.source()))
}

/// The error inside a transparent one, whose `source` skips it.
fn wrapped<'e>(error: &'e (dyn StdError + 'static)) -> Option<&'e (dyn StdError + 'static)> {
    if let Some(error) = error.downcast_ref() {
        match error {
            study::Error::Results(error) => return Some(error),
            study::Error::Analysis(error) => return Some(error),
            study::Error::Files(error) => return Some(error),
            study::Error::Model(error) => return Some(error),
            study::Error::Report(error) => return Some(error),
            _ => {}
        }
    }
    if let Some(error) = error.downcast_ref() {
        match error {
            analysis::Error::Samples(error) => return Some(error),
            analysis::Error::Files(error) => return Some(error),
            analysis::Error::Model(error) => return Some(error),
            analysis::Error::Net(error) => return Some(error),
            _ => {}
        }
    }
    if let Some(error) = error.downcast_ref() {
        match error {
            results::Error::Run(error) => return Some(error),
            results::Error::Files(error) => return Some(error),
            _ => {}
        }
    }
    if let Some(error) = error.downcast_ref() {
        match error {
            model::Error::Net(error) => return Some(error),
            model::Error::Samples(error) => return Some(error),
            model::Error::Files(error) => return Some(error),
            _ => {}
        }
    }
    if let Some(model::NetError::Samples(error)) = error.downcast_ref() {
        return Some(error);
    }
    match error.downcast_ref()? {
        files::Error::Samples(error) => Some(error),
        _ => None,
    }
}

/// The error and its causes, joined by colons; one that repeats the sentence before it is left out.
fn sentences(error: &(dyn StdError + 'static)) -> String {
    let mut all: Vec<String> = causes(error).map(ToString::to_string).collect();
    all.dedup();
    all.join(": ")
}

/// The exception that a function written in Python raised, if that is what went wrong.
fn raised(error: &(dyn StdError + 'static)) -> Option<PyErr> {
    let raised = error.downcast_ref::<PyErr>()?;
    Some(Python::attach(|py| raised.clone_ref(py)))
}

/// Reasons that are not a mistake in what the caller passed.
enum Reason {
    /// The user asked to stop.
    Interrupt,
    /// A file or a run does not exist.
    Missing,
    /// The operating system refused.
    System,
    /// Training diverged.
    Training,
}

fn reason(error: &(dyn StdError + 'static)) -> Option<Reason> {
    if let Some(error) = error.downcast_ref::<std::io::Error>() {
        let is_missing = error.kind() == ErrorKind::NotFound;
        return Some(if is_missing { Reason::Missing } else { Reason::System });
    }
    match error.downcast_ref() {
        Some(model::Error::NoRun { .. }) => return Some(Reason::Missing),
        Some(model::Error::NotFinite { .. }) => return Some(Reason::Training),
        _ => {}
    }
    if let Some(study::Error::Interrupted | study::Error::TrainingInterrupted { .. }) =
        error.downcast_ref()
    {
        return Some(Reason::Interrupt);
    }
    matches!(error.downcast_ref(), Some(analysis::Error::Interrupted)).then_some(Reason::Interrupt)
}

/// What the caller can do about an error: as the command line advises, in keywords of Python.
fn hint(error: &(dyn StdError + 'static)) -> Option<&'static str> {
    match error.downcast_ref() {
        Some(clrs::Error::MissingTarget { .. }) => return Some("give it with target="),
        Some(clrs::Error::ConflictingWeights { is_directed: false, .. }) => {
            return Some("use directed=True if each edge has one direction");
        }
        Some(clrs::Error::In { error, .. }) => return hint(&**error),
        _ => {}
    }
    match error.downcast_ref() {
        Some(files::Error::Exists { .. }) => {
            return Some("use force=True to replace it, or choose another name");
        }
        Some(files::Error::Busy { .. }) => {
            return Some("wait until it ends, or choose another folder");
        }
        Some(files::Error::OtherRecording { .. }) => {
            return Some("remove it, or choose another name");
        }
        Some(files::Error::Unfinished { .. }) => {
            return Some("repeat the call that records to continue it");
        }
        _ => {}
    }
    match error.downcast_ref() {
        Some(model::Error::RunExists { .. }) => {
            return Some("its configuration is another one: choose another out=");
        }
        Some(model::Error::NoBest { .. }) => return Some("use checkpoint=\"last\""),
        Some(model::Error::NotFinite { step: 0, .. }) => {
            return Some("no step was finished, and nothing is kept; try grad_clip_max_norm=1");
        }
        Some(model::Error::NotFinite { .. }) => {
            return Some(
                "the last checkpoint is intact; try a lower learning_rate, or grad_clip_max_norm=1",
            );
        }
        Some(model::Error::OtherProcessor { .. }) => {
            return Some("give the one that they were trained with as processor_type=");
        }
        _ => {}
    }
    match error.downcast_ref()? {
        model::NetError::AmbiguousTask { .. } => Some("name it with algorithm="),
        model::NetError::Memory { .. } => Some("lower batch_size or the lengths"),
        _ => None,
    }
}
