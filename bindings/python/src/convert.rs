//! Conversions: buffers to bytes, JSON to Python objects, Python objects to JSON.

use std::borrow::Cow;
use std::cell::Cell;
use std::ptr;
use std::sync::MutexGuard;

use deltafold::json::{visit, Value, ValueKind, ValueRef, VisitError, Visitor};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt, PyMemoryView, PyString};

use crate::{error, interned};

/// Borrows a `bytes` object, and copies any other buffer.
///
/// The copy has two reasons: the stable ABI of Python 3.9 has no buffer functions, and a `bytearray` may change while the
/// interpreter is detached.
pub(crate) fn bytes<'a>(data: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(data) = data.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(data.as_bytes()));
    }
    if data.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("expected bytes, found str: feed the bytes as they came from the network"));
    }
    let view = PyMemoryView::from(data).map_err(|_| {
        let found = data.get_type().name().map_or_else(|_| "another type".into(), |name| name.to_string());
        PyTypeError::new_err(format!("expected bytes, found {found}"))
    })?;
    let copy = view.call_method0("tobytes")?;
    Ok(Cow::Owned(copy.cast::<PyBytes>()?.as_bytes().to_vec()))
}

/// Converts a parsed JSON value to a Python object. The depth limit of the parser bounds the recursion.
pub(crate) fn view<'py>(py: Python<'py>, value: ValueRef<'_>) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, build(py, value)) }
}

/// Converts a JSON text that must be an object to a dict; the last value of a repeated key wins. `None` if the text is not a JSON
/// object nested at most `depth` deep.
pub(crate) fn parse_object<'py>(py: Python<'py>, text: &str, depth: usize) -> PyResult<Option<Bound<'py, PyDict>>> {
    thread_local! {
        static BUFFERS: Cell<(Vec<*mut ffi::PyObject>, Vec<usize>)> = const { Cell::new((Vec::new(), Vec::new())) };
    }
    if text.trim_start().as_bytes().first() != Some(&b'{') {
        return Ok(None);
    }
    // Creating objects may run a finalizer that converts another text: that one finds empty buffers.
    let (objects, open) = BUFFERS.take();
    let mut builder = Builder { py, objects, open, values: interned::values(py) };
    let dict = match visit(text, depth, &mut builder) {
        Ok(()) => builder.objects.pop(),
        Err(VisitError::Json(_)) => None,
        Err(VisitError::Stopped) => return Err(PyErr::fetch(py)),
    };
    // SAFETY: a visited document leaves one new reference.
    let dict = dict.map(|dict| unsafe { Bound::from_owned_ptr(py, dict) });
    builder.clear();
    if builder.objects.capacity() < KEPT_OBJECTS {
        BUFFERS.set((std::mem::take(&mut builder.objects), std::mem::take(&mut builder.open)));
    }
    dict.map(|dict| dict.cast_into().map_err(PyErr::from)).transpose()
}

/// Longer buffers are freed after use.
const KEPT_OBJECTS: usize = 1 << 12;

/// Builds the Python object of a document that is visited. A container is created at its end, when the number of its elements is known.
struct Builder<'py> {
    py: Python<'py>,
    /// New references: the finished children of the open containers; keys stand before their values.
    objects: Vec<*mut ffi::PyObject>,
    /// Where the children of each open container begin.
    open: Vec<usize>,
    values: Option<MutexGuard<'static, interned::Values>>,
}

