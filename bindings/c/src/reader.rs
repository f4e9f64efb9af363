//! A reader: bytes in, cut anywhere; events, the outcome and findings out. What it has folded is in `response.rs`.

use deltafold::json::Tape;
use deltafold::{Limits, Outcome, Reader, ReaderOptions};

use crate::bytes::dfold_bytes;
use crate::error::{dfold_error, dfold_problem, tell, Failures};
use crate::event::dfold_event;
use crate::ffi::{self, Kept};
use crate::finding::{dfold_finding, findings_json};
use crate::options::{dfold_reader_options, reader_options};
use crate::outcome::dfold_outcome;
use crate::state::dfold_state;
use crate::status::dfold_status;
use crate::value::dfold_value;

/// Reads a stream. Opaque; made by dfold_reader_new or dfold_reader_restore, ended by dfold_reader_free.
///
/// Inputs: dfold_reader_feed, dfold_reader_feed_json, dfold_reader_end. Outputs: dfold_reader_poll until DFOLD_NO_MORE after each
/// input, dfold_reader_finish at the end. Everything else is a getter and changes nothing.
pub struct dfold_reader {
    reading: Reading,
    broken: bool,
}

/// What the handle wraps: the reader, and what the views of its getters point to.
pub(crate) struct Reading {
    pub(crate) reader: Reader,
    pub(crate) failures: Failures,
    /// The payload of the newest event, as long as its views are good.
    event: Option<Kept>,
    /// The payload's tape, once somebody has looked inside.
    tape: Tape,
    depth: usize,
    outcome: Option<Outcome>,
    pub(crate) scratch: String,
    saved: Vec<u8>,
}

impl ffi::Handle for dfold_reader {
    type Inner = Reading;

    fn parts(&mut self) -> (&mut Reading, &mut bool) {
        (&mut self.reading, &mut self.broken)
    }
}

impl dfold_reader {
    fn new(reader: Reader, limits: Limits) -> Self {
        let reading = Reading {
            reader,
            failures: Failures::default(),
            event: None,
            tape: Tape::default(),
            depth: limits.depth,
            outcome: None,
            scratch: String::new(),
            saved: Vec::new(),
        };
        Self { reading, broken: false }
    }

    fn with_options(options: ReaderOptions) -> Self {
        let limits = options.limits;
        Self::new(Reader::with_options(options), limits)
    }
}

impl Reading {
    /// The newest event's views end here.
    #[inline]
    fn forget_event(&mut self) {
        self.event = None;
        if !self.tape.is_empty() {
            self.tape.clear();
        }
    }

    /// Polls into the caller's struct.
    ///
    /// # Safety
    /// As for [`dfold_event::fill`].
    #[inline]
    unsafe fn poll(&mut self, out: *mut dfold_event) -> Result<(), dfold_status> {
        self.forget_event();
        match self.reader.poll_event() {
            Ok(Some(event)) => {
                self.event = Some(Kept::new(event.raw()));
                // SAFETY: the caller promises it.
                unsafe { dfold_event::fill(out, &event) };
                Ok(())
            }
            Ok(None) => Err(dfold_status::DFOLD_NO_MORE),
            Err(error) => Err(self.failures.keep(error)),
        }
    }

    fn event_get(&mut self, pointer: &str) -> Result<dfold_value, dfold_status> {
        let kept = self.event.ok_or(dfold_status::DFOLD_NO_MORE)?;
        // SAFETY: every call that changes the reader forgets the event first.
        let raw = unsafe { kept.get() };
        if self.tape.is_empty() && self.tape.parse(raw, self.depth).is_err() {
            // It was read and is no JSON: a finding has said so, and there is nothing in it to point to.
            self.tape.clear();
            return Err(dfold_status::DFOLD_NO_MORE);
        }
        let view = self.tape.root(raw).pointer(pointer).ok_or(dfold_status::DFOLD_NO_MORE)?;
        Ok(dfold_value::of_view(view, &mut self.scratch))
    }
}

/// Makes a reader at the start of a stream.
///
/// Returns DFOLD_OK; DFOLD_MISUSE for NULL or an impossible size; DFOLD_MISUSE_ARGUMENT, DFOLD_MISUSE_UNKNOWN_NAME or
/// DFOLD_JSON_SYNTAX for an option that cannot be used.
///
/// - Ownership: the caller owns the reader and ends it with dfold_reader_free; the options are read and not kept.
/// - NULL: `options` may be NULL, for the defaults; `out_reader` may not.
/// - Threads: safe from any thread.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_new(
    options: *const dfold_reader_options,
    out_reader: *mut *mut dfold_reader,
) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe { ffi::give(out_reader, || Ok(dfold_reader::with_options(reader_options(options)?))) }
}

