//! The SSE layer alone: bytes to frames.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use deltafold::json::Value;
use deltafold::sse::{Frame, FrameDecoder, Signal};
use deltafold::Limits;
use wasm_bindgen::prelude::*;

use crate::error;

/// Decodes an event stream into frames.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SseDecoder(FrameDecoder);

#[wasm_bindgen]
impl SseDecoder {
    /// Creates a decoder at the start of a stream, with limits as JSON text.
    ///
    /// # Errors
    /// An invalid limit.
    #[wasm_bindgen(constructor)]
    pub fn new(limits: &str) -> Result<Self, JsValue> {
        error::rows(Limits::from_json(limits)).map(|limits| Self(FrameDecoder::new(&limits)))
    }

    /// Takes a chunk and returns a row for each frame that it completes, as JSON text: event, data, id, retry, offset.
    ///
    /// # Errors
    /// A limit was exceeded and no frame came before; every later call fails in the same way.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<String, JsValue> {
        let mut rows = Vec::new();
        let mut at = 0;
        loop {
            match self.0.next(chunk, &mut at) {
                Ok(Some(Signal::Frame(frame))) => {
                    let Frame { event, data, id, retry, offset, .. } = frame;
                    rows.push(Value::Array([event.into(), data.into(), id.into(), retry.into(), offset.into()].into()));
                }
                Ok(Some(_)) => {}
                // Frames before the error are returned first; the next call throws.
                Err(error) if rows.is_empty() => return Err(error::row(&error)),
                Ok(None) | Err(_) => return Ok(Value::Array(rows).to_string()),
            }
        }
    }
}
