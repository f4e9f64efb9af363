//! The writer: takes intents, returns bytes or events. Every intent goes through one function of the core, selected by name.

use std::sync::{Mutex, MutexGuard, PoisonError};

use deltafold::__bindings::INTENTS;
use deltafold::json::{Object, Value};
use deltafold::WriterOptions;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict};

use crate::clock::CLOCK;
use crate::{convert, error, options};

/// Writes one response as a valid stream.
///
/// Each intent writes all its events, or raises Misuse and writes nothing. The writer assigns numbers and indexes, opens
/// and closes parts and items, and writes the done events. `take()` returns the SSE bytes since the last call,
/// `poll_event()` the JSON text of one event. An intent for an item refers to the newest item, unless `item` is the output
/// index of another one.
#[pyclass(frozen, module = "deltafold")]
pub(crate) struct Writer(Mutex<deltafold::Writer>);

/// The fields of an intent; `None` is left out.
type IntentFields<'a, 'py> = &'a [(&'a str, Option<&'a Bound<'py, PyAny>>)];

impl Writer {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, deltafold::Writer> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn intent(&self, py: Python<'_>, intent: &Value) -> PyResult<Option<u32>> {
        let done = self.lock(py).apply(intent);
        done.map(|item| item.map(|item| item.output_index())).map_err(|found| error::raise(py, &found))
    }

    fn apply_fields(
        &self,
        py: Python<'_>,
        word: &str,
        item: Option<u32>,
        carried: IntentFields<'_, '_>,
    ) -> PyResult<Option<u32>> {
        let mut intent = Object::with_capacity(carried.len() + 2);
        intent.push("do", word);
        if let Some(item) = item {
            intent.push("item", item);
        }
        for (key, value) in carried {
            if let Some(value) = value {
                intent.push(*key, convert::to_value(value)?);
            }
        }
        self.intent(py, &intent.into())
    }

    /// Opens an item, or writes a complete item.
    fn open_item(&self, py: Python<'_>, word: &str, fields: Option<&Bound<'_, PyDict>>) -> PyResult<u32> {
        let mut intent = Object::new();
        intent.push("do", word);
        for (key, value) in fields.into_iter().flatten() {
            intent.push(key.extract::<String>()?, convert::to_value(&value)?);
        }
        // The core returns the item for every intent that opens one.
        Ok(self.intent(py, &intent.into())?.unwrap_or_default())
    }
}

#[pymethods]
impl Writer {
    /// Creates a writer. It writes nothing before the first intent.
    ///
    /// id: the id of the response; item ids are derived from it. created_at: the creation time of the response in whole
    /// seconds; by default the clock, also for `completed_at`. template: response fields with values other than the defaults. request: the
    /// request; the response repeats some of its fields. reasoning_names: "open_responses" or "openai". edition: the
    /// edition of the specification to write. heartbeat: the output of `heartbeat()`: "comment", "keepalive" or "off".
    #[new]
    #[pyo3(signature = (
        id, model = None, created_at = None, *, template = None, request = None, reasoning_names = None, edition = None,
        heartbeat = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of a Python call")]
    fn new(
        id: &Bound<'_, PyAny>,
        model: Option<&Bound<'_, PyAny>>,
        created_at: Option<&Bound<'_, PyAny>>,
        template: Option<&Bound<'_, PyAny>>,
        request: Option<&Bound<'_, PyAny>>,
        reasoning_names: Option<&Bound<'_, PyAny>>,
        edition: Option<&Bound<'_, PyAny>>,
        heartbeat: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = id.py();
        let given = [
            ("id", Some(id)),
            ("model", model),
            ("created_at", created_at),
            ("template", template),
            ("request", request),
            ("reasoning_names", reasoning_names),
            ("edition", edition),
            ("heartbeat", heartbeat),
        ];
        let options = WriterOptions::from_json_with_clock(&options::json(py, &given)?, CLOCK);
        let options = options.map_err(|found| error::raise(py, &found))?;
        Ok(Self(Mutex::new(deltafold::Writer::new(options))))
    }

