//! Adapters: conversion of a stream from one dialect to another.

use std::sync::{Mutex, MutexGuard, PoisonError};

use deltafold::adapter::Dialect;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict};

use crate::clock::CLOCK;
use crate::reader::DETACH_BYTES;
use crate::{convert, error, options};

/// Converts a stream from one dialect to another, chunk by chunk, and reports data that the target cannot express.
#[pyclass(frozen, module = "deltafold")]
pub(crate) struct Converter(Mutex<deltafold::adapter::Converter>);

impl Converter {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, deltafold::adapter::Converter> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a step and takes the output. If the step fails, the output that was ready stays for `take()`.
    fn step<'py>(
        &self,
        py: Python<'py>,
        step: impl FnOnce(&mut deltafold::adapter::Converter) -> Result<(), deltafold::Error>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut converter = self.lock(py);
        let made = step(&mut converter).map(|()| converter.take());
        drop(converter);
        made.map(|bytes| PyBytes::new(py, &bytes)).map_err(|found| error::raise(py, &found))
    }
}

#[pymethods]
impl Converter {
    /// Creates a converter to the dialect `to`. The source dialect `from_` is detected if it is not given. `framing` is
    /// "sse" or "jsonl"; `options` are those of both adapters. Without the option `now`, times are those of the clock.
    #[new]
    #[pyo3(signature = (to, from_ = None, *, framing = None, limits = None, **options))]
    fn new(
        to: &Bound<'_, PyAny>,
        from_: Option<&Bound<'_, PyAny>>,
        framing: Option<&Bound<'_, PyAny>>,
        limits: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let py = to.py();
        options::limits(py, limits)?;
        let options = options.map(|options| options.as_any());
        let given = [("to", Some(to)), ("from", from_), ("framing", framing), ("limits", limits), ("options", options)];
        let converter = deltafold::adapter::Converter::from_json_with_clock(&options::json(py, &given)?, CLOCK);
        converter.map(|converter| Self(Mutex::new(converter))).map_err(|found| error::raise(py, &found))
    }

    /// Feeds bytes of the source, split anywhere, and returns the bytes of the target that are ready.
    fn feed<'py>(&self, py: Python<'py>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let chunk = convert::bytes(chunk)?;
        let chunk = chunk.as_ref();
        if chunk.len() < DETACH_BYTES {
            return self.step(py, |converter| converter.feed(chunk));
        }
        let made = py.detach(|| {
            let mut converter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            converter.feed(chunk).map(|()| converter.take())
        });
        made.map(|bytes| PyBytes::new(py, &bytes)).map_err(|found| error::raise(py, &found))
    }

    /// Ends the input and returns the last bytes. Call it also if the source broke off: a stream without an end gets the terminal event of a
    /// failure with the code "stream_truncated": `response.failed`, `RUN_ERROR`, `error`.
    fn close<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.step(py, |converter| converter.finish())
    }

    /// Cancels the response: it ends as incomplete with the reason "cancelled", and Open Responses that are passed on as failed. Returns the
    /// last bytes.
    fn cancel<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.step(py, |converter| converter.cancel())
    }

    /// Returns the bytes that were ready when a call raised.
    fn take<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lock(py).take())
    }

    /// The source dialect; None while it is unknown.
    #[getter]
    fn source(&self, py: Python<'_>) -> Option<&'static str> {
        self.lock(py).source().map(Dialect::name)
    }

    /// The target dialect.
    #[getter]
    fn target(&self, py: Python<'_>) -> &'static str {
        self.lock(py).target().name()
    }

    /// Number of data losses.
    #[getter]
    fn lost(&self, py: Python<'_>) -> u64 {
        self.lock(py).lost()
    }

    /// The report on data that was lost, repaired or assumed: a dict with `from`, `to`, `lost` and `findings`.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let report = self.lock(py).report();
        convert::value(py, &report)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let converter = self.lock(py);
        let from = converter.source().map_or("(unknown)", Dialect::name);
        format!("<Converter {from} to {}, {} lost>", converter.target().name(), converter.lost())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a Converter cannot be pickled or copied"))
    }
}

/// Detects the dialect of a stream from its first bytes; None if more bytes are needed or no dialect matches.
#[pyfunction]
#[pyo3(signature = (start, /))]
pub(crate) fn detect(start: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
    Ok(deltafold::adapter::detect(&convert::bytes(start)?).map(Dialect::name))
}

/// The names of all source dialects, and of all target dialects.
#[pyfunction]
pub(crate) fn dialects() -> (Vec<&'static str>, Vec<&'static str>) {
    let named = |fits: fn(Dialect) -> bool| {
        Dialect::ALL.iter().filter(|dialect| fits(**dialect)).map(|dialect| dialect.name()).collect()
    };
    (named(Dialect::is_read), named(Dialect::is_written))
}
