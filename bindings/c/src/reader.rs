//! A reader: takes the bytes of a stream, split anywhere; returns events, findings and the outcome. `response.rs` has the
//! accumulated response.

use deltafold::json::Tape;
use deltafold::{Limits, Outcome, Reader, ReaderOptions};

use crate::bytes::dfold_bytes;
use crate::error::{dfold_error, dfold_problem, report_problem, LastError};
use crate::event::dfold_event;
use crate::ffi::{self, TextAddress};
use crate::finding::{dfold_finding, findings_json};
use crate::options::{dfold_reader_options, reader_options};
use crate::outcome::dfold_outcome;
use crate::state::dfold_state;
use crate::status::dfold_status;
use crate::value::dfold_value;

/// Reads a stream. Opaque; created by dfold_reader_new or dfold_reader_restore, freed by dfold_reader_free.
///
/// Inputs: dfold_reader_feed, dfold_reader_feed_json, dfold_reader_end. Outputs: dfold_reader_poll until DFOLD_NO_MORE
/// after each input, dfold_reader_finish at the end. All other functions are getters.
pub struct dfold_reader {
    state: ReaderState,
    panicked: bool,
}

/// Contents of the handle: the reader, and the storage that its views point to.
pub(crate) struct ReaderState {
    pub(crate) reader: Reader,
    pub(crate) last_error: LastError,
    /// The payload of the newest event, while its views are valid.
    event: Option<TextAddress>,
    /// The parsed payload, filled by the first dfold_event_get.
    tape: Tape,
    depth: usize,
    outcome: Option<Outcome>,
    pub(crate) scratch: String,
    saved: Vec<u8>,
}

impl ffi::Handle for dfold_reader {
    type Inner = ReaderState;

    fn parts(&mut self) -> (&mut ReaderState, &mut bool) {
        (&mut self.state, &mut self.panicked)
    }
}

impl dfold_reader {
    fn new(reader: Reader, limits: Limits) -> Self {
        let state = ReaderState {
            reader,
            last_error: LastError::default(),
            event: None,
            tape: Tape::default(),
            depth: limits.depth,
            outcome: None,
            scratch: String::new(),
            saved: Vec::new(),
        };
        Self { state, panicked: false }
    }

    fn with_options(options: ReaderOptions) -> Self {
        let limits = options.limits;
        Self::new(Reader::with_options(options), limits)
    }
}

impl ReaderState {
    /// Invalidates the views of the newest event.
    #[inline]
    fn forget_event(&mut self) {
        self.event = None;
        if !self.tape.is_empty() {
            self.tape.clear();
        }
    }

    /// Polls an event into the caller's struct.
    ///
    /// # Safety
    /// As for [`dfold_event::fill`].
    #[inline]
    unsafe fn poll(&mut self, out: *mut dfold_event) -> Result<(), dfold_status> {
        self.forget_event();
        match self.reader.poll_event() {
            Ok(Some(event)) => {
                self.event = Some(TextAddress::new(event.raw()));
                // SAFETY: the caller upholds this contract.
                unsafe { dfold_event::fill(out, &event) };
                Ok(())
            }
            Ok(None) => Err(dfold_status::DFOLD_NO_MORE),
            Err(error) => Err(self.last_error.set(error)),
        }
    }

    fn event_get(&mut self, pointer: &str) -> Result<dfold_value, dfold_status> {
        let address = self.event.ok_or(dfold_status::DFOLD_NO_MORE)?;
        // SAFETY: every call that modifies the reader calls `forget_event` first.
        let raw = unsafe { address.get() };
        if self.tape.is_empty() && self.tape.parse(raw, self.depth).is_err() {
            // The payload is not JSON: a finding already reports that, and it has no fields.
            self.tape.clear();
            return Err(dfold_status::DFOLD_NO_MORE);
        }
        let view = self.tape.root(raw).pointer(pointer).ok_or(dfold_status::DFOLD_NO_MORE)?;
        Ok(dfold_value::of_view(view, &mut self.scratch))
    }
}

