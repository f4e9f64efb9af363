//! The SSE layer on its own: bytes to frames.

use deltafold::sse::{FrameDecoder, Signal};
use deltafold::{Error, Limits};

use crate::error::DeltafoldError;
use crate::int;
use crate::lock::Lock;

/// One dispatched block of an event stream.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Frame {
    /// The name after `event:`; empty without one.
    pub event: String,
    /// The lines after `data:`, joined.
    pub data: String,
    /// The current last event id.
    pub id: String,
    /// The time after `retry:` in milliseconds.
    pub retry: Option<u64>,
    /// Byte offset of the frame from the start of the stream.
    pub offset: i64,
}

/// Decodes an event stream into frames with any payload.
#[derive(Debug, uniffi::Object)]
pub struct SseDecoder(Lock<DecoderState>);

#[derive(Debug)]
struct DecoderState {
    core: FrameDecoder,
    /// The error that ended decoding.
    error: Option<Error>,
}

#[uniffi::export]
impl SseDecoder {
    /// Creates a decoder with limits as JSON text.
    #[uniffi::constructor(default(limits = ""))]
    pub fn new(limits: &str) -> Result<Self, DeltafoldError> {
        let core = FrameDecoder::new(&Limits::from_json(limits)?);
        Ok(Self(Lock::new(DecoderState { core, error: None })))
    }

    /// Feeds a chunk, split anywhere, and returns the frames that it completes. If the chunk exceeds a limit, frames before
    /// it are returned first; the next call fails, and so does `ensure_reading`.
    pub fn feed(&self, chunk: Vec<u8>) -> Result<Vec<Frame>, DeltafoldError> {
        self.0.attempt(|held| {
            held.error.clone().map_or(Ok(()), Err)?;
            let (mut frames, mut at) = (Vec::new(), 0);
            loop {
                match held.core.next(&chunk, &mut at) {
                    Ok(Some(Signal::Frame(frame))) => frames.push(Frame {
                        event: frame.event.to_owned(),
                        data: frame.data.to_owned(),
                        id: frame.id.to_owned(),
                        retry: frame.retry,
                        offset: int(frame.offset),
                    }),
                    Ok(Some(_)) => {}
                    Ok(None) => return Ok(frames),
                    Err(error) => {
                        held.error = Some(error.clone());
                        return if frames.is_empty() { Err(error) } else { Ok(frames) };
                    }
                }
            }
        })
    }

    /// Fails with the error that ended decoding, if there was one.
    pub fn ensure_reading(&self) -> Result<(), DeltafoldError> {
        self.0.attempt(|held| held.error.clone().map_or(Ok(()), Err))
    }

    /// Resets the decoder to its initial state.
    pub fn reset(&self) -> Result<(), DeltafoldError> {
        self.0.with(|held| {
            held.core.reset();
            held.error = None;
        })
    }

    /// Frees the contents of the object; every later call fails with `misuse.after_finish`.
    pub fn release(&self) {
        self.0.release();
    }
}
