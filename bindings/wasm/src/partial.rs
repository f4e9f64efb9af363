//! JSON that is still growing.

use alloc::string::{String, ToString};

use deltafold::json::{self, Change, PartialOptions, Value};
use deltafold::Error;
use wasm_bindgen::prelude::*;

use crate::error::rows;

/// Reads JSON text that is still growing.
#[wasm_bindgen]
#[derive(Debug)]
pub struct PartialJson(json::PartialJson);

#[wasm_bindgen]
impl PartialJson {
    /// Starts with no text, with options as JSON text.
    ///
    /// # Errors
    /// An option that cannot be used.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Result<Self, JsValue> {
        rows(PartialOptions::from_json(options)).map(|options| Self(json::PartialJson::new(options)))
    }

    /// Takes the next piece.
    ///
    /// # Errors
    /// Text that is not JSON, at every call from there on.
    pub fn push(&mut self, piece: &str) -> Result<(), JsValue> {
        rows(self.0.push(piece).map_err(Error::from))
    }

    /// Says that the text has ended.
    ///
    /// # Errors
    /// The text is not one JSON value.
    pub fn finish(&mut self) -> Result<(), JsValue> {
        rows(self.0.finish().map_err(Error::from))
    }

    /// Starts again with no text.
    pub fn reset(&mut self) {
        self.0.reset();
    }

    /// The value so far as JSON text; empty without one.
    pub fn value(&self) -> String {
        self.0.value().map_or_else(String::new, ToString::to_string)
    }

    /// Says whether the value is whole.
    pub fn is_complete(&self) -> bool {
        self.0.is_complete()
    }

    /// What changed since the last call, as JSON text; nothing unless the options ask for notes.
    pub fn changes(&mut self) -> String {
        let changes = Value::Array(self.0.changes().map(|change: Change<'_>| change.to_value()).collect()).to_string();
        self.0.clear_changes();
        changes
    }

    /// The innermost unfinished value as JSON text, pointer and type; empty without one.
    pub fn unfinished(&self) -> String {
        let row = |(pointer, tag): (String, json::Tag)| [Value::from(pointer), Value::from(tag.exact_name())];
        self.0.unfinished().map_or_else(String::new, |found| Value::Array(row(found).into()).to_string())
    }
}

/// The value of text that may be cut anywhere, as JSON text; empty without one.
///
/// # Errors
/// An option that cannot be used.
#[wasm_bindgen]
pub fn partial_json(text: &str, options: &str) -> Result<String, JsValue> {
    let options = rows(PartialOptions::from_json(options))?;
    Ok(json::partial_json(text, options).map_or_else(String::new, |value| value.to_string()))
}
