//! Options: converts Python keyword arguments to the JSON form that the core reads.

use deltafold::Limits;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::{convert, error};

/// A keyword and its argument.
pub(crate) type Keyword<'a, 'py> = (&'a str, Option<&'a Bound<'py, PyAny>>);

/// Returns the given keyword arguments as JSON text; empty if there are none, so that a call without options does not import `json`.
pub(crate) fn json(py: Python<'_>, keywords: &[Keyword<'_, '_>]) -> PyResult<String> {
    if keywords.iter().all(|(_, value)| value.is_none_or(|value| value.is_none())) {
        return Ok(String::new());
    }
    let given = PyDict::new(py);
    for (name, value) in keywords {
        let Some(value) = value.filter(|value| !value.is_none()) else { continue };
        // A list of names may be any iterable: a tuple, a set, the keys of a dict.
        let is_plain = value.is_instance_of::<PyString>() || value.is_instance_of::<PyDict>();
        match value.try_iter() {
            Ok(each) if !is_plain => given.set_item(name, each.collect::<PyResult<Vec<_>>>()?)?,
            _ => given.set_item(name, value)?,
        }
    }
    convert::json(&given)
}

/// Python cannot print or compare objects that are nested much deeper than this.
const DEPTH_AT_MOST: usize = 512;

/// Refuses a depth limit that is too large for Python objects.
pub(crate) fn check_depth(py: Python<'_>, depth: usize) -> PyResult<()> {
    if depth > DEPTH_AT_MOST {
        return Err(error::misuse(py, &format!("expected a depth of at most {DEPTH_AT_MOST}")));
    }
    Ok(())
}

/// Reads limits from a mapping by name; missing ones keep their default.
pub(crate) fn limits(py: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<Limits> {
    let text = given.filter(|given| !given.is_none()).map(convert::json).transpose()?.unwrap_or_default();
    let limits = Limits::from_json(&text).map_err(|found| error::raise(py, &found))?;
    check_depth(py, limits.depth).map(|()| limits)
}
