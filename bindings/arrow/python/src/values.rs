//! Rows and types as Python objects.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use pyo3::IntoPyObjectExt;

/// One row as Python objects. `array` is one that a batch creates.
pub(crate) fn value<'py>(py: Python<'py>, array: &ArrayRef, at: usize) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(at) {
        return Ok(py.None().into_bound(py));
    }
    match array.data_type() {
        DataType::Utf8 => Ok(PyString::new(py, array.as_string::<i32>().value(at)).into_any()),
        DataType::Binary => Ok(PyBytes::new(py, array.as_binary::<i32>().value(at)).into_any()),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(at).into_bound_py_any(py),
        DataType::List(_) => {
            let elements = array.as_list::<i32>().value(at);
            let values = (0..elements.len()).map(|at| value(py, &elements, at)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, values)?.into_any())
        }
        DataType::Struct(fields) => {
            let row = PyDict::new(py);
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                row.set_item(field.name(), value(py, column, at)?)?;
            }
            Ok(row.into_any())
        }
        other => Err(unknown(other)),
    }
}

/// A type as nested tuples.
pub(crate) fn data_type<'py>(py: Python<'py>, of: &DataType) -> PyResult<Bound<'py, PyAny>> {
    match of {
        DataType::Utf8 => "string".into_bound_py_any(py),
        DataType::Binary => "binary".into_bound_py_any(py),
        DataType::Int64 => "int64".into_bound_py_any(py),
        DataType::List(element) => ("list", data_type(py, element.data_type())?).into_bound_py_any(py),
        DataType::Struct(fields) => {
            let fields = fields.iter().map(|field| Ok((field.name(), data_type(py, field.data_type())?)));
            ("struct", PyTuple::new(py, fields.collect::<PyResult<Vec<_>>>()?)?).into_bound_py_any(py)
        }
        other => Err(unknown(other)),
    }
}

fn unknown(data_type: &DataType) -> PyErr {
    PyTypeError::new_err(format!("no Python type for {data_type}"))
}
