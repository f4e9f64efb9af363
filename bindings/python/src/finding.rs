//! Findings and outcomes as Python values.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// One rule that the stream broke, or one repair that was made.
#[pyclass(frozen, eq, hash, get_all, module = "deltafold")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Finding {
    /// Id of the rule, such as "SEQ-01".
    rule: String,
    /// "error", "warning" or "note".
    severity: String,
    /// "framing", "schema", "stream" or "transport".
    layer: String,
    /// Position of the event in the stream, from 0; None outside any event.
    event_index: Option<u64>,
    /// The event's own number, or None.
    sequence_number: Option<u64>,
    /// Byte offset from the start of the stream.
    offset: u64,
    /// JSON pointer into the payload; "" for the whole.
    path: String,
    /// What was expected and what was found, without payload text.
    message: String,
    /// What was done about it, such as "opened_item", or None.
    repair: Option<String>,
}

impl From<&deltafold::Finding> for Finding {
    fn from(finding: &deltafold::Finding) -> Self {
        Self {
            rule: finding.rule.id().into(),
            severity: finding.severity.name().into(),
            layer: finding.layer.name().into(),
            event_index: finding.place.event_index,
            sequence_number: finding.place.sequence_number,
            offset: finding.place.offset,
            path: finding.path.clone(),
            message: finding.message.clone(),
            repair: finding.repair.map(|repair| repair.name().into()),
        }
    }
}

/// What `__reduce__` gives: the class, and what to call it with.
type Reduced<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

#[pymethods]
impl Finding {
    #[classattr]
    fn __match_args__() -> (&'static str, &'static str, &'static str) {
        ("rule", "severity", "message")
    }

    #[new]
    #[pyo3(signature = (rule, severity, layer, event_index, sequence_number, offset, path, message, repair))]
    #[allow(clippy::too_many_arguments, reason = "a value with as many fields")]
    fn new(
        rule: String,
        severity: String,
        layer: String,
        event_index: Option<u64>,
        sequence_number: Option<u64>,
        offset: u64,
        path: String,
        message: String,
        repair: Option<String>,
    ) -> Self {
        Self { rule, severity, layer, event_index, sequence_number, offset, path, message, repair }
    }

    /// The finding as a new dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("rule", &self.rule)?;
        dict.set_item("severity", &self.severity)?;
        dict.set_item("layer", &self.layer)?;
        dict.set_item("event_index", self.event_index)?;
        dict.set_item("sequence_number", self.sequence_number)?;
        dict.set_item("offset", self.offset)?;
        dict.set_item("path", &self.path)?;
        dict.set_item("message", &self.message)?;
        dict.set_item("repair", &self.repair)?;
        Ok(dict)
    }

    fn __str__(&self) -> String {
        let Self { severity, rule, offset, message, path, .. } = self;
        let place = if path.is_empty() { String::new() } else { format!(", {path}") };
        format!("{severity} {rule} at byte {offset}{place}: {message}")
    }

    fn __repr__(&self) -> String {
        format!("<Finding {}>", self.__str__())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let this = slf.get();
        let state = (
            (&this.rule, &this.severity, &this.layer, this.event_index, this.sequence_number),
            (this.offset, &this.path, &this.message, &this.repair),
        );
        let (first, rest) = state;
        let all = first.into_pyobject(slf.py())?.add(rest.into_pyobject(slf.py())?)?;
        Ok((slf.get_type().into_any(), all.cast_into()?))
    }
}

/// An error as a stream reports it: nested, flat or mixed on the wire, one shape here.
#[pyclass(frozen, eq, hash, get_all, module = "deltafold")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Failure {
    /// Class of the error, such as "server_error"; "" where the stream has none.
    #[pyo3(name = "type")]
    kind: String,
    /// Exact cause; "" where the stream has none.
    code: String,
    /// Text for people.
    message: String,
    /// The request parameter concerned, or None.
    param: Option<String>,
}

#[pymethods]
impl Failure {
    #[classattr]
    fn __match_args__() -> (&'static str, &'static str, &'static str) {
        ("type", "code", "message")
    }

