//! The intents of a writer: the common ones as functions, and one function that accepts every intent as JSON.

use deltafold::write::{ApiError, ErrorType, ItemHandle, Usage, Writer};
use deltafold::{Code, Error};

use crate::bytes::dfold_bytes;
use crate::ffi;
use crate::status::dfold_status;
use crate::usage::dfold_usage;
use crate::writer::{dfold_writer, parse_object, WriterState};

/// The item number that dfold_writer_apply_json returns for an intent that opens no item.
pub const DFOLD_NO_ITEM: u32 = u32::MAX;

/// Runs an intent and records its error.
///
/// # Safety
/// As for [`ffi::with`].
unsafe fn run_intent(writer: *mut dfold_writer, intent: impl FnOnce(&mut Writer) -> Result<(), Error>) -> dfold_status {
    // SAFETY: the caller upholds this contract.
    unsafe { ffi::with(writer, |WriterState { writer, last_error, .. }| last_error.check(intent(writer))) }
}

/// Adds text to an item.
///
/// # Safety
/// As for [`ffi::with`] and [`ffi::text`].
unsafe fn append_text(
    writer: *mut dfold_writer,
    item: u32,
    text: dfold_bytes,
    add: impl FnOnce(&mut Writer, ItemHandle, &str) -> Result<(), Error>,
) -> dfold_status {
    // SAFETY: the caller upholds both contracts.
    unsafe {
        ffi::with(writer, |WriterState { writer, last_error, .. }| {
            let text = ffi::text(text)?;
            last_error.check(add(writer, ItemHandle::at(item), text))
        })
    }
}

/// Opens an item and returns its `output_index`.
///
/// # Safety
/// As for [`ffi::with_output`].
unsafe fn open_item(
    writer: *mut dfold_writer,
    out_item: *mut u32,
    open: impl FnOnce(&mut Writer) -> Result<Result<ItemHandle, Error>, dfold_status>,
) -> dfold_status {
    // SAFETY: the caller upholds this contract.
    unsafe {
        ffi::with_output(writer, out_item, |WriterState { writer, last_error, .. }| {
            last_error.check(open(writer)?).map(ItemHandle::output_index)
        })
    }
}

/// Reads optional token counts.
///
/// # Safety
/// `usage` is NULL or points to counts that are not modified during the call.
unsafe fn optional_usage(usage: *const dfold_usage) -> Result<Option<Usage>, dfold_status> {
    // SAFETY: the caller upholds this contract.
    let usage = unsafe { ffi::array(usage, usize::from(!usage.is_null())) }?;
    Ok(usage.first().map(|usage| (*usage).into()))
}

/// Runs any intent, given as a JSON object: `{"do":"message"}`, `{"do":"text","item":0,"text":"Hi"}`, …; the writer's guide
/// lists all intents. `*out_item` is the item that was opened, or DFOLD_NO_ITEM.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is read and not kept.
/// - NULL: `out_item` may be NULL; `writer` must not; `intent` may be NULL with `len` 0.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_apply_json(
    writer: *mut dfold_writer,
    intent: *const u8,
    len: usize,
    out_item: *mut u32,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all three functions.
    unsafe {
        ffi::with(writer, |WriterState { writer, last_error, .. }| {
            let intent = ffi::text(dfold_bytes { data: intent, len })?;
            let item = last_error.check(writer.apply_json(intent))?;
            if !out_item.is_null() {
                ffi::write(out_item, item.map_or(DFOLD_NO_ITEM, ItemHandle::output_index))?;
            }
            Ok(())
        })
    }
}

/// Writes `response.created` and `response.queued`: the response is queued until dfold_writer_start.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: no ownership changes.
/// - NULL: `writer` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_queue(writer: *mut dfold_writer) -> dfold_status {
    // SAFETY: the caller upholds the contract of `run_intent`.
    unsafe { run_intent(writer, Writer::queue) }
}

/// Writes `response.created` and `response.in_progress`. Every other intent starts the response if needed.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: no ownership changes.
/// - NULL: `writer` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_start(writer: *mut dfold_writer) -> dfold_status {
    // SAFETY: the caller upholds the contract of `run_intent`.
    unsafe { run_intent(writer, Writer::start) }
}

