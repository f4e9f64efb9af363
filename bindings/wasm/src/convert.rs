//! Conversion between dialects: takes bytes, returns bytes.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use deltafold::adapter::{self, Dialect};
use deltafold::json::Value;
use wasm_bindgen::prelude::*;

use crate::clock::CLOCK;
use crate::error::rows;

/// Converts one stream.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Converter(adapter::Converter);

#[wasm_bindgen]
impl Converter {
    /// Creates a converter from options as JSON text.
    ///
    /// # Errors
    /// An invalid dialect or option.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Result<Self, JsValue> {
        rows(adapter::Converter::from_json_with_clock(options, CLOCK)).map(Self)
    }

    /// Takes bytes of the source and returns those of the target that are ready.
    ///
    /// # Errors
    /// A limit was exceeded, or the input has ended.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<Vec<u8>, JsValue> {
        rows(self.0.feed(chunk)).map(|()| self.0.take())
    }

    /// Ends the input and returns the last bytes.
    ///
    /// # Errors
    /// As for `feed`, and if the dialect could not be detected.
    pub fn finish(&mut self) -> Result<Vec<u8>, JsValue> {
        rows(self.0.finish()).map(|()| self.0.take())
    }

    /// Cancels the response and returns the last bytes.
    ///
    /// # Errors
    /// As for `finish`.
    pub fn cancel(&mut self) -> Result<Vec<u8>, JsValue> {
        rows(self.0.cancel()).map(|()| self.0.take())
    }

    /// Returns the bytes that are ready.
    pub fn take(&mut self) -> Vec<u8> {
        self.0.take()
    }

    /// The dialect that is read; empty until it is detected.
    pub fn source(&self) -> String {
        self.0.source().map_or("", Dialect::name).to_owned()
    }

    /// The data that was lost, repaired or assumed, as JSON text.
    pub fn report(&self) -> String {
        self.0.report().to_string()
    }

    /// The number of losses.
    pub fn lost(&self) -> f64 {
        self.0.lost() as f64
    }
}

/// Detects the dialect from the start of a stream; empty if none matches.
#[wasm_bindgen]
pub fn detect_dialect(start: &[u8]) -> String {
    adapter::detect(start).map_or("", Dialect::name).to_owned()
}

/// All dialects as JSON text: name, whether it can be read, whether it can be written.
#[wasm_bindgen]
pub fn dialects() -> String {
    let row = |dialect: &Dialect| {
        Value::Array(vec![dialect.name().into(), dialect.is_read().into(), dialect.is_written().into()])
    };
    Value::Array(Dialect::ALL.iter().map(row).collect()).to_string()
}
