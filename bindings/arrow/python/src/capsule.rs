//! Columns of other Python libraries: the Arrow PyCapsule interface, or a list of bodies.

#![allow(unsafe_code, reason = "a capsule holds a pointer")]

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::ArrayRef;
use arrow_schema::DataType;
use deltafold_arrow::ffi::{import_array, ColumnReader, FFI_ArrowArray, FFI_ArrowArrayStream, FFI_ArrowSchema};
use deltafold_arrow::BatchError;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyString, PyTuple};

use crate::error;

pub(crate) const SCHEMA: &CStr = c"arrow_schema";
pub(crate) const ARRAY: &CStr = c"arrow_array";
pub(crate) const STREAM: &CStr = c"arrow_array_stream";

/// The chunks of a column, read one after another.
pub(crate) enum Chunks {
    One(Option<ArrayRef>),
    Stream(ColumnReader),
}

impl Chunks {
    /// The chunks of an object with `__arrow_c_stream__` or `__arrow_c_array__`, or of a list or tuple of bodies.
    pub(crate) fn of(column: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = column.py();
        if column.hasattr("__arrow_c_stream__")? {
            let capsule = column.call_method0("__arrow_c_stream__")?;
            let stream = pointer::<FFI_ArrowArrayStream>(&capsule, STREAM)?;
            // SAFETY: a capsule of this name holds a C stream, and this thread is attached to the interpreter.
            let reader = unsafe { ColumnReader::from_raw(stream) };
            return reader.map(Self::Stream).map_err(|found| error::raise(py, &found));
        }
        if column.hasattr("__arrow_c_array__")? {
            let capsules = column.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
            let schema = pointer::<FFI_ArrowSchema>(&capsules.get_item(0)?, SCHEMA)?;
            let array = pointer::<FFI_ArrowArray>(&capsules.get_item(1)?, ARRAY)?;
            // SAFETY: capsules of these names hold these structs, and this thread is attached to the interpreter.
            let array = unsafe { import_array(array, schema) }.map_err(|found| error::raise(py, &found))?;
            return Ok(Self::One(Some(array)));
        }
        if column.is_instance_of::<PyList>() || column.is_instance_of::<PyTuple>() {
            return Ok(Self::One(Some(of_values(column)?)));
        }
        let found = column.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "expected a column: an object with __arrow_c_stream__ or __arrow_c_array__, or a list of bytes; found {found}"
        )))
    }

    /// The type of the column, where it is known before the first chunk.
    pub(crate) fn data_type(&self) -> Option<&DataType> {
        match self {
            Self::One(array) => array.as_ref().map(|array| array.data_type()),
            Self::Stream(reader) => Some(reader.data_type()),
        }
    }
}

impl Iterator for Chunks {
    type Item = Result<ArrayRef, BatchError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::One(array) => array.take().map(Ok),
            Self::Stream(reader) => reader.next(),
        }
    }
}

/// The struct in a capsule of this name.
fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &'static CStr) -> PyResult<*mut T> {
    Ok(capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?.as_ptr().cast())
}

/// Copies a sequence of `bytes`, `str` and `None` into an array.
fn of_values(values: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let mut bodies = LargeBinaryBuilder::new();
    for value in values.try_iter()? {
        let value = value?;
        if value.is_none() {
            bodies.append_null();
        } else if let Ok(text) = value.cast::<PyString>() {
            bodies.append_value(text.to_cow()?.as_bytes());
        } else if let Ok(bytes) = value.extract::<&[u8]>() {
            bodies.append_value(bytes);
        } else {
            let found = value.get_type().name()?;
            return Err(PyTypeError::new_err(format!("expected bytes, str or None in the list, found {found}")));
        }
    }
    Ok(Arc::new(bodies.finish()))
}
