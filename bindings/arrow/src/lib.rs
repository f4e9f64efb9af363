#![deny(unsafe_code)]
#![doc = include_str!("crate.md")]

mod builders;
mod byte_column;
mod capture;
mod check;
mod convert;
mod error;
mod events;
#[cfg(feature = "ffi")]
pub mod ffi;
mod fold;
mod parallel;
mod row;

use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};

use arrow_array::cast::AsArray;
use arrow_array::{make_array, new_empty_array, Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use arrow_select::concat::concat;
use deltafold::adapter::{ConverterOptions, Dialect, InboundOptions};
use deltafold::json::{Object, Value};
use deltafold::validate::Layers;
use deltafold::{Code, Error, Limits, Profile, ReaderOptions};

use builders::MAX_VALUE;
use byte_column::ByteColumn;
use capture::CaptureReader;
pub use error::BatchError;
pub use fold::FoldColumn;
pub use parallel::Progress;
use row::RowBuilder;

/// The maximum number of bytes in a range of rows, which is what a thread processes at a time. A larger row is a range of its own.
const MAX_RANGE_BYTES: usize = 32 << 20;
/// The minimum number of bytes in a range of rows, if there are that many.
const MIN_RANGE_BYTES: usize = 256 << 10;
/// The maximum number of rows in a range. A null has no bytes, but takes time too.
const MAX_RANGE_ROWS: usize = 1 << 16;
/// The approximate size of a chunk of the result in bytes.
const CHUNK_BYTES: usize = 32 << 20;
/// Number of ranges per thread: several, so that all threads finish at about the same time.
const RANGES_PER_THREAD: usize = 8;

/// One operation over a column of bodies, with its options.
///
/// ```
/// use arrow_array::{cast::AsArray, StringArray};
/// use deltafold_arrow::{Batch, FoldColumn};
///
/// let bodies = StringArray::from(vec![
///     Some("data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hello\"}\n\n"),
///     None,
///     Some("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"),
/// ]);
/// let batch = Batch::fold(&[FoldColumn::Outcome, FoldColumn::OutputText]);
/// let result = batch.run_to_array(&bodies)?;
/// let rows = result.as_struct();
/// let (outcomes, texts) = (rows.column(0).as_string::<i32>(), rows.column(1).as_string::<i32>());
/// assert_eq!((outcomes.value(0), texts.value(0)), ("truncated", "Hello"));
/// assert_eq!((outcomes.value(2), texts.value(2)), ("completed", "Hi"));
/// # use arrow_array::Array;
/// assert!(rows.is_null(1));
/// # Ok::<(), deltafold_arrow::BatchError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Batch {
    operation: Operation,
    reader: ReaderOptions,
    source: InboundOptions,
    dialect: Option<Dialect>,
    threads: Option<NonZeroUsize>,
    /// [`MAX_ARRAY`]; less in a test.
    max_array: usize,
}

#[derive(Clone, Debug)]
enum Operation {
    Fold(Vec<FoldColumn>),
    Events,
    Check,
    Convert(Dialect, Box<ConverterOptions>),
}

impl Batch {
    /// Folds each body into a row with these columns, in the order of [`FoldColumn::ALL`].
    ///
    /// Only these columns are computed.
    pub fn fold(columns: &[FoldColumn]) -> Self {
        let columns = FoldColumn::ALL.iter().copied().filter(|column| columns.contains(column)).collect();
        Self::new(Operation::Fold(columns))
    }

    /// Lists the events of each body: `index`, `type`, `sequence_number`, `item_id`, `output_index`, `content_index`, `delta` and
    /// `data`, the payload as it was sent. The events of other dialects are converted.
    pub fn events() -> Self {
        Self::new(Operation::Events)
    }

    /// Checks each body: `outcome`, `dialect`, the numbers of `errors`, `warnings` and `notes`, and `findings`. All layers are
    /// checked, with the profile `open-responses`, unless [`reader`](Self::reader) sets others.
    pub fn check() -> Self {
        let mut batch = Self::new(Operation::Check);
        batch.reader.layers = Layers::ALL;
        // This build has every profile; the default one differs only in the severities.
        batch.reader.profile = Profile::builtin("open-responses").unwrap_or_default();
        batch
    }

