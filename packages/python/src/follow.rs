//! Long work: Python's lock is released, progress is reported, and Ctrl-C stops it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use tiebreak_study::Failure;
use tiebreak_study::watch::Watch;

/// A failure as a `ValueError`.
pub(crate) fn value_error(failure: impl Into<Failure>) -> PyErr {
    let Failure(sentence) = failure.into();
    PyValueError::new_err(sentence)
}

/// Does long work; `progress` is called with how much is done and how much there is.
pub(crate) fn followed<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Watch<'_>) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let raised = Mutex::new(None);
    let tell = |done: u64, all: u64| {
        let told = Python::attach(|py| {
            py.check_signals()?;
            progress.map_or(Ok(()), |progress| progress.call1(py, (done, all)).map(drop))
        });
        told.map_err(|error| {
            *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Failure("stopped".into())
        })
    };
    // Whatever panics is a fault of ours: Python hears of it as an ordinary error.
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(|| work(&Watch::by(&tell)))));
    if let Some(error) = raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    match done {
        Ok(done) => done.map_err(value_error),
        Err(_) => Err(PyRuntimeError::new_err("tiebreak has a fault: please report the scenario and what was called")),
    }
}
