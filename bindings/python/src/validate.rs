//! Validation of single objects, and the command line.

use deltafold::__bindings::validate_named;
use deltafold::validate::Layers;
use deltafold::{Error, ItemStatus, Limits, Profile};
use pyo3::prelude::*;

use crate::finding::Finding;
use crate::{convert, error, options};

/// Checks a dict or JSON text as the named kind of object: "event", "response", "item", "input_item", "request",
/// "compact_request", "compact_response", "token_count", "websocket_create", "websocket_error", "error", "request_head" or
/// "response_head"; any other name is that of a schema of the contract, such as "Usage". `profile` sets the
/// edition and the severities.
#[pyfunction]
#[pyo3(signature = (what, value, /, *, profile = None, edition = None, status = None, schemas = None))]
pub(crate) fn validate(
    what: &str,
    value: &Bound<'_, PyAny>,
    profile: Option<&Bound<'_, PyAny>>,
    edition: Option<&Bound<'_, PyAny>>,
    status: Option<&Bound<'_, PyAny>>,
    schemas: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Finding>> {
    let py = value.py();
    let given = [("profile", profile), ("edition", edition), ("status", status), ("schemas", schemas)];
    let options = options::json(py, &given)?;
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

/// The name of the built-in profile that leaves the fewest errors in a stream.
#[pyfunction]
#[pyo3(signature = (stream, /, *, request = None, headers = None, status = None))]
pub(crate) fn suggest_profile(
    stream: &Bound<'_, PyAny>,
    request: Option<&Bound<'_, PyAny>>,
    headers: Option<&Bound<'_, PyAny>>,
    status: Option<u16>,
) -> PyResult<String> {
    let py = stream.py();
    let stream = convert::bytes(stream)?;
    let stream = stream.as_ref();
    let request = request.filter(|request| !request.is_none()).map(convert::json_text).transpose()?;
    let headers = headers.filter(|headers| !headers.is_none()).map(convert::headers).transpose()?;
    let findings = |edition| -> Result<Vec<deltafold::Finding>, Error> {
        let builder = deltafold::Reader::builder().profile(Profile::builtin("open-responses")?).edition(edition);
        let mut reader = builder.validate(Layers::ALL).limits(Limits::default().findings(FINDINGS)).build();
        if let Some(request) = &request {
            reader.note_request(request)?;
        }
        if let Some(headers) = &headers {
            let pairs = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            match status {
                Some(status) => reader.note_head(status, pairs),
                None => reader.note_headers(pairs),
            }
        }
        reader.feed(stream)?;
        reader.end();
        while reader.poll_event()?.is_some() {}
        reader.finish()?;
        Ok(reader.findings().to_vec())
    };
    py.detach(|| {
        let mut failed = None;
        let profile = Profile::suggest(|edition| {
            findings(edition).unwrap_or_else(|error| {
                failed = Some(error);
                Vec::new()
            })
        });
        failed.map_or_else(|| Ok(profile.name().to_owned()), Err)
    })
    .map_err(|found| error::raise(py, &found))
}

/// Findings that are kept for the choice of a profile; the choice counts them.
const FINDINGS: usize = 100_000;

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
