//! Findings and outcomes as Python values.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};

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
    /// The sequence number of the event, or None.
    sequence_number: Option<u64>,
    /// Byte offset from the start of the stream.
    offset: u64,
    /// JSON pointer into the payload; "" for the whole payload.
    path: String,
    /// The expectation and the value that was found, without payload text.
    message: String,
    /// The repair that was made, such as "opened_item", or None.
    repair: Option<String>,
}

impl From<&deltafold::Finding> for Finding {
    fn from(finding: &deltafold::Finding) -> Self {
        Self {
            rule: finding.rule.id().into(),
            severity: finding.severity.name().into(),
            layer: finding.layer.name().into(),
            event_index: finding.location.event_index,
            sequence_number: finding.location.sequence_number,
            offset: finding.location.offset,
            path: finding.path.clone(),
            message: finding.message.clone(),
            repair: finding.repair.map(|repair| repair.name().into()),
        }
    }
}

/// The result of `__reduce__`: the class and its arguments.
type ReduceResult<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

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

    fn __format__<'py>(&self, py: Python<'py>, specification: &str) -> PyResult<Bound<'py, PyAny>> {
        PyString::new(py, &self.__str__()).call_method1("__format__", (specification,))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<ReduceResult<'py>> {
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

/// The error of a failed stream, in the same shape for every form on the wire.
#[pyclass(frozen, eq, hash, get_all, module = "deltafold")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Failure {
    /// Type of the error, such as "server_error"; "" if the stream has none.
    #[pyo3(name = "type")]
    kind: String,
    /// Code of the error; "" if the stream has none.
    code: String,
    /// Message of the error.
    message: String,
    /// The request parameter that caused the error, or None.
    param: Option<String>,
    /// The status of the HTTP response, or None if it is unknown.
    status: Option<u16>,
}

#[pymethods]
impl Failure {
    #[classattr]
    fn __match_args__() -> (&'static str, &'static str, &'static str) {
        ("type", "code", "message")
    }

    #[new]
    #[pyo3(signature = (r#type = "", code = "", message = "", param = None, status = None))]
    fn new(r#type: &str, code: &str, message: &str, param: Option<String>, status: Option<u16>) -> Self {
        Self { kind: r#type.into(), code: code.into(), message: message.into(), param, status }
    }

    /// The error as a new dict; `status` is in it only if it is known.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("type", &self.kind)?;
        dict.set_item("code", &self.code)?;
        dict.set_item("message", &self.message)?;
        dict.set_item("param", &self.param)?;
        if let Some(status) = self.status {
            dict.set_item("status", status)?;
        }
        Ok(dict)
    }

    // A message may quote the request or a key, so only type, code and the length of the message are shown.
    fn __repr__(&self) -> String {
        let status = self.status.map_or_else(String::new, |status| format!(" status={status}"));
        format!("<Failure type={:?} code={:?}{status}, {} bytes of message>", self.kind, self.code, self.message.len())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<ReduceResult<'py>> {
        let this = slf.get();
        let state = (&this.kind, &this.code, &this.message, &this.param, this.status);
        Ok((slf.get_type().into_any(), state.into_pyobject(slf.py())?))
    }
}

/// Creates the Python object of an outcome: an instance of `deltafold.Outcome`, a subclass of `str` that Python code defines.
pub(crate) fn outcome<'py>(py: Python<'py>, outcome: &deltafold::Outcome) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let (mut reason, mut error, mut last) = (None, None, None);
    match outcome {
        deltafold::Outcome::Incomplete { reason: why } => reason = Some(why.as_str()),
        deltafold::Outcome::Failed { error: failed } => {
            error = Some(Failure {
                kind: failed.kind.clone(),
                code: failed.code.clone(),
                message: failed.message.clone(),
                param: failed.param.clone(),
                status: None,
            });
        }
        deltafold::Outcome::Truncated { last_sequence_number } => last = *last_sequence_number,
        _ => {}
    }
    CLASS.import(py, "deltafold._outcome", "Outcome")?.call1((outcome.name(), reason, error, last))
}