/// Makes a reader from options as a JSON object, the form that every binding takes: `strict`, `quote`, `without_terminal`,
/// `profile` (a name or an object), `edition`, `layers` (`"all"`, `"none"` or a list), `images`, `starting_after`, `limits`.
///
/// Returns DFOLD_OK; DFOLD_JSON_SYNTAX, DFOLD_MISUSE_ARGUMENT or DFOLD_MISUSE_UNKNOWN_NAME for options that cannot be used, with
/// the reason in `out_problem`; DFOLD_MISUSE for NULL.
///
/// - Ownership: the caller owns the reader and ends it with dfold_reader_free; the text is read and not kept.
/// - NULL: `options.data` may be NULL with length 0, for the defaults; `out_problem` may be NULL; `out_reader` may not.
/// - Threads: safe from any thread.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_new_json(
    options: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_reader: *mut *mut dfold_reader,
) -> dfold_status {
    // SAFETY: what all three ask for is what our caller promises.
    unsafe {
        ffi::give(out_reader, || {
            Ok(dfold_reader::with_options(tell(ReaderOptions::from_json(ffi::text(options)?), out_problem)?))
        })
    }
}

/// Takes a saved state up again, with options as for dfold_reader_new_json; see dfold_reader_restore.
///
/// Returns as dfold_reader_new_json, and DFOLD_SAVE_DAMAGED if the bytes are not a save of this version.
///
/// - Ownership: the caller owns the reader and ends it with dfold_reader_free; bytes and options are read and not kept.
/// - NULL: `saved` may be NULL with `len` 0, `options.data` with length 0; `out_problem` may be NULL; `out_reader` may not.
/// - Threads: safe from any thread.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_restore_json(
    saved: *const u8,
    len: usize,
    options: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_reader: *mut *mut dfold_reader,
) -> dfold_status {
    // SAFETY: what all ask for is what our caller promises.
    unsafe {
        ffi::give(out_reader, || {
            let options = tell(ReaderOptions::from_json(ffi::text(options)?), out_problem)?;
            let limits = options.limits;
            let reader = tell(Reader::restore(ffi::bytes(saved, len)?, options), out_problem)?;
            Ok(dfold_reader::new(reader, limits))
        })
    }
}

/// Takes a saved state up again; see dfold_reader_save. Feed it the bytes of the new connection: events that were read before
/// are dropped with a finding.
///
/// Returns as dfold_reader_new, and DFOLD_SAVE_DAMAGED if the bytes are not a save of this version.
///
/// - Ownership: the caller owns the reader and ends it with dfold_reader_free; bytes and options are read and not kept.
/// - NULL: `saved` may be NULL with `len` 0, `options` may be NULL; `out_reader` may not.
/// - Threads: safe from any thread.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_restore(
    saved: *const u8,
    len: usize,
    options: *const dfold_reader_options,
    out_reader: *mut *mut dfold_reader,
) -> dfold_status {
    // SAFETY: what all three ask for is what our caller promises.
    unsafe {
        ffi::give(out_reader, || {
            let options = reader_options(options)?;
            let limits = options.limits;
            let reader = Reader::restore(ffi::bytes(saved, len)?, options).map_err(|error| error.code())?;
            Ok(dfold_reader::new(reader, limits))
        })
    }
}

/// Ends a reader.
///
/// - Ownership: takes the reader back; using it afterwards is undefined.
/// - NULL: allowed; nothing happens.
/// - Threads: no other call on the reader may be running.
/// - Views: ends all that the reader gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_free(reader: *mut dfold_reader) {
    // SAFETY: what `free` asks for is what our caller promises.
    unsafe { ffi::free(reader) }
}

/// Makes the reader as new; the options stay.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: stays with the caller.
/// - NULL: `reader` may not be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: ends all that the reader gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_reset(reader: *mut dfold_reader) -> dfold_status {
    let reset = |reading: &mut Reading| {
        reading.forget_event();
        reading.reader.reset();
        reading.failures = Failures::default();
        reading.outcome = None;
        Ok(())
    };
    // SAFETY: what `with` asks for is what our caller promises.
    unsafe { ffi::with(reader, reset) }
}

/// Takes bytes of an event stream, cut anywhere. Nothing is read yet: poll for events.
///
/// Returns DFOLD_OK; DFOLD_LIMIT_BUFFERED if more bytes wait than the limit allows; DFOLD_MISUSE_AFTER_FINISH after the end of
/// input; the failure that ended reading; DFOLD_MISUSE for NULL or an impossible length.
///
/// - Ownership: the bytes are copied and stay the caller's.
/// - NULL: `reader` may not be NULL; `chunk` may be NULL with `len` 0.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: ends those of the newest event.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_feed(reader: *mut dfold_reader, chunk: *const u8, len: usize) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        ffi::with(reader, |reading| {
            let chunk = ffi::bytes(chunk, len)?;
            reading.forget_event();
            reading.failures.check(reading.reader.feed(chunk))
        })
    }
}