/// Creates a reader.
///
/// Returns DFOLD_OK; DFOLD_MISUSE for NULL or an impossible size; DFOLD_MISUSE_ARGUMENT, DFOLD_MISUSE_UNKNOWN_NAME or
/// DFOLD_JSON_SYNTAX for an invalid option.
///
/// - Ownership: the caller owns the reader and frees it with dfold_reader_free; the options are read and not kept.
/// - NULL: `options` may be NULL, for the defaults; `out_reader` must not.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_new(
    options: *const dfold_reader_options,
    out_reader: *mut *mut dfold_reader,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe { ffi::create(out_reader, || Ok(dfold_reader::with_options(reader_options(options)?))) }
}

/// Creates a reader from options as a JSON object, the same form as in every binding: `strict`, `quote`,
/// `ignore_terminal_snapshot`, `derive_item_ids`, `profile` (a name or an object), `edition`, `layers` (`"all"`, `"none"` or a list),
/// `images`, `starting_after`, `limits`.
///
/// Returns DFOLD_OK; DFOLD_JSON_SYNTAX, DFOLD_MISUSE_ARGUMENT or DFOLD_MISUSE_UNKNOWN_NAME for invalid options, with the
/// reason in `out_problem`; DFOLD_MISUSE for NULL.
///
/// - Ownership: the caller owns the reader and frees it with dfold_reader_free; the text is read and not kept.
/// - NULL: `options.data` may be NULL with length 0, for the defaults; `out_problem` may be NULL; `out_reader` must not.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_new_json(
    options: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_reader: *mut *mut dfold_reader,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all three functions.
    unsafe {
        ffi::create(out_reader, || {
            Ok(dfold_reader::with_options(report_problem(ReaderOptions::from_json(ffi::text(options)?), out_problem)?))
        })
    }
}

/// Restores a reader from a saved state, with options as for dfold_reader_new_json; see dfold_reader_restore.
///
/// Returns as dfold_reader_new_json, and DFOLD_SAVE_DAMAGED if the bytes are not a saved state of this version.
///
/// - Ownership: the caller owns the reader and frees it with dfold_reader_free; bytes and options are read and not kept.
/// - NULL: `saved` may be NULL with `len` 0, `options.data` with length 0; `out_problem` may be NULL; `out_reader` must not.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_restore_json(
    saved: *const u8,
    len: usize,
    options: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_reader: *mut *mut dfold_reader,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all these functions.
    unsafe {
        ffi::create(out_reader, || {
            let options = report_problem(ReaderOptions::from_json(ffi::text(options)?), out_problem)?;
            let limits = options.limits;
            let reader = report_problem(Reader::restore(ffi::bytes(saved, len)?, options), out_problem)?;
            Ok(dfold_reader::new(reader, limits))
        })
    }
}

/// Restores a reader from a saved state; see dfold_reader_save. Feed it the bytes of the new connection: events that were
/// already read are dropped with a finding.
///
/// Returns as dfold_reader_new, and DFOLD_SAVE_DAMAGED if the bytes are not a saved state of this version.
///
/// - Ownership: the caller owns the reader and frees it with dfold_reader_free; bytes and options are read and not kept.
/// - NULL: `saved` may be NULL with `len` 0, `options` may be NULL; `out_reader` must not.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_restore(
    saved: *const u8,
    len: usize,
    options: *const dfold_reader_options,
    out_reader: *mut *mut dfold_reader,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all three functions.
    unsafe {
        ffi::create(out_reader, || {
            let options = reader_options(options)?;
            let limits = options.limits;
            let reader = Reader::restore(ffi::bytes(saved, len)?, options).map_err(|error| error.code())?;
            Ok(dfold_reader::new(reader, limits))
        })
    }
}

/// Frees a reader.
///
/// - Ownership: the reader is freed; using it afterwards is undefined behavior.
/// - NULL: allowed; nothing happens.
/// - Threads: no other call on the reader may be running.
/// - Views: invalidates all views of the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_free(reader: *mut dfold_reader) {
    // SAFETY: the caller upholds the contract of `free`.
    unsafe { ffi::free(reader) }
}

