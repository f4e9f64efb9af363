//! What a reader has folded so far: the response, its items and their parts. Getters only; none changes the reader.

use std::borrow::Cow;

use deltafold::json::Value;
use deltafold::write::Usage;
use deltafold::{Item, Part};

use crate::bytes::dfold_bytes;
use crate::ffi;
use crate::reader::{dfold_reader, Reading};
use crate::status::dfold_status;
use crate::usage::dfold_usage;
use crate::value::dfold_value;

/// The response so far. What it has not said yet is empty.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_response {
    /// The response's id.
    pub id: dfold_bytes,
    /// The status word.
    pub status: dfold_bytes,
    /// The model's name.
    pub model: dfold_bytes,
    /// How many items there are.
    pub items: usize,
}

/// One output item, growing or done. What it does not have is empty.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_item {
    /// The item's type, such as `message`.
    pub r#type: dfold_bytes,
    /// The item's id.
    pub id: dfold_bytes,
    /// The item's status.
    pub status: dfold_bytes,
    /// The call's id, for tool calls.
    pub call_id: dfold_bytes,
    /// The tool's name, for tool calls.
    pub name: dfold_bytes,
    /// The text of a tool call so far: `arguments`, `input` or `code`.
    pub arguments: dfold_bytes,
    /// How many parts its content has.
    pub parts: usize,
    /// How many parts its summary has.
    pub summary_parts: usize,
    /// How many preview images are kept.
    pub partial_images: usize,
    /// Whether the item is finished.
    pub done: bool,
}

/// One part of an item's content or summary.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_part {
    /// The part's type, such as `output_text`.
    pub r#type: dfold_bytes,
    /// The part's text so far; for a refusal, its words.
    pub text: dfold_bytes,
}

/// A preview of an image that is being made.
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
            r#type: item.kind().into(),
            id: item.id().into(),
            status: item.status().into(),
            call_id: item.call_id().into(),
            name: item.name().into(),
            arguments: item.arguments().into(),
            parts: item.parts().count(),
            summary_parts: item.summary().count(),
            partial_images: item.partial_images().count(),
            done: item.is_done(),
        }
    }
}

impl From<&Part<'_>> for dfold_part {
    fn from(part: &Part<'_>) -> Self {
        Self { r#type: part.kind().into(), text: part.text().into() }
    }
}

impl Reading {
    fn item(&self, at: usize) -> Result<Item<'_>, dfold_status> {
        self.reader.response().item(at).ok_or(dfold_status::DFOLD_NO_MORE)
    }
}

/// Keeps text in the scratch and gives a view of it.
fn show(scratch: &mut String, text: String) -> dfold_bytes {
    *scratch = text;
    scratch.as_str().into()
}

/// The value that a pointer leads to from an object of which only the members can be asked for.
fn walk<'v>(pointer: &str, member: impl FnOnce(&str) -> Option<&'v Value>) -> Result<&'v Value, dfold_status> {
    let path = pointer.strip_prefix('/').ok_or(dfold_status::DFOLD_NO_MORE)?;
    let (key, rest) = path.find('/').map_or((path, ""), |at| path.split_at(at));
    let key = key.replace("~1", "/").replace("~0", "~");
    member(&key).and_then(|value| value.pointer(rest)).ok_or(dfold_status::DFOLD_NO_MORE)
}

/// Runs a getter that leaves its text in the scratch.
///
/// # Safety
/// As for [`ffi::ask`].
unsafe fn text_of(
    reader: *mut dfold_reader,
    out: *mut dfold_bytes,
    ask: impl FnOnce(&Reading) -> Result<String, dfold_status>,
) -> dfold_status {
    // SAFETY: the caller promises it.
    unsafe {
        ffi::ask(reader, out, |reading| {
            let text = ask(reading)?;
            Ok(show(&mut reading.scratch, text))
        })
    }
}

/// Gives the head of the response so far: a snapshot before its terminal event, the response after it.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the views stay the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next feed, poll, end, finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_response(
    reader: *mut dfold_reader,
    out_response: *mut dfold_response,
) -> dfold_status {
    let head = |reading: &mut Reading| {
        let response = reading.reader.response();
        let (id, status, model) = (response.id().into(), response.status().into(), response.model().into());
        Ok(dfold_response { id, status, model, items: response.len() })
    };
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(reader, out_response, head) }
}

/// Gives the whole response so far as JSON text. Costs as much as the response is long.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the text stays the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_response_json(
    reader: *mut dfold_reader,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    // SAFETY: what `text_of` asks for is what our caller promises.
    unsafe { text_of(reader, out_json, |reading| Ok(reading.reader.response().to_json())) }
}

/// Looks at any field of the response so far but `output`, by JSON pointer: `/usage/total_tokens`. For `output` there are
/// dfold_reader_item and its kin.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if there is no such field; DFOLD_MISUSE for NULL.
///
/// - Ownership: the value's view stays the library's; the pointer stays the caller's.
/// - NULL: `reader` and `out_value` may not be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_response_get(
    reader: *mut dfold_reader,
    pointer: dfold_bytes,
    out_value: *mut dfold_value,
) -> dfold_status {
    // SAFETY: what all three ask for is what our caller promises.
    unsafe {
        ffi::ask(reader, out_value, |reading| {
            let response = reading.reader.response();
            let value = walk(ffi::text(pointer)?, |key| response.get(key))?;
            Ok(dfold_value::of(value, &mut reading.scratch))
        })
    }
}

