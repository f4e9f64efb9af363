//! The intents of a writer by name: those that every server needs as functions, and one entry for all of them.

use deltafold::write::{ApiError, ErrorType, ItemHandle, Usage, Writer};
use deltafold::{Code, Error};

use crate::bytes::dfold_bytes;
use crate::ffi;
use crate::status::dfold_status;
use crate::usage::dfold_usage;
use crate::writer::{dfold_writer, object, Writing};

/// What dfold_writer_apply_json gives for an intent that opened no item.
pub const DFOLD_NO_ITEM: u32 = u32::MAX;

/// Carries an intent out, and keeps why it was refused.
///
/// # Safety
/// As for [`ffi::with`].
unsafe fn intent(writer: *mut dfold_writer, intent: impl FnOnce(&mut Writer) -> Result<(), Error>) -> dfold_status {
    // SAFETY: the caller promises it.
    unsafe { ffi::with(writer, |Writing { writer, failures, .. }| failures.check(intent(writer))) }
}

/// Adds text to an item.
///
/// # Safety
/// As for [`ffi::with`] and [`ffi::text`].
unsafe fn delta(
    writer: *mut dfold_writer,
    item: u32,
    text: dfold_bytes,
    add: impl FnOnce(&mut Writer, ItemHandle, &str) -> Result<(), Error>,
) -> dfold_status {
    // SAFETY: the caller promises both.
    unsafe {
        ffi::with(writer, |Writing { writer, failures, .. }| {
            let text = ffi::text(text)?;
            failures.check(add(writer, ItemHandle::at(item), text))
        })
    }
}

/// Opens an item and tells its place in the output.
///
/// # Safety
/// As for [`ffi::ask`].
unsafe fn open(
    writer: *mut dfold_writer,
    out_item: *mut u32,
    open: impl FnOnce(&mut Writer) -> Result<Result<ItemHandle, Error>, dfold_status>,
) -> dfold_status {
    // SAFETY: the caller promises it.
    unsafe {
        ffi::ask(writer, out_item, |Writing { writer, failures, .. }| {
            failures.check(open(writer)?).map(ItemHandle::output_index)
        })
    }
}

/// Reads counts that may be left out.
///
/// # Safety
/// `usage` is NULL or points to counts that nobody writes to now.
unsafe fn counts(usage: *const dfold_usage) -> Result<Option<Usage>, dfold_status> {
    // SAFETY: the caller promises it.
    let usage = unsafe { ffi::array(usage, usize::from(!usage.is_null())) }?;
    Ok(usage.first().map(|usage| (*usage).into()))
}

/// Carries out any intent, given as a JSON object: `{"do":"message"}`, `{"do":"text","item":0,"text":"Hi"}`, …; the guide to the
/// writer lists them all. `*out_item` is the item that was opened, or DFOLD_NO_ITEM.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is read and stays the caller's.
/// - NULL: `out_item` may be NULL; `writer` may not; `intent` may be NULL with `len` 0.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_apply_json(
    writer: *mut dfold_writer,
    intent: *const u8,
    len: usize,
    out_item: *mut u32,
) -> dfold_status {
    // SAFETY: what all three ask for is what our caller promises.
    unsafe {
        ffi::with(writer, |Writing { writer, failures, .. }| {
            let intent = ffi::text(dfold_bytes { data: intent, len })?;
            let item = failures.check(writer.apply_json(intent))?;
            if !out_item.is_null() {
                ffi::write(out_item, item.map_or(DFOLD_NO_ITEM, ItemHandle::output_index))?;
            }
            Ok(())
        })
    }
}

/// Writes `response.created` and `response.queued`: the response waits. dfold_writer_start ends the wait.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: nothing changes hands.
/// - NULL: `writer` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_queue(writer: *mut dfold_writer) -> dfold_status {
    // SAFETY: what `intent` asks for is what our caller promises.
    unsafe { intent(writer, Writer::queue) }
}

/// Writes `response.created` and `response.in_progress`. Any other intent does it by itself.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: nothing changes hands.
/// - NULL: `writer` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_start(writer: *mut dfold_writer) -> dfold_status {
    // SAFETY: what `intent` asks for is what our caller promises.
    unsafe { intent(writer, Writer::start) }
}

