//! The writer: takes intents as JSON text, returns bytes or events.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use deltafold::WriterOptions;
use wasm_bindgen::prelude::*;

use crate::clock::CLOCK;
use crate::error::rows;

/// Writes a stream.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Writer(deltafold::Writer);

#[wasm_bindgen]
impl Writer {
    /// Creates a writer from options as JSON text.
    ///
    /// # Errors
    /// An invalid option.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Result<Self, JsValue> {
        let options = rows(WriterOptions::from_json_with_clock(options, CLOCK))?;
        Ok(Self(deltafold::Writer::new(options)))
    }

    /// Applies an intent and returns the output index of the item that it opened, or -1.
    ///
    /// # Errors
    /// The intent is invalid in the current state; nothing was written.
    pub fn apply(&mut self, intent: &str) -> Result<i32, JsValue> {
        rows(self.0.apply_json(intent)).map(|item| item.map_or(-1, |item| item.output_index() as i32))
    }

    /// Returns the bytes that were written since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        self.0.take()
    }

    /// Returns the next event without SSE framing; undefined if there is none.
    pub fn poll_event(&mut self) -> Option<String> {
        self.0.poll_event().map(ToOwned::to_owned)
    }

    /// Returns whether a terminal event was written.
    pub fn is_ended(&self) -> bool {
        self.0.is_ended()
    }

    /// Returns whether anything was written.
    pub fn is_started(&self) -> bool {
        self.0.is_started()
    }

    /// The sequence number of the next event.
    pub fn sequence_number(&self) -> f64 {
        self.0.sequence_number() as f64
    }

    /// The response so far, as JSON text.
    pub fn response(&self) -> String {
        self.0.response_json()
    }
}
