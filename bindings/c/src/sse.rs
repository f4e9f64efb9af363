//! The SSE layer on its own: bytes to frames. A frame within one chunk is not copied.

use deltafold::sse::{FrameDecoder, Signal};
use deltafold::Limits;

use crate::bytes::dfold_bytes;
use crate::error::{dfold_error, dfold_problem, report_problem, LastError};
use crate::ffi;
use crate::status::dfold_status;

/// Decodes an event stream into frames. Opaque; created by dfold_sse_new, freed by dfold_sse_free.
pub struct dfold_sse {
    state: DecoderState,
    panicked: bool,
}

/// The contents of the handle.
pub(crate) struct DecoderState {
    decoder: FrameDecoder,
    last_error: LastError,
}

impl dfold_sse {
    fn new(limits: &Limits) -> Self {
        let state = DecoderState { decoder: FrameDecoder::new(limits), last_error: LastError::default() };
        Self { state, panicked: false }
    }
}

impl ffi::Handle for dfold_sse {
    type Inner = DecoderState;

    fn parts(&mut self) -> (&mut DecoderState, &mut bool) {
        (&mut self.state, &mut self.panicked)
    }
}

/// The kind of a signal.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum dfold_signal_kind {
    /// A block with data, ended by a blank line.
    DFOLD_SIGNAL_FRAME = 0,
    /// A comment line; `data` is its text.
    DFOLD_SIGNAL_COMMENT = 1,
    /// A block without data.
    DFOLD_SIGNAL_BLANK = 2,
}

/// One frame, comment or blank block of a stream. The views are valid until the next call on the decoder and while the chunk exists.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_signal {
    /// The kind of the signal.
    pub kind: dfold_signal_kind,
    /// True if the stream has set a reconnection time.
    pub has_retry: bool,
    /// The current reconnection time in milliseconds; 0 if there is none.
    pub retry: u64,
    /// Offset of the first byte of the block or comment from the start of the stream.
    pub offset: u64,
    /// The event name; empty if there is none.
    pub event: dfold_bytes,
    /// The payload, UTF-8; the text of a comment.
    pub data: dfold_bytes,
    /// The current last event id; empty if there is none, and for a comment.
    pub id: dfold_bytes,
}

impl From<Signal<'_>> for dfold_signal {
    fn from(signal: Signal<'_>) -> Self {
        let (kind, event, data, id, retry, offset) = match signal {
            Signal::Frame(frame) => {
                (dfold_signal_kind::DFOLD_SIGNAL_FRAME, frame.event, frame.data, frame.id, frame.retry, frame.offset)
            }
            Signal::Comment(comment) => {
                (dfold_signal_kind::DFOLD_SIGNAL_COMMENT, "", comment.text, "", None, comment.offset)
            }
            Signal::Blank(blank) => {
                (dfold_signal_kind::DFOLD_SIGNAL_BLANK, blank.event, "", blank.id, blank.retry, blank.offset)
            }
            // A signal that a newer core adds appears as a block without data.
            _ => (dfold_signal_kind::DFOLD_SIGNAL_BLANK, "", "", "", None, 0),
        };
        Self {
            kind,
            has_retry: retry.is_some(),
            retry: retry.unwrap_or(0),
            offset,
            event: event.as_bytes().into(),
            data: data.as_bytes().into(),
            id: id.as_bytes().into(),
        }
    }
}

/// Creates a decoder with the default limits.
///
/// Returns DFOLD_OK, or DFOLD_MISUSE if `out_decoder` is NULL.
///
/// - Ownership: the caller owns the decoder and frees it with dfold_sse_free.
/// - NULL: `out_decoder` must not be NULL.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_sse_new(out_decoder: *mut *mut dfold_sse) -> dfold_status {
    // SAFETY: the caller upholds the contract of `create`.
    unsafe { ffi::create(out_decoder, || Ok(dfold_sse::new(&Limits::default()))) }
}