/// Tells the time in whole seconds; `completed_at` is the last time told.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: nothing changes hands.
/// - NULL: `writer` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_set_now(writer: *mut dfold_writer, seconds: u64) -> dfold_status {
    // SAFETY: what `intent` asks for is what our caller promises.
    unsafe {
        intent(writer, |writer| {
            writer.set_now(seconds);
            Ok(())
        })
    }
}

/// Opens an assistant message.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: nothing changes hands.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_message(writer: *mut dfold_writer, out_item: *mut u32) -> dfold_status {
    // SAFETY: what `open` asks for is what our caller promises.
    unsafe { open(writer, out_item, |writer| Ok(writer.message())) }
}

/// Opens a reasoning item.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: nothing changes hands.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_reasoning(writer: *mut dfold_writer, out_item: *mut u32) -> dfold_status {
    // SAFETY: what `open` asks for is what our caller promises.
    unsafe { open(writer, out_item, |writer| Ok(writer.reasoning())) }
}

/// Opens a function call. An empty `call_id` is replaced by one made from the response's id.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: the texts are read and stay the caller's.
/// - NULL: `writer` and `out_item` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_function_call(
    writer: *mut dfold_writer,
    call_id: dfold_bytes,
    name: dfold_bytes,
    out_item: *mut u32,
) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        open(writer, out_item, |writer| {
            let (call_id, name) = (ffi::text(call_id)?, ffi::text(name)?);
            Ok(writer.function_call(call_id, name))
        })
    }
}

/// Opens a call of a custom tool. An empty `call_id` is replaced by one made from the response's id.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: the texts are read and stay the caller's.
/// - NULL: `writer` and `out_item` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_custom_tool_call(
    writer: *mut dfold_writer,
    call_id: dfold_bytes,
    name: dfold_bytes,
    out_item: *mut u32,
) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        open(writer, out_item, |writer| {
            let (call_id, name) = (ffi::text(call_id)?, ffi::text(name)?);
            Ok(writer.custom_tool_call(call_id, name))
        })
    }
}

/// Opens an item of any type, with its other fields as a JSON object, or no text for none.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: the texts are read and stay the caller's.
/// - NULL: `writer` and `out_item` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_open(
    writer: *mut dfold_writer,
    item_type: dfold_bytes,
    fields_json: dfold_bytes,
    out_item: *mut u32,
) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        open(writer, out_item, |writer| {
            let (item_type, fields) = (ffi::text(item_type)?, ffi::text(fields_json)?);
            let fields = object(if fields.is_empty() { "{}" } else { fields });
            Ok(fields.and_then(|fields| writer.open(item_type, fields)))
        })
    }
}

/// Adds text to a message. Costs no allocation once the buffers have grown.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is copied and stays the caller's.
/// - NULL: `writer` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_text(writer: *mut dfold_writer, item: u32, text: dfold_bytes) -> dfold_status {
    // SAFETY: what `delta` asks for is what our caller promises.
    unsafe { delta(writer, item, text, Writer::text) }
}

/// Adds words to the refusal of a message. Costs no allocation once the buffers have grown.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is copied and stays the caller's.
/// - NULL: `writer` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_refusal(writer: *mut dfold_writer, item: u32, text: dfold_bytes) -> dfold_status {
    // SAFETY: what `delta` asks for is what our caller promises.
    unsafe { delta(writer, item, text, Writer::refusal) }
}

/// Adds raw text to a reasoning item. Costs no allocation once the buffers have grown.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is copied and stays the caller's.
/// - NULL: `writer` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_reasoning_text(
    writer: *mut dfold_writer,
    item: u32,
    text: dfold_bytes,
) -> dfold_status {
    // SAFETY: what `delta` asks for is what our caller promises.
    unsafe { delta(writer, item, text, Writer::reasoning_text) }
}

/// Adds text to the summary of a reasoning item. Costs no allocation once the buffers have grown.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is copied and stays the caller's.
/// - NULL: `writer` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_reasoning_summary(
    writer: *mut dfold_writer,
    item: u32,
    text: dfold_bytes,
) -> dfold_status {
    // SAFETY: what `delta` asks for is what our caller promises.
    unsafe { delta(writer, item, text, Writer::reasoning_summary) }
}