/// Takes one message that is JSON already: a WebSocket message, a line of a log, a stored event.
///
/// Returns as dfold_reader_feed; DFOLD_LIMIT_FRAME for a message past the limit of a frame; DFOLD_MISUSE_ARGUMENT if the message
/// is not UTF-8, which leaves the reader as it was.
///
/// - Ownership: the message is copied and stays the caller's.
/// - NULL: `reader` may not be NULL; `message` may be NULL with `len` 0.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: ends those of the newest event.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_feed_json(
    reader: *mut dfold_reader,
    message: *const u8,
    len: usize,
) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        ffi::with(reader, |reading| {
            let message = ffi::text(dfold_bytes { data: message, len })?;
            reading.forget_event();
            reading.failures.check(reading.reader.feed_json(message))
        })
    }
}

/// Says that no more input will come. The next polls may give an event that a missing blank line held back.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL. Saying it twice is fine.
///
/// - Ownership: nothing changes hands.
/// - NULL: `reader` may not be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: ends those of the newest event.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_end(reader: *mut dfold_reader) -> dfold_status {
    let end = |reading: &mut Reading| {
        reading.forget_event();
        reading.reader.end();
        Ok(())
    };
    // SAFETY: what `with` asks for is what our caller promises.
    unsafe { ffi::with(reader, end) }
}

/// Reads the next event. Call it until DFOLD_NO_MORE, after each input. Allocates nothing for a delta.
///
/// Returns DFOLD_OK with an event; DFOLD_NO_MORE when more input is needed; DFOLD_LIMIT_* past a limit and DFOLD_STRICT_VIOLATION
/// in strict mode, again and again until dfold_reader_reset; DFOLD_MISUSE for NULL.
///
/// - Ownership: the event's views stay the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: ends those of the event before; those of this one are valid until the next feed, poll, end, finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_poll(reader: *mut dfold_reader, out_event: *mut dfold_event) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        ffi::with(reader, |reading| {
            if out_event.is_null() {
                return Err(dfold_status::DFOLD_MISUSE);
            }
            reading.poll(out_event)
        })
    }
}

/// Looks at any field of the newest event, by JSON pointer: `/item/name`, `/logprobs/0/token`; empty for the whole payload.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if there is no such field, no event, or the payload is no JSON; DFOLD_MISUSE for NULL.
///
/// - Ownership: the value's view stays the library's; the pointer stays the caller's.
/// - NULL: `reader` and `out_value` may not be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: the value's is valid until the next call on the reader; the event's own stay valid.
#[no_mangle]
pub unsafe extern "C" fn dfold_event_get(
    reader: *mut dfold_reader,
    pointer: dfold_bytes,
    out_value: *mut dfold_value,
) -> dfold_status {
    // SAFETY: what all three ask for is what our caller promises.
    unsafe { ffi::ask(reader, out_value, |reading| reading.event_get(ffi::text(pointer)?)) }
}

/// Ends the input, reads what is left without showing it, and says how the stream ended.
///
/// To see the last events, call dfold_reader_end and poll before this. May be called again: the answer stays. Returns DFOLD_OK,
/// DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the outcome's views stay the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: ends those of the newest event; those of the outcome are valid until the next finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_finish(
    reader: *mut dfold_reader,
    out_outcome: *mut dfold_outcome,
) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        ffi::ask(reader, out_outcome, |reading| {
            reading.forget_event();
            Ok((&*reading.outcome.insert(reading.reader.finish())).into())
        })
    }
}

/// Gives one of the findings, from 0 on, in the order they were made.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last one that is kept; DFOLD_MISUSE for NULL.
///
/// - Ownership: the finding's views stay the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next feed, poll, end, finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_finding(
    reader: *mut dfold_reader,
    at: usize,
    out_finding: *mut dfold_finding,
) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        ffi::ask(reader, out_finding, |reading| {
            reading.reader.findings().get(at).map(Into::into).ok_or(dfold_status::DFOLD_NO_MORE)
        })
    }
}

/// Gives the findings that are kept as one JSON array.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the text stays the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_findings_json(
    reader: *mut dfold_reader,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe {
        ffi::ask(reader, out_json, |reading| {
            reading.scratch = findings_json(reading.reader.findings());
            Ok(reading.scratch.as_str().into())
        })
    }
}

/// Tells how far the reader has come: counts, numbers, and what SSE said about reconnecting.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the state's view stays the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next feed, poll, end, finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_state(reader: *mut dfold_reader, out_state: *mut dfold_state) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe { ffi::ask(reader, out_state, |reading| Ok((&reading.reader).into())) }
}

/// Says in full why the last call on the reader failed.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if none has failed, apart from NULL and impossible lengths; DFOLD_MISUSE for NULL.
///
/// - Ownership: the error's views stay the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_error(reader: *mut dfold_reader, out_error: *mut dfold_error) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe { ffi::ask(reader, out_error, |reading| reading.failures.show()) }
}

/// Gives the state after the last polled event as bytes to store, for dfold_reader_restore after a reconnect.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the bytes stay the library's; copy them to keep them.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next save, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_save(reader: *mut dfold_reader, out_saved: *mut dfold_bytes) -> dfold_status {
    // SAFETY: what both ask for is what our caller promises.
    unsafe {
        ffi::ask(reader, out_saved, |reading| {
            reading.saved = reading.reader.save();
            Ok(reading.saved.as_slice().into())
        })
    }
}