/// Creates a decoder with limits, given as a JSON object: `line_bytes`, `frame_bytes`, `overflow` (`error` or `drop`).
///
/// Returns DFOLD_OK; DFOLD_JSON_SYNTAX, DFOLD_MISUSE_ARGUMENT or DFOLD_MISUSE_UNKNOWN_NAME for invalid limits, with the
/// reason in `out_problem`; DFOLD_MISUSE for NULL.
///
/// - Ownership: the caller owns the decoder and frees it with dfold_sse_free; the text is read and not kept.
/// - NULL: `limits.data` may be NULL with length 0, for the defaults; `out_problem` may be NULL; `out_decoder` must not.
/// - Threads: safe from any thread.
/// - Views: returns none.
#[no_mangle]
pub unsafe extern "C" fn dfold_sse_new_json(
    limits: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_decoder: *mut *mut dfold_sse,
) -> dfold_status {
    // SAFETY: the caller upholds the contracts of all three functions.
    unsafe {
        ffi::create(out_decoder, || {
            let limits = report_problem(Limits::from_json(ffi::text(limits)?), out_problem)?;
            Ok(dfold_sse::new(&limits))
        })
    }
}

/// Gets the error of the last failed call on the decoder.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if no call has failed (DFOLD_MISUSE is not recorded); DFOLD_MISUSE for NULL.
///
/// - Ownership: the library owns the views of the error.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a decoder; different decoders are independent.
/// - Views: valid until the next call on the decoder.
#[no_mangle]
pub unsafe extern "C" fn dfold_sse_error(decoder: *mut dfold_sse, out_error: *mut dfold_error) -> dfold_status {
    // SAFETY: the caller upholds the contract of `with_output`.
    unsafe { ffi::with_output(decoder, out_error, |state| state.last_error.get()) }
}

/// Decodes the next signal of a chunk from `*at`, and moves `*at` after it.
///
/// Start with `*at` 0, call until DFOLD_NO_MORE, then continue with the next chunk. The stream may be split anywhere. The
/// views of a frame may point into the chunk, so keep the chunk while you use them.
///
/// Returns DFOLD_OK with a signal, DFOLD_NO_MORE at the end of the chunk, DFOLD_LIMIT_LINE or DFOLD_LIMIT_FRAME past a
/// limit (on every call until dfold_sse_reset), DFOLD_MISUSE for NULL where it is not allowed or `*at` past the end of the
/// chunk.
///
/// - Ownership: the caller keeps the chunk; the library owns the views of the signal.
/// - NULL: `chunk` may be NULL with `len` 0; the other pointers must not be NULL.
/// - Threads: one call at a time on a decoder; different decoders are independent.
/// - Views: valid until the next call on the decoder, and no longer than the chunk.
#[no_mangle]
pub unsafe extern "C" fn dfold_sse_next(
    decoder: *mut dfold_sse,
    chunk: *const u8,
    len: usize,
    at: *mut usize,
    out_signal: *mut dfold_signal,
) -> dfold_status {
    // SAFETY: the caller upholds the contract of each pointer; the views point into the decoder and the chunk.
    unsafe {
        ffi::with_output(decoder, out_signal, |DecoderState { decoder, last_error }| {
            let chunk = ffi::bytes(chunk, len)?;
            let at = ffi::in_out(at)?;
            if *at > chunk.len() {
                return Err(dfold_status::DFOLD_MISUSE);
            }
            match decoder.next(chunk, at) {
                Ok(Some(signal)) => Ok(signal.into()),
                Ok(None) => Err(dfold_status::DFOLD_NO_MORE),
                Err(error) => Err(last_error.set(error)),
            }
        })
    }
}

/// Resets the decoder to its initial state: nothing pending, no last event id, offset 0.
///
/// Returns DFOLD_OK, or DFOLD_MISUSE if `decoder` is NULL.
///
/// - Ownership: the caller keeps the handle.
/// - NULL: `decoder` must not be NULL.
/// - Threads: one call at a time on a decoder; different decoders are independent.
/// - Views: invalidates all views of the decoder.
#[no_mangle]
pub unsafe extern "C" fn dfold_sse_reset(decoder: *mut dfold_sse) -> dfold_status {
    let reset = |state: &mut DecoderState| {
        state.decoder.reset();
        state.last_error = LastError::default();
        Ok(())
    };
    // SAFETY: the caller upholds the contract of `with`.
    unsafe { ffi::with(decoder, reset) }
}

/// Frees a decoder.
///
/// - Ownership: the decoder is freed; using it afterwards is undefined behavior.
/// - NULL: allowed; nothing happens.
/// - Threads: no other call on the decoder may be running.
/// - Views: invalidates all views of the decoder.
#[no_mangle]
pub unsafe extern "C" fn dfold_sse_free(decoder: *mut dfold_sse) {
    // SAFETY: the caller upholds the contract of `free`.
    unsafe { ffi::free(decoder) }
}
