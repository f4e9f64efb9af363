//! JSON that is still growing, on its own: pieces of text in, the value so far out.

use deltafold::json::{PartialJson, PartialOptions, Value};

use crate::bytes::dfold_bytes;
use crate::error::{dfold_error, dfold_problem, tell, Failures};
use crate::ffi;
use crate::status::dfold_status;

/// Reads one JSON value that arrives in pieces. Opaque; made by dfold_partial_new, ended by dfold_partial_free.
pub struct dfold_partial {
    growing: Growing,
    broken: bool,
}

/// What the handle wraps: the parser, and what the views of its getters point to.
pub(crate) struct Growing {
    partial: PartialJson,
    failures: Failures,
    scratch: String,
}

impl Growing {
    fn show(&mut self, text: String) -> dfold_bytes {
        self.scratch = text;
        self.scratch.as_str().into()
    }
}

impl ffi::Handle for dfold_partial {
    type Inner = Growing;

    fn parts(&mut self) -> (&mut Growing, &mut bool) {
        (&mut self.growing, &mut self.broken)
    }
}

/// Makes a parser. Options are a JSON object: `strings`, `numbers`, `literals` (each `include`, `omit` or `mark`: what stands for
/// one that is not finished), `depth`, `notes` (whether changes are noted).
///
/// Returns DFOLD_OK; DFOLD_JSON_SYNTAX, DFOLD_MISUSE_ARGUMENT or DFOLD_MISUSE_UNKNOWN_NAME for options that cannot be used, with
/// the reason in `out_problem`; DFOLD_MISUSE for NULL.
///
/// - Ownership: the caller owns the parser and ends it with dfold_partial_free; the text is read and not kept.
/// - NULL: `options.data` may be NULL with length 0, for the defaults; `out_problem` may be NULL; `out_partial` may not.
/// - Threads: safe from any thread.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_new(
    options: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_partial: *mut *mut dfold_partial,
) -> dfold_status {
    // SAFETY: what all three ask for is what our caller promises.
    unsafe {
        ffi::give(out_partial, || {
            let options = tell(PartialOptions::from_json(ffi::text(options)?), out_problem)?;
            let partial = PartialJson::new(options);
            let growing = Growing { partial, failures: Failures::default(), scratch: String::new() };
            Ok(dfold_partial { growing, broken: false })
        })
    }
}

/// Ends a parser.
///
/// - Ownership: takes the parser back; using it afterwards is undefined.
/// - NULL: allowed; nothing happens.
/// - Threads: no other call on the parser may be running.
/// - Views: ends all that the parser gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_free(partial: *mut dfold_partial) {
    // SAFETY: what `free` asks for is what our caller promises.
    unsafe { ffi::free(partial) }
}

/// Takes the next piece of text: whole characters, UTF-8.
///
/// Returns DFOLD_OK; DFOLD_JSON_SYNTAX or DFOLD_JSON_DEPTH for text that is not JSON, again and again until dfold_partial_reset,
/// while the value so far stays readable; DFOLD_MISUSE_ARGUMENT for a piece that is not UTF-8; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is copied and stays the caller's.
/// - NULL: `partial` may not be NULL; `piece` may be NULL with `len` 0.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: ends all that the parser gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_push(partial: *mut dfold_partial, piece: *const u8, len: usize) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        ffi::with(partial, |Growing { partial, failures, .. }| {
            let piece = ffi::text(dfold_bytes { data: piece, len })?;
            failures.check(partial.push(piece).map_err(Into::into))
        })
    }
}

/// Says that the text has ended: a number that nothing follows is finished by this.
///
/// Returns DFOLD_OK if the value is whole; DFOLD_JSON_SYNTAX or DFOLD_JSON_DEPTH if not; DFOLD_MISUSE for NULL.
///
/// - Ownership: nothing changes hands.
/// - NULL: `partial` may not be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: ends all that the parser gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_finish(partial: *mut dfold_partial) -> dfold_status {
    // SAFETY: what `with` asks for is what our caller promises.
    unsafe {
        ffi::with(partial, |Growing { partial, failures, .. }| failures.check(partial.finish().map_err(Into::into)))
    }
}

/// Starts again with no text; the options stay.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: stays with the caller.
/// - NULL: `partial` may not be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: ends all that the parser gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_reset(partial: *mut dfold_partial) -> dfold_status {
    let reset = |growing: &mut Growing| {
        growing.partial.reset();
        growing.failures = Failures::default();
        Ok(())
    };
    // SAFETY: what `with` asks for is what our caller promises.
    unsafe { ffi::with(partial, reset) }
}

/// Gives the value so far as compact JSON text: open containers are closed.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if no value has begun to show; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text stays the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: valid until the next call on the parser.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_value(partial: *mut dfold_partial, out_json: *mut dfold_bytes) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe {
        ffi::ask(partial, out_json, |growing| {
            let text = growing.partial.value().map(Value::to_string);
            text.map(|text| growing.show(text)).ok_or(dfold_status::DFOLD_NO_MORE)
        })
    }
}

/// The innermost value that has begun and is not finished.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_unfinished {
    /// Where it stands, as a JSON pointer.
    pub pointer: dfold_bytes,
    /// Its type: `object`, `array`, `string`, `number`, `true`, `false` or `null`.
    pub r#type: dfold_bytes,
}

/// Tells where the text breaks off.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE before a value begins and when it is whole; DFOLD_MISUSE for NULL.
///
/// - Ownership: the views stay the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: valid until the next call on the parser.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_unfinished(
    partial: *mut dfold_partial,
    out_unfinished: *mut dfold_unfinished,
) -> dfold_status {
    let ask = |growing: &mut Growing| {
        let (pointer, tag) = growing.partial.unfinished().ok_or(dfold_status::DFOLD_NO_MORE)?;
        Ok(dfold_unfinished { pointer: growing.show(pointer), r#type: tag.exact_name().into() })
    };
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(partial, out_unfinished, ask) }
}

/// Tells whether the value is whole.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: nothing changes hands.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_is_complete(
    partial: *mut dfold_partial,
    out_complete: *mut bool,
) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(partial, out_complete, |growing| Ok(growing.partial.is_complete())) }
}

/// Gives what changed in the value since the last clearing as a JSON array, if the option `notes` is on: a list each of pointer,
/// `started`, `appended` or `finished`, and type or text.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the text stays the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: valid until the next call on the parser.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_changes(
    partial: *mut dfold_partial,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    let ask = |growing: &mut Growing| {
        let changes = growing.partial.changes().map(|change| change.to_value()).collect();
        Ok(growing.show(Value::Array(changes).to_string()))
    };
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(partial, out_json, ask) }
}

/// Forgets the changes noted; the next ones count from here.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: nothing changes hands.
/// - NULL: `partial` may not be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: ends all that the parser gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_clear_changes(partial: *mut dfold_partial) -> dfold_status {
    let clear = |growing: &mut Growing| {
        growing.partial.clear_changes();
        Ok(())
    };
    // SAFETY: what `with` asks for is what our caller promises.
    unsafe { ffi::with(partial, clear) }
}

/// Says in full why the last call on the parser failed; `offset` is the position in the whole text.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if none has failed, apart from NULL and impossible lengths; DFOLD_MISUSE for NULL.
///
/// - Ownership: the error's views stay the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a parser; different parsers are independent.
/// - Views: valid until the next call on the parser.
#[no_mangle]
pub unsafe extern "C" fn dfold_partial_error(partial: *mut dfold_partial, out_error: *mut dfold_error) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(partial, out_error, |growing| growing.failures.show()) }
}
