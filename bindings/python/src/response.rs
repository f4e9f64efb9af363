//! The response so far, its items and their parts: live views on a reader. Reading costs what is read.

use deltafold::json::Value;
use pyo3::exceptions::{PyAttributeError, PyImportError, PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::convert;
use crate::reader::Reader;

/// The response so far: a snapshot before its terminal event, the response after it.
///
/// A live view: it shows what the reader has read when it is asked. Every wire field is an attribute and an item;
/// `to_dict()` makes a copy that stays as it is.
#[pyclass(frozen, mapping, module = "deltafold")]
pub(crate) struct Response {
    reader: Py<Reader>,
}

impl Response {
    pub(crate) fn new(reader: Py<Reader>) -> Self {
        Self { reader }
    }

    fn ask<R>(&self, py: Python<'_>, ask: impl FnOnce(deltafold::Response<'_>) -> R) -> R {
        self.reader.get().read(py, |reader| ask(reader.response()))
    }

    fn member<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        if key != "output" {
            return convert::option(py, self.ask(py, |response| response.get(key).cloned()));
        }
        self.to_dict(py)?.cast::<PyDict>()?.get_item("output")
    }
}

#[pymethods]
impl Response {
    /// The response's id; "" before the first snapshot.
    #[getter]
    fn id(&self, py: Python<'_>) -> String {
        self.ask(py, |response| response.id().to_owned())
    }

    /// The status word; "" before the first snapshot.
    #[getter]
    fn status(&self, py: Python<'_>) -> String {
        self.ask(py, |response| response.status().to_owned())
    }

    /// The model's name; "" before the first snapshot.
    #[getter]
    fn model(&self, py: Python<'_>) -> String {
        self.ask(py, |response| response.model().to_owned())
    }

    /// The texts of all `output_text` parts of all messages, joined.
    #[getter]
    fn output_text<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.ask(py, |response| PyString::new(py, &response.output_text()))
    }

    /// The output items as live views, in order. `response["output"]` has them as dicts.
    #[getter]
    fn items(&self, py: Python<'_>) -> Vec<Item> {
        let count = self.ask(py, |response| response.len());
        (0..count).map(|at| Item { reader: self.reader.clone_ref(py), at }).collect()
    }

    /// The output items as dicts, in order.
    #[getter]
    fn output<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let items: Vec<Value> = self.ask(py, |response| response.items().map(|item| item.to_value()).collect());
        convert::value(py, &Value::Array(items))
    }

    /// Token counts as a dict, once a terminal event has them; else None.
    #[getter]
    fn usage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        convert::option(py, self.ask(py, |response| response.usage().cloned()))
    }

    /// The error of a failed response as a dict; else None.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        convert::option(py, self.ask(py, |response| response.error().cloned()))
    }

    /// Why the response is incomplete, as a dict; else None.
    #[getter]
    fn incomplete_details<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        convert::option(py, self.ask(py, |response| response.incomplete_details().cloned()))
    }

    /// The item that an `output_index` of the stream routes to; None if there is none.
    fn item_at_index(&self, py: Python<'_>, output_index: u64) -> Option<Item> {
        let at = self.ask(py, |response| {
            let wanted = response.item_at_index(output_index)?;
            response.items().position(|item| item.id() == wanted.id() && item.kind() == wanted.kind())
        });
        at.map(|at| Item { reader: self.reader.clone_ref(py), at })
    }

    /// The whole response as a new dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = self.ask(py, |response| response.to_value());
        convert::value(py, &value)
    }

    /// The same as `to_dict()`, by the name that pydantic's models have.
    fn model_dump<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)
    }

    /// The whole response as JSON text.
    fn to_json(&self, py: Python<'_>) -> String {
        self.ask(py, |response| response.to_json())
    }

    /// The response as the openai package has it. Raises ImportError without that package.
    fn to_openai<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let types = py.import("openai.types.responses").map_err(|cause| {
            let error = PyImportError::new_err("to_openai needs the package openai: pip install openai");
            error.set_cause(py, Some(cause));
            error
        })?;
        types.getattr("Response")?.call_method("construct", (), Some(self.to_dict(py)?.cast::<PyDict>()?))
    }

    /// The value of a wire field, or `default`.
    #[pyo3(signature = (key, default = None, /))]
    fn get<'py>(
        &self,
        key: &Bound<'py, PyString>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.member(key.py(), &key.to_string_lossy())?.or(default))
    }

    /// The names of the wire fields, in order.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.call_method0("keys")
    }

    fn __getattr__<'py>(&self, key: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        self.member(key.py(), &key.to_string_lossy())?
            .ok_or_else(|| PyAttributeError::new_err(format!("the response has no field {:?}", key.to_string_lossy())))
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let found = match key.cast::<PyString>() {
            Ok(name) => self.member(key.py(), &name.to_string_lossy())?,
            Err(_) => None,
        };
        found.ok_or_else(|| PyKeyError::new_err(key.clone().unbind()))
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(name) = key.cast::<PyString>() else { return Ok(false) };
        Ok(self.member(key.py(), &name.to_string_lossy())?.is_some())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.call_method0("__iter__")
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.to_dict(py)?.len()
    }

    // An empty response is one that has not begun: a view is always there.
    fn __bool__(&self) -> bool {
        true
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        self.ask(py, |response| {
            let status = if response.status().is_empty() { "not begun" } else { response.status() };
            format!("<Response {status}, {} items>", response.len())
        })
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(pyo3::exceptions::PyTypeError::new_err("a live view cannot be pickled or copied: use to_dict()"))
    }
}

