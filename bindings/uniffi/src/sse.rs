//! The first layer on its own: bytes to SSE frames.

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
    /// The last id.
    pub id: String,
    /// The time after `retry:` in milliseconds.
    pub retry: Option<u64>,
    /// Byte offset of the frame from the start of the stream.
    pub offset: i64,
}

/// Decodes an event stream into frames, whatever they carry.
#[derive(Debug, uniffi::Object)]
pub struct SseDecoder(Lock<Held>);

#[derive(Debug)]
struct Held {
    core: FrameDecoder,
    /// What ended decoding.
    error: Option<Error>,
}

#[uniffi::export]
impl SseDecoder {
    /// Makes a decoder at the start of a stream, with limits as JSON text.
    #[uniffi::constructor(default(limits = ""))]
    pub fn new(limits: &str) -> Result<Self, DeltafoldError> {
        let core = FrameDecoder::new(&Limits::from_json(limits)?);
        Ok(Self(Lock::new(Held { core, error: None })))
    }

    /// Takes a chunk, cut anywhere, and returns the frames that it completes. Frames before a limit come first; the next call
    /// fails, and so does `ensure_reading`.
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

    /// Throws what ended decoding, if anything did.
    pub fn ensure_reading(&self) -> Result<(), DeltafoldError> {
        self.0.attempt(|held| held.error.clone().map_or(Ok(()), Err))
    }

    /// Makes the decoder as new.
    pub fn reset(&self) -> Result<(), DeltafoldError> {
        self.0.with(|held| {
            held.core.reset();
            held.error = None;
        })
    }

    /// Lets go of everything; every later call is refused.
    pub fn release(&self) {
        self.0.release();
    }
}
