//! Conversion between dialects: bytes in, bytes out.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use deltafold::adapter::{self, Dialect};
use deltafold::json::Value;
use wasm_bindgen::prelude::*;

use crate::error::rows;

/// Converts one stream.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Converter(adapter::Converter);

#[wasm_bindgen]
impl Converter {
    /// Makes a converter from options as JSON text.
    ///
    /// # Errors
    /// A dialect or option that cannot be used.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Result<Self, JsValue> {
        rows(adapter::Converter::from_json(options)).map(Self)
    }

    /// Takes bytes of the source and returns those of the target that are ready.
    ///
    /// # Errors
    /// A limit was passed, or the input was finished.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<Vec<u8>, JsValue> {
        rows(self.0.feed(chunk)).map(|()| self.0.take())
    }

    /// Says that the input has ended and returns the last bytes.
    ///
    /// # Errors
    /// As for `feed`, and if the dialect was to be detected and was not.
    pub fn finish(&mut self) -> Result<Vec<u8>, JsValue> {
        rows(self.0.finish()).map(|()| self.0.take())
    }

    /// Ends the response from outside and returns the last bytes.
    ///
    /// # Errors
    /// As for `finish`.
    pub fn cancel(&mut self) -> Result<Vec<u8>, JsValue> {
        rows(self.0.cancel()).map(|()| self.0.take())
    }

    /// Takes the bytes that are ready.
    pub fn take(&mut self) -> Vec<u8> {
        self.0.take()
    }

    /// The dialect that is read; empty while it is not known.
    pub fn from(&self) -> String {
        self.0.from().map_or("", Dialect::name).to_owned()
    }

    /// What was lost, repaired or assumed, as JSON text.
    pub fn report(&self) -> String {
        self.0.report().to_string()
    }

    /// How many losses there were.
    pub fn lost(&self) -> f64 {
        self.0.lost() as f64
    }
}

/// The dialect that a stream starts like; empty if none.
#[wasm_bindgen]
pub fn detect_dialect(start: &[u8]) -> String {
    adapter::detect(start).map_or("", Dialect::name).to_owned()
}

/// Every dialect as JSON text: name, whether it can be read, whether it can be written.
#[wasm_bindgen]
pub fn dialects() -> String {
    let row = |dialect: &Dialect| {
        Value::Array(vec![dialect.name().into(), dialect.is_read().into(), dialect.is_written().into()])
    };
    Value::Array(Dialect::ALL.iter().map(row).collect()).to_string()
}