/// One output item, growing or done: a live view.
#[pyclass(frozen, mapping, module = "deltafold")]
pub(crate) struct Item {
    reader: Py<Reader>,
    at: usize,
}

impl Item {
    fn ask<R>(&self, py: Python<'_>, ask: impl FnOnce(deltafold::Item<'_>) -> R) -> PyResult<R> {
        self.reader.get().read(py, |reader| {
            let item = reader.response().item(self.at);
            item.map(ask).ok_or_else(|| PyIndexError::new_err("the response has no such item any more"))
        })
    }

    fn member<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        // Log probabilities that still grow are in the whole item only.
        let found = self.ask(py, |item| match key {
            "content" => item.to_value().get(key).cloned(),
            _ => item.get(key).cloned(),
        })?;
        convert::option(py, found)
    }

    fn parts_of(&self, py: Python<'_>, summary: bool) -> PyResult<Vec<Part>> {
        let count = self.ask(py, |item| if summary { item.summary().count() } else { item.parts().count() })?;
        let part = |at| Part { reader: self.reader.clone_ref(py), item: self.at, at, summary };
        Ok((0..count).map(part).collect())
    }
}

#[pymethods]
impl Item {
    /// The item's type, such as "message".
    #[getter]
    #[pyo3(name = "type")]
    fn kind(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |item| item.kind().to_owned())
    }

    /// The item's id; "" if it has none.
    #[getter]
    fn id(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |item| item.id().to_owned())
    }

    /// The item's status; "" for types that have none.
    #[getter]
    fn status(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |item| item.status().to_owned())
    }

    /// Whether the item is finished.
    #[getter]
    fn is_done(&self, py: Python<'_>) -> PyResult<bool> {
        self.ask(py, |item| item.is_done())
    }

    /// The text of a tool call so far: its `arguments`, `input` or `code`; "" for other items.
    #[getter]
    fn arguments(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |item| item.arguments().to_owned())
    }

    /// The arguments so far as a value: open containers are closed, an open string is included as far as it goes, an open
    /// number or literal is left out. None before the first character of a value.
    fn partial_arguments<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        convert::option(py, self.ask(py, |item| item.partial_arguments())?)
    }

    /// The texts of all `output_text` parts, joined.
    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |item| item.text().into_owned())
    }

    /// The parts of `content` as live views.
    #[getter]
    fn parts(&self, py: Python<'_>) -> PyResult<Vec<Part>> {
        self.parts_of(py, false)
    }

    /// The parts of `summary` as live views.
    #[getter]
    fn summary_parts(&self, py: Python<'_>) -> PyResult<Vec<Part>> {
        self.parts_of(py, true)
    }

    /// Preview images so far: number and base64 text, as the reader's `images` keeps them.
    #[getter]
    fn partial_images(&self, py: Python<'_>) -> PyResult<Vec<(u64, String)>> {
        self.ask(py, |item| item.partial_images().map(|(number, image)| (number, image.to_owned())).collect())
    }

    /// The whole item as a new dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = self.ask(py, |item| item.to_value())?;
        convert::value(py, &value)
    }

    /// The whole item as JSON text.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |item| {
            let mut text = String::new();
            item.write_json(&mut text);
            text
        })
    }

    /// The value of a wire field, or `default`.
    #[pyo3(signature = (key, default = None, /))]
    fn get<'py>(
        &self,
        key: &Bound<'py, PyString>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.member(key.py(), &key.to_string_lossy())?.or(default))
    }

    /// The names of the wire fields, in order.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.call_method0("keys")
    }

    fn __getattr__<'py>(&self, key: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        self.member(key.py(), &key.to_string_lossy())?
            .ok_or_else(|| PyAttributeError::new_err(format!("the item has no field {:?}", key.to_string_lossy())))
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let found = match key.cast::<PyString>() {
            Ok(name) => self.member(key.py(), &name.to_string_lossy())?,
            Err(_) => None,
        };
        found.ok_or_else(|| PyKeyError::new_err(key.clone().unbind()))
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(name) = key.cast::<PyString>() else { return Ok(false) };
        Ok(self.member(key.py(), &name.to_string_lossy())?.is_some())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.call_method0("__iter__")
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.to_dict(py)?.len()
    }

    fn __bool__(&self) -> bool {
        true
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |item| {
            let state = if item.is_done() { "done" } else { "growing" };
            format!("<Item {:?}, {state}>", item.kind())
        })
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(pyo3::exceptions::PyTypeError::new_err("a live view cannot be pickled or copied: use to_dict()"))
    }
}

