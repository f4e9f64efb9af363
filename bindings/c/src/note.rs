//! What a reader is told beside the stream: the request, and the head of the HTTP response.

use deltafold::json::{Object, Value};

use crate::bytes::dfold_bytes;
use crate::ffi;
use crate::reader::{dfold_reader, Reading};
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

/// Tells the reader which request the stream answers, as JSON text: the validator then checks the rules about both.
///
/// Returns DFOLD_OK; DFOLD_JSON_SYNTAX, DFOLD_JSON_DEPTH or DFOLD_MISUSE_ARGUMENT for a text that cannot be read; DFOLD_MISUSE for
/// NULL.
///
/// - Ownership: the text is read and stays the caller's.
/// - NULL: `reader` may not be NULL; `request` may be NULL with `len` 0.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: ends none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_note_request(
    reader: *mut dfold_reader,
    request: *const u8,
    len: usize,
) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        ffi::with(reader, |reading| {
            let request = ffi::text(dfold_bytes { data: request, len })?;
            reading.failures.check(reading.reader.note_request(request))
        })
    }
}

/// Tells the reader the status and the headers of the HTTP response: the validator then checks the rules about them, and what
/// they say about rate limits is kept.
///
/// Returns DFOLD_OK; DFOLD_MISUSE_ARGUMENT for a status that is none or a header that is not UTF-8; DFOLD_MISUSE for NULL.
///
/// - Ownership: the headers are read and stay the caller's.
/// - NULL: `reader` may not be NULL; `headers` may be NULL with `count` 0.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: ends none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_note_head(
    reader: *mut dfold_reader,
    status: u32,
    headers: *const dfold_header,
    count: usize,
) -> dfold_status {
    // SAFETY: what all three ask for is what our caller promises.
    unsafe {
        ffi::with(reader, |reading| {
            let status = u16::try_from(status).map_err(|_| dfold_status::DFOLD_MISUSE_ARGUMENT)?;
            let mut read = Vec::new();
            for header in ffi::array(headers, count)? {
                read.push((ffi::text(header.name)?, ffi::text(header.value)?));
            }
            reading.reader.note_head(status, read.iter().copied());
            Ok(())
        })
    }
}

/// Gives what is known of rate limits as a JSON object: `headers` by name, `event` as the stream sent it or null, and
/// `retry_after_seconds` or null.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the text stays the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_rate_limits_json(
    reader: *mut dfold_reader,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    let ask = |reading: &mut Reading| {
        let limits = reading.reader.rate_limits();
        let mut object = Object::new();
        object.push("headers", limits.headers.clone());
        object.push("event", limits.event.clone());
        object.push("retry_after_seconds", limits.retry_after_seconds());
        reading.scratch = Value::Object(object).to_string();
        Ok(reading.scratch.as_str().into())
    };
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(reader, out_json, ask) }
}
