//! The response so far, its items and their parts, as live views on a reader. An access converts only the field that is read.

use deltafold::__bindings::{read_arguments_marked, read_json_marked};
use deltafold::json::Value;
use pyo3::exceptions::{PyAttributeError, PyImportError, PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::reader::Reader;
use crate::{convert, error};

/// The response so far: a snapshot before its terminal event, the response after it.
///
/// A live view: an access reads the current state of the reader. Every wire field is an attribute and an item; `to_dict()`
/// returns an independent copy.
#[pyclass(frozen, mapping, module = "deltafold")]
pub(crate) struct Response {
    reader: Py<Reader>,
}

impl Response {
    pub(crate) fn new(reader: Py<Reader>) -> Self {
        Self { reader }
    }

    fn read<R>(&self, py: Python<'_>, read: impl FnOnce(deltafold::Response<'_>) -> R) -> R {
        self.reader.get().read(py, |reader| read(reader.response()))
    }

    fn member<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        if key != "output" {
            return convert::option(py, self.read(py, |response| response.get(key).cloned()));
        }
        self.to_dict(py)?.cast::<PyDict>()?.get_item("output")
    }
}

#[pymethods]
impl Response {
    /// The id of the response; "" before the first snapshot.
    #[getter]
    fn id(&self, py: Python<'_>) -> String {
        self.read(py, |response| response.id().unwrap_or_default().to_owned())
    }

    /// The status; "" before the first snapshot.
    #[getter]
    fn status(&self, py: Python<'_>) -> String {
        self.read(py, |response| response.status_name().unwrap_or_default().to_owned())
    }

    /// The name of the model; "" before the first snapshot.
    #[getter]
    fn model(&self, py: Python<'_>) -> String {
        self.read(py, |response| response.model().unwrap_or_default().to_owned())
    }