/// One part of an item's content or summary: a live view.
#[pyclass(frozen, module = "deltafold")]
pub(crate) struct Part {
    reader: Py<Reader>,
    item: usize,
    at: usize,
    summary: bool,
}

impl Part {
    fn ask<R>(&self, py: Python<'_>, ask: impl FnOnce(deltafold::Part<'_>) -> R) -> PyResult<R> {
        self.reader.get().read(py, |reader| {
            let item = reader.response().item(self.item);
            let part = item.and_then(|item| match self.summary {
                true => item.summary().nth(self.at),
                false => item.parts().nth(self.at),
            });
            part.map(ask).ok_or_else(|| PyIndexError::new_err("the item has no such part any more"))
        })
    }
}

#[pymethods]
impl Part {
    /// The part's type, such as "output_text".
    #[getter]
    #[pyo3(name = "type")]
    fn kind(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |part| part.kind().to_owned())
    }

    /// The part's text so far; for a refusal, its words.
    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |part| part.text().to_owned())
    }

    /// The text as a JSON value that is still growing, for structured output. None before the first character of a value.
    fn partial_json<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        convert::option(py, self.ask(py, |part| part.partial_json())?)
    }

    /// The value of a wire field, or `default`.
    #[pyo3(signature = (key, default = None, /))]
    fn get<'py>(
        &self,
        key: &Bound<'py, PyString>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = key.py();
        let found = self.ask(py, |part| part.get(&key.to_string_lossy()).cloned())?;
        Ok(convert::option(py, found)?.or(default))
    }

    fn __getattr__<'py>(slf: &Bound<'py, Self>, key: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        slf.get()
            .get(key, None)?
            .ok_or_else(|| PyAttributeError::new_err(format!("the part has no field {:?}", key.to_string_lossy())))
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        self.get(key, None)?.ok_or_else(|| PyKeyError::new_err(key.clone().unbind()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |part| format!("<Part {:?}, {} bytes of text>", part.kind(), part.text().len()))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(pyo3::exceptions::PyTypeError::new_err("a live view cannot be pickled or copied: use the item's to_dict()"))
    }
}