    /// The names of all intents except the item types.
    #[staticmethod]
    fn intents() -> Vec<&'static str> {
        INTENTS.iter().map(|(word, _)| *word).collect()
    }

    /// Runs an intent given as a dict or JSON text, `{"do": name, …}`; returns the output index of an item that it opened.
    #[pyo3(signature = (intent, /))]
    fn apply(&self, py: Python<'_>, intent: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        let intent = convert::json_text(intent)?;
        let done = self.lock(py).apply_json(&intent);
        done.map(|item| item.map(|item| item.output_index())).map_err(|found| error::raise(py, &found))
    }

    /// Writes `response.created` and `response.queued`: the response is queued until `start`.
    fn queue(&self, py: Python<'_>) -> PyResult<()> {
        self.apply_fields(py, "queue", None, &[]).map(drop)
    }

    /// Writes `response.created` and `response.in_progress`. Every other intent starts the response if needed.
    fn start(&self, py: Python<'_>) -> PyResult<()> {
        self.apply_fields(py, "start", None, &[]).map(drop)
    }

    /// Sets the current time in whole seconds, for `completed_at`.
    fn now(&self, py: Python<'_>, seconds: &Bound<'_, PyAny>) -> PyResult<()> {
        self.apply_fields(py, "now", None, &[("seconds", Some(seconds))]).map(drop)
    }

    /// Sets a response field for later snapshots.
    fn set_field(&self, py: Python<'_>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.apply_fields(py, "set_field", None, &[("key", Some(key)), ("value", Some(value))]).map(drop)
    }

    /// Opens a message and returns its output index.
    #[pyo3(signature = (**fields))]
    fn message(&self, py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<u32> {
        self.open_item(py, "message", fields)
    }

    /// Opens a reasoning item and returns its output index.
    #[pyo3(signature = (**fields))]
    fn reasoning(&self, py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<u32> {
        self.open_item(py, "reasoning", fields)
    }

    /// Opens a function call with `call_id` and `name`, and returns its output index.
    #[pyo3(signature = (**fields))]
    fn function_call(&self, py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<u32> {
        self.open_item(py, "function_call", fields)
    }

    /// Opens a custom tool call with `call_id` and `name`, and returns its output index.
    #[pyo3(signature = (**fields))]
    fn custom_tool_call(&self, py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<u32> {
        self.open_item(py, "custom_tool_call", fields)
    }

    /// Writes the complete output of a function call with `call_id` and `output`, and returns its output index.
    #[pyo3(signature = (**fields))]
    fn function_call_output(&self, py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<u32> {
        self.open_item(py, "function_call_output", fields)
    }

    /// Opens an item of any type, including extensions (`slug:name`), and returns its output index.
    #[pyo3(signature = (r#type, **fields))]
    fn open(&self, py: Python<'_>, r#type: &Bound<'_, PyAny>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<u32> {
        let fields = fields.map(|fields| fields.as_any());
        Ok(self.apply_fields(py, "open", None, &[("type", Some(r#type)), ("fields", fields)])?.unwrap_or_default())
    }

    /// Writes a complete item, given as a dict, and returns its output index.
    fn item(&self, py: Python<'_>, item: &Bound<'_, PyAny>) -> PyResult<u32> {
        Ok(self.apply_fields(py, "item", None, &[("item", Some(item))])?.unwrap_or_default())
    }

    /// Adds text to a message; opens a text part if none is open.
    #[pyo3(signature = (text, *, item = None))]
    fn text(&self, py: Python<'_>, text: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "text", item, &[("text", Some(text))]).map(drop)
    }

    /// Adds text to a refusal; opens a refusal part if none is open.
    #[pyo3(signature = (text, *, item = None))]
    fn refusal(&self, py: Python<'_>, text: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "refusal", item, &[("text", Some(text))]).map(drop)
    }

    /// Adds raw reasoning.
    #[pyo3(signature = (text, *, item = None))]
    fn reasoning_text(&self, py: Python<'_>, text: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "reasoning_text", item, &[("text", Some(text))]).map(drop)
    }

    /// Adds to the summary of reasoning.
    #[pyo3(signature = (text, *, item = None))]
    fn reasoning_summary(&self, py: Python<'_>, text: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "reasoning_summary", item, &[("text", Some(text))]).map(drop)
    }

    /// Opens a part of this type.
    #[pyo3(signature = (r#type, *, item = None))]
    fn part(&self, py: Python<'_>, r#type: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "part", item, &[("type", Some(r#type))]).map(drop)
    }

    /// Sets a field of the open part.
    #[pyo3(signature = (key, value, *, item = None))]
    fn set_on_part(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
        item: Option<u32>,
    ) -> PyResult<()> {
        self.apply_fields(py, "set_on_part", item, &[("key", Some(key)), ("value", Some(value))]).map(drop)
    }

    /// Adds an annotation to the open text part.
    #[pyo3(signature = (annotation, *, item = None))]
    fn annotation(&self, py: Python<'_>, annotation: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "annotation", item, &[("annotation", Some(annotation))]).map(drop)
    }

    /// Adds log probabilities to the open text part.
    #[pyo3(signature = (logprobs, *, item = None))]
    fn logprobs(&self, py: Python<'_>, logprobs: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "logprobs", item, &[("logprobs", Some(logprobs))]).map(drop)
    }

    /// Closes the open part.
    #[pyo3(signature = (*, item = None))]
    fn close_part(&self, py: Python<'_>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "close_part", item, &[]).map(drop)
    }

    /// Adds to the arguments of a call.
    #[pyo3(signature = (text, *, item = None))]
    fn arguments(&self, py: Python<'_>, text: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "arguments", item, &[("text", Some(text))]).map(drop)
    }

    /// Adds to the input of a custom tool call.
    #[pyo3(signature = (text, *, item = None))]
    fn input(&self, py: Python<'_>, text: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "input", item, &[("text", Some(text))]).map(drop)
    }

    /// Adds to the code of a code interpreter call.
    #[pyo3(signature = (text, *, item = None))]
    fn code(&self, py: Python<'_>, text: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "code", item, &[("text", Some(text))]).map(drop)
    }

    /// Adds to the diff of a patch call.
    #[pyo3(signature = (text, *, item = None))]
    fn diff(&self, py: Python<'_>, text: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "diff", item, &[("text", Some(text))]).map(drop)
    }

    /// Begins the next command of a shell call.
    #[pyo3(signature = (*, item = None))]
    fn command(&self, py: Python<'_>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "command", item, &[]).map(drop)
    }

    /// Adds to the command of a shell call.
    #[pyo3(signature = (text, *, item = None))]
    fn command_text(&self, py: Python<'_>, text: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "command_text", item, &[("text", Some(text))]).map(drop)
    }

    /// Sets how the command of a shell call ended.
    #[pyo3(signature = (outcome, *, item = None))]
    fn shell_outcome(&self, py: Python<'_>, outcome: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "shell_outcome", item, &[("outcome", Some(outcome))]).map(drop)
    }

    /// Writes the next state of a hosted tool, such as "searching".
    #[pyo3(signature = (state, *, item = None))]
    fn progress(&self, py: Python<'_>, state: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "progress", item, &[("state", Some(state))]).map(drop)
    }

    /// Sets the encrypted content of reasoning.
    #[pyo3(signature = (text, *, item = None))]
    fn encrypted_content(&self, py: Python<'_>, text: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "encrypted_content", item, &[("text", Some(text))]).map(drop)
    }

    /// Sets a field of an item.
    #[pyo3(signature = (key, value, *, item = None))]
    fn set(&self, py: Python<'_>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "set", item, &[("key", Some(key)), ("value", Some(value))]).map(drop)
    }

    /// Adds to the output of a command of a shell call.
    #[pyo3(signature = (*, stdout = None, stderr = None, item = None))]
    fn shell_output(
        &self,
        py: Python<'_>,
        stdout: Option<&Bound<'_, PyAny>>,
        stderr: Option<&Bound<'_, PyAny>>,
        item: Option<u32>,
    ) -> PyResult<()> {
        self.apply_fields(py, "shell_output", item, &[("stdout", stdout), ("stderr", stderr)]).map(drop)
    }

    /// Writes a preview of an image in base64; `fields` are further fields of its event.
    #[pyo3(signature = (base64, *, item = None, **fields))]
    fn partial_image(
        &self,
        py: Python<'_>,
        base64: &Bound<'_, PyAny>,
        item: Option<u32>,
        fields: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let fields = fields.map(|fields| fields.as_any());
        self.apply_fields(py, "partial_image", item, &[("base64", Some(base64)), ("fields", fields)]).map(drop)
    }

    /// Closes an item: "completed" (default), "incomplete" or "failed".
    #[pyo3(signature = (status = None, *, item = None))]
    fn close(&self, py: Python<'_>, status: Option<&Bound<'_, PyAny>>, item: Option<u32>) -> PyResult<()> {
        self.apply_fields(py, "close", item, &[("status", status)]).map(drop)
    }

    /// Writes an extension event: `slug:name` with any fields except `type`, `sequence_number` and `error`.
    #[pyo3(signature = (r#type, **fields))]
    fn extension_event(
        &self,
        py: Python<'_>,
        r#type: &Bound<'_, PyAny>,
        fields: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let fields = fields.map(|fields| fields.as_any());
        self.apply_fields(py, "extension_event", None, &[("type", Some(r#type)), ("fields", fields)]).map(drop)
    }

    /// Writes an event that does not change the response: audio, the images API, WebSocket control.
    #[pyo3(signature = (r#type, **fields))]
    fn event(&self, py: Python<'_>, r#type: &Bound<'_, PyAny>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let fields = fields.map(|fields| fields.as_any());
        self.apply_fields(py, "event", None, &[("type", Some(r#type)), ("fields", fields)]).map(drop)
    }

    /// Sets the token counts of the terminal event.
    fn usage(&self, py: Python<'_>, usage: &Bound<'_, PyAny>) -> PyResult<()> {
        self.apply_fields(py, "usage", None, &[("usage", Some(usage))]).map(drop)
    }

    /// Completes the response: closes every open item, then writes `response.completed` and `[DONE]`.
    #[pyo3(signature = (usage = None))]
    fn complete(&self, py: Python<'_>, usage: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        self.apply_fields(py, "complete", None, &[("usage", usage)]).map(drop)
    }

    /// Ends the response early, with a reason: writes `response.incomplete` and `[DONE]`.
    #[pyo3(signature = (reason, usage = None))]
    fn incomplete(&self, py: Python<'_>, reason: &Bound<'_, PyAny>, usage: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        self.apply_fields(py, "incomplete", None, &[("reason", Some(reason)), ("usage", usage)]).map(drop)
    }

    /// Cancels the response: every open item ends as incomplete, and the reason is "cancelled".
    fn cancel(&self, py: Python<'_>) -> PyResult<()> {
        self.apply_fields(py, "cancel", None, &[]).map(drop)
    }

    /// Writes an `error` event from a dict with `message` and optionally `type`, `code`, `param`, `headers`. Only `fail`
    /// may follow.
    fn error(&self, py: Python<'_>, error: &Bound<'_, PyAny>) -> PyResult<()> {
        self.apply_fields(py, "error", None, &[("error", Some(error))]).map(drop)
    }

    /// Fails the response: writes `error` (unless one was written), `response.failed` and `[DONE]`.
    fn fail(&self, py: Python<'_>, error: &Bound<'_, PyAny>) -> PyResult<()> {
        self.apply_fields(py, "fail", None, &[("error", Some(error))]).map(drop)
    }

    /// Writes a heartbeat in the form that the option `heartbeat` selects.
    fn heartbeat(&self, py: Python<'_>) -> PyResult<()> {
        self.apply_fields(py, "heartbeat", None, &[]).map(drop)
    }

    /// Returns all bytes written since the last call: whole SSE frames.
    fn take<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lock(py).take())
    }

    /// Returns the JSON text of the next event, for WebSockets; None if there is none.
    fn poll_event(&self, py: Python<'_>) -> Option<String> {
        self.lock(py).poll_event().map(str::to_owned)
    }

    /// The response so far as a new dict, as the next snapshot would have it.
    #[getter]
    fn response<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let response = self.lock(py).response();
        convert::value(py, &response)
    }

    /// The response so far as JSON text.
    fn response_json(&self, py: Python<'_>) -> String {
        self.lock(py).response_json()
    }

    /// Returns whether an item is open. None means the newest one.
    #[pyo3(signature = (item = None))]
    fn is_open(&self, py: Python<'_>, item: Option<u32>) -> bool {
        let writer = self.lock(py);
        let newest = writer.item_count().checked_sub(1).and_then(|at| u32::try_from(at).ok());
        item.or(newest).is_some_and(|at| writer.is_open(deltafold::write::ItemHandle::at(at)))
    }

    /// Number of items.
    #[getter]
    fn item_count(&self, py: Python<'_>) -> usize {
        self.lock(py).item_count()
    }

    /// True if anything was written.
    #[getter]
    fn is_started(&self, py: Python<'_>) -> bool {
        self.lock(py).is_started()
    }

    /// True if a terminal event was written.
    #[getter]
    fn is_ended(&self, py: Python<'_>) -> bool {
        self.lock(py).is_ended()
    }

    /// True if all output has been taken.
    #[getter]
    fn is_drained(&self, py: Python<'_>) -> bool {
        self.lock(py).is_drained()
    }

    /// The sequence number of the next event.
    #[getter]
    fn sequence_number(&self, py: Python<'_>) -> u64 {
        self.lock(py).sequence_number()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let writer = self.lock(py);
        let state = match (writer.is_started(), writer.is_ended()) {
            (false, _) => "not started",
            (_, true) => "ended",
            _ => "open",
        };
        format!("<Writer {state}, {} items, {} events>", writer.item_count(), writer.sequence_number())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a Writer cannot be pickled or copied"))
    }
}
