//! A converter: one dialect's stream in, another's out, with Open Responses between them.

use deltafold::adapter::{detect, Converter};

use crate::bytes::dfold_bytes;
use crate::error::{dfold_error, dfold_problem, tell, Failures};
use crate::ffi;
use crate::panic::boundary_or;
use crate::status::dfold_status;

/// Turns one dialect's stream into another's. Opaque; made by dfold_converter_new, ended by dfold_converter_free.
///
/// Inputs: dfold_converter_feed, dfold_converter_finish, dfold_converter_cancel. Output: dfold_converter_take after each input.
pub struct dfold_converter {
    converting: Converting,
    broken: bool,
}

/// What the handle wraps: the converter, and what the views of its outputs point to.
pub(crate) struct Converting {
    converter: Converter,
    failures: Failures,
    taken: Vec<u8>,
    scratch: String,
}

impl ffi::Handle for dfold_converter {
    type Inner = Converting;

    fn parts(&mut self) -> (&mut Converting, &mut bool) {
        (&mut self.converting, &mut self.broken)
    }
}

/// Makes a converter from a JSON object: `from` (detected if it is absent), `to`, `options` (an object with the options of both
/// adapters), `framing` (`sse` or `jsonl`), `limits`.
///
/// Read: open-responses anthropic chat-completions gemini blocks thread-events ollama mistral cohere bedrock. Written:
/// open-responses anthropic chat-completions ag-ui ui-message-stream.
///
/// Returns DFOLD_OK; DFOLD_JSON_SYNTAX, DFOLD_MISUSE_ARGUMENT or DFOLD_MISUSE_UNKNOWN_NAME for options that cannot be used, with
/// the reason in `out_problem`; DFOLD_MISUSE for NULL.
///
/// - Ownership: the caller owns the converter and ends it with dfold_converter_free; the text is read and not kept.
/// - NULL: `out_problem` may be NULL; `out_converter` may not.
/// - Threads: safe from any thread.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_new(
    options: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_converter: *mut *mut dfold_converter,
) -> dfold_status {
    // SAFETY: what all three ask for is what our caller promises.
    unsafe {
        ffi::give(out_converter, || {
            let converting = Converting {
                converter: tell(Converter::from_json(ffi::text(options)?), out_problem)?,
                failures: Failures::default(),
                taken: Vec::new(),
                scratch: String::new(),
            };
            Ok(dfold_converter { converting, broken: false })
        })
    }
}

/// Ends a converter.
///
/// - Ownership: takes the converter back; using it afterwards is undefined.
/// - NULL: allowed; nothing happens.
/// - Threads: no other call on the converter may be running.
/// - Views: ends all that the converter gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_free(converter: *mut dfold_converter) {
    // SAFETY: what `free` asks for is what our caller promises.
    unsafe { ffi::free(converter) }
}

/// Takes bytes of the source, cut anywhere. What came before a failure is good: take it first.
///
/// Returns DFOLD_OK; DFOLD_LIMIT_* past a limit, again and again; DFOLD_MISUSE_AFTER_FINISH after the end; DFOLD_MISUSE for NULL or
/// an impossible length.
///
/// - Ownership: the bytes are copied and stay the caller's.
/// - NULL: `converter` may not be NULL; `chunk` may be NULL with `len` 0.
/// - Threads: one call at a time on a converter; different converters are independent.
/// - Views: ends none.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_feed(
    converter: *mut dfold_converter,
    chunk: *const u8,
    len: usize,
) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        ffi::with(converter, |Converting { converter, failures, .. }| {
            let chunk = ffi::bytes(chunk, len)?;
            failures.check(converter.feed(chunk))
        })
    }
}

/// Says that the input has ended. Take what it released.
///
/// Returns as dfold_converter_feed, and DFOLD_MISUSE_UNKNOWN_NAME if the dialect was to be detected and was not.
///
/// - Ownership: nothing changes hands.
/// - NULL: `converter` may not be NULL.
/// - Threads: one call at a time on a converter; different converters are independent.
/// - Views: ends none.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_finish(converter: *mut dfold_converter) -> dfold_status {
    // SAFETY: what `with` asks for is what our caller promises.
    unsafe { ffi::with(converter, |Converting { converter, failures, .. }| failures.check(converter.finish())) }
}

/// Ends the response from outside: the target's stream ends as that of a response that was cancelled.
///
/// Returns as dfold_converter_finish.
///
/// - Ownership: nothing changes hands.
/// - NULL: `converter` may not be NULL.
/// - Threads: one call at a time on a converter; different converters are independent.
/// - Views: ends none.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_cancel(converter: *mut dfold_converter) -> dfold_status {
    // SAFETY: what `with` asks for is what our caller promises.
    unsafe { ffi::with(converter, |Converting { converter, failures, .. }| failures.check(converter.cancel())) }
}

/// Takes the target's bytes that are ready.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the bytes stay the library's; send or copy them.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a converter; different converters are independent.
/// - Views: valid until the next take or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_take(
    converter: *mut dfold_converter,
    out_bytes: *mut dfold_bytes,
) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe {
        ffi::ask(converter, out_bytes, |converting| {
            converting.taken.clear();
            converting.converter.write_into(&mut converting.taken);
            Ok(converting.taken.as_slice().into())
        })
    }
}

/// Gives a report as a JSON object: `from` (null while it is not known), `to`, `lost` (a count) and `findings`: what was lost,
/// repaired or assumed.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the text stays the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a converter; different converters are independent.
/// - Views: valid until the next call on the converter.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_report(
    converter: *mut dfold_converter,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe {
        ffi::ask(converter, out_json, |converting| {
            converting.scratch = converting.converter.report().to_string();
            Ok(converting.scratch.as_str().into())
        })
    }
}

/// Says in full why the last call on the converter failed.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if none has failed, apart from NULL and impossible lengths; DFOLD_MISUSE for NULL.
///
/// - Ownership: the error's views stay the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a converter; different converters are independent.
/// - Views: valid until the next call on the converter.
#[no_mangle]
pub unsafe extern "C" fn dfold_converter_error(
    converter: *mut dfold_converter,
    out_error: *mut dfold_error,
) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(converter, out_error, |converting| converting.failures.show()) }
}

/// Says which dialect the first bytes of a stream speak, such as `anthropic`; empty while they do not tell.
///
/// - Ownership: the bytes stay the caller's; the name is the library's.
/// - NULL: `start` may be NULL with `len` 0; NULL with a length gives the empty name.
/// - Threads: safe from any thread.
/// - Views: the name is constant and lives as long as the library.
#[no_mangle]
pub unsafe extern "C" fn dfold_detect(start: *const u8, len: usize) -> dfold_bytes {
    boundary_or(dfold_bytes::EMPTY, || {
        // SAFETY: what `bytes` asks for is what our caller promises.
        let start = unsafe { ffi::bytes(start, len) }.unwrap_or_default();
        detect(start).map(|dialect| dialect.name()).into()
    })
}