impl Builder<'_> {
    #[inline]
    fn push(&mut self, object: *mut ffi::PyObject) -> bool {
        if object.is_null() {
            return false;
        }
        self.objects.push(object);
        true
    }

    fn clear(&mut self) {
        for object in self.objects.drain(..) {
            // SAFETY: the builder owns the references, and the interpreter is attached.
            unsafe { ffi::Py_DECREF(object) };
        }
        self.open.clear();
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Visitor for Builder<'_> {
    #[inline]
    fn null(&mut self) -> bool {
        let object = none(self.py);
        self.push(object)
    }

    #[inline]
    fn boolean(&mut self, value: bool) -> bool {
        let object = boolean(self.py, value);
        self.push(object)
    }

    #[inline]
    fn number(&mut self, text: &str) -> bool {
        let object = build_number(self.py, text);
        self.push(object)
    }

    #[inline]
    fn string(&mut self, text: &str) -> bool {
        let object = match &mut self.values {
            Some(values) => values.string(self.py, text),
            None => string(self.py, text),
        };
        self.push(object)
    }

    #[inline]
    fn key(&mut self, text: &str) -> bool {
        let object = interned::key(self.py, text);
        self.push(object)
    }

    #[inline]
    fn begin(&mut self, _: bool) -> bool {
        self.open.push(self.objects.len());
        true
    }

    #[inline]
    fn end(&mut self, is_object: bool) -> bool {
        let from = self.open.pop().unwrap_or_default();
        // The children stay in the buffer until the container has them, so that they are freed whatever fails.
        // SAFETY: the interpreter is attached, and the buffer owns a reference to each child. PyDict_SetItem copies references;
        // PyList_SetItem takes them, also if it fails.
        let container = unsafe {
            if is_object {
                let dict = ffi::PyDict_New();
                for pair in self.objects[from..].chunks_exact(2) {
                    if dict.is_null() || ffi::PyDict_SetItem(dict, pair[0], pair[1]) < 0 {
                        ffi::Py_XDECREF(dict);
                        return false;
                    }
                }
                for child in self.objects.drain(from..) {
                    ffi::Py_DECREF(child);
                }
                dict
            } else {
                let list = ffi::PyList_New((self.objects.len() - from) as ffi::Py_ssize_t);
                if list.is_null() {
                    return false;
                }
                for (position, child) in (0..).zip(self.objects.drain(from..)) {
                    ffi::PyList_SetItem(list, position, child);
                }
                list
            }
        };
        self.push(container)
    }
}

/// Converts an owned JSON value to a Python object.
pub(crate) fn value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, build_owned(py, value)) }
}

// The builders below return a new reference, or null with an exception set. They call Python's functions directly: whole events are
// converted a million times a second, and the checks and error types of PyO3 would take a third of that time.

fn build(py: Python<'_>, value: ValueRef<'_>) -> *mut ffi::PyObject {
    match value.kind() {
        ValueKind::Null => none(py),
        ValueKind::True => boolean(py, true),
        ValueKind::False => boolean(py, false),
        ValueKind::Number => build_number(py, value.raw()),
        ValueKind::String => match value.as_str() {
            Some(text) => string(py, &text),
            None => string(py, ""),
        },
        ValueKind::Array => {
            build_list(py, value.elements().count(), value.elements().map(|element| build(py, element)))
        }
        ValueKind::Object => {
            let members = value.entries();
            build_dict(
                py,
                members.map(|(key, member)| {
                    let key = match key.as_str() {
                        Some(text) => interned::key(py, &text),
                        None => string(py, ""),
                    };
                    (key, build(py, member))
                }),
            )
        }
    }
}

fn build_owned(py: Python<'_>, value: &Value) -> *mut ffi::PyObject {
    match value {
        Value::Null => none(py),
        Value::Bool(value) => boolean(py, *value),
        Value::Number(value) => build_number(py, value.as_str()),
        Value::String(text) => string(py, text),
        Value::Array(items) => build_list(py, items.len(), items.iter().map(|item| build_owned(py, item))),
        Value::Object(members) => {
            build_dict(py, members.iter().map(|(key, member)| (interned::key(py, key), build_owned(py, member))))
        }
    }
}

/// Creates a list of `count` new references.
#[inline]
fn build_list(_: Python<'_>, count: usize, items: impl Iterator<Item = *mut ffi::PyObject>) -> *mut ffi::PyObject {
    // SAFETY: the interpreter is attached. PyList_SetItem takes the reference of each item; a list that is not filled can be freed.
    unsafe {
        let list = ffi::PyList_New(count as ffi::Py_ssize_t);
        if list.is_null() {
            return list;
        }
        for (position, item) in (0..count as ffi::Py_ssize_t).zip(items) {
            if item.is_null() || ffi::PyList_SetItem(list, position, item) < 0 {
                ffi::Py_DECREF(list);
                return ptr::null_mut();
            }
        }
        list
    }
}

/// Creates a dict of pairs of new references.
#[inline]
fn build_dict(
    _: Python<'_>,
    members: impl Iterator<Item = (*mut ffi::PyObject, *mut ffi::PyObject)>,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter is attached. PyDict_SetItem copies both references, so they are released here.
    unsafe {
        let dict = ffi::PyDict_New();
        if dict.is_null() {
            return dict;
        }
        for (key, value) in members {
            let failed = key.is_null() || value.is_null() || ffi::PyDict_SetItem(dict, key, value) < 0;
            ffi::Py_XDECREF(key);
            ffi::Py_XDECREF(value);
            if failed {
                ffi::Py_DECREF(dict);
                return ptr::null_mut();
            }
        }
        dict
    }
}

