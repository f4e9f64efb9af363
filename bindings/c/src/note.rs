//! Context of a stream: the request, and the status and headers of the HTTP response.

use deltafold::json::{Object, Value};

use crate::bytes::dfold_bytes;
use crate::ffi;
use crate::reader::{dfold_reader, ReaderState};
use crate::status::dfold_status;

/// A header of an HTTP response.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_header {
    /// Its name, in any case.
    pub name: dfold_bytes,
    /// Its value.
    pub value: dfold_bytes,
}

/// Sets the request of the stream, as JSON text; the validator then checks the rules that compare request and response.
///
/// Returns DFOLD_OK; DFOLD_JSON_SYNTAX, DFOLD_JSON_DEPTH or DFOLD_MISUSE_ARGUMENT for invalid text; DFOLD_MISUSE for NULL.
///
/// - Ownership: the text is read and not kept.
/// - NULL: `reader` must not be NULL; `request` may be NULL with `len` 0.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: invalidates none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_note_request(
    reader: *mut dfold_reader,
    request: *const u8,
    len: usize,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        ffi::with(reader, |state| {
            let request = ffi::text(dfold_bytes { data: request, len })?;
            state.last_error.check(state.reader.note_request(request))
        })
    }
}

/// Sets the status and the headers of the HTTP response; the validator then checks the transport rules, and the rate limits
/// are recorded.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_ARGUMENT for a number that is not an HTTP status or a header that is not UTF-8; DFOLD_MISUSE for NULL.
///
/// - Ownership: the headers are read and not kept.
/// - NULL: `reader` must not be NULL; `headers` may be NULL with `count` 0.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: invalidates none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_note_head(
    reader: *mut dfold_reader,
    status: u32,
    headers: *const dfold_header,
    count: usize,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all three functions.
    unsafe {
        ffi::with(reader, |state| {
            let status = u16::try_from(status).map_err(|_| dfold_status::DFOLD_MISUSE_ARGUMENT)?;
            let mut read = Vec::new();
            for header in ffi::array(headers, count)? {
                read.push((ffi::text(header.name)?, ffi::text(header.value)?));
            }
            state.reader.note_head(status, read.iter().copied());
            Ok(())
        })
    }
}

/// Gets the known rate limits as a JSON object: `headers` by name, `event` (as the stream sent it, or null) and
/// `retry_after_seconds` (or null).
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_rate_limits_json(
    reader: *mut dfold_reader,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    let get = |state: &mut ReaderState| {
        let limits = state.reader.rate_limits();
        let mut object = Object::new();
        object.push("headers", limits.headers.clone());
        object.push("event", limits.event.clone());
        object.push("retry_after_seconds", limits.retry_after_seconds());
        state.scratch = Value::Object(object).to_string();
        Ok(state.scratch.as_str().into())
    };
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(reader, out_json, get) }
}
