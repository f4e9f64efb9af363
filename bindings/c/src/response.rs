//! The accumulated response of a reader: the response, its items and their parts. All functions are getters.

use std::borrow::Cow;

use deltafold::json::Value;
use deltafold::write::Usage;
use deltafold::{Item, Part};

use crate::bytes::dfold_bytes;
use crate::ffi;
use crate::reader::{dfold_reader, ReaderState};
use crate::status::dfold_status;
use crate::usage::dfold_usage;
use crate::value::dfold_value;

/// The response so far. Fields that have not arrived are empty.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_response {
    /// The response's id.
    pub id: dfold_bytes,
    /// The status.
    pub status: dfold_bytes,
    /// The model's name.
    pub model: dfold_bytes,
    /// Number of items.
    pub items: usize,
}

/// One output item, in progress or done. Absent fields are empty.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_item {
    /// The item's type, such as `message`.
    pub r#type: dfold_bytes,
    /// The item's id.
    pub id: dfold_bytes,
    /// The item's status.
    pub status: dfold_bytes,
    /// The id of a tool call.
    pub call_id: dfold_bytes,
    /// The name of the called tool.
    pub name: dfold_bytes,
    /// The text of a tool call so far: `arguments`, `input` or `code`.
    pub arguments: dfold_bytes,
    /// Number of content parts.
    pub parts: usize,
    /// Number of summary parts.
    pub summary_parts: usize,
    /// Number of kept preview images.
    pub partial_images: usize,
    /// True if the item is done.
    pub done: bool,
}

/// One part of an item's content or summary.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_part {
    /// The part's type, such as `output_text`.
    pub r#type: dfold_bytes,
    /// The part's text so far; for a refusal, the refusal text.
    pub text: dfold_bytes,
}

/// A preview of an image that is being generated.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_image {
    /// Number of the preview.
    pub number: u64,
    /// The image as base64.
    pub base64: dfold_bytes,
}

impl From<&Item<'_>> for dfold_item {
    fn from(item: &Item<'_>) -> Self {
        Self {
            r#type: item.wire_type().unwrap_or_default().into(),
            id: item.id().unwrap_or_default().into(),
            status: item.status_name().unwrap_or_default().into(),
            call_id: item.call_id().unwrap_or_default().into(),
            name: item.name().unwrap_or_default().into(),
            arguments: item.arguments().unwrap_or_default().into(),
            parts: item.parts().count(),
            summary_parts: item.summary().count(),
            partial_images: item.partial_images().count(),
            done: item.is_done(),
        }
    }
}

impl From<&Part<'_>> for dfold_part {
    fn from(part: &Part<'_>) -> Self {
        Self { r#type: part.wire_type().unwrap_or_default().into(), text: part.text().unwrap_or_default().into() }
    }
}

impl ReaderState {
    fn item(&self, at: usize) -> Result<Item<'_>, dfold_status> {
        self.reader.response().item(at).ok_or(dfold_status::DFOLD_NO_MORE)
    }
}

/// Stores text in the scratch buffer and returns a view of it.
fn store(scratch: &mut String, text: String) -> dfold_bytes {
    *scratch = text;
    scratch.as_str().into()
}

/// Resolves a JSON pointer in an object whose members are read by name.
fn resolve_pointer<'v>(
    pointer: &str,
    member: impl FnOnce(&str) -> Option<&'v Value>,
) -> Result<&'v Value, dfold_status> {
    let path = pointer.strip_prefix('/').ok_or(dfold_status::DFOLD_NO_MORE)?;
    let (key, rest) = path.find('/').map_or((path, ""), |at| path.split_at(at));
    let key = key.replace("~1", "/").replace("~0", "~");
    member(&key).and_then(|value| value.pointer(rest)).ok_or(dfold_status::DFOLD_NO_MORE)
}