#[inline]
fn string(_: Python<'_>, text: &str) -> *mut ffi::PyObject {
    // SAFETY: the interpreter is attached; the length of a `str` always fits Python's size type.
    unsafe { ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), text.len() as ffi::Py_ssize_t) }
}

#[inline]
fn none(_: Python<'_>) -> *mut ffi::PyObject {
    // SAFETY: the interpreter is attached.
    unsafe {
        let none = ffi::Py_None();
        ffi::Py_INCREF(none);
        none
    }
}

#[inline]
fn boolean(_: Python<'_>, value: bool) -> *mut ffi::PyObject {
    // SAFETY: the interpreter is attached.
    unsafe {
        let object = if value { ffi::Py_True() } else { ffi::Py_False() };
        ffi::Py_INCREF(object);
        object
    }
}

#[inline]
fn build_number(py: Python<'_>, text: &str) -> *mut ffi::PyObject {
    let digits = text.as_bytes();
    if digits.len() < 19 && digits.iter().all(u8::is_ascii_digit) {
        return interned::integer(py, digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0')));
    }
    match number(py, text) {
        Ok(number) => number.into_ptr(),
        Err(error) => {
            error.restore(py);
            ptr::null_mut()
        }
    }
}

/// Converts an optional owned JSON value to a Python object.
///
/// Callers clone the value and release the lock of the reader or writer first: creating Python objects may start a garbage
/// collection, and a finalizer may use the same reader or writer.
pub(crate) fn option<'py>(py: Python<'py>, given: Option<Value>) -> PyResult<Option<Bound<'py, PyAny>>> {
    given.map(|given| value(py, &given)).transpose()
}

/// Converts a number to int or float like the `json` module, with two exceptions that keep information: an int longer than
/// Python allows becomes a `Decimal`, and -0 becomes a float.
fn number<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    if let Some(value) = text.parse::<i64>().ok().filter(|_| text != "-0") {
        return Ok(PyInt::new(py, value).into_any());
    }
    if text != "-0" && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        return match py.get_type::<PyInt>().call1((text,)) {
            Ok(value) => Ok(value),
            Err(_) => py.import("decimal")?.getattr("Decimal")?.call1((text,)),
        };
    }
    Ok(PyFloat::new(py, text.parse().unwrap_or(f64::NAN)).into_any())
}

/// Converts a Python object to JSON text with the `json` module. Raises Misuse for an object that has no JSON form.
pub(crate) fn json(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = value.py();
    let options = PyDict::new(py);
    options.set_item("ensure_ascii", false)?;
    options.set_item("allow_nan", false)?;
    options.set_item("separators", (",", ":"))?;
    let text = py.import("json")?.getattr("dumps")?.call((value,), Some(&options)).and_then(|text| {
        // A lone surrogate has no UTF-8 form, so it is escaped.
        if text.cast::<PyString>()?.to_cow().is_err() {
            options.set_item("ensure_ascii", true)?;
            return py.import("json")?.getattr("dumps")?.call((value,), Some(&options));
        }
        Ok(text)
    });
    match text {
        Ok(text) => Ok(text.cast::<PyString>()?.to_cow()?.into_owned()),
        Err(cause) => Err(error::misuse(py, &format!("a value has no JSON form: {}", cause.value(py)))),
    }
}

/// Returns the text of a `str` or `bytes`, and converts any other object to JSON text.
pub(crate) fn json_text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_string_lossy().into_owned());
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(String::from_utf8_lossy(bytes.as_bytes()).into_owned());
    }
    if let Ok(own) = value.call_method0("to_json") {
        return json_text(&own);
    }
    json(value)
}

/// Converts a Python object to an owned JSON value.
pub(crate) fn to_value(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::from(&*text.to_string_lossy()));
    }
    let text = json(value)?;
    Value::parse(&text, deltafold::Limits::default().depth)
        .map_err(|found| error::misuse(value.py(), &found.to_string()))
}

/// Reads HTTP headers from a mapping or an iterable of pairs. Names and values may be bytes, as in ASGI.
pub(crate) fn headers(headers: &Bound<'_, PyAny>) -> PyResult<Vec<(String, String)>> {
    let pairs = match headers.getattr("items") {
        Ok(items) => items.call0()?,
        Err(_) => headers.clone(),
    };
    let text = |value: Bound<'_, PyAny>| match value.cast::<PyBytes>() {
        Ok(bytes) => bytes.as_bytes().iter().map(|byte| char::from(*byte)).collect(),
        Err(_) => value.to_string(),
    };
    pairs.try_iter()?.map(|pair| pair?.extract().map(|(name, value)| (text(name), text(value)))).collect()
}
