//! Adapters: one dialect's stream into another's.

use std::sync::{Mutex, MutexGuard, PoisonError};

use deltafold::adapter::Dialect;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict};

use crate::reader::DETACH_BYTES;
use crate::{convert, error, options};

/// Turns one dialect's stream into another's, chunk by chunk, with a report of what could not be carried.
#[pyclass(frozen, module = "deltafold")]
pub(crate) struct Converter(Mutex<deltafold::adapter::Converter>);

impl Converter {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, deltafold::adapter::Converter> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes an input, then takes the bytes. If the input fails, what was ready stays for `take()`.
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
    /// Makes a converter to a dialect, from one that is named or else detected. `framing` is "sse" or "jsonl"; `options` are
    /// those of both dialects.
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
        let converter = deltafold::adapter::Converter::from_json(&options::json(py, &given)?);
        converter.map(|converter| Self(Mutex::new(converter))).map_err(|found| error::raise(py, &found))
    }

    /// Takes bytes of the source, cut anywhere, and returns the target's bytes that they give.
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

    /// Says that the input has ended, and returns the last bytes.
    fn close<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.step(py, |converter| converter.finish())
    }

    /// Ends the response from outside, as one with the reason "cancelled", and returns the last bytes.
    fn cancel<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.step(py, |converter| converter.cancel())
    }

    /// Takes the bytes that were ready when a call raised.
    fn take<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lock(py).take())
    }

    /// The dialect that is read; None while it is not known.
    #[getter]
    fn from_(&self, py: Python<'_>) -> Option<&'static str> {
        self.lock(py).from().map(Dialect::name)
    }

    /// The dialect that is written.
    #[getter]
    fn to(&self, py: Python<'_>) -> &'static str {
        self.lock(py).to().name()
    }

    /// How many things were lost.
    #[getter]
    fn lost(&self, py: Python<'_>) -> u64 {
        self.lock(py).lost()
    }

    /// What was lost, repaired or assumed: a dict with `from`, `to`, `lost` and `findings`.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let report = self.lock(py).report();
        convert::value(py, &report)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let converter = self.lock(py);
        let from = converter.from().map_or("(not known yet)", Dialect::name);
        format!("<Converter {from} to {}, {} lost>", converter.to().name(), converter.lost())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a Converter cannot be pickled or copied"))
    }
}

/// Names the dialect that the first bytes of a stream belong to; None if more are needed or none fits.
#[pyfunction]
#[pyo3(signature = (start, /))]
pub(crate) fn detect(start: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
    Ok(deltafold::adapter::detect(&convert::bytes(start)?).map(Dialect::name))
}

/// The names of all dialects: those that can be read, and those that can be written.
#[pyfunction]
pub(crate) fn dialects() -> (Vec<&'static str>, Vec<&'static str>) {
    let named = |fits: fn(Dialect) -> bool| {
        Dialect::ALL.iter().filter(|dialect| fits(**dialect)).map(|dialect| dialect.name()).collect()
    };
    (named(Dialect::is_read), named(Dialect::is_written))
}