/// Adds to the arguments of a function call or MCP call. Costs no allocation once the buffers have grown.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is copied and stays the caller's.
/// - NULL: `writer` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_arguments(
    writer: *mut dfold_writer,
    item: u32,
    text: dfold_bytes,
) -> dfold_status {
    // SAFETY: what `delta` asks for is what our caller promises.
    unsafe { delta(writer, item, text, Writer::arguments) }
}

/// Adds to the input of a custom tool call. Costs no allocation once the buffers have grown.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is copied and stays the caller's.
/// - NULL: `writer` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_input(writer: *mut dfold_writer, item: u32, text: dfold_bytes) -> dfold_status {
    // SAFETY: what `delta` asks for is what our caller promises.
    unsafe { delta(writer, item, text, Writer::input) }
}

/// Closes an item as completed.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: nothing changes hands.
/// - NULL: `writer` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_close(writer: *mut dfold_writer, item: u32) -> dfold_status {
    // SAFETY: what `intent` asks for is what our caller promises.
    unsafe { intent(writer, |writer| writer.close(ItemHandle::at(item))) }
}

/// Ends the response well: closes what is open, then `response.completed` and `[DONE]`.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: the counts are read and stay the caller's.
/// - NULL: `usage` may be NULL, for none; `writer` may not.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_complete(writer: *mut dfold_writer, usage: *const dfold_usage) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        ffi::with(writer, |Writing { writer, failures, .. }| {
            let usage = counts(usage)?;
            failures.check(writer.complete(usage))
        })
    }
}

/// Ends the response early, with a reason such as `max_output_tokens`: closes what is open, then `response.incomplete` and
/// `[DONE]`.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: reason and counts are read and stay the caller's.
/// - NULL: `usage` may be NULL, for none; `writer` may not.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_incomplete(
    writer: *mut dfold_writer,
    reason: dfold_bytes,
    usage: *const dfold_usage,
) -> dfold_status {
    // SAFETY: what all three ask for is what our caller promises.
    unsafe {
        ffi::with(writer, |Writing { writer, failures, .. }| {
            let (reason, usage) = (ffi::text(reason)?, counts(usage)?);
            failures.check(writer.incomplete(reason, usage))
        })
    }
}

/// Ends the response because its caller wants no more: everything open ends incomplete, the reason is `cancelled`.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: nothing changes hands.
/// - NULL: `writer` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_cancel(writer: *mut dfold_writer) -> dfold_status {
    // SAFETY: what `intent` asks for is what our caller promises.
    unsafe { intent(writer, Writer::cancel) }
}

/// Ends the response because something broke: an `error` event, `response.failed`, `[DONE]`. `error_type` is one of the five of
/// the contract, such as `server_error`; empty for that one. `code` may be empty.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: the texts are read and stay the caller's.
/// - NULL: `writer` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_fail(
    writer: *mut dfold_writer,
    error_type: dfold_bytes,
    code: dfold_bytes,
    message: dfold_bytes,
) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        ffi::with(writer, |Writing { writer, failures, .. }| {
            let (kind, code, message) = (ffi::text(error_type)?, ffi::text(code)?, ffi::text(message)?);
            let known = if kind.is_empty() { Some(ErrorType::default()) } else { ErrorType::from_name(kind) };
            let unknown = || Error::new(Code::BadArgument, 0, "expected one of the five error types");
            let kind = failures.check(known.ok_or_else(unknown))?;
            let code = Some(code).filter(|code| !code.is_empty()).map(Into::into);
            failures.check(writer.fail(&ApiError { kind, code, message: message.into(), ..ApiError::default() }))
        })
    }
}

/// Writes a sign of life, as the options say.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_INTENT or DFOLD_MISUSE_ARGUMENT if it is refused; DFOLD_MISUSE for NULL.
///
/// - Ownership: nothing changes hands.
/// - NULL: `writer` may not be NULL.
/// - Threads: one call at a time on a writer; different writers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_writer_heartbeat(writer: *mut dfold_writer) -> dfold_status {
    // SAFETY: what `intent` asks for is what our caller promises.
    unsafe { intent(writer, Writer::heartbeat) }
}