/// Resets the reader to its initial state and keeps its options.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the caller keeps the handle.
/// - NULL: `reader` must not be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: invalidates all views of the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_reset(reader: *mut dfold_reader) -> dfold_status {
    let reset = |state: &mut ReaderState| {
        state.forget_event();
        state.reader.reset();
        state.last_error = LastError::default();
        state.outcome = None;
        Ok(())
    };
    // SAFETY: the caller upholds the contract of `with`.
    unsafe { ffi::with(reader, reset) }
}

/// Feeds bytes of an event stream, split anywhere. dfold_reader_poll does the work.
///
/// Returns DFOLD_OK; DFOLD_LIMIT_BUFFERED if more bytes are buffered than the limit allows; DFOLD_MISUSE_AFTER_FINISH after
/// the end of input; the failure that ended reading; DFOLD_MISUSE for NULL or an impossible length.
///
/// - Ownership: the bytes are copied; the caller keeps them.
/// - NULL: `reader` must not be NULL; `chunk` may be NULL with `len` 0.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: invalidates those of the newest event.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_feed(reader: *mut dfold_reader, chunk: *const u8, len: usize) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        ffi::with(reader, |state| {
            let chunk = ffi::bytes(chunk, len)?;
            state.forget_event();
            state.last_error.check(state.reader.feed(chunk))
        })
    }
}

/// Feeds one JSON message without SSE framing: a WebSocket message, a line of a log, a stored event.
///
/// Returns as dfold_reader_feed; DFOLD_LIMIT_FRAME for a message past the limit of a frame; DFOLD_MISUSE_ARGUMENT if the
/// message is not UTF-8, which leaves the reader unchanged.
///
/// - Ownership: the message is copied; the caller keeps it.
/// - NULL: `reader` must not be NULL; `message` may be NULL with `len` 0.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: invalidates those of the newest event.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_feed_json(
    reader: *mut dfold_reader,
    message: *const u8,
    len: usize,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        ffi::with(reader, |state| {
            let message = ffi::text(dfold_bytes { data: message, len })?;
            state.forget_event();
            state.last_error.check(state.reader.feed_json(message))
        })
    }
}

/// Ends the input. Later polls may return a last event that had no blank line after it.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL. A second call has no effect.
///
/// - Ownership: no ownership changes.
/// - NULL: `reader` must not be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: invalidates those of the newest event.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_end(reader: *mut dfold_reader) -> dfold_status {
    let end = |state: &mut ReaderState| {
        state.forget_event();
        state.reader.end();
        Ok(())
    };
    // SAFETY: the caller upholds the contract of `with`.
    unsafe { ffi::with(reader, end) }
}

/// Reads the next event. Call it until DFOLD_NO_MORE, after each input. Allocates nothing for a delta.
///
/// Returns DFOLD_OK with an event; DFOLD_NO_MORE when more input is needed; DFOLD_LIMIT_* past a limit and
/// DFOLD_STRICT_VIOLATION in strict mode, on every call until dfold_reader_reset; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views of the event.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: invalidates those of the previous event; those of this event are valid until the next feed, poll, end, finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_poll(reader: *mut dfold_reader, out_event: *mut dfold_event) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        ffi::with(reader, |state| {
            if out_event.is_null() {
                return Err(dfold_status::DFOLD_MISUSE);
            }
            state.poll(out_event)
        })
    }
}

/// Gets any field of the newest event by JSON pointer: `/item/name`, `/logprobs/0/token`; empty for the whole payload.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if there is no such field, no event, or the payload is not JSON; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the view of the value; the caller keeps `pointer`.
/// - NULL: `reader` and `out_value` must not be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: the view of the value is valid until the next call on the reader; those of the event stay valid.
#[no_mangle]
pub unsafe extern "C" fn dfold_event_get(
    reader: *mut dfold_reader,
    pointer: dfold_bytes,
    out_value: *mut dfold_value,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all three functions.
    unsafe { ffi::with_output(reader, out_value, |state| state.event_get(ffi::text(pointer)?)) }
}