/// Runs a getter that writes its text to the scratch buffer.
///
/// # Safety
/// As for [`ffi::with_output`].
unsafe fn json_of(
    reader: *mut dfold_reader,
    out: *mut dfold_bytes,
    ask: impl FnOnce(&ReaderState) -> Result<String, dfold_status>,
) -> dfold_status {
    // SAFETY: the caller upholds this contract.
    unsafe {
        ffi::with_output(reader, out, |state| {
            let text = ask(state)?;
            Ok(store(&mut state.scratch, text))
        })
    }
}

/// Gets id, status, model and item count of the response so far.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the views.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next feed, poll, end, finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_response(
    reader: *mut dfold_reader,
    out_response: *mut dfold_response,
) -> dfold_status {
    let head = |state: &mut ReaderState| {
        let response = state.reader.response();
        let (id, status, model) = (
            response.id().unwrap_or_default().into(),
            response.status_name().unwrap_or_default().into(),
            response.model().unwrap_or_default().into(),
        );
        Ok(dfold_response { id, status, model, items: response.len() })
    };
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(reader, out_response, head) }
}

/// Gets the whole response so far as JSON text. The cost is proportional to the size of the response.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_response_json(
    reader: *mut dfold_reader,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `json_of`.
    unsafe { json_of(reader, out_json, |state| Ok(state.reader.response().to_json())) }
}

/// Gets any field of the response so far except `output`, by JSON pointer: `/usage/total_tokens`. For `output` use
/// dfold_reader_item and the other item functions.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if there is no such field; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the view of the value; the caller keeps `pointer`.
/// - NULL: `reader` and `out_value` must not be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_response_get(
    reader: *mut dfold_reader,
    pointer: dfold_bytes,
    out_value: *mut dfold_value,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all three functions.
    unsafe {
        ffi::with_output(reader, out_value, |state| {
            let response = state.reader.response();
            let value = resolve_pointer(ffi::text(pointer)?, |key| response.get(key))?;
            Ok(dfold_value::of(value, &mut state.scratch))
        })
    }
}

/// Gets the token counts.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE while the response has none, or if a count is not an integer; DFOLD_MISUSE for NULL.
///
/// - Ownership: no ownership changes.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_usage(reader: *mut dfold_reader, out_usage: *mut dfold_usage) -> dfold_status {
    let get = |state: &mut ReaderState| {
        let usage = state.reader.response().usage_value().ok_or(dfold_status::DFOLD_NO_MORE)?;
        Usage::from_value(usage).map(Into::into).map_err(|_| dfold_status::DFOLD_NO_MORE)
    };
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(reader, out_usage, get) }
}

/// Gets the concatenated text of all `output_text` parts of all messages so far. A single part is not copied.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_output_text(
    reader: *mut dfold_reader,
    out_text: *mut dfold_bytes,
) -> dfold_status {
    let get = |state: &mut ReaderState| {
        Ok(match state.reader.response().output_text() {
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => store(&mut state.scratch, text),
        })
    };
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(reader, out_text, get) }
}

/// Gets the item at a position of the output, from 0.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last item; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next feed, poll, end, finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_item(
    reader: *mut dfold_reader,
    item: usize,
    out_item: *mut dfold_item,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe { ffi::with_output(reader, out_item, |state| Ok((&state.item(item)?).into())) }
}

/// Finds the position of the item with the `output_index` of an event. Position and index differ if a stream skips indexes.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if there is no such item; DFOLD_MISUSE for NULL.
///
/// - Ownership: no ownership changes.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_find_item(
    reader: *mut dfold_reader,
    output_index: u64,
    out_item: *mut usize,
) -> dfold_status {
    let find = |state: &mut ReaderState| {
        state.reader.response().position_of_index(output_index).ok_or(dfold_status::DFOLD_NO_MORE)
    };
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(reader, out_item, find) }
}

