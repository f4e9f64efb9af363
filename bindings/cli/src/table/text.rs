//! Tables as JSON lines and CSV.

use std::io::{self, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, SchemaRef};
use deltafold::json::write_string;

use super::TableWriter;
use crate::escape::escape;
use crate::Failure;

fn failure(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::Work(format!("cannot write the table: {error}")),
    }
}

/// One JSON object per row.
pub(super) struct JsonLines<'a> {
    sink: Box<dyn Write + Send + 'a>,
    /// Reused for each batch.
    text: String,
}

impl<'a> JsonLines<'a> {
    pub(super) fn new(sink: Box<dyn Write + Send + 'a>) -> Self {
        Self { sink, text: String::new() }
    }
}

impl TableWriter for JsonLines<'_> {
    fn write(&mut self, rows: &RecordBatch) -> Result<(), Failure> {
        for row in 0..rows.num_rows() {
            self.text.clear();
            let fields = rows.schema_ref().fields().iter().map(|field| field.name().as_str());
            json_object(fields.zip(rows.columns()), row, &mut self.text);
            self.text.push('\n');
            self.sink.write_all(self.text.as_bytes()).map_err(|error| failure(&error))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), Failure> {
        self.sink.flush().map_err(|error| failure(&error))
    }
}

/// Comma-separated values as in RFC 4180, but with line feeds, and a first line of names. Lists and structs are JSON.
pub(super) struct Csv<'a> {
    sink: Box<dyn Write + Send + 'a>,
    text: String,
}

impl<'a> Csv<'a> {
    pub(super) fn new(mut sink: Box<dyn Write + Send + 'a>, schema: &SchemaRef) -> Result<Self, Failure> {
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        sink.write_all((names.join(",") + "\n").as_bytes()).map_err(|error| failure(&error))?;
        Ok(Self { sink, text: String::new() })
    }
}

impl TableWriter for Csv<'_> {
    fn write(&mut self, rows: &RecordBatch) -> Result<(), Failure> {
        let mut nested = String::new();
        for row in 0..rows.num_rows() {
            self.text.clear();
            for (at, column) in rows.columns().iter().enumerate() {
                if at > 0 {
                    self.text.push(',');
                }
                match column.data_type() {
                    _ if column.is_null(row) => {}
                    DataType::Utf8 => csv_text(column.as_string::<i32>().value(row), &mut self.text),
                    DataType::Int64 => json(column, row, &mut self.text),
                    _ => {
                        nested.clear();
                        json(column, row, &mut nested);
                        csv_text(&nested, &mut self.text);
                    }
                }
            }
            self.text.push('\n');
            self.sink.write_all(self.text.as_bytes()).map_err(|error| failure(&error))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), Failure> {
        self.sink.flush().map_err(|error| failure(&error))
    }
}

/// An empty text has quotes, so that it differs from null.
fn csv_text(text: &str, out: &mut String) {
    if text.is_empty() || text.contains(['"', ',', '\r', '\n']) || text.starts_with(' ') || text.ends_with(' ') {
        out.push('"');
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(text);
    }
}

/// Appends a value as JSON. The arrays are those of a fold.
pub(crate) fn json(column: &ArrayRef, row: usize, out: &mut String) {
    if column.is_null(row) {
        return out.push_str("null");
    }
    match column.data_type() {
        DataType::Utf8 => write_string(column.as_string::<i32>().value(row), out),
        DataType::List(_) => {
            let elements = column.as_list::<i32>().value(row);
            out.push('[');
            for at in 0..elements.len() {
                if at > 0 {
                    out.push(',');
                }
                json(&elements, at, out);
            }
            out.push(']');
        }
        DataType::Struct(fields) => {
            json_object(fields.iter().map(|field| field.name().as_str()).zip(column.as_struct().columns()), row, out);
        }
        _ => out.push_str(&column.as_primitive::<Int64Type>().value(row).to_string()),
    }
}

fn json_object<'a>(fields: impl Iterator<Item = (&'a str, &'a ArrayRef)>, row: usize, out: &mut String) {
    for (at, (name, column)) in fields.enumerate() {
        out.push(if at == 0 { '{' } else { ',' });
        write_string(name, out);
        out.push(':');
        json(column, row, out);
    }
    out.push('}');
}

/// A terminal: control characters of the text are escaped. Each call has whole lines.
pub(super) struct Escaped<W>(pub(super) W);

impl<W: Write> Write for Escaped<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(escape(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::csv_text;

    #[test]
    fn text_of_csv_has_quotes_where_it_needs_them() {
        for (text, expected) in [
            ("plain", "plain"),
            ("", "\"\""),
            ("a,b", "\"a,b\""),
            ("a \"b\"", "\"a \"\"b\"\"\""),
            ("a\nb", "\"a\nb\""),
            (" a", "\" a\""),
        ] {
            let mut out = String::new();
            csv_text(text, &mut out);
            assert_eq!(out, expected);
        }
    }
}
