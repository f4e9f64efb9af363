//! Conversions: buffers to bytes, JSON to Python objects, Python objects to JSON.

use std::borrow::Cow;

use deltafold::json::{Value, ValueKind, ValueRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMemoryView, PyString};

use crate::error;

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
    Ok(match value.kind() {
        ValueKind::Null => py.None().into_bound(py),
        ValueKind::True => PyBool::new(py, true).to_owned().into_any(),
        ValueKind::False => PyBool::new(py, false).to_owned().into_any(),
        ValueKind::Number => number(py, value.raw())?,
        ValueKind::String => PyString::new(py, &value.as_str().unwrap_or_default()).into_any(),
        ValueKind::Array => {
            let list = PyList::empty(py);
            for element in value.elements() {
                list.append(view(py, element)?)?;
            }
            list.into_any()
        }
        ValueKind::Object => object(py, value)?.into_any(),
    })
}

/// Converts a JSON object to a dict; the last value of a repeated key wins.
pub(crate) fn object<'py>(py: Python<'py>, value: ValueRef<'_>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, member) in value.entries() {
        dict.set_item(PyString::new(py, &key.as_str().unwrap_or_default()), view(py, member)?)?;
    }
    Ok(dict)
}

/// Converts an owned JSON value to a Python object.
pub(crate) fn value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Number(value) => number(py, value.as_str())?,
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(self::value(py, item)?)?;
            }
            list.into_any()
        }
        Value::Object(members) => {
            let dict = PyDict::new(py);
            for (key, member) in members.iter() {
                dict.set_item(PyString::new(py, key), self::value(py, member)?)?;
            }
            dict.into_any()
        }
    })
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
