//! Partial JSON: takes a JSON text in pieces and returns the value so far.

use deltafold::json::{PartialJson, PartialOptions, Value};

use crate::bytes::dfold_bytes;
use crate::error::{dfold_error, dfold_problem, report_problem, LastError};
use crate::ffi;
use crate::status::dfold_status;

/// Reads one JSON value that arrives in pieces. Opaque; created by dfold_partial_new, freed by dfold_partial_free.
pub struct dfold_partial {
    state: PartialState,
    panicked: bool,
}

/// Contents of the handle: the parser, and the storage that its views point to.
pub(crate) struct PartialState {
    partial: PartialJson,
    last_error: LastError,
    scratch: String,
}

impl PartialState {
    fn store(&mut self, text: String) -> dfold_bytes {
        self.scratch = text;
        self.scratch.as_str().into()
    }
}

impl ffi::Handle for dfold_partial {
    type Inner = PartialState;

    fn parts(&mut self) -> (&mut PartialState, &mut bool) {
        (&mut self.state, &mut self.panicked)
    }
}

/// Creates a parser. Options are a JSON object: `strings`, `numbers`, `literals` (each `include`, `omit` or `mark`: how an
/// unfinished one appears in the value), `depth` (maximum nesting), `record_changes` (true to record changes).
///
/// Returns DFOLD_OK; DFOLD_JSON_SYNTAX, DFOLD_MISUSE_ARGUMENT or DFOLD_MISUSE_UNKNOWN_NAME for invalid options, with the
/// reason in `out_problem`; DFOLD_MISUSE for NULL.
///
/// - Ownership: the caller owns the parser and frees it with dfold_partial_free; the text is read and not kept.
/// - NULL: `options.data` may be NULL with length 0, for the defaults; `out_problem` may be NULL; `out_partial` must not.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_new(
    options: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_partial: *mut *mut dfold_partial,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all three functions.
    unsafe {
        ffi::create(out_partial, || {
            let options = report_problem(PartialOptions::from_json(ffi::text(options)?), out_problem)?;
            let partial = PartialJson::new(options);
            let state = PartialState { partial, last_error: LastError::default(), scratch: String::new() };
            Ok(dfold_partial { state, panicked: false })
        })
    }
}

/// Frees a parser.
///
/// - Ownership: the parser is freed; using it afterwards is undefined behavior.
/// - NULL: allowed; nothing happens.
/// - Threads: no other call on the parser may be running.
/// - Views: invalidates all views of the parser.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_free(partial: *mut dfold_partial) {
    // SAFETY: the caller upholds the contract of `free`.
    unsafe { ffi::free(partial) }
}

/// Adds the next piece of text: whole characters in UTF-8.
///
/// Returns DFOLD_OK; DFOLD_JSON_SYNTAX or DFOLD_JSON_DEPTH for text that is not JSON, on every call until
/// dfold_partial_reset (the value so far stays readable); DFOLD_MISUSE_ARGUMENT for a piece that is not UTF-8; DFOLD_MISUSE
/// for NULL.
///
/// - Ownership: the text is copied; the caller keeps it.
/// - NULL: `partial` must not be NULL; `piece` may be NULL with `len` 0.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: invalidates all views of the parser.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_push(partial: *mut dfold_partial, piece: *const u8, len: usize) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        ffi::with(partial, |PartialState { partial, last_error, .. }| {
            let piece = ffi::text(dfold_bytes { data: piece, len })?;
            last_error.check(partial.push(piece).map_err(Into::into))
        })
    }
}

/// Ends the text. This completes a number at the end of the text.
///
/// Returns DFOLD_OK if the value is complete; DFOLD_JSON_SYNTAX or DFOLD_JSON_DEPTH if not; DFOLD_MISUSE for NULL.
///
/// - Ownership: no ownership changes.
/// - NULL: `partial` must not be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: invalidates all views of the parser.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_finish(partial: *mut dfold_partial) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with`.
    unsafe {
        ffi::with(partial, |PartialState { partial, last_error, .. }| {
            last_error.check(partial.finish().map_err(Into::into))
        })
    }
}

/// Discards the text and keeps the options.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the caller keeps the handle.
/// - NULL: `partial` must not be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: invalidates all views of the parser.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_reset(partial: *mut dfold_partial) -> dfold_status {
    let reset = |state: &mut PartialState| {
        state.partial.reset();
        state.last_error = LastError::default();
        Ok(())
    };
    // SAFETY: the caller upholds the contract of `with`.
    unsafe { ffi::with(partial, reset) }
}

/// Gets the value so far as compact JSON text; open containers are closed.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE before the value begins; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: valid until the next call on the parser.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_value(partial: *mut dfold_partial, out_json: *mut dfold_bytes) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe {
        ffi::with_output(partial, out_json, |state| {
            let text = state.partial.value().map(Value::to_string);
            text.map(|text| state.store(text)).ok_or(dfold_status::DFOLD_NO_MORE)
        })
    }
}

/// The innermost unfinished value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_unfinished {
    /// Its position as a JSON pointer.
    pub pointer: dfold_bytes,
    /// Its type: `object`, `array`, `string`, `number`, `true`, `false` or `null`.
    pub r#type: dfold_bytes,
}

/// Gets the innermost unfinished value.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE before the value begins and after it is complete; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: valid until the next call on the parser.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_unfinished(
    partial: *mut dfold_partial,
    out_unfinished: *mut dfold_unfinished,
) -> dfold_status {
    let get = |state: &mut PartialState| {
        let (pointer, tag) = state.partial.unfinished().ok_or(dfold_status::DFOLD_NO_MORE)?;
        Ok(dfold_unfinished { pointer: state.store(pointer), r#type: tag.exact_name().into() })
    };
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(partial, out_unfinished, get) }
}

/// Returns whether the value is complete.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: no ownership changes.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_is_complete(
    partial: *mut dfold_partial,
    out_complete: *mut bool,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(partial, out_complete, |state| Ok(state.partial.is_complete())) }
}

/// Gets the changes of the value since dfold_partial_clear_changes as a JSON array, if the option `record_changes` is on. Each
/// change is a list: the JSON pointer; `started`, `appended` or `finished`; the type or the text.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: valid until the next call on the parser.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_changes(
    partial: *mut dfold_partial,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    let get = |state: &mut PartialState| {
        let changes = state.partial.changes().map(|change| change.to_value()).collect();
        Ok(state.store(Value::Array(changes).to_string()))
    };
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(partial, out_json, get) }
}

/// Clears the recorded changes.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: no ownership changes.
/// - NULL: `partial` must not be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: invalidates all views of the parser.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_clear_changes(partial: *mut dfold_partial) -> dfold_status {
    let clear = |state: &mut PartialState| {
        state.partial.clear_changes();
        Ok(())
    };
    // SAFETY: the caller upholds the contract of `with`.
    unsafe { ffi::with(partial, clear) }
}

/// Gets the error of the last failed call on the parser; `offset` is the position in the whole text.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if no call has failed (DFOLD_MISUSE is not recorded); DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views of the error.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: valid until the next call on the parser.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_error(partial: *mut dfold_partial, out_error: *mut dfold_error) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(partial, out_error, |state| state.last_error.get()) }
}