    /// The concatenated text of all `output_text` parts of all messages.
    #[getter]
    fn output_text<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.read(py, |response| PyString::new(py, &response.output_text()))
    }

    /// The output items as live views, in order. `response["output"]` has them as dicts.
    #[getter]
    fn items(&self, py: Python<'_>) -> Vec<Item> {
        let count = self.read(py, |response| response.len());
        (0..count).map(|at| Item { reader: self.reader.clone_ref(py), at }).collect()
    }

    /// The output items as dicts, in order.
    #[getter]
    fn output<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let items: Vec<Value> = self.read(py, |response| response.items().map(|item| item.to_value()).collect());
        convert::value(py, &Value::Array(items))
    }

    /// Token counts as a dict; None before a terminal event that has them.
    #[getter]
    fn usage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        convert::option(py, self.read(py, |response| response.usage_value().cloned()))
    }

    /// The error of a failed response as a dict; otherwise None.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        convert::option(py, self.read(py, |response| response.error().cloned()))
    }

    /// Why the response is incomplete, as a dict; otherwise None.
    #[getter]
    fn incomplete_details<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        convert::option(py, self.read(py, |response| response.incomplete_details().cloned()))
    }

    /// The item with an `output_index` of the stream; None if there is none.
    fn item_at_index(&self, py: Python<'_>, output_index: u64) -> Option<Item> {
        let at = self.read(py, |response| {
            let found = response.item_at_index(output_index)?;
            response.items().position(|item| item.id() == found.id() && item.wire_type() == found.wire_type())
        });
        at.map(|at| Item { reader: self.reader.clone_ref(py), at })
    }

    /// The whole response as a new dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = self.read(py, |response| response.to_value());
        convert::value(py, &value)
    }

    /// The same as `to_dict()`, under the name that pydantic models use.
    fn model_dump<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)
    }

    /// The whole response as JSON text.
    fn to_json(&self, py: Python<'_>) -> String {
        self.read(py, |response| response.to_json())
    }

    /// The response as an `openai.types.responses.Response`; required fields that the stream did not send get neutral defaults.
    /// Raises Misuse if no response has begun, and ImportError without the openai package.
    fn to_openai<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let types = py.import("openai.types.responses").map_err(|cause| {
            let error = PyImportError::new_err("to_openai needs the package openai: pip install openai");
            error.set_cause(py, Some(cause));
            error
        })?;
        let fields = self.to_dict(py)?.cast_into::<PyDict>()?;
        if !fields.contains("id")? {
            let outcome = self.reader.get().read(py, |reader| reader.outcome().map(deltafold::Outcome::name));
            let outcome = outcome.unwrap_or("not ended");
            return Err(error::misuse(py, &format!("the stream has sent no response (outcome: {outcome})")));
        }
        let defaults = PyDict::new(py);
        defaults.set_item("object", "response")?;
        defaults.set_item("created_at", 0)?;
        defaults.set_item("model", "")?;
        defaults.set_item("tool_choice", "auto")?;
        defaults.set_item("parallel_tool_calls", true)?;
        for name in ["output", "tools"] {
            defaults.set_item(name, PyList::empty(py))?;
        }
        for name in ["error", "incomplete_details", "instructions", "metadata", "temperature", "top_p"] {
            defaults.set_item(name, py.None())?;
        }
        defaults.update(fields.as_mapping())?;
        types.getattr("Response")?.call_method("construct", (), Some(&defaults))
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

    /// Equal to another response, or to a dict, with equal fields.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = other.py();
        match other.cast::<Self>() {
            Ok(other) => {
                let value = self.read(py, |response| response.to_value());
                Ok(value == other.get().read(py, |response| response.to_value()))
            }
            Err(_) if other.is_instance_of::<PyDict>() => self.to_dict(py)?.eq(other),
            Err(_) => Ok(false),
        }
    }

    // A view is always true, also before the response begins.
    fn __bool__(&self) -> bool {
        true
    }

    /// A table of the items for notebooks, without payload text.
    fn _repr_html_(&self, py: Python<'_>) -> String {
        self.read(py, |response| {
            let status = response.status_name().unwrap_or("not begun");
            let mut html = format!("<p>Response: {}, {} items</p>", escaped(status), response.len());
            html.push_str("<table><tr><th>#</th><th>type</th><th>name</th><th>status</th><th>bytes of text</th></tr>");
            for (position, item) in response.items().enumerate() {
                let bytes = item.text().len() + item.arguments().map_or(0, str::len);
                let cells = [item.wire_type(), item.name(), item.status_name()];
                let [kind, name, status] = cells.map(|text| escaped(text.unwrap_or_default()));
                html.push_str(&format!(
                    "<tr><td>{position}</td><td>{kind}</td><td>{name}</td><td>{status}</td><td>{bytes}</td></tr>"
                ));
            }
            html + "</table>"
        })
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        self.read(py, |response| {
            let status = response.status_name().unwrap_or("not begun");
            format!("<Response {status}, {} items>", response.len())
        })
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(pyo3::exceptions::PyTypeError::new_err("a live view cannot be pickled or copied: use to_dict()"))
    }
}

/// Escapes text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// One output item, in progress or done, as a live view.
#[pyclass(frozen, mapping, module = "deltafold")]
pub(crate) struct Item {
    reader: Py<Reader>,
    at: usize,
}

impl Item {
    fn read<R>(&self, py: Python<'_>, read: impl FnOnce(deltafold::Item<'_>) -> R) -> PyResult<R> {
        self.reader.get().read(py, |reader| {
            let item = reader.response().item(self.at);
            item.map(read).ok_or_else(|| PyIndexError::new_err("the response no longer has this item"))
        })
    }

    fn member<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        // Log probabilities of an open part are only in the whole item.
        let found = self.read(py, |item| match key {
            "content" => item.to_value().get(key).cloned(),
            _ => item.get(key).cloned(),
        })?;
        convert::option(py, found)
    }

    fn parts_of(&self, py: Python<'_>, summary: bool) -> PyResult<Vec<Part>> {
        let count = self.read(py, |item| if summary { item.summary().count() } else { item.parts().count() })?;
        let part = |at| Part { reader: self.reader.clone_ref(py), item: self.at, at, summary };
        Ok((0..count).map(part).collect())
    }
}

