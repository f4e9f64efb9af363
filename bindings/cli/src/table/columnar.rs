//! Tables as Parquet and Arrow files.

use std::io::Write;

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::TableWriter;
use crate::Failure;

/// Bytes of a row group, which is in memory until it is complete.
const ROW_GROUP_BYTES: usize = 32 << 20;

/// A Parquet file with Snappy, which every reader knows.
pub(super) struct Parquet<'a>(ArrowWriter<Box<dyn Write + Send + 'a>>);

impl<'a> Parquet<'a> {
    pub(super) fn new(sink: Box<dyn Write + Send + 'a>, schema: &SchemaRef) -> Result<Self, Failure> {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        ArrowWriter::try_new(sink, schema.clone(), Some(properties)).map(Self).map_err(work)
    }
}

impl TableWriter for Parquet<'_> {
    fn write(&mut self, rows: &RecordBatch) -> Result<(), Failure> {
        self.0.write(rows).map_err(work)?;
        if self.0.in_progress_size() + self.0.memory_size() >= ROW_GROUP_BYTES {
            self.0.flush().map_err(work)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), Failure> {
        let mut sink = self.0.into_inner().map_err(work)?;
        sink.flush().map_err(work)
    }
}

/// An Arrow IPC file.
pub(super) struct Arrow<'a>(FileWriter<Box<dyn Write + Send + 'a>>);

impl<'a> Arrow<'a> {
    pub(super) fn new(sink: Box<dyn Write + Send + 'a>, schema: &SchemaRef) -> Result<Self, Failure> {
        FileWriter::try_new(sink, schema).map(Self).map_err(work)
    }
}

impl TableWriter for Arrow<'_> {
    fn write(&mut self, rows: &RecordBatch) -> Result<(), Failure> {
        self.0.write(rows).map_err(work)
    }

    fn finish(mut self: Box<Self>) -> Result<(), Failure> {
        self.0.finish().map_err(work)?;
        self.0.flush().map_err(work)
    }
}

fn work(error: impl ToString) -> Failure {
    Failure::Work(format!("cannot write the table: {}", error.to_string()))
}