/// Gives the token counts.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE as long as the response has none, or has some that are no whole numbers; DFOLD_MISUSE for
/// NULL.
///
/// - Ownership: nothing changes hands.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_usage(reader: *mut dfold_reader, out_usage: *mut dfold_usage) -> dfold_status {
    let ask = |reading: &mut Reading| {
        let usage = reading.reader.usage().ok_or(dfold_status::DFOLD_NO_MORE)?;
        Usage::from_value(usage).map(Into::into).map_err(|_| dfold_status::DFOLD_NO_MORE)
    };
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(reader, out_usage, ask) }
}

/// Gives the texts of all `output_text` parts of all messages so far, joined. Copies nothing where there is only one.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the text stays the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_output_text(
    reader: *mut dfold_reader,
    out_text: *mut dfold_bytes,
) -> dfold_status {
    let ask = |reading: &mut Reading| {
        Ok(match reading.reader.response().output_text() {
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => show(&mut reading.scratch, text),
        })
    };
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(reader, out_text, ask) }
}

/// Gives the item at a position of the output, from 0 on.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last item; DFOLD_MISUSE for NULL.
///
/// - Ownership: the views stay the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next feed, poll, end, finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_item(
    reader: *mut dfold_reader,
    item: usize,
    out_item: *mut dfold_item,
) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe { ffi::ask(reader, out_item, |reading| Ok((&reading.item(item)?).into())) }
}

/// Finds the position of the item that an event's `output_index` routes to. They differ where a stream leaves indexes out.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if there is none; DFOLD_MISUSE for NULL.
///
/// - Ownership: nothing changes hands.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_find_item(
    reader: *mut dfold_reader,
    output_index: u64,
    out_item: *mut usize,
) -> dfold_status {
    let find = |reading: &mut Reading| {
        reading.reader.response().position_of_index(output_index).ok_or(dfold_status::DFOLD_NO_MORE)
    };
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(reader, out_item, find) }
}

/// Gives an item as JSON text.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last item; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text stays the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_item_json(
    reader: *mut dfold_reader,
    item: usize,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    let ask = |reading: &Reading| {
        let mut json = String::new();
        reading.item(item)?.write_json(&mut json);
        Ok(json)
    };
    // SAFETY: what `text_of` asks for is what our caller promises.
    unsafe { text_of(reader, out_json, ask) }
}

/// Looks at any field of an item, by JSON pointer: `/action/query`, `/content/0/annotations/1/url`.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if there is no such item or field; DFOLD_MISUSE for NULL.
///
/// - Ownership: the value's view stays the library's; the pointer stays the caller's.
/// - NULL: `reader` and `out_value` may not be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_item_get(
    reader: *mut dfold_reader,
    item: usize,
    pointer: dfold_bytes,
    out_value: *mut dfold_value,
) -> dfold_status {
    // SAFETY: what all three ask for is what our caller promises.
    unsafe {
        ffi::ask(reader, out_value, |reading| {
            let pointer = ffi::text(pointer)?;
            let Reading { reader, scratch, .. } = reading;
            let item = reader.response().item(item).ok_or(dfold_status::DFOLD_NO_MORE)?;
            let value = walk(pointer, |key| item.get(key))?;
            Ok(dfold_value::of(value, scratch))
        })
    }
}

/// Gives a part of an item's content, both from 0 on.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last item or part; DFOLD_MISUSE for NULL.
///
/// - Ownership: the views stay the library's.
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
    let ask = |reading: &mut Reading| {
        let part = reading.item(item)?.parts().nth(part).ok_or(dfold_status::DFOLD_NO_MORE)?;
        Ok((&part).into())
    };
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(reader, out_part, ask) }
}

/// Gives a part of an item's summary, both from 0 on.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last item or part; DFOLD_MISUSE for NULL.
///
/// - Ownership: the views stay the library's.
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
    let ask = |reading: &mut Reading| {
        let part = reading.item(item)?.summary().nth(part).ok_or(dfold_status::DFOLD_NO_MORE)?;
        Ok((&part).into())
    };
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(reader, out_part, ask) }
}

/// Gives the arguments of a tool call so far as JSON text that is whole: open containers are closed, an open string is
/// included as far as it goes, an open number or literal is left out. Each call parses only what came since the last one.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last item or before the first character of a value; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text stays the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_partial_arguments(
    reader: *mut dfold_reader,
    item: usize,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    let ask = |reading: &Reading| {
        let json = reading.item(item)?.read_arguments(|parser| parser.value().map(Value::to_string));
        json.ok_or(dfold_status::DFOLD_NO_MORE)
    };
    // SAFETY: what `text_of` asks for is what our caller promises.
    unsafe { text_of(reader, out_json, ask) }
}

/// Gives the text of a content part so far as JSON text that is whole, for structured output; as
/// dfold_reader_partial_arguments does for arguments.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last item or part or before the first character of a value; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text stays the library's.
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
    let ask = |reading: &Reading| {
        let part = reading.item(item)?.parts().nth(part).ok_or(dfold_status::DFOLD_NO_MORE)?;
        part.read_json(|parser| parser.value().map(Value::to_string)).ok_or(dfold_status::DFOLD_NO_MORE)
    };
    // SAFETY: what `text_of` asks for is what our caller promises.
    unsafe { text_of(reader, out_json, ask) }
}

/// Gives a preview image of an item, both from 0 on.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last item or image; DFOLD_MISUSE for NULL.
///
/// - Ownership: the view stays the library's.
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
    let ask = |reading: &mut Reading| {
        let (number, base64) = reading.item(item)?.partial_images().nth(at).ok_or(dfold_status::DFOLD_NO_MORE)?;
        Ok(dfold_image { number, base64: base64.into() })
    };
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(reader, out_image, ask) }
}