    /// Converts each body to another dialect: `body`, the dialect in `from`, the number of values that were `lost`, `findings`, and
    /// the `error` that ended the conversion.
    ///
    /// # Errors
    ///
    /// [`BatchError::Options`] for a dialect that is not written, or an option that it needs and lacks.
    pub fn convert(to: Dialect, mut options: ConverterOptions) -> Result<Self, BatchError> {
        if options.source.response_id.is_none() {
            options.source.response_id = Some("resp_unknown".to_owned());
        }
        deltafold::adapter::Converter::with_options(None, to, options.clone())?;
        Ok(Self::new(Operation::Convert(to, Box::new(options))))
    }

    fn new(operation: Operation) -> Self {
        Self {
            operation,
            reader: ReaderOptions::default(),
            source: InboundOptions::default(),
            dialect: None,
            threads: None,
            max_array: MAX_ARRAY,
        }
    }

    /// Sets options from JSON text: those of [`ReaderOptions::from_json`] for fold, events and check, and `limits` for convert.
    ///
    /// # Errors
    ///
    /// [`BatchError::Options`].
    pub fn reader_json(mut self, json: &str) -> Result<Self, BatchError> {
        let given =
            Value::parse(if json.is_empty() { "{}" } else { json }, Limits::default().depth).map_err(Error::from)?;
        let Value::Object(given) = given else {
            return Err(Error::new(Code::BadArgument, 0, "expected the options to be an object").into());
        };
        let mut options = Object::with_capacity(given.len() + 2);
        if matches!(self.operation, Operation::Check) {
            let defaults = [("layers", "all"), ("profile", "open-responses")];
            let absent = |name: &str| given.get(name).is_none_or(Value::is_null);
            defaults.iter().filter(|(name, _)| absent(name)).for_each(|(name, value)| options.push(*name, *value));
        }
        given.iter().filter(|(_, value)| !value.is_null()).for_each(|(name, value)| options.push(name, value.clone()));
        self.reader = ReaderOptions::from_value(&Value::Object(options))?;
        Ok(self)
    }

    /// Sets how bodies are read.
    #[must_use]
    pub fn reader(mut self, options: ReaderOptions) -> Self {
        self.reader = options;
        self
    }

    /// Sets how other dialects are read, for fold, events and check.
    #[must_use]
    pub fn source(mut self, options: InboundOptions) -> Self {
        self.source = options;
        self
    }

    /// Sets the dialect of all rows that have none in a column of dialects. With `None`, the default, the dialect of each body is detected.
    #[must_use]
    pub fn dialect(mut self, dialect: Option<Dialect>) -> Self {
        self.dialect = dialect;
        self
    }

    /// Sets the number of threads; by default as many as there are cores.
    #[must_use]
    pub fn threads(mut self, threads: Option<NonZeroUsize>) -> Self {
        self.threads = threads;
        self
    }

    /// The type of the result.
    pub fn data_type(&self) -> DataType {
        match &self.operation {
            Operation::Fold(columns) => fold::data_type(columns),
            Operation::Events => events::data_type(),
            Operation::Check => check::data_type(),
            Operation::Convert(..) => convert::data_type(),
        }
    }

    /// Runs the operation over a column and returns the result in chunks, in the order of the rows.
    ///
    /// # Errors
    ///
    /// [`BatchError::BodyType`]. A row never causes an error: its faults are in its findings.
    pub fn run(&self, bodies: &dyn Array) -> Result<Vec<ArrayRef>, BatchError> {
        self.run_with(bodies, None, None)
    }

    /// As [`run`](Self::run), with the result in one array.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run); [`BatchError::TooLarge`] if the texts of the result exceed 2 GiB.
    pub fn run_to_array(&self, bodies: &dyn Array) -> Result<ArrayRef, BatchError> {
        self.join(&self.run(bodies)?)
    }