#[pymethods]
impl Item {
    /// The type of the item, such as "message".
    #[getter]
    #[pyo3(name = "type")]
    fn kind(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |item| item.wire_type().unwrap_or_default().to_owned())
    }

    /// The id of the item; "" if it has none.
    #[getter]
    fn id(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |item| item.id().unwrap_or_default().to_owned())
    }

    /// The status of the item; "" for types without one.
    #[getter]
    fn status(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |item| item.status_name().unwrap_or_default().to_owned())
    }

    /// True if the item is done.
    #[getter]
    fn is_done(&self, py: Python<'_>) -> PyResult<bool> {
        self.read(py, |item| item.is_done())
    }

    /// The text of a tool call so far: its `arguments`, `input` or `code`; "" for other items.
    #[getter]
    fn arguments(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |item| item.arguments().unwrap_or_default().to_owned())
    }

    /// The arguments so far as a value: open containers are closed, an unfinished string is included, an unfinished number
    /// or literal is omitted. None before the value begins.
    ///
    /// Each call converts only what is new. The values of several calls share what is finished, so do not change them:
    /// `copy.deepcopy` makes a value of your own. A value that you keep does not grow; what is still open in it is then copied.
    fn partial_arguments<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.reader.get().growing.value(py, |take| {
            self.read(py, |item| read_arguments_marked(&item, |parser, mark| take(parser.value(), mark)))
        })
    }

    /// The concatenated text of all `output_text` parts.
    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |item| item.text().into_owned())
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

    /// The kept preview images: number and base64 text. The option `images` of the reader selects which are kept.
    #[getter]
    fn partial_images(&self, py: Python<'_>) -> PyResult<Vec<(u64, String)>> {
        self.read(py, |item| item.partial_images().map(|(number, image)| (number, image.to_owned())).collect())
    }

    /// The whole item as a new dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = self.read(py, |item| item.to_value())?;
        convert::value(py, &value)
    }

    /// The whole item as JSON text.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |item| {
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

    /// Equal to another item, or to a dict, with equal fields.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = other.py();
        match other.cast::<Self>() {
            Ok(other) => {
                let value = self.read(py, |item| item.to_value())?;
                Ok(value == other.get().read(py, |item| item.to_value())?)
            }
            Err(_) if other.is_instance_of::<PyDict>() => self.to_dict(py)?.eq(other),
            Err(_) => Ok(false),
        }
    }

    fn __bool__(&self) -> bool {
        true
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |item| {
            let state = if item.is_done() { "done" } else { "in progress" };
            format!("<Item {:?}, {state}>", item.wire_type().unwrap_or_default())
        })
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(pyo3::exceptions::PyTypeError::new_err("a live view cannot be pickled or copied: use to_dict()"))
    }
}

/// One part of an item's content or summary, as a live view.
#[pyclass(frozen, module = "deltafold")]
pub(crate) struct Part {
    reader: Py<Reader>,
    item: usize,
    at: usize,
    summary: bool,
}

impl Part {
    fn read<R>(&self, py: Python<'_>, read: impl FnOnce(deltafold::Part<'_>) -> R) -> PyResult<R> {
        self.reader.get().read(py, |reader| {
            let item = reader.response().item(self.item);
            let part = item.and_then(|item| match self.summary {
                true => item.summary().nth(self.at),
                false => item.parts().nth(self.at),
            });
            part.map(read).ok_or_else(|| PyIndexError::new_err("the item no longer has this part"))
        })
    }
}

#[pymethods]
impl Part {
    /// The type of the part, such as "output_text".
    #[getter]
    #[pyo3(name = "type")]
    fn kind(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |part| part.wire_type().unwrap_or_default().to_owned())
    }

    /// The text of the part so far; for a refusal, the refusal text.
    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |part| part.text().unwrap_or_default().to_owned())
    }

    /// The text so far as a JSON value, for structured output. None before the value begins. See `Item.partial_arguments`.
    fn partial_json<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.reader
            .get()
            .growing
            .value(py, |take| self.read(py, |part| read_json_marked(&part, |parser, mark| take(parser.value(), mark))))
    }

    /// The value of a wire field, or `default`.
    #[pyo3(signature = (key, default = None, /))]
    fn get<'py>(
        &self,
        key: &Bound<'py, PyString>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = key.py();
        let found = self.read(py, |part| part.get(&key.to_string_lossy()).cloned())?;
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
        self.read(py, |part| {
            format!(
                "<Part {:?}, {} bytes of text>",
                part.wire_type().unwrap_or_default(),
                part.text().unwrap_or_default().len()
            )
        })
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(pyo3::exceptions::PyTypeError::new_err("a live view cannot be pickled or copied: use the item's to_dict()"))
    }
}
