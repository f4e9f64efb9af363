//! A converter: reads a stream in one dialect and writes it in another, with Open Responses as the intermediate form.

use deltafold::adapter::{detect, Converter};
use deltafold::ItemStatus;

use crate::bytes::dfold_bytes;
use crate::clock::CLOCK;
use crate::error::{dfold_error, dfold_problem, report_problem, LastError};
use crate::ffi;
use crate::panic::boundary_or;
use crate::status::dfold_status;

/// Converts a stream from one dialect to another. Opaque; created by dfold_converter_new, freed by dfold_converter_free.
///
/// Inputs: dfold_converter_feed, dfold_converter_finish, dfold_converter_cancel. Output: dfold_converter_take after each input.
pub struct dfold_converter {
    state: ConverterState,
    panicked: bool,
}

/// Contents of the handle: the converter, and the storage that its views point to.
pub(crate) struct ConverterState {
    converter: Converter,
    last_error: LastError,
    taken: Vec<u8>,
    scratch: String,
}

impl ffi::Handle for dfold_converter {
    type Inner = ConverterState;

    fn parts(&mut self) -> (&mut ConverterState, &mut bool) {
        (&mut self.state, &mut self.panicked)
    }
}

/// Creates a converter from a JSON object: `from` (detected if absent), `to`, `options` (an object with the options of both
/// adapters), `framing` (`sse` or `jsonl`), `limits`. Without the option `now`, times are those of the clock.
///
/// Source dialects: open-responses anthropic chat-completions gemini blocks thread-events ollama mistral cohere bedrock.
/// Target dialects: open-responses anthropic chat-completions ag-ui ui-message-stream.
///
/// Returns DFOLD_OK; DFOLD_JSON_SYNTAX, DFOLD_MISUSE_ARGUMENT or DFOLD_MISUSE_UNKNOWN_NAME for invalid options, with the
/// reason in `out_problem`; DFOLD_MISUSE for NULL.
///
/// - Ownership: the caller owns the converter and frees it with dfold_converter_free; the text is read and not kept.
/// - NULL: `out_problem` may be NULL; `out_converter` must not.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_new(
    options: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_converter: *mut *mut dfold_converter,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all three functions.
    unsafe {
        ffi::create(out_converter, || {
            let state = ConverterState {
                converter: report_problem(Converter::from_json_with_clock(ffi::text(options)?, CLOCK), out_problem)?,
                last_error: LastError::default(),
                taken: Vec::new(),
                scratch: String::new(),
            };
            Ok(dfold_converter { state, panicked: false })
        })
    }
}

/// Frees a converter.
///
/// - Ownership: the converter is freed; using it afterwards is undefined behavior.
/// - NULL: allowed; nothing happens.
/// - Threads: no other call on the converter may be running.
/// - Views: invalidates all views of the converter.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_free(converter: *mut dfold_converter) {
    // SAFETY: the caller upholds the contract of `free`.
    unsafe { ffi::free(converter) }
}

/// Feeds bytes of the source stream, split anywhere. Output that was ready before a failure is valid: take it first.
///
/// Returns DFOLD_OK; DFOLD_LIMIT_* past a limit, on this and every later call; DFOLD_MISUSE_AFTER_FINISH after the end;
/// DFOLD_MISUSE for NULL or an impossible length.
///
/// - Ownership: the bytes are copied; the caller keeps them.
/// - NULL: `converter` must not be NULL; `chunk` may be NULL with `len` 0.
/// - Threads: one call at a time on a converter; different converters are independent.
/// - Views: invalidates none.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_feed(
    converter: *mut dfold_converter,
    chunk: *const u8,
    len: usize,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        ffi::with(converter, |ConverterState { converter, last_error, .. }| {
            let chunk = ffi::bytes(chunk, len)?;
            last_error.check(converter.feed(chunk))
        })
    }
}

/// Ends the input. Afterwards take the remaining output. Call it also if the source broke off: a stream without an end gets the
/// terminal event of a failure with the code `stream_truncated`: `response.failed`, `RUN_ERROR`, `error`.
///
/// Returns as dfold_converter_feed, and DFOLD_MISUSE_UNKNOWN_NAME if the source dialect could not be detected.
///
/// - Ownership: no ownership changes.
/// - NULL: `converter` must not be NULL.
/// - Threads: one call at a time on a converter; different converters are independent.
/// - Views: invalidates none.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_finish(converter: *mut dfold_converter) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with`.
    unsafe { ffi::with(converter, |ConverterState { converter, last_error, .. }| last_error.check(converter.finish())) }
}

