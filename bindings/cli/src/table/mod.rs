//! `deltafold table`: one row per capture, as Parquet, Arrow, CSV or JSON lines.

#[cfg(feature = "parquet")]
mod columnar;
mod text;

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ValueEnum, ValueHint};
use deltafold_arrow::FoldColumn;

use crate::captures::{self, CaptureArgs, Rows};
use crate::input::{shown, Stdin};
use crate::output::print_error;
use crate::{Failure, Io};

/// Write a table with one row per capture
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Reads captures, folders of captures, logs with a body in each line, and HAR files. The columns are file, entry (the line \
                   of a log or the entry of a HAR file), and those of --columns. Folds on all cores; memory use does not grow with the \
                   number of captures.",
    after_help = "\
Exit codes:
  0  every capture has a row, whatever its outcome
  1  reading or writing failed, or a line of a log has no body
  2  the arguments are invalid or a folder cannot be read

Examples:
  deltafold table --columns outcome,model,usage examples/streams/tour.sse
  deltafold table --format csv examples/streams/dialects"
)]
pub(crate) struct TableArgs {
    #[command(flatten)]
    captures: CaptureArgs,
    /// Columns to write, separated by commas (default: all but response). Only these are computed
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', value_parser = column())]
    columns: Vec<FoldColumn>,
    /// File to write; its ending selects the format. Without it the table is written to stdout
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<OsString>,
    /// Format of the table; auto: that of the ending of --output, or jsonl. Text formats have lists and structs as JSON
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Auto)]
    format: Format,
}

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Auto,
    Jsonl,
    Csv,
    #[cfg(feature = "parquet")]
    Parquet,
    #[cfg(feature = "parquet")]
    Arrow,
}

/// Writes rows in one format.
trait TableWriter {
    fn write(&mut self, rows: &RecordBatch) -> Result<(), Failure>;

    fn finish(self: Box<Self>) -> Result<(), Failure>;
}

fn column() -> impl TypedValueParser<Value = FoldColumn> {
    let names = FoldColumn::ALL.iter().map(|column| column.name());
    PossibleValuesParser::new(names).try_map(|name| FoldColumn::from_str(&name).map_err(|error| error.to_string()))
}

pub(crate) fn run(args: &TableArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    let columns = if args.columns.is_empty() { FoldColumn::defaults() } else { args.columns.clone() };
    let columns: Vec<FoldColumn> = FoldColumn::ALL.iter().copied().filter(|column| columns.contains(column)).collect();
    let schema = schema(&columns);
    let format = format(args)?;
    let stdin = Stdin::new(&mut io.input);
    let target = args.output.as_ref().filter(|file| *file != "-").map(Target::create).transpose()?;
    let sink: Box<dyn Write + Send + '_> = match &target {
        Some(target) => Box::new(BufWriter::new(target.file()?)),
        None if io.output_is_terminal && !format.is_text() => {
            return Err(Failure::Usage("this format is not text: name a file with --output".into()));
        }
        None if io.output_is_terminal => Box::new(text::Escaped(&mut io.output)),
        None => Box::new(BufWriter::new(&mut io.output)),
    };
    let mut writer = writer(format, &schema, sink)?;
    let errors = (&mut *io.errors as &mut (dyn Write + Send), io.errors_is_terminal);
    let summary =
        captures::fold(&args.captures, &columns, &stdin, errors, |rows| writer.write(&batch(&schema, rows)?))?;
    writer.finish()?;
    if let Some(target) = target {
        target.complete()?;
    }
    summary.problems.iter().for_each(|problem| print_error(io, problem));
    Ok(u8::from(!summary.problems.is_empty()))
}

fn format(args: &TableArgs) -> Result<Format, Failure> {
    if args.format != Format::Auto {
        return Ok(args.format);
    }
    let Some(file) = args.output.as_ref().filter(|file| *file != "-") else { return Ok(Format::Jsonl) };
    let ending = Path::new(file).extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("jsonl" | "ndjson") => Ok(Format::Jsonl),
        Some("csv") => Ok(Format::Csv),
        #[cfg(feature = "parquet")]
        Some("parquet" | "pq") => Ok(Format::Parquet),
        #[cfg(feature = "parquet")]
        Some("arrow" | "arrows" | "ipc" | "feather") => Ok(Format::Arrow),
        #[cfg(not(feature = "parquet"))]
        Some("parquet" | "pq" | "arrow" | "ipc" | "feather") => Err(Failure::Usage(
            "this build writes no Parquet and Arrow: use deltafold.batch in Python, or the program from `cargo install deltafold-cli`".into(),
        )),
        _ => Err(Failure::Usage(format!("the format of {} is not known from its ending; name it with --format", shown(file)))),
    }
}

impl Format {
    fn is_text(self) -> bool {
        matches!(self, Self::Auto | Self::Jsonl | Self::Csv)
    }
}

fn writer<'a>(
    format: Format,
    schema: &SchemaRef,
    sink: Box<dyn Write + Send + 'a>,
) -> Result<Box<dyn TableWriter + 'a>, Failure> {
    Ok(match format {
        Format::Auto | Format::Jsonl => Box::new(text::JsonLines::new(sink)),
        Format::Csv => Box::new(text::Csv::new(sink, schema)?),
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(columnar::Parquet::new(sink, schema)?),
        #[cfg(feature = "parquet")]
        Format::Arrow => Box::new(columnar::Arrow::new(sink, schema)?),
    })
}

fn schema(columns: &[FoldColumn]) -> SchemaRef {
    let mut fields = vec![Field::new("file", DataType::Utf8, false), Field::new("entry", DataType::Int64, true)];
    fields.extend(columns.iter().map(|column| Field::new(column.name(), column.data_type(), true)));
    Arc::new(Schema::new(fields))
}

/// A row that is null is null in each of its columns, so its struct is not needed.
fn batch(schema: &SchemaRef, rows: Rows) -> Result<RecordBatch, Failure> {
    let files: StringArray = rows.files.iter().map(|file| Some(&**file)).collect();
    let entries: Int64Array =
        rows.entries.iter().map(|entry| entry.and_then(|entry| i64::try_from(entry).ok())).collect();
    let mut columns: Vec<ArrayRef> = vec![Arc::new(files), Arc::new(entries)];
    columns.extend(rows.folded.columns().iter().cloned());
    RecordBatch::try_new(schema.clone(), columns).map_err(|error| Failure::Work(error.to_string()))
}

/// The output file. It has a temporary name until it is complete, so that a failure leaves no incomplete table.
struct Target {
    path: PathBuf,
    partial: PathBuf,
}

impl Target {
    fn create(file: &OsString) -> Result<Self, Failure> {
        let mut partial = file.clone();
        partial.push(".partial");
        let target = Self { path: file.into(), partial: partial.into() };
        target.file().map(|_| target)
    }

    fn file(&self) -> Result<File, Failure> {
        File::create(&self.partial)
            .map_err(|error| Failure::Usage(format!("cannot write {}: {error}", self.path.display())))
    }

    fn complete(self) -> Result<(), Failure> {
        std::fs::rename(&self.partial, &self.path)
            .map_err(|error| Failure::Work(format!("cannot write {}: {error}", self.path.display())))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // After `complete` the file does not exist.
        let _ = std::fs::remove_file(&self.partial);
    }
}
