//! Validation of single objects, and the command line.

use deltafold::__bindings::validate_named;
use deltafold::{ItemStatus, Profile};
use pyo3::prelude::*;

use crate::finding::Finding;
use crate::{convert, error, options};

/// Checks a dict or JSON text as the named kind of object: "event", "response", "item", "input_item", "request",
/// "compact_request", "compact_response", "websocket_create", "websocket_error", "error", "request_head" or
/// "response_head".
#[pyfunction]
#[pyo3(signature = (what, value, /, *, edition = None, status = None, schemas = None))]
pub(crate) fn validate(
    what: &str,
    value: &Bound<'_, PyAny>,
    edition: Option<&Bound<'_, PyAny>>,
    status: Option<&Bound<'_, PyAny>>,
    schemas: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Finding>> {
    let py = value.py();
    let options = options::json(py, &[("edition", edition), ("status", status), ("schemas", schemas)])?;
    let text = convert::json_text(value)?;
    let found = validate_named(what, &text, &options).map_err(|found| error::raise(py, &found))?;
    Ok(found.iter().map(Finding::from).collect())
}

/// Whether a name can be the type of an extension event or item: `slug:name`, with letters, digits, `_`, `-` and `.`.
#[pyfunction]
#[pyo3(signature = (name, /))]
pub(crate) fn is_valid_extension_type(name: &str) -> bool {
    deltafold::is_valid_extension_type(name)
}

/// Whether a status of an item is final: no further event changes the item. False for a word that is no status.
#[pyfunction]
#[pyo3(signature = (status, /))]
pub(crate) fn is_terminal_status(status: &str) -> bool {
    ItemStatus::from_name(status).is_some_and(ItemStatus::is_terminal)
}

/// Whether a status of an item says that the item is complete. False for a word that is no status.
#[pyfunction]
#[pyo3(signature = (status, /))]
pub(crate) fn is_success_status(status: &str) -> bool {
    ItemStatus::from_name(status).is_some_and(ItemStatus::is_success)
}

/// The names of the built-in profiles.
#[pyfunction]
pub(crate) fn profiles() -> Vec<&'static str> {
    Profile::names().collect()
}

/// Runs the command line with these arguments and returns the exit code.
#[cfg(feature = "cli")]
#[pyfunction]
#[pyo3(signature = (arguments, /))]
pub(crate) fn _main(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| deltafold_cli::run(arguments, &mut deltafold_cli::Io::std()))
}
