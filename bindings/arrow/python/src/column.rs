//! [`Column`]: the result of a batch.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::DataType;
use deltafold_arrow::ffi::{export_array, export_stream, export_type};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyString};

use crate::{capsule, error, values};

/// A column of results, in chunks. It offers the Arrow PyCapsule interface, so every Arrow library takes it without a copy.
#[pyclass(frozen, module = "deltafold_arrow")]
pub(crate) struct Column {
    data_type: DataType,
    chunks: Vec<ArrayRef>,
    /// The chunks as one array, made when a consumer asks for it.
    joined: OnceLock<ArrayRef>,
}

impl Column {
    pub(crate) fn new(data_type: DataType, chunks: Vec<ArrayRef>) -> Self {
        Self { data_type, chunks, joined: OnceLock::new() }
    }

    fn rows(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    /// A row as Python objects; `None` after the last row.
    fn row<'py>(&self, py: Python<'py>, mut at: usize) -> Option<PyResult<Bound<'py, PyAny>>> {
        for chunk in &self.chunks {
            if at < chunk.len() {
                return Some(values::value(py, chunk, at));
            }
            at -= chunk.len();
        }
        None
    }

    /// The column of one field. A row that is null has null in every field.
    fn field(&self, at: usize) -> Self {
        let DataType::Struct(fields) = &self.data_type else { unreachable!("callers have found the field") };
        let chunks = self.chunks.iter().map(|chunk| chunk.as_struct().column(at).clone()).collect();
        Self::new(fields[at].data_type().clone(), chunks)
    }
}

#[pymethods]
impl Column {
    /// The type as a C struct of Arrow.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = export_type(&self.data_type).map_err(|found| error::raise(py, &found))?;
        PyCapsule::new_with_value(py, schema, capsule::SCHEMA)
    }

    /// The whole column as one array. The result does not depend on `requested_schema`.
    ///
    /// Raises MemoryError if its texts exceed 2 GiB, the limit of one array; `__arrow_c_stream__` has no limit.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let joined = match self.joined.get() {
            Some(joined) => joined,
            None => {
                let joined = py.detach(|| deltafold_arrow::join(&self.data_type, &self.chunks));
                let joined = joined.map_err(|found| error::raise(py, &found))?;
                self.joined.get_or_init(|| joined)
            }
        };
        let array = export_array(joined).map_err(|found| error::raise(py, &found))?;
        Ok((self.__arrow_c_schema__(py)?, PyCapsule::new_with_value(py, array, capsule::ARRAY)?))
    }

    /// The chunks as a stream. The result does not depend on `requested_schema`.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        PyCapsule::new_with_value(py, export_stream(self.data_type.clone(), self.chunks.clone()), capsule::STREAM)
    }

    /// Number of rows.
    fn __len__(&self) -> usize {
        self.rows()
    }

    /// A field of the rows as a column, by name; or one row as Python objects, by position.
    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(name) = key.cast::<PyString>() {
            let name = name.to_cow()?;
            let field = match &self.data_type {
                DataType::Struct(fields) => fields.iter().position(|field| *field.name() == *name),
                _ => None,
            };
            let at = field.ok_or_else(|| PyKeyError::new_err(name.into_owned()))?;
            return Ok(Bound::new(py, self.field(at))?.into_any());
        }
        let position = key
            .extract::<isize>()
            .map_err(|_| PyTypeError::new_err("expected the name of a field or the number of a row"))?;
        let at = if position < 0 { position.checked_add_unsigned(self.rows()) } else { Some(position) };
        let row = at.and_then(|at| usize::try_from(at).ok()).and_then(|at| self.row(py, at));
        row.unwrap_or_else(|| Err(PyIndexError::new_err(format!("no row {position}: the column has {}", self.rows()))))
    }

    /// The rows as Python objects.
    fn __iter__(slf: Bound<'_, Self>) -> Rows {
        Rows { column: slf.unbind(), next: AtomicUsize::new(0) }
    }

    /// The names of the fields; empty if the rows are not structs.
    #[getter]
    fn names(&self) -> Vec<String> {
        match &self.data_type {
            DataType::Struct(fields) => fields.iter().map(|field| field.name().clone()).collect(),
            _ => Vec::new(),
        }
    }

    /// The Arrow type, as text.
    #[getter]
    fn r#type(&self) -> String {
        self.data_type.to_string()
    }

    /// The Arrow type, as nested tuples: ("struct", ((name, type), …)), ("list", type), or one of the words "string", "binary"
    /// and "int64".
    #[getter]
    fn _type<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::data_type(py, &self.data_type)
    }

    /// Number of rows that are null.
    #[getter]
    fn null_count(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.null_count()).sum()
    }

    /// Number of bytes of the values, offsets and null bits.
    #[getter]
    fn nbytes(&self) -> usize {
        // Every type of a result has a size.
        self.chunks.iter().map(|chunk| chunk.to_data().get_slice_memory_size().unwrap_or(0)).sum()
    }

    /// Number of chunks.
    #[getter]
    fn num_chunks(&self) -> usize {
        self.chunks.len()
    }

    /// The fields as the columns of a table, for consumers that read tables: a row that is null has null in every column.
    fn table(&self) -> PyResult<Self> {
        let DataType::Struct(fields) = &self.data_type else {
            return Err(PyTypeError::new_err(format!("expected a column of structs, found {}", self.data_type)));
        };
        let chunks = self.chunks.iter().map(|chunk| {
            let table = if fields.is_empty() {
                StructArray::new_empty_fields(chunk.len(), None)
            } else {
                StructArray::new(fields.clone(), chunk.as_struct().columns().to_vec(), None)
            };
            Arc::new(table) as ArrayRef
        });
        Ok(Self::new(self.data_type.clone(), chunks.collect()))
    }

    /// All rows as Python objects: dicts, lists, str, bytes, int and None.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        for chunk in &self.chunks {
            for at in 0..chunk.len() {
                rows.append(values::value(py, chunk, at)?)?;
            }
        }
        Ok(rows)
    }

    fn __repr__(&self) -> String {
        format!("<Column of {} rows, {}>", self.rows(), self.data_type)
    }

    /// Pickled by its values, which other libraries do faster.
    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a Column cannot be pickled: convert it to an array of an Arrow library"))
    }
}

/// The iterator over the rows of a column.
#[pyclass(frozen, module = "deltafold_arrow")]
struct Rows {
    column: Py<Column>,
    next: AtomicUsize,
}

#[pymethods]
impl Rows {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> Option<PyResult<Bound<'py, PyAny>>> {
        self.column.get().row(py, self.next.fetch_add(1, Ordering::Relaxed))
    }
}
