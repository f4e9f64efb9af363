//! The first layer on its own: bytes to SSE frames, without a copy where the core makes none.

use deltafold::sse::{FrameDecoder, Signal};
use deltafold::Limits;

use crate::bytes::dfold_bytes;
use crate::error::{dfold_error, dfold_problem, tell, Failures};
use crate::ffi;
use crate::status::dfold_status;

/// Decodes an event stream into frames. Opaque; made by dfold_sse_new, ended by dfold_sse_free.
pub struct dfold_sse {
    decoding: Decoding,
    broken: bool,
}

/// What the handle wraps.
pub(crate) struct Decoding {
    decoder: FrameDecoder,
    failures: Failures,
}

impl dfold_sse {
    fn new(limits: &Limits) -> Self {
        let decoding = Decoding { decoder: FrameDecoder::new(limits), failures: Failures::default() };
        Self { decoding, broken: false }
    }
}

impl ffi::Handle for dfold_sse {
    type Inner = Decoding;

    fn parts(&mut self) -> (&mut Decoding, &mut bool) {
        (&mut self.decoding, &mut self.broken)
    }
}

/// What a signal is.
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

/// One thing that the stream said. The views are valid until the next call on the decoder and as long as the chunk is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dfold_signal {
    /// What it is.
    pub kind: dfold_signal_kind,
    /// Whether the stream has set a reconnection time.
    pub has_retry: bool,
    /// The reconnection time in force, in milliseconds; 0 without one.
    pub retry: u64,
    /// Offset of the first byte of the block or comment from the start of the stream.
    pub offset: u64,
    /// The event name; empty if there is none.
    pub event: dfold_bytes,
    /// The payload, UTF-8; the text of a comment.
    pub data: dfold_bytes,
    /// The last event id in force; empty if there is none, and for a comment.
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
            // The core may learn new signals; until this crate does, they show as a block without data.
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

/// Makes a decoder at the start of a stream, with the default limits.
///
/// Returns DFOLD_OK, or DFOLD_MISUSE if `out_decoder` is NULL.
///
/// - Ownership: the caller owns the decoder and ends it with dfold_sse_free.
/// - NULL: `out_decoder` may not be NULL.
/// - Threads: safe from any thread.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_sse_new(out_decoder: *mut *mut dfold_sse) -> dfold_status {
    // SAFETY: what `give` asks for is what our caller promises.
    unsafe { ffi::give(out_decoder, || Ok(dfold_sse::new(&Limits::default()))) }
}

/// Makes a decoder with limits, given as a JSON object: `line_bytes`, `frame_bytes`, `overflow` (`error` or `drop`).
///
/// Returns DFOLD_OK; DFOLD_JSON_SYNTAX, DFOLD_MISUSE_ARGUMENT or DFOLD_MISUSE_UNKNOWN_NAME for limits that cannot be used, with
/// the reason in `out_problem`; DFOLD_MISUSE for NULL.
///
/// - Ownership: the caller owns the decoder and ends it with dfold_sse_free; the text is read and not kept.
/// - NULL: `limits.data` may be NULL with length 0, for the defaults; `out_problem` may be NULL; `out_decoder` may not.
/// - Threads: safe from any thread.
/// - Views: gives none.
#[no_mangle]
pub unsafe extern "C" fn dfold_sse_new_json(
    limits: dfold_bytes,
    out_problem: *mut dfold_problem,
    out_decoder: *mut *mut dfold_sse,
) -> dfold_status {
    // SAFETY: what all three ask for is what our caller promises.
    unsafe {
        ffi::give(out_decoder, || {
            let limits = tell(Limits::from_json(ffi::text(limits)?), out_problem)?;
            Ok(dfold_sse::new(&limits))
        })
    }
}

/// Says in full why the last call on the decoder failed.
///
/// Returns DFOLD_OK; DFOLD_NO_MORE if none has failed, apart from NULL and impossible lengths; DFOLD_MISUSE for NULL.
///
/// - Ownership: the error's views stay the library's.
/// - NULL: neither may be NULL.
/// - Threads: one call at a time on a decoder; different decoders are independent.
/// - Views: valid until the next call on the decoder.
#[no_mangle]
pub unsafe extern "C" fn dfold_sse_error(decoder: *mut dfold_sse, out_error: *mut dfold_error) -> dfold_status {
    // SAFETY: what `ask` asks for is what our caller promises.
    unsafe { ffi::ask(decoder, out_error, |decoding| decoding.failures.show()) }
}

/// Takes the next signal out of a chunk, from `*at` on, and moves `*at` behind it.
///
/// Start with `*at` 0, call until DFOLD_NO_MORE, then go on with the next chunk. The chunk may be cut anywhere. A frame that
/// lies in it borrows from it, so keep the chunk while you use the views.
///
/// Returns DFOLD_OK with a signal, DFOLD_NO_MORE when the chunk is used up, DFOLD_LIMIT_LINE or DFOLD_LIMIT_FRAME past a limit
/// (and again until dfold_sse_reset), DFOLD_MISUSE for NULL where it is not allowed or `*at` behind the chunk.
///
/// - Ownership: the chunk stays the caller's, the signal's views the library's.
/// - NULL: `chunk` may be NULL with `len` 0; the others may not be NULL.
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
    // SAFETY: each pointer is used as our caller promises; the views point into the decoder and the chunk.
    unsafe {
        ffi::ask(decoder, out_signal, |Decoding { decoder, failures }| {
            let chunk = ffi::bytes(chunk, len)?;
            let at = ffi::in_out(at)?;
            if *at > chunk.len() {
                return Err(dfold_status::DFOLD_MISUSE);
            }
            match decoder.next(chunk, at) {
                Ok(Some(signal)) => Ok(signal.into()),
                Ok(None) => Err(dfold_status::DFOLD_NO_MORE),
                Err(error) => Err(failures.keep(error)),
            }
        })
    }
}

/// Makes the decoder as new: nothing pending, no last event id, offset 0.
///
/// Returns DFOLD_OK, or DFOLD_MISUSE if `decoder` is NULL.
///
/// - Ownership: stays with the caller.
/// - NULL: `decoder` may not be NULL.
/// - Threads: one call at a time on a decoder; different decoders are independent.
/// - Views: ends all that the decoder gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_sse_reset(decoder: *mut dfold_sse) -> dfold_status {
    let reset = |decoding: &mut Decoding| {
        decoding.decoder.reset();
        decoding.failures = Failures::default();
        Ok(())
    };
    // SAFETY: what `with` asks for is what our caller promises.
    unsafe { ffi::with(decoder, reset) }
}

/// Ends a decoder.
///
/// - Ownership: takes the decoder back; using it afterwards is undefined.
/// - NULL: allowed; nothing happens.
/// - Threads: no other call on the decoder may be running.
/// - Views: ends all that the decoder gave.
#[no_mangle]
pub unsafe extern "C" fn dfold_sse_free(decoder: *mut dfold_sse) {
    // SAFETY: what `free` asks for is what our caller promises.
    unsafe { ffi::free(decoder) }
}