/// Sets the current time in whole seconds; the last value becomes `completed_at`.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: no ownership changes.
/// - NULL: `writer` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_set_now(writer: *mut dfold_writer, seconds: u64) -> dfold_status {
    // SAFETY: the caller upholds the contract of `run_intent`.
    unsafe {
        run_intent(writer, |writer| {
            writer.set_now(seconds);
            Ok(())
        })
    }
}

/// Opens an assistant message.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: no ownership changes.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_message(writer: *mut dfold_writer, out_item: *mut u32) -> dfold_status {
    // SAFETY: the caller upholds the contract of `open_item`.
    unsafe { open_item(writer, out_item, |writer| Ok(writer.message())) }
}

/// Opens a reasoning item.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: no ownership changes.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_reasoning(writer: *mut dfold_writer, out_item: *mut u32) -> dfold_status {
    // SAFETY: the caller upholds the contract of `open_item`.
    unsafe { open_item(writer, out_item, |writer| Ok(writer.reasoning())) }
}

/// Opens a function call. An empty `call_id` is replaced by one derived from the response id.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: the texts are read and not kept.
/// - NULL: `writer` and `out_item` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_function_call(
    writer: *mut dfold_writer,
    call_id: dfold_bytes,
    name: dfold_bytes,
    out_item: *mut u32,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        open_item(writer, out_item, |writer| {
            let (call_id, name) = (ffi::text(call_id)?, ffi::text(name)?);
            Ok(writer.function_call(call_id, name))
        })
    }
}

/// Opens a call of a custom tool. An empty `call_id` is replaced by one derived from the response id.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: the texts are read and not kept.
/// - NULL: `writer` and `out_item` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_custom_tool_call(
    writer: *mut dfold_writer,
    call_id: dfold_bytes,
    name: dfold_bytes,
    out_item: *mut u32,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        open_item(writer, out_item, |writer| {
            let (call_id, name) = (ffi::text(call_id)?, ffi::text(name)?);
            Ok(writer.custom_tool_call(call_id, name))
        })
    }
}

/// Opens an item of any type, with its other fields as a JSON object; an empty text means no other fields.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: the texts are read and not kept.
/// - NULL: `writer` and `out_item` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_open(
    writer: *mut dfold_writer,
    item_type: dfold_bytes,
    fields_json: dfold_bytes,
    out_item: *mut u32,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        open_item(writer, out_item, |writer| {
            let (item_type, fields) = (ffi::text(item_type)?, ffi::text(fields_json)?);
            let fields = parse_object(if fields.is_empty() { "{}" } else { fields });
            Ok(fields.and_then(|fields| writer.open(item_type, fields)))
        })
    }
}

/// Adds text to a message. Allocates only while internal buffers grow.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is copied; the caller keeps it.
/// - NULL: `writer` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_text(writer: *mut dfold_writer, item: u32, text: dfold_bytes) -> dfold_status {
    // SAFETY: the caller upholds the contract of `append_text`.
    unsafe { append_text(writer, item, text, Writer::text) }
}

/// Adds text to the refusal of a message. Allocates only while internal buffers grow.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is copied; the caller keeps it.
/// - NULL: `writer` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_refusal(writer: *mut dfold_writer, item: u32, text: dfold_bytes) -> dfold_status {
    // SAFETY: the caller upholds the contract of `append_text`.
    unsafe { append_text(writer, item, text, Writer::refusal) }
}

/// Adds raw text to a reasoning item. Allocates only while internal buffers grow.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is copied; the caller keeps it.
/// - NULL: `writer` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_reasoning_text(
    writer: *mut dfold_writer,
    item: u32,
    text: dfold_bytes,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `append_text`.
    unsafe { append_text(writer, item, text, Writer::reasoning_text) }
}

/// Adds text to the summary of a reasoning item. Allocates only while internal buffers grow.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is copied; the caller keeps it.
/// - NULL: `writer` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_reasoning_summary(
    writer: *mut dfold_writer,
    item: u32,
    text: dfold_bytes,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `append_text`.
    unsafe { append_text(writer, item, text, Writer::reasoning_summary) }
}

