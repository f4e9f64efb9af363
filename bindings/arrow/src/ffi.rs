//! The Arrow C data interface: columns from other languages, and results for them.
//!
//! `arrow-array` has the structs of the interface and reads single arrays, but its streams carry tables only. A stream of Polars is
//! a stream of plain arrays, and a table cannot have a row that is null. So the callbacks of a stream are here.
//!
//! This module has the only unsafe code of the crate. The offsets of imported arrays are checked before use. Text is imported as
//! bytes, because nothing guarantees that it is UTF-8.

#![allow(unsafe_code, reason = "the C data interface consists of pointers")]

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::ptr;
use std::sync::Arc;

use arrow_array::ffi::{from_ffi_and_data_type, to_ffi};
pub use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
pub use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{make_array, Array, ArrayRef};
use arrow_schema::{DataType, Field};

use crate::error::BatchError;

/// `EINVAL`, the result of a callback that fails; the error text has the reason.
const INVALID: c_int = 22;

/// The chunks of a column that another library offers as a C stream.
#[derive(Debug)]
pub struct ColumnReader {
    stream: FFI_ArrowArrayStream,
    data_type: DataType,
}

impl ColumnReader {
    /// Takes over a stream; the struct at `stream` is left empty.
    ///
    /// # Errors
    ///
    /// [`BatchError::Import`] if the producer reports an error or states a type that is not known.
    ///
    /// # Safety
    ///
    /// `stream` points to a valid or released C stream that nothing else uses during the call.
    pub unsafe fn from_raw(stream: *mut FFI_ArrowArrayStream) -> Result<Self, BatchError> {
        // SAFETY: the caller guarantees a valid stream.
        let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream) };
        let get_schema = match (stream.release, stream.get_schema) {
            (Some(_), Some(get_schema)) => get_schema,
            _ => return Err(import("the stream was already read")),
        };
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: a callback of a valid stream, with a place for its result.
        if unsafe { get_schema(&raw mut stream, &raw mut schema) } != 0 {
            return Err(last_error(&mut stream));
        }
        let data_type = DataType::try_from(&schema).map_err(import)?;
        Ok(Self { stream, data_type })
    }

    /// The type of the chunks, as the producer states it.
    pub fn data_type(&self) -> &DataType {
        &self.data_type
    }
}

impl Iterator for ColumnReader {
    type Item = Result<ArrayRef, BatchError>;

    fn next(&mut self) -> Option<Self::Item> {
        let get_next = self.stream.get_next?;
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: a callback of a valid stream, with a place for its result.
        if unsafe { get_next(&raw mut self.stream, &raw mut array) } != 0 {
            return Some(Err(last_error(&mut self.stream)));
        }
        // SAFETY: the producer made the array for the type that it stated.
        (!array.is_released()).then(|| unsafe { checked(array, &self.data_type) })
    }
}

/// Takes over one array; the structs are left empty.
///
/// # Errors
///
/// [`BatchError::Import`] if the type is not known or the array is inconsistent.
///
/// # Safety
///
/// Both point to valid or released structs of the C data interface that nothing else uses during the call.
pub unsafe fn import_array(array: *mut FFI_ArrowArray, schema: *mut FFI_ArrowSchema) -> Result<ArrayRef, BatchError> {
    // SAFETY: the caller guarantees valid structs.
    let (array, schema) = unsafe { (FFI_ArrowArray::from_raw(array), FFI_ArrowSchema::from_raw(schema)) };
    if array.is_released() {
        return Err(import("the array was already read"));
    }
    let data_type = DataType::try_from(&schema).map_err(import)?;
    // SAFETY: the schema describes the array.
    unsafe { checked(array, &data_type) }
}

/// Makes an array of an imported struct and checks its offsets.
///
/// # Safety
///
/// The struct has the buffers that arrays of this type have.
unsafe fn checked(array: FFI_ArrowArray, data_type: &DataType) -> Result<ArrayRef, BatchError> {
    // SAFETY: the caller guarantees the buffers. Bytes have the layout of text.
    let data = unsafe { from_ffi_and_data_type(array, as_bytes(data_type)) }.map_err(import)?;
    data.validate_full().map_err(import)?;
    Ok(make_array(data))
}

