//! Incomplete JSON.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use deltafold::json::PartialOptions;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::growing::ConvertedValues;
use crate::options::Keyword;
use crate::{convert, error, options};

/// Parses a JSON text that arrives in pieces; the value so far is readable after each piece.
#[pyclass(frozen, module = "deltafold")]
pub(crate) struct PartialJson {
    parser: Mutex<deltafold::json::PartialJson>,
    /// The mark of the converted value; it belongs to the parser.
    mark: AtomicU64,
    growing: ConvertedValues,
}

impl PartialJson {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, deltafold::json::PartialJson> {
        self.parser.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

fn read_options(py: Python<'_>, given: &[Keyword<'_, '_>]) -> PyResult<PartialOptions> {
    let options = PartialOptions::from_json(&options::json(py, given)?).map_err(|found| error::raise(py, &found))?;
    options::check_depth(py, options.depth).map(|()| options)
}

#[pymethods]
impl PartialJson {
    /// Creates a parser. `strings`, `numbers` and `literals` select how an unfinished one appears in the value: "include",
    /// "omit" or "mark" (None).
    #[new]
    #[pyo3(signature = (*, strings = None, numbers = None, literals = None, depth = None, record_changes = None))]
    fn new(
        py: Python<'_>,
        strings: Option<&Bound<'_, PyAny>>,
        numbers: Option<&Bound<'_, PyAny>>,
        literals: Option<&Bound<'_, PyAny>>,
        depth: Option<&Bound<'_, PyAny>>,
        record_changes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let given = [
            ("strings", strings),
            ("numbers", numbers),
            ("literals", literals),
            ("depth", depth),
            ("record_changes", record_changes),
        ];
        let parser = deltafold::json::PartialJson::new(read_options(py, &given)?);
        Ok(Self { parser: Mutex::new(parser), mark: AtomicU64::new(0), growing: ConvertedValues::default() })
    }

    /// Adds text. Raises DeltafoldError if the text is not JSON; the value up to the error stays readable.
    #[pyo3(signature = (piece, /))]
    fn push(&self, py: Python<'_>, piece: &str) -> PyResult<()> {
        let pushed = self.lock(py).push(piece);
        pushed.map_err(|found| error::raise(py, &found.into()))
    }

    /// Ends the text. Raises DeltafoldError if it is not a complete JSON document.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let finished = self.lock(py).finish();
        finished.map_err(|found| error::raise(py, &found.into()))
    }

    /// Discards the text; the options stay.
    fn reset(&self, py: Python<'_>) {
        let mut parser = self.lock(py);
        parser.reset();
        self.mark.store(0, Ordering::Relaxed);
        drop(parser);
        self.growing.clear();
    }

    /// The value so far; None before the value begins. Values share what is finished, as those of `Item.partial_arguments` do.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.growing.value(py, |take| {
            let parser = self.lock(py);
            let mut mark = self.mark.load(Ordering::Relaxed);
            take(parser.value(), &mut mark);
            self.mark.store(mark, Ordering::Relaxed);
            Ok(())
        })
    }

    /// The value so far as JSON text with unchanged numbers; None before the value begins.
    fn to_json(&self, py: Python<'_>) -> Option<String> {
        self.lock(py).value().map(ToString::to_string)
    }

    /// The innermost unfinished value: its JSON pointer and type; None if there is none.
    #[getter]
    fn unfinished(&self, py: Python<'_>) -> Option<(String, &'static str)> {
        self.lock(py).unfinished().map(|(pointer, tag)| (pointer, tag.exact_name()))
    }

    /// True if the document is complete.
    #[getter]
    fn is_complete(&self, py: Python<'_>) -> bool {
        self.lock(py).is_complete()
    }

    /// The changes since `clear_changes()`, if `record_changes` is on. Each change is a list: the JSON pointer; "started",
    /// "appended" or "finished"; the type or the text.
    #[getter]
    fn changes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let changes: Vec<_> = self.lock(py).changes().map(|change| change.to_value()).collect();
        changes.iter().map(|change| convert::value(py, change)).collect()
    }

    /// Clears the recorded changes.
    fn clear_changes(&self, py: Python<'_>) {
        self.lock(py).clear_changes();
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let partial = self.lock(py);
        let state = if partial.is_complete() { "complete" } else { "incomplete" };
        format!("<PartialJson {state}, {} bytes>", partial.position())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a PartialJson cannot be pickled or copied: keep its text"))
    }
}

/// Parses a JSON text that may be incomplete and returns the value so far; None before the value begins.
///
/// Ignores the text after invalid JSON. The options are those of PartialJson; use that class for text that arrives in pieces.
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