/// Cancels the response: the target stream ends like that of a cancelled response. Open Responses that are passed on end with
/// `response.failed` and the code `cancelled`.
///
/// Returns as dfold_converter_finish.
///
/// - Ownership: no ownership changes.
/// - NULL: `converter` must not be NULL.
/// - Threads: one call at a time on a converter; different converters are independent.
/// - Views: invalidates none.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_cancel(converter: *mut dfold_converter) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with`.
    unsafe { ffi::with(converter, |ConverterState { converter, last_error, .. }| last_error.check(converter.cancel())) }
}

/// Takes the bytes of the target stream that are ready.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the bytes; send or copy them.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a converter; different converters are independent.
/// - Views: valid until the next take or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_take(
    converter: *mut dfold_converter,
    out_bytes: *mut dfold_bytes,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe {
        ffi::with_output(converter, out_bytes, |state| {
            state.taken.clear();
            state.converter.write_into(&mut state.taken);
            Ok(state.taken.as_slice().into())
        })
    }
}

/// Gets a report as a JSON object: `from` (null while unknown), `to`, `lost` (a count) and `findings` (data that was lost,
/// repaired or assumed).
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a converter; different converters are independent.
/// - Views: valid until the next call on the converter.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_report(
    converter: *mut dfold_converter,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe {
        ffi::with_output(converter, out_json, |state| {
            state.scratch = state.converter.report().to_string();
            Ok(state.scratch.as_str().into())
        })
    }
}

/// Gets the error of the last failed call on the converter.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if no call has failed (DFOLD_MISUSE is not recorded); DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views of the error.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a converter; different converters are independent.
/// - Views: valid until the next call on the converter.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_error(
    converter: *mut dfold_converter,
    out_error: *mut dfold_error,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(converter, out_error, |state| state.last_error.get()) }
}

/// Detects the dialect of a stream from its first bytes, such as `anthropic`. Returns an empty view if more bytes are
/// needed or no dialect matches.
///
/// - Ownership: the caller keeps the bytes; the library owns the name.
/// - NULL: `start` may be NULL with `len` 0; NULL with a length returns an empty view.
/// - Threads: safe from any thread.
/// - Views: the name is constant and lives as long as the library.
#[no_mangle]
pub unsafe extern "C" fn dfold_detect(start: *const u8, len: usize) -> dfold_bytes {
    boundary_or(dfold_bytes::EMPTY, || {
        // SAFETY: the caller upholds the contract of `bytes`.
        let start = unsafe { ffi::bytes(start, len) }.unwrap_or_default();
        detect(start).map(|dialect| dialect.name()).into()
    })
}

/// Tells whether a name can be the type of an extension event or item: `slug:name`, with letters, digits, `_`, `-` and `.`. Returns
/// 1 if it can, and 0 if not.
///
/// - Ownership: the caller keeps the bytes.
/// - NULL: `name.data` may be NULL with length 0, which is no type; NULL with a length returns 0.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_is_valid_extension_type(name: dfold_bytes) -> u32 {
    boundary_or(0, || {
        // SAFETY: the caller upholds the contract of `text`.
        let name = unsafe { ffi::text(name) };
        u32::from(name.is_ok_and(deltafold::is_valid_extension_type))
    })
}

/// Tells whether a status of an item is final: no further event changes the item. Returns 1 if it is, and 0 if not or if the
/// word is no status.
///
/// - Ownership: the caller keeps the bytes.
/// - NULL: `status.data` may be NULL with length 0, which is no status; NULL with a length returns 0.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_is_terminal_status(status: dfold_bytes) -> u32 {
    boundary_or(0, || {
        // SAFETY: the caller upholds the contract of `text`.
        let status = unsafe { ffi::text(status) }.ok().and_then(ItemStatus::from_name);
        u32::from(status.is_some_and(ItemStatus::is_terminal))
    })
}

/// Tells whether a status of an item says that the item is complete. Returns 1 if it does, and 0 if not or if the word is no
/// status.
///
/// - Ownership: the caller keeps the bytes.
/// - NULL: `status.data` may be NULL with length 0, which is no status; NULL with a length returns 0.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_is_success_status(status: dfold_bytes) -> u32 {
    boundary_or(0, || {
        // SAFETY: the caller upholds the contract of `text`.
        let status = unsafe { ffi::text(status) }.ok().and_then(ItemStatus::from_name);
        u32::from(status.is_some_and(ItemStatus::is_success))
    })
}