/// The type with bytes in place of text, which have the same layout.
fn as_bytes(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Utf8 => DataType::Binary,
        DataType::LargeUtf8 => DataType::LargeBinary,
        DataType::Utf8View => DataType::BinaryView,
        DataType::Dictionary(key, value) => DataType::Dictionary(key.clone(), Box::new(as_bytes(value))),
        DataType::Struct(fields) => DataType::Struct(
            fields
                .iter()
                .map(|field| Arc::new(Field::clone(field).with_data_type(as_bytes(field.data_type()))))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// Returns the struct of an array.
///
/// # Errors
///
/// [`BatchError::Arrow`] for a type without a C form, which no result has.
pub fn export_array(array: &dyn Array) -> Result<FFI_ArrowArray, BatchError> {
    Ok(to_ffi(&array.to_data())?.0)
}

/// Returns the struct of a type.
///
/// # Errors
///
/// As for [`export_array`].
pub fn export_type(data_type: &DataType) -> Result<FFI_ArrowSchema, BatchError> {
    Ok(FFI_ArrowSchema::try_from(Field::new("", data_type.clone(), true))?)
}

/// Returns the struct of a stream of arrays of one type.
pub fn export_stream(data_type: DataType, chunks: Vec<ArrayRef>) -> FFI_ArrowArrayStream {
    let exported = Box::new(Exported { data_type, chunks: chunks.into_iter(), error: None });
    FFI_ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release),
        private_data: Box::into_raw(exported).cast::<c_void>(),
    }
}

/// The private data of a stream.
struct Exported {
    data_type: DataType,
    chunks: std::vec::IntoIter<ArrayRef>,
    error: Option<CString>,
}

impl Exported {
    fn finish(&mut self, result: Result<(), BatchError>) -> c_int {
        match result {
            Ok(()) => 0,
            Err(error) => {
                self.error = CString::new(error.to_string()).ok();
                INVALID
            }
        }
    }
}

/// The private data of a stream that `export_stream` made.
///
/// # Safety
///
/// `stream` points to such a stream, which is not released, and nothing else uses it while the result lives.
unsafe fn exported<'a>(stream: *mut FFI_ArrowArrayStream) -> &'a mut Exported {
    // SAFETY: the caller guarantees the stream; its private data is the box that `export_stream` made.
    unsafe { &mut *(*stream).private_data.cast::<Exported>() }
}

unsafe extern "C" fn get_schema(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowSchema) -> c_int {
    // SAFETY: a consumer calls the callbacks of a stream with this stream.
    let exported = unsafe { exported(stream) };
    let result = export_type(&exported.data_type).map(|schema| {
        // SAFETY: a consumer gives a place for the result, whose content is not defined.
        unsafe { ptr::write(out, schema) }
    });
    exported.finish(result)
}

unsafe extern "C" fn get_next(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowArray) -> c_int {
    // SAFETY: as above.
    let exported = unsafe { exported(stream) };
    // A struct without a release callback is the end of the stream.
    let next = exported.chunks.next().map_or(Ok(FFI_ArrowArray::empty()), |chunk| export_array(&chunk));
    // SAFETY: as above.
    let result = next.map(|array| unsafe { ptr::write(out, array) });
    exported.finish(result)
}

unsafe extern "C" fn get_last_error(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    // SAFETY: as above.
    unsafe { exported(stream) }.error.as_ref().map_or(ptr::null(), |error| error.as_ptr())
}

unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: a consumer releases a stream once; the private data is the box that `export_stream` made.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<Exported>()));
        (*stream).private_data = ptr::null_mut();
        (*stream).release = None;
    }
}

fn last_error(stream: &mut FFI_ArrowArrayStream) -> BatchError {
    let text = stream.get_last_error.map_or(ptr::null(), |get_last_error| {
        // SAFETY: a callback of a valid stream.
        unsafe { get_last_error(stream) }
    });
    if text.is_null() {
        return import("the producer of the column failed without a message");
    }
    // SAFETY: the interface has the text end with NUL, and valid until the next call.
    import(unsafe { CStr::from_ptr(text) }.to_string_lossy())
}

