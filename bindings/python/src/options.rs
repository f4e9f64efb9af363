//! What a reader and a check are told to do, from Python keywords.

use deltafold::validate::Layers;
use deltafold::{Edition, Images, Limits, Overflow, Profile, ReaderOptions};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use crate::{convert, error};

/// The keywords of `Reader`.
pub(crate) struct Given<'a, 'py> {
    pub(crate) strict: bool,
    pub(crate) validate: Option<&'a Bound<'py, PyAny>>,
    pub(crate) profile: Option<&'a Bound<'py, PyAny>>,
    pub(crate) edition: Option<&'a str>,
    pub(crate) limits: Option<&'a Bound<'py, PyDict>>,
    pub(crate) images: &'a str,
    pub(crate) without_terminal: bool,
    pub(crate) quote: bool,
    pub(crate) starting_after: Option<u64>,
}

impl Given<'_, '_> {
    /// Turns the keywords into options of the core.
    pub(crate) fn read(&self, py: Python<'_>) -> PyResult<ReaderOptions> {
        let mut options = ReaderOptions {
            strict: self.strict,
            quote: self.quote,
            starting_after: self.starting_after,
            ..ReaderOptions::default()
        };
        options.limits = limits(py, self.limits)?;
        options.layers = self.validate.map_or(Ok(Layers::NONE), layers)?;
        options.edition = self.edition.map(|name| edition(py, name)).transpose()?;
        if let Some(given) = self.profile {
            options.profile = profile(given)?;
        }
        options.accumulate.without_terminal = self.without_terminal;
        options.accumulate.images = match self.images {
            "keep" => Images::Keep,
            "keep_last" => Images::KeepLast,
            "drop" => Images::Drop,
            _ => return Err(error::misuse(py, "expected images to be keep, keep_last or drop")),
        };
        Ok(options)
    }
}

/// The edition of a name.
pub(crate) fn edition(py: Python<'_>, name: &str) -> PyResult<Edition> {
    name.parse().map_err(|found| error::raise(py, &found))
}

/// A profile by its name, or described by a dict or JSON text.
pub(crate) fn profile(given: &Bound<'_, PyAny>) -> PyResult<Profile> {
    let found = match given.cast::<PyString>() {
        Ok(name) if !name.to_string_lossy().trim_start().starts_with('{') => Profile::builtin(&name.to_string_lossy()),
        _ => Profile::from_json(&convert::json_text(given)?),
    };
    found.map_err(|found| error::raise(given.py(), &found))
}

/// Layers of validation: all or none by a bool, else by name.
fn layers(given: &Bound<'_, PyAny>) -> PyResult<Layers> {
    if let Ok(all) = given.cast::<PyBool>() {
        return Ok(if all.is_true() { Layers::ALL } else { Layers::NONE });
    }
    if given.is_instance_of::<PyString>() {
        return layer(given);
    }
    given.try_iter()?.try_fold(Layers::NONE, |layers, name| Ok(layers | layer(&name?)?))
}

fn layer(name: &Bound<'_, PyAny>) -> PyResult<Layers> {
    match name.extract::<String>()?.as_str() {
        "framing" => Ok(Layers::FRAMING),
        "schema" => Ok(Layers::SCHEMA),
        "stream" => Ok(Layers::STREAM),
        _ => Err(error::misuse(name.py(), "expected layers out of framing, schema and stream")),
    }
}

/// Payloads deeper than this would make Python objects that Python itself cannot print or compare.
const DEPTH_AT_MOST: usize = 512;

/// Limits by name; those that are not named keep their default.
pub(crate) fn limits(py: Python<'_>, given: Option<&Bound<'_, PyDict>>) -> PyResult<Limits> {
    let mut limits = Limits::default();
    for (name, value) in given.into_iter().flatten() {
        let name: String = name.extract()?;
        let place = match name.as_str() {
            "line_bytes" => &mut limits.line_bytes,
            "frame_bytes" => &mut limits.frame_bytes,
            "buffered_bytes" => &mut limits.buffered_bytes,
            "depth" => &mut limits.depth,
            "items" => &mut limits.items,
            "parts" => &mut limits.parts,
            "response_bytes" => &mut limits.response_bytes,
            "findings" => &mut limits.findings,
            "overflow" => {
                limits.overflow = match value.extract::<String>()?.as_str() {
                    "error" => Overflow::Error,
                    "drop" => Overflow::Drop,
                    _ => return Err(error::misuse(py, "expected overflow to be error or drop")),
                };
                continue;
            }
            _ => return Err(error::misuse(py, &format!("no limit is called {name}"))),
        };
        *place = value.extract().map_err(|_| PyTypeError::new_err(format!("expected a whole number for {name}")))?;
    }
    if limits.depth > DEPTH_AT_MOST {
        return Err(error::misuse(py, &format!("expected a depth of at most {DEPTH_AT_MOST}")));
    }
    Ok(limits)
}