/// Gets an item as JSON text.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last item; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_item_json(
    reader: *mut dfold_reader,
    item: usize,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    let get = |state: &ReaderState| {
        let mut json = String::new();
        state.item(item)?.write_json(&mut json);
        Ok(json)
    };
    // SAFETY: the caller upholds the contract of `json_of`.
    unsafe { json_of(reader, out_json, get) }
}

/// Gets any field of an item by JSON pointer: `/action/query`, `/content/0/annotations/1/url`.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if there is no such item or field; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the view of the value; the caller keeps `pointer`.
/// - NULL: `reader` and `out_value` must not be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_item_get(
    reader: *mut dfold_reader,
    item: usize,
    pointer: dfold_bytes,
    out_value: *mut dfold_value,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all three functions.
    unsafe {
        ffi::with_output(reader, out_value, |state| {
            let pointer = ffi::text(pointer)?;
            let ReaderState { reader, scratch, .. } = state;
            let item = reader.response().item(item).ok_or(dfold_status::DFOLD_NO_MORE)?;
            let value = resolve_pointer(pointer, |key| item.get(key))?;
            Ok(dfold_value::of(value, scratch))
        })
    }
}

/// Gets a part of an item's content; both positions count from 0.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last item or part; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next feed, poll, end, finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_part(
    reader: *mut dfold_reader,
    item: usize,
    part: usize,
    out_part: *mut dfold_part,
) -> dfold_status {
    let get = |state: &mut ReaderState| {
        let part = state.item(item)?.parts().nth(part).ok_or(dfold_status::DFOLD_NO_MORE)?;
        Ok((&part).into())
    };
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(reader, out_part, get) }
}

/// Gets a part of an item's summary; both positions count from 0.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last item or part; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next feed, poll, end, finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_summary_part(
    reader: *mut dfold_reader,
    item: usize,
    part: usize,
    out_part: *mut dfold_part,
) -> dfold_status {
    let get = |state: &mut ReaderState| {
        let part = state.item(item)?.summary().nth(part).ok_or(dfold_status::DFOLD_NO_MORE)?;
        Ok((&part).into())
    };
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(reader, out_part, get) }
}

/// Gets the arguments of a tool call so far as complete JSON text: open containers are closed, an unfinished string is
/// included, an unfinished number or literal is omitted. Each call parses only the text that is new since the previous
/// call.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last item or before the value begins; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_partial_arguments(
    reader: *mut dfold_reader,
    item: usize,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    let get = |state: &ReaderState| {
        let json = state.item(item)?.read_arguments(|parser| parser.value().map(Value::to_string));
        json.ok_or(dfold_status::DFOLD_NO_MORE)
    };
    // SAFETY: the caller upholds the contract of `json_of`.
    unsafe { json_of(reader, out_json, get) }
}

/// Gets the text of a content part so far as complete JSON text, for structured output; see dfold_reader_partial_arguments.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last item or part or before the value begins; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_partial_json(
    reader: *mut dfold_reader,
    item: usize,
    part: usize,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    let get = |state: &ReaderState| {
        let part = state.item(item)?.parts().nth(part).ok_or(dfold_status::DFOLD_NO_MORE)?;
        part.read_json(|parser| parser.value().map(Value::to_string)).ok_or(dfold_status::DFOLD_NO_MORE)
    };
    // SAFETY: the caller upholds the contract of `json_of`.
    unsafe { json_of(reader, out_json, get) }
}

/// Gets a preview image of an item; both positions count from 0.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last item or image; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the view.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next feed, poll, end, finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_partial_image(
    reader: *mut dfold_reader,
    item: usize,
    at: usize,
    out_image: *mut dfold_image,
) -> dfold_status {
    let get = |state: &mut ReaderState| {
        let (number, base64) = state.item(item)?.partial_images().nth(at).ok_or(dfold_status::DFOLD_NO_MORE)?;
        Ok(dfold_image { number, base64: base64.into() })
    };
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(reader, out_image, get) }
}