    /// As [`run`](Self::run), with two more arguments.
    ///
    /// `dialects` is a column with the name of each body's dialect; null or `auto` selects the dialect of
    /// [`dialect`](Self::dialect). `observe` is called on the calling thread about twenty times per second, and at the end; if it
    /// returns `Break`, the batch ends.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run); [`BatchError::DialectType`] and [`BatchError::Length`] for the column of dialects;
    /// [`BatchError::Stopped`].
    pub fn run_with(
        &self,
        bodies: &dyn Array,
        dialects: Option<&dyn Array>,
        observe: Option<&mut dyn FnMut(Progress) -> ControlFlow<()>>,
    ) -> Result<Vec<ArrayRef>, BatchError> {
        let column = ByteColumn::new(bodies).ok_or_else(|| BatchError::BodyType(bodies.data_type().clone()))?;
        let dialects = dialects.map(|dialects| dialect_column(dialects, bodies.len())).transpose()?;
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let ranges = ranges(&column, bodies.len(), threads);
        let arrays = parallel::run(&ranges, threads, bodies.len(), observe, |range, counter| {
            let mut builder = self.builder();
            let mut arrays = Vec::new();
            for row in range {
                let body = column.get(row);
                match (body, self.dialect_of(dialects.as_ref(), row)) {
                    (None, _) => builder.append_null(),
                    (Some(body), Ok(dialect)) => builder.append(body, dialect),
                    (Some(body), Err(error)) => builder.append_unread(body, &error),
                }
                // No array may exceed 2 GiB, and no value is larger than `MAX_VALUE`.
                if builder.bytes() >= self.max_array {
                    arrays.push(builder.finish());
                }
                if !counter.row(body.map_or(0, <[u8]>::len)) {
                    break;
                }
            }
            arrays.push(builder.finish());
            arrays
        })?;
        coalesce(arrays, CHUNK_BYTES.min(self.max_array))
    }

    /// Joins the chunks of a result into one array.
    ///
    /// # Errors
    ///
    /// [`BatchError::TooLarge`] if the texts of the result exceed 2 GiB.
    pub fn join(&self, chunks: &[ArrayRef]) -> Result<ArrayRef, BatchError> {
        join(&self.data_type(), chunks)
    }

    fn builder(&self) -> Box<dyn RowBuilder> {
        let reader = |options: &ReaderOptions| CaptureReader::new(options, &self.source);
        match &self.operation {
            Operation::Fold(columns) => {
                let mut options = self.reader.clone();
                // The result has no findings, so their texts are not built. A strict reader needs the text for its error.
                if !columns.contains(&FoldColumn::Findings) && !options.strict {
                    options.limits.findings = 0;
                }
                Box::new(fold::FoldBuilder::new(reader(&options).response_only(&options), columns))
            }
            Operation::Events => Box::new(events::EventsBuilder::new(reader(&self.reader))),
            Operation::Check => Box::new(check::CheckBuilder::new(reader(&self.reader))),
            Operation::Convert(to, options) => {
                let options = ConverterOptions::clone(options).limits(self.reader.limits);
                Box::new(convert::ConvertBuilder::new(*to, options))
            }
        }
    }

    fn dialect_of(&self, dialects: Option<&ByteColumn<'_>>, row: usize) -> Result<Option<Dialect>, Error> {
        let Some(name) = dialects.and_then(|dialects| dialects.get(row)) else { return Ok(self.dialect) };
        match std::str::from_utf8(name).unwrap_or("\u{fffd}") {
            "auto" => Ok(self.dialect),
            name => name.parse().map(Some),
        }
    }
}

/// Bytes of text after which the next row starts a new array.
const MAX_ARRAY: usize = i32::MAX as usize - MAX_VALUE;

fn dialect_column(dialects: &dyn Array, bodies: usize) -> Result<ByteColumn<'_>, BatchError> {
    if dialects.len() != bodies {
        return Err(BatchError::Length { bodies, dialects: dialects.len() });
    }
    ByteColumn::new(dialects).ok_or_else(|| BatchError::DialectType(dialects.data_type().clone()))
}

/// Joins neighbours into chunks of about this many bytes: a range of rows is smaller, and its builders have spare capacity. No chunk
/// takes more memory than its values.
fn coalesce(arrays: Vec<ArrayRef>, chunk_bytes: usize) -> Result<Vec<ArrayRef>, BatchError> {
    let mut chunks = Vec::new();
    let (mut group, mut bytes) = (Vec::new(), 0);
    let mut join_group = |group: &mut Vec<ArrayRef>| -> Result<(), BatchError> {
        match group.as_mut_slice() {
            [] => {}
            [array] => {
                array.shrink_to_fit();
                chunks.push(array.clone());
            }
            arrays => chunks.push(concat(&arrays.iter().map(|array| array.as_ref()).collect::<Vec<_>>())?),
        }
        group.clear();
        Ok(())
    };
    for array in arrays {
        let size = array.to_data().get_slice_memory_size()?;
        if bytes + size > chunk_bytes {
            join_group(&mut group)?;
            bytes = 0;
        }
        bytes += size;
        group.push(array);
    }
    join_group(&mut group)?;
    Ok(chunks)
}