/// Ends the input, reads the remaining events without returning them, and returns how the stream ended.
///
/// To see the last events, call dfold_reader_end and poll before this. A last block without the blank line after it is read if its
/// payload is complete JSON. May be called again: the result stays. Returns DFOLD_OK; DFOLD_LIMIT_* or DFOLD_STRICT_VIOLATION if
/// that ended reading (dfold_reader_outcome then gives the outcome of what was read before); DFOLD_MISUSE for NULL; or
/// DFOLD_INTERNAL.
///
/// - Ownership: the library owns the views of the outcome.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: invalidates those of the newest event; those of the outcome are valid until the next finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_finish(
    reader: *mut dfold_reader,
    out_outcome: *mut dfold_outcome,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        ffi::with_output(reader, out_outcome, |state| {
            state.forget_event();
            let finished = state.reader.finish();
            let outcome = state.last_error.check(finished)?;
            Ok((&*state.outcome.insert(outcome)).into())
        })
    }
}

/// Returns how the stream ended, once a terminal event or dfold_reader_finish has decided it.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE while reading continues; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views of the outcome.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call of this, finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_outcome(
    reader: *mut dfold_reader,
    out_outcome: *mut dfold_outcome,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        ffi::with_output(reader, out_outcome, |state| {
            let outcome = state.reader.outcome().cloned().ok_or(dfold_status::DFOLD_NO_MORE)?;
            Ok((&*state.outcome.insert(outcome)).into())
        })
    }
}

/// Continues the stream over a new connection, after the old one broke. Feed the bytes of the new connection next.
///
/// Bytes that were not polled are discarded, with the incomplete block at their end. Events with a number up to
/// `last_sequence_number` of dfold_state are dropped with a finding, so the server may replay from any event up to the one after
/// it. Offsets count the bytes of the new connection. Returns DFOLD_OK; DFOLD_MISUSE_AFTER_FINISH after dfold_reader_finish; the
/// status that ended reading; DFOLD_MISUSE for NULL.
///
/// - Ownership: no ownership changes.
/// - NULL: `reader` must not be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: invalidates those of the newest event.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_reconnect(reader: *mut dfold_reader) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with`.
    unsafe {
        ffi::with(reader, |state| {
            state.forget_event();
            let reconnected = state.reader.reconnect();
            state.last_error.check(reconnected)
        })
    }
}

/// Gets a finding by its position, from 0, in the order of the stream.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE past the last kept finding; DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views of the finding.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next feed, poll, end, finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_finding(
    reader: *mut dfold_reader,
    at: usize,
    out_finding: *mut dfold_finding,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        ffi::with_output(reader, out_finding, |state| {
            state.reader.findings().get(at).map(Into::into).ok_or(dfold_status::DFOLD_NO_MORE)
        })
    }
}

/// Gets the kept findings as one JSON array.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the text.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_findings_json(
    reader: *mut dfold_reader,
    out_json: *mut dfold_bytes,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe {
        ffi::with_output(reader, out_json, |state| {
            state.scratch = findings_json(state.reader.findings());
            Ok(state.scratch.as_str().into())
        })
    }
}

/// Gets the progress of the reader: counts, sequence numbers and the reconnection fields of SSE.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the view of the state.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next feed, poll, end, finish, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_state(reader: *mut dfold_reader, out_state: *mut dfold_state) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe { ffi::with_output(reader, out_state, |state| Ok((&state.reader).into())) }
}

/// Gets the error of the last failed call on the reader.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if no call has failed (DFOLD_MISUSE is not recorded); DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views of the error.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next call on the reader.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_error(reader: *mut dfold_reader, out_error: *mut dfold_error) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe { ffi::with_output(reader, out_error, |state| state.last_error.get()) }
}

/// Saves the state after the last polled event as bytes, for dfold_reader_restore after a reconnect.
///
/// Returns DFOLD_OK, DFOLD_MISUSE for NULL, or DFOLD_INTERNAL.
///
/// - Ownership: the library owns the bytes; copy them to keep them.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a reader; different readers are independent.
/// - Views: valid until the next save, reset or free.
#[no_mangle]
pub unsafe extern "C" fn dfold_reader_save(reader: *mut dfold_reader, out_saved: *mut dfold_bytes) -> dfold_status {
    // SAFETY: the caller upholds the contracts of both functions.
    unsafe {
        ffi::with_output(reader, out_saved, |state| {
            state.saved = state.reader.save();
            Ok(state.saved.as_slice().into())
        })
    }
}
