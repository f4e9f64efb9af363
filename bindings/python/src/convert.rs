//! Python values in: what counts as bytes.

use std::borrow::Cow;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PyString};

/// Reads a `bytes` object in place, and any other buffer by a copy.
///
/// The stable interface of Python 3.9 has no buffer calls, and a `bytearray` may change while the interpreter is released:
/// both are reasons for the copy.
pub(crate) fn bytes<'a>(data: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(data) = data.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(data.as_bytes()));
    }
    if data.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("expected bytes, found str: feed the bytes as they came from the network"));
    }
    let view = PyMemoryView::from(data).map_err(|_| {
        let found = data.get_type().name().map_or_else(|_| "another type".into(), |name| name.to_string());
        PyTypeError::new_err(format!("expected bytes, found {found}"))
    })?;
    let copy = view.call_method0("tobytes")?;
    Ok(Cow::Owned(copy.cast::<PyBytes>()?.as_bytes().to_vec()))
}
