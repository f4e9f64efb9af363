//! JSON that is still growing.

use std::sync::{Mutex, MutexGuard, PoisonError};

use deltafold::json::PartialOptions;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::options::Keyword;
use crate::{convert, error, options};

/// Reads JSON text that keeps growing; the value so far can be looked at after each piece.
#[pyclass(frozen, module = "deltafold")]
pub(crate) struct PartialJson(Mutex<deltafold::json::PartialJson>);

impl PartialJson {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, deltafold::json::PartialJson> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

fn read_options(py: Python<'_>, given: &[Keyword<'_, '_>]) -> PyResult<PartialOptions> {
    let options = PartialOptions::from_json(&options::json(py, given)?).map_err(|found| error::raise(py, &found))?;
    options::check_depth(py, options.depth).map(|()| options)
}

#[pymethods]
impl PartialJson {
    /// Starts with no text. `strings`, `numbers` and `literals` say what stands for one that is not finished: "include", "omit"
    /// or "mark" (None in the value).
    #[new]
    #[pyo3(signature = (*, strings = None, numbers = None, literals = None, depth = None, notes = None))]
    fn new(
        py: Python<'_>,
        strings: Option<&Bound<'_, PyAny>>,
        numbers: Option<&Bound<'_, PyAny>>,
        literals: Option<&Bound<'_, PyAny>>,
        depth: Option<&Bound<'_, PyAny>>,
        notes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let given =
            [("strings", strings), ("numbers", numbers), ("literals", literals), ("depth", depth), ("notes", notes)];
        Ok(Self(Mutex::new(deltafold::json::PartialJson::new(read_options(py, &given)?))))
    }

    /// Adds text. Raises DeltafoldError where it stops being JSON; the value up to there stays.
    #[pyo3(signature = (piece, /))]
    fn push(&self, py: Python<'_>, piece: &str) -> PyResult<()> {
        let pushed = self.lock(py).push(piece);
        pushed.map_err(|found| error::raise(py, &found.into()))
    }

    /// Says that no more will come. Raises DeltafoldError if the text is no whole JSON document.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let finished = self.lock(py).finish();
        finished.map_err(|found| error::raise(py, &found.into()))
    }

    /// Starts again; options stay.
    fn reset(&self, py: Python<'_>) {
        self.lock(py).reset();
    }

    /// The value so far; None if none has begun to show.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let value = self.lock(py).value().cloned();
        convert::option(py, value)
    }

    /// The value so far as JSON text, numbers as they were written; None if none has begun to show.
    fn to_json(&self, py: Python<'_>) -> Option<String> {
        self.lock(py).value().map(ToString::to_string)
    }

    /// The value that is unfinished: its JSON pointer and type; None if there is none.
    #[getter]
    fn unfinished(&self, py: Python<'_>) -> Option<(String, &'static str)> {
        self.lock(py).unfinished().map(|(pointer, tag)| (pointer, tag.exact_name()))
    }

    /// Whether the document is whole.
    #[getter]
    fn is_complete(&self, py: Python<'_>) -> bool {
        self.lock(py).is_complete()
    }

    /// What changed since `clear_changes()`, if `notes` is on: lists of the JSON pointer, "started", "appended" or "finished", and
    /// the type or text.
    #[getter]
    fn changes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let changes: Vec<_> = self.lock(py).changes().map(|change| change.to_value()).collect();
        changes.iter().map(|change| convert::value(py, change)).collect()
    }

    /// Forgets the changes.
    fn clear_changes(&self, py: Python<'_>) {
        self.lock(py).clear_changes();
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let partial = self.lock(py);
        let state = if partial.is_complete() { "complete" } else { "growing" };
        format!("<PartialJson {state}, {} bytes>", partial.position())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a PartialJson cannot be pickled or copied: its text can"))
    }
}

/// Reads JSON text that may be cut anywhere and returns the value so far; None if none has begun to show.
///
/// What stands behind invalid JSON is ignored. The options are those of PartialJson, which is for text that keeps growing.
#[pyfunction]
#[pyo3(signature = (text, /, *, strings = None, numbers = None, literals = None, depth = None))]
pub(crate) fn partial_json<'py>(
    py: Python<'py>,
    text: &str,
    strings: Option<&Bound<'py, PyAny>>,
    numbers: Option<&Bound<'py, PyAny>>,
    literals: Option<&Bound<'py, PyAny>>,
    depth: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let given = [("strings", strings), ("numbers", numbers), ("literals", literals), ("depth", depth)];
    let options = read_options(py, &given)?;
    deltafold::json::partial_json(text, options).map(|value| convert::value(py, &value)).transpose()
}
