//! The border to Python: errors and panics of Rust become exceptions, work runs without the interpreter's lock.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use narscope::{analysis, model, study};
use pyo3::prelude::*;

use crate::exception::{InputError, InternalError, exception};
use crate::pool::pool;

/// Why a call from Python failed: a [`PyErr`], in a type that every library error converts into.
pub(crate) struct Failure(PyErr);

/// Result of a function that Python calls.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

impl From<Failure> for PyErr {
    fn from(Failure(error): Failure) -> Self {
        error
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

/// Casts of Python objects have their own errors.
impl From<pyo3::CastError<'_, '_>> for Failure {
    fn from(error: pyo3::CastError<'_, '_>) -> Self {
        Self(error.into())
    }
}

/// Converts each error type of the libraries by what caused it.
macro_rules! library_errors {
    ($($Error:ty,)*) => {
        $(impl From<$Error> for Failure {
            fn from(error: $Error) -> Self {
                Self(exception(&error))
            }
        })*
    };
}

library_errors! {
    analysis::Error,
    model::Error,
    model::NetError,
    narscope::clrs::Error,
    narscope::files::Error,
    narscope::files::memory::NotEnough,
    narscope::report::Error,
    narscope::results::Error,
    study::Error,
    std::io::Error,
}

/// A sentence about a mistake of the caller, as a `ValueError`.
pub(crate) fn input_error(sentence: impl Into<String>) -> Failure {
    Failure(InputError::new_err(sentence.into()))
}

/// Runs `work`; a panic becomes an exception that asks to report it.
///
/// The exception of `PyO3` for panics is not an `Exception`, so that it ends notebooks' kernels and escapes from handlers.
pub(crate) fn guard<T>(work: impl FnOnce() -> Result<T>) -> PyResult<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(PyErr::from),
        Err(payload) => {
            let said = payload
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| payload.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            Err(InternalError::new_err(format!(
                "narscope has a bug here: {said}; please report it, with the lines of Python that led to it"
            )))
        }
    }
}

/// Runs `work` on the threads of this process and without the interpreter's lock, so that other threads of Python
/// continue. Errors and panics become exceptions.
pub(crate) fn work<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    py.detach(|| guard(|| pool()?.install(work)))
}

/// Like [`work`], for work that takes long: signals are checked meanwhile. `work` asks the [`Stop`] from time to time
/// whether to end early; what it returns then is replaced by the exception.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> Result<T> + Send,
) -> PyResult<T> {
    /// How long a signal may wait.
    const BETWEEN_CHECKS: Duration = Duration::from_millis(50);
    py.detach(|| {
        guard(|| {
            let stop = Stop::default();
            let mut result = None;
            let (sender, end) = mpsc::channel::<()>();
            // Only the thread that called us can check signals.
            pool()?.in_place_scope(|scope| {
                scope.spawn(|_| {
                    result = Some(guard(|| work(&stop)));
                    drop(sender);
                });
                while end.recv_timeout(BETWEEN_CHECKS) == Err(RecvTimeoutError::Timeout) {
                    #[expect(
                        clippy::redundant_closure_for_method_calls,
                        reason = "the method is for one lifetime"
                    )]
                    let checked = Python::attach(|py| py.check_signals());
                    if let Err(error) = checked {
                        stop.because_of(error);
                    }
                }
            });
            match stop.into_reason() {
                Some(error) => Err(error.into()),
                None => Ok(result.expect("the work has ended")?),
            }
        })
    })
}

/// Whether and why work is to end early.
#[derive(Default)]
pub(crate) struct Stop {
    is_requested: AtomicBool,
    reason: Mutex<Option<PyErr>>,
}

impl Stop {
    /// Whether work is to end.
    pub(crate) fn is_requested(&self) -> bool {
        self.is_requested.load(Ordering::Relaxed)
    }

    /// Asks the work to end, and then raises the exception. The first one counts.
    pub(crate) fn because_of(&self, error: PyErr) {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.is_requested.store(true, Ordering::Relaxed);
    }

    fn into_reason(self) -> Option<PyErr> {
        self.reason.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