    #[new]
    #[pyo3(signature = (r#type = "", code = "", message = "", param = None))]
    fn new(r#type: &str, code: &str, message: &str, param: Option<String>) -> Self {
        Self { kind: r#type.into(), code: code.into(), message: message.into(), param }
    }

    /// The error as a new dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("type", &self.kind)?;
        dict.set_item("code", &self.code)?;
        dict.set_item("message", &self.message)?;
        dict.set_item("param", &self.param)?;
        Ok(dict)
    }

    // A message can quote what was sent, a key among it: words for machines are shown, and how much text there is.
    fn __repr__(&self) -> String {
        format!("<Failure type={:?} code={:?}, {} bytes of message>", self.kind, self.code, self.message.len())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let this = slf.get();
        let state = (&this.kind, &this.code, &this.message, &this.param);
        Ok((slf.get_type().into_any(), state.into_pyobject(slf.py())?))
    }
}

/// How a stream ended. Equal to its own name: `outcome == "completed"`.
#[pyclass(frozen, get_all, module = "deltafold")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Outcome {
    /// "completed", "incomplete", "failed", "cancelled" or "truncated".
    name: String,
    /// Why the response is incomplete; None for every other outcome.
    reason: Option<String>,
    /// What failed; None for every other outcome.
    error: Option<Failure>,
    /// Where to resume after, if the stream was truncated; else None.
    last_sequence_number: Option<u64>,
}

impl From<&deltafold::Outcome> for Outcome {
    fn from(outcome: &deltafold::Outcome) -> Self {
        let name = outcome.name().into();
        let mut this = Self { name, reason: None, error: None, last_sequence_number: None };
        match outcome {
            deltafold::Outcome::Incomplete { reason } => this.reason = Some(reason.clone()),
            deltafold::Outcome::Failed { error } => {
                this.error = Some(Failure {
                    kind: error.kind.clone(),
                    code: error.code.clone(),
                    message: error.message.clone(),
                    param: error.param.clone(),
                });
            }
            deltafold::Outcome::Truncated { last_sequence_number } => this.last_sequence_number = *last_sequence_number,
            _ => {}
        }
        this
    }
}

#[pymethods]
impl Outcome {
    #[classattr]
    fn __match_args__() -> (&'static str, &'static str) {
        ("name", "reason")
    }

    #[new]
    #[pyo3(signature = (name, reason = None, error = None, last_sequence_number = None))]
    fn new(
        name: &str,
        reason: Option<String>,
        error: Option<&Bound<'_, Failure>>,
        last_sequence_number: Option<u64>,
    ) -> Self {
        Self { name: name.into(), reason, error: error.map(|error| error.get().clone()), last_sequence_number }
    }

    /// The outcome as a new dict: `outcome` with its name, and beside it what there is to say.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("outcome", &self.name)?;
        match self.name.as_str() {
            "incomplete" => dict.set_item("reason", &self.reason)?,
            "failed" => {
                let error = self.error.as_ref().map(|error| error.to_dict(py)).transpose()?;
                dict.set_item("error", error)?;
            }
            "truncated" => dict.set_item("last_sequence_number", self.last_sequence_number)?,
            _ => {}
        }
        Ok(dict)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        match other.cast::<Self>() {
            Ok(other) => self == other.get(),
            Err(_) => other.extract::<String>().is_ok_and(|name| name == self.name),
        }
    }

    // Equal values must have equal hashes, and an outcome equals its name.
    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        pyo3::types::PyString::new(py, &self.name).hash()
    }

    fn __str__(&self) -> &str {
        &self.name
    }

    fn __repr__(&self) -> String {
        let mut text = format!("<Outcome {}", self.name);
        if let Some(reason) = &self.reason {
            text.push_str(&format!(" reason={reason:?}"));
        }
        if let Some(error) = &self.error {
            text.push_str(&format!(" error={}", error.__repr__()));
        }
        if let Some(number) = self.last_sequence_number {
            text.push_str(&format!(" last_sequence_number={number}"));
        }
        text + ">"
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let this = slf.get();
        let state = (&this.name, &this.reason, this.error.clone(), this.last_sequence_number);
        Ok((slf.get_type().into_any(), state.into_pyobject(slf.py())?))
    }
}
