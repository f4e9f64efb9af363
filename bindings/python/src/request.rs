//! Requests: history, tool loops, retry advice. `deltafold/request.py` has the functions for users.

use deltafold::__bindings::request_named;
use deltafold::json::Value;
use deltafold::Limits;
use pyo3::prelude::*;

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