fn import(error: impl ToString) -> BatchError {
    BatchError::Import(error.to_string())
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::{BinaryArray, LargeStringArray, ListArray, StringArray, StringViewArray, StructArray};

    use super::*;
    use crate::{Batch, FoldColumn};

    const BODY: &str =
        "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hi\"}\n\n";

    fn read(mut stream: FFI_ArrowArrayStream) -> Result<Vec<ArrayRef>, BatchError> {
        // SAFETY: the stream is valid.
        unsafe { ColumnReader::from_raw(&raw mut stream) }?.collect()
    }

    #[test]
    fn a_stream_carries_plain_arrays_and_rows_that_are_null() {
        let batch = Batch::fold(&[FoldColumn::Outcome, FoldColumn::ToolCalls]);
        let bodies = StringArray::from(vec![Some(BODY), None]);
        let rows = batch.run_to_array(&bodies).unwrap();
        let read_back = read(export_stream(batch.data_type(), vec![rows.clone(), rows.clone()])).unwrap();
        assert_eq!(read_back.len(), 2);
        for chunk in &read_back {
            assert_eq!((chunk.len(), chunk.null_count()), (2, 1));
            assert_eq!(chunk.as_struct().column(0).as_binary::<i32>().value(0), b"truncated");
        }
        assert!(read(export_stream(DataType::Utf8, Vec::new())).unwrap().is_empty());
    }

    #[test]
    fn a_stream_that_is_dropped_early_or_read_twice_is_released_once() {
        let mut stream = export_stream(
            DataType::Utf8,
            vec![Arc::new(StringArray::from(vec!["a"])), Arc::new(StringArray::from(vec!["b"]))],
        );
        // SAFETY: the stream is valid.
        let mut reader = unsafe { ColumnReader::from_raw(&raw mut stream) }.unwrap();
        assert_eq!(reader.next().unwrap().unwrap().len(), 1);
        drop(reader);
        // SAFETY: the stream is released.
        let again = unsafe { ColumnReader::from_raw(&raw mut stream) }.unwrap_err();
        assert!(again.to_string().contains("already read"), "{again}");
    }

    #[test]
    fn text_of_every_type_is_imported_as_bytes() {
        for column in [
            Arc::new(StringArray::from(vec![Some("a"), None])) as ArrayRef,
            Arc::new(LargeStringArray::from(vec![Some("a"), None])),
            Arc::new(StringViewArray::from(vec![Some("a"), None])),
        ] {
            let mut array = export_array(&column).unwrap();
            let mut schema = export_type(column.data_type()).unwrap();
            // SAFETY: the structs are valid.
            let imported = unsafe { import_array(&raw mut array, &raw mut schema) }.unwrap();
            assert_eq!(imported.data_type(), &as_bytes(column.data_type()));
            assert_eq!((imported.len(), imported.null_count()), (2, 1));
            // SAFETY: the structs are released.
            assert!(unsafe { import_array(&raw mut array, &raw mut schema) }.is_err());
        }
    }

    #[test]
    fn text_that_is_not_utf8_and_wrong_offsets_are_found() {
        let bytes = BinaryArray::from(vec![&b"\xff\xfe"[..]]);
        let mut array = export_array(&bytes).unwrap();
        let mut schema = export_type(&DataType::Utf8).unwrap();
        // SAFETY: the structs are valid, except that the text is not UTF-8.
        let imported = unsafe { import_array(&raw mut array, &raw mut schema) }.unwrap();
        assert_eq!(imported.as_binary::<i32>().value(0), b"\xff\xfe");

        let data = bytes.to_data();
        let backwards = arrow_buffer::Buffer::from_slice_ref([0_i32, 2, 1, 2]);
        // SAFETY: the offsets run backwards, within the buffer; this is what the import must find.
        let wrong = unsafe {
            data.into_builder()
                .len(3)
                .buffers(vec![backwards, arrow_buffer::Buffer::from_slice_ref(b"ab")])
                .build_unchecked()
        };
        let mut array = FFI_ArrowArray::new(&wrong);
        let mut schema = export_type(&DataType::Binary).unwrap();
        // SAFETY: the structs are valid, except for the offsets.
        let error = unsafe { import_array(&raw mut array, &raw mut schema) }.unwrap_err();
        assert!(matches!(error, BatchError::Import(_)), "{error}");
    }

    #[test]
    fn the_error_of_a_producer_is_the_error_of_the_reader() {
        unsafe extern "C" fn fail(_: *mut FFI_ArrowArrayStream, _: *mut FFI_ArrowArray) -> c_int {
            INVALID
        }
        unsafe extern "C" fn message(_: *mut FFI_ArrowArrayStream) -> *const c_char {
            c"the disk is gone".as_ptr()
        }
        let mut stream = export_stream(DataType::Utf8, Vec::new());
        stream.get_next = Some(fail);
        stream.get_last_error = Some(message);
        assert_eq!(read(stream).unwrap_err().to_string(), "the column cannot be read: the disk is gone");
    }

    #[test]
    fn lists_and_nested_structs_are_exported() {
        let batch = Batch::events();
        let rows = batch.run_to_array(&StringArray::from(vec![BODY])).unwrap();
        let read_back = read(export_stream(batch.data_type(), vec![rows])).unwrap();
        let events: &ListArray = read_back[0].as_list();
        let events: &StructArray = events.values().as_struct();
        assert_eq!(events.column_by_name("delta").unwrap().len(), 1);
    }
}
