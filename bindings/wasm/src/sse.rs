//! The first layer on its own: bytes to SSE frames.

use deltafold::sse::{FrameDecoder, Signal};
use deltafold::Limits;
use wasm_bindgen::prelude::*;

use crate::error;

/// Decodes an event stream into frames.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SseDecoder(FrameDecoder);

#[wasm_bindgen]
impl SseDecoder {
    /// Makes a decoder at the start of a stream, with limits as JSON text.
    ///
    /// # Errors
    /// A limit that cannot be used.
    #[wasm_bindgen(constructor)]
    pub fn new(limits: &str) -> Result<Self, JsValue> {
        error::rows(Limits::from_json(limits)).map(|limits| Self(FrameDecoder::new(&limits)))
    }

    /// Takes a chunk and returns five values for each frame that it completes: event, data, id, retry, offset.
    ///
    /// # Errors
    /// A limit was passed and no frame came before that; every later call fails in the same way until `reset`.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<Vec<JsValue>, JsValue> {
        let mut row = Vec::new();
        let mut at = 0;
        loop {
            match self.0.next(chunk, &mut at) {
                Ok(Some(Signal::Frame(frame))) => row.extend([
                    JsValue::from_str(frame.event),
                    JsValue::from_str(frame.data),
                    JsValue::from_str(frame.id),
                    frame.retry.map_or(JsValue::NULL, |retry| JsValue::from_f64(retry as f64)),
                    JsValue::from_f64(frame.offset as f64),
                ]),
                Ok(Some(_)) => {}
                // Frames before the error are not lost: they come first, and the next call throws.
                Err(error) if row.is_empty() => return Err(error::row(&error)),
                Ok(None) | Err(_) => return Ok(row),
            }
        }
    }

    /// Makes the decoder as new.
    pub fn reset(&mut self) {
        self.0.reset();
    }
}