/// Joins chunks of one type into one array.
///
/// # Errors
///
/// [`BatchError::TooLarge`] if their texts exceed 2 GiB.
pub fn join(data_type: &DataType, chunks: &[ArrayRef]) -> Result<ArrayRef, BatchError> {
    match chunks {
        [] => Ok(new_empty_array(data_type)),
        [chunk] => Ok(chunk.clone()),
        chunks => {
            let chunks: Vec<&dyn Array> = chunks.iter().map(|chunk| chunk.as_ref()).collect();
            concat(&chunks).map_err(|_| BatchError::TooLarge)
        }
    }
}

/// Returns `true` for the types that a column of bodies can have, and for tables with one such column.
pub fn is_body_type(data_type: &DataType) -> bool {
    match data_type {
        DataType::Struct(fields) => fields.len() == 1 && fields.iter().all(|field| is_body_type(field.data_type())),
        data_type => ByteColumn::new(&new_empty_array(data_type)).is_some(),
    }
}

/// The only column of a table, as an engine passes a selection of one column; any other array as it is. A row that is null in the
/// table is null in the column.
///
/// # Errors
///
/// [`BatchError::BodyType`] for a table with several columns.
pub fn only_column(array: &ArrayRef) -> Result<ArrayRef, BatchError> {
    let Some(table) = array.as_struct_opt() else { return Ok(array.clone()) };
    let [column] = table.columns() else { return Err(BatchError::BodyType(array.data_type().clone())) };
    let nulls = NullBuffer::union(table.nulls(), column.nulls());
    Ok(make_array(column.to_data().into_builder().nulls(nulls).build()?))
}

/// Splits the rows into ranges of about the same number of bytes.
fn ranges(column: &ByteColumn<'_>, rows: usize, threads: usize) -> Vec<Range<usize>> {
    let total: usize = (0..rows).map(|row| column.length(row)).sum();
    let size = (total / (threads * RANGES_PER_THREAD)).clamp(MIN_RANGE_BYTES, MAX_RANGE_BYTES);
    let mut ranges = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for row in 0..rows {
        bytes += column.length(row);
        if bytes >= size || row - start + 1 >= MAX_RANGE_ROWS {
            ranges.push(start..row + 1);
            (start, bytes) = (row + 1, 0);
        }
    }
    if start < rows {
        ranges.push(start..rows);
    }
    ranges
}

#[cfg(test)]
mod tests {
    use arrow_array::StringArray;

    use super::*;

    #[test]
    fn texts_beyond_the_limit_of_an_array_are_in_the_next_one() {
        let body = |length: usize| {
            let text = "x".repeat(length);
            let choice = format!(r#"{{"index":0,"delta":{{"content":"{text}"}},"finish_reason":"stop"}}"#);
            format!("data: {{\"id\":\"c\",\"model\":\"m\",\"choices\":[{choice}]}}\n\ndata: [DONE]\n\n")
        };
        let bodies: StringArray = (1..=60).map(|row| Some(body(row * 7))).collect();
        let mut batch = Batch::fold(&[FoldColumn::OutputText]).dialect(Some(Dialect::ChatCompletions));
        let whole = batch.run_to_array(&bodies).unwrap();
        assert_eq!(batch.run(&bodies).unwrap().len(), 1);

        batch.max_array = 1_000;
        for threads in [1, 3] {
            batch.threads = NonZeroUsize::new(threads);
            let chunks = batch.run(&bodies).unwrap();
            assert!(chunks.len() > 8, "{} chunks", chunks.len());
            for chunk in &chunks {
                let texts = chunk.as_struct().column(0).as_string::<i32>().value_data().len();
                assert!(texts > 0 && texts < 1_000 + 60 * 7, "{texts} bytes");
            }
            assert_eq!(&join(&batch.data_type(), &chunks).unwrap(), &whole);
        }
    }
}
