//! Requests: history, tool loops, retry advice. `deltafold/request.py` has the functions for users.

use std::sync::{Mutex, PoisonError};

use deltafold::__bindings::request_named;
use deltafold::json::Value;
use deltafold::{request, Error, Limits};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::{convert, error};

/// Runs the named operation on a dict or JSON text and returns a dict.
#[pyfunction]
#[pyo3(signature = (what, value, /))]
pub(crate) fn _request<'py>(what: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let text = convert::json_text(value)?;
    let answer = request_named(what, &text)
        .and_then(|answer| Ok(Value::parse(&answer, Limits::default().depth)?))
        .map_err(|found| error::raise(py, &found))?;
    convert::value(py, &answer)
}

/// A tool loop. `deltafold/request.py` has the class for users.
#[pyclass(frozen, name = "_ToolLoop", module = "deltafold._native")]
pub(crate) struct ToolLoop(Mutex<request::ToolLoop>);

impl ToolLoop {
    fn step<'py>(
        &self,
        py: Python<'py>,
        step: impl FnOnce(&mut request::ToolLoop) -> Result<(), Error>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut core = self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        step(&mut core).map_err(|found| error::raise(py, &found))?;
        convert::value(py, &core.to_value())
    }
}

#[pymethods]
impl ToolLoop {
    /// Creates a loop from options: `request`, `policy`, `max_turns`, `max_calls`.
    #[new]
    fn new(options: &Bound<'_, PyAny>) -> PyResult<Self> {
        let core = request::ToolLoop::from_json(&convert::json_text(options)?);
        Ok(Self(Mutex::new(core.map_err(|found| error::raise(options.py(), &found))?)))
    }

    /// Takes a response and returns the state as a dict. A step that raises changes nothing.
    fn apply<'py>(&self, response: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let text = convert::json_text(response)?;
        self.step(response.py(), |core| core.apply_json(&text).map(drop))
    }

    /// Takes the result of a call and returns the state as a dict.
    fn result<'py>(&self, call_id: &str, result: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let text = convert::json_text(result)?;
        self.step(result.py(), |core| core.result_json(call_id, &text).map(drop))
    }

    /// Stops the loop and returns the state as a dict.
    fn stop<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, |core| {
            core.stop();
            Ok(())
        })
    }

    /// The state as a dict.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, |_| Ok(()))
    }

    /// The next request as a dict.
    fn request<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let request = self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).request();
        convert::value(py, &Value::from(request))
    }
}
