//! [`Batch`]: an operation with its options, which runs over columns.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use arrow_array::{Array, ArrayRef};
use deltafold::adapter::{ConverterOptions, InboundOptions};
use deltafold::json::Value;
use deltafold::{Error, Limits};
use deltafold_arrow::{join, only_column, BatchError, FoldColumn, Progress};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::capsule::Chunks;
use crate::column::Column;
use crate::error;

/// One operation over columns of bodies. `deltafold.batch` makes the JSON texts of its keyword arguments.
#[pyclass(frozen, module = "deltafold_arrow")]
pub(crate) struct Batch {
    batch: deltafold_arrow::Batch,
}

#[pymethods]
impl Batch {
    /// `operation` is "fold", "events", "check", or "convert" with the target in `to`; `reader` and `source` are JSON objects with
    /// options of the reader and of the adapters.
    #[new]
    #[pyo3(signature = (operation, *, columns = None, to = None, dialect = None, reader = "", source = "", threads = None))]
    #[allow(clippy::too_many_arguments, reason = "keywords of a Python call")]
    fn new(
        py: Python<'_>,
        operation: &str,
        columns: Option<Vec<String>>,
        to: Option<&str>,
        dialect: Option<&str>,
        reader: &str,
        source: &str,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let make = || -> Result<deltafold_arrow::Batch, BatchError> {
            let source = if source.is_empty() { "{}" } else { source };
            let source = Value::parse(source, Limits::default().depth).map_err(Error::from)?;
            let options = ConverterOptions::from_value(&source)?;
            let batch = match operation {
                "fold" => {
                    let columns = columns.map_or_else(
                        || Ok(FoldColumn::defaults()),
                        |names| names.iter().map(|name| name.parse()).collect::<Result<Vec<FoldColumn>, _>>(),
                    )?;
                    deltafold_arrow::Batch::fold(&columns).source(InboundOptions::from_value(&source)?)
                }
                "events" => deltafold_arrow::Batch::events().source(options.source),
                "check" => deltafold_arrow::Batch::check().source(options.source),
                _ => deltafold_arrow::Batch::convert(to.unwrap_or_default().parse()?, options)?,
            };
            let dialect = dialect.filter(|name| *name != "auto").map(str::parse).transpose()?;
            Ok(batch.reader_json(reader)?.dialect(dialect))
        };
        let threads = threads.map(|threads| {
            NonZeroUsize::new(threads).ok_or_else(|| PyValueError::new_err("expected at least one thread"))
        });
        let batch = make().map_err(|found| error::raise(py, &found))?;
        Ok(Self { batch: batch.threads(threads.transpose()?) })
    }

    /// Runs over a column and returns the results. `dialects` is a column of names; `progress` is called with the numbers of rows
    /// and bytes that are done.
    #[pyo3(signature = (bodies, dialects = None, progress = None))]
    fn run(
        &self,
        py: Python<'_>,
        bodies: &Bound<'_, PyAny>,
        dialects: Option<&Bound<'_, PyAny>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Column> {
        let dialects = dialects.map(|dialects| whole(py, Chunks::of(dialects)?)).transpose()?;
        let bodies = Chunks::of(bodies)?;
        let mut raised = None;
        let result = py.detach(|| self.run_chunks(bodies, dialects.as_ref(), progress.as_ref(), &mut raised));
        if let Some(raised) = raised {
            return Err(raised);
        }
        let chunks = result.map_err(|found| error::raise(py, &found))?;
        Ok(Column::new(self.batch.data_type(), chunks))
    }

    /// A column without rows, which has the type of the results.
    fn empty(&self) -> Column {
        Column::new(self.batch.data_type(), Vec::new())
    }
}

impl Batch {
    /// Runs over one chunk after another, so that only one of them is in memory.
    fn run_chunks(
        &self,
        bodies: Chunks,
        dialects: Option<&ArrayRef>,
        progress: Option<&Py<PyAny>>,
        raised: &mut Option<PyErr>,
    ) -> Result<Vec<ArrayRef>, BatchError> {
        self.check_type(&bodies)?;
        let (mut rows, mut bytes) = (0_u64, 0_u64);
        let mut results = Vec::new();
        for chunk in bodies {
            let chunk = only_column(&chunk?)?;
            let first = usize::try_from(rows).unwrap_or(usize::MAX);
            let dialects = dialects
                .map(|dialects| {
                    let missing = BatchError::Length { bodies: first + chunk.len(), dialects: dialects.len() };
                    if dialects.len() < first + chunk.len() {
                        Err(missing)
                    } else {
                        Ok(dialects.slice(first, chunk.len()))
                    }
                })
                .transpose()?;
            let mut done = Progress { rows_done: 0, rows: 0, bytes_done: 0 };
            let mut observe = |now: Progress| {
                done = now;
                Python::attach(|py| {
                    let call = py.check_signals().and_then(|()| match progress {
                        Some(progress) => {
                            progress.call1(py, (rows + now.rows_done, bytes + now.bytes_done)).map(|_| ())
                        }
                        None => Ok(()),
                    });
                    match call {
                        Ok(()) => ControlFlow::Continue(()),
                        Err(error) => {
                            *raised = Some(error);
                            ControlFlow::Break(())
                        }
                    }
                })
            };
            results.extend(self.batch.run_with(
                &chunk,
                dialects.as_ref().map(|column| column as &dyn Array),
                Some(&mut observe),
            )?);
            rows += done.rows_done;
            bytes += done.bytes_done;
        }
        match dialects {
            Some(dialects) if dialects.len() as u64 != rows => Err(BatchError::Length {
                bodies: usize::try_from(rows).unwrap_or(usize::MAX),
                dialects: dialects.len(),
            }),
            _ => Ok(results),
        }
    }

    /// Refuses a column of another type even if it has no chunk.
    fn check_type(&self, bodies: &Chunks) -> Result<(), BatchError> {
        match bodies.data_type() {
            Some(data_type) if !deltafold_arrow::is_body_type(data_type) => {
                Err(BatchError::BodyType(data_type.clone()))
            }
            _ => Ok(()),
        }
    }
}

/// The chunks of a column of dialects as one array.
fn whole(py: Python<'_>, chunks: Chunks) -> PyResult<ArrayRef> {
    let read = py.detach(|| {
        let data_type = chunks.data_type().cloned();
        let chunks = chunks.map(|chunk| only_column(&chunk?)).collect::<Result<Vec<_>, _>>()?;
        let data_type = chunks.first().map(|chunk| chunk.data_type().clone()).or(data_type);
        join(&data_type.unwrap_or(arrow_schema::DataType::Null), &chunks)
    });
    read.map_err(|found| error::raise(py, &found))
}