/// Adds to the arguments of a function call or MCP call. Allocates only while internal buffers grow.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is copied; the caller keeps it.
/// - NULL: `writer` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_arguments(
    writer: *mut dfold_writer,
    item: u32,
    text: dfold_bytes,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `append_text`.
    unsafe { append_text(writer, item, text, Writer::arguments) }
}

/// Adds to the input of a custom tool call. Allocates only while internal buffers grow.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is copied; the caller keeps it.
/// - NULL: `writer` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_input(writer: *mut dfold_writer, item: u32, text: dfold_bytes) -> dfold_status {
    // SAFETY: the caller upholds the contract of `append_text`.
    unsafe { append_text(writer, item, text, Writer::input) }
}

/// Closes an item as completed.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: no ownership changes.
/// - NULL: `writer` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_close(writer: *mut dfold_writer, item: u32) -> dfold_status {
    // SAFETY: the caller upholds the contract of `run_intent`.
    unsafe { run_intent(writer, |writer| writer.close(ItemHandle::at(item))) }
}

/// Completes the response: closes every open item, then writes `response.completed` and `[DONE]`.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: the counts are read and not kept.
/// - NULL: `usage` may be NULL, for none; `writer` must not.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_complete(writer: *mut dfold_writer, usage: *const dfold_usage) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        ffi::with(writer, |WriterState { writer, last_error, .. }| {
            let usage = optional_usage(usage)?;
            last_error.check(writer.complete(usage))
        })
    }
}

/// Ends the response early, with a reason such as `max_output_tokens`: closes every open item, then writes
/// `response.incomplete` and `[DONE]`.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: reason and counts are read and not kept.
/// - NULL: `usage` may be NULL, for none; `writer` must not.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_incomplete(
    writer: *mut dfold_writer,
    reason: dfold_bytes,
    usage: *const dfold_usage,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all three functions.
    unsafe {
        ffi::with(writer, |WriterState { writer, last_error, .. }| {
            let (reason, usage) = (ffi::text(reason)?, optional_usage(usage)?);
            last_error.check(writer.incomplete(reason, usage))
        })
    }
}

/// Cancels the response: every open item ends as incomplete, and the reason is `cancelled`.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: no ownership changes.
/// - NULL: `writer` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_cancel(writer: *mut dfold_writer) -> dfold_status {
    // SAFETY: the caller upholds the contract of `run_intent`.
    unsafe { run_intent(writer, Writer::cancel) }
}

/// Fails the response: writes an `error` event, `response.failed` and `[DONE]`. `error_type` is one of the five error types
/// of the specification; empty means `server_error`. `code` may be empty.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: the texts are read and not kept.
/// - NULL: `writer` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_fail(
    writer: *mut dfold_writer,
    error_type: dfold_bytes,
    code: dfold_bytes,
    message: dfold_bytes,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        ffi::with(writer, |WriterState { writer, last_error, .. }| {
            let (kind, code, message) = (ffi::text(error_type)?, ffi::text(code)?, ffi::text(message)?);
            let known = if kind.is_empty() { Some(ErrorType::default()) } else { ErrorType::from_name(kind) };
            let unknown = || Error::new(Code::BadArgument, 0, "expected one of the five error types");
            let kind = last_error.check(known.ok_or_else(unknown))?;
            let code = Some(code).filter(|code| !code.is_empty()).map(Into::into);
            last_error.check(writer.fail(&ApiError { kind, code, message: message.into(), ..ApiError::default() }))
        })
    }
}

/// Writes a heartbeat in the form that the options select.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT if the intent is invalid in the current state, DFOLD_MISUSE_ARGUMENT for an
/// invalid argument (nothing is written then); DFOLD_MISUSE for NULL.
///
/// - Ownership: no ownership changes.
/// - NULL: `writer` must not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_heartbeat(writer: *mut dfold_writer) -> dfold_status {
    // SAFETY: the caller upholds the contract of `run_intent`.
    unsafe { run_intent(writer, Writer::heartbeat) }
}
