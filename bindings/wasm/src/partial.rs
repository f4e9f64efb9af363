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

/// What JavaScript asks of it. The answers are JSON.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug)]
pub enum AskPartial {
    /// The value so far; empty without one.
    Value,
    /// Whether the value is whole.
    Complete,
    /// What changed since the last time; nothing unless the options ask for notes.
    Changes,
    /// The innermost unfinished value, pointer and type; null without one.
    Unfinished,
}

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

    /// Takes the next piece; without one, says that the text has ended.
    ///
    /// # Errors
    /// Text that is not JSON, at every call from there on; where it has ended, text that is not one JSON value.
    pub fn push(&mut self, piece: &str, end: bool) -> Result<(), JsValue> {
        let taken = if end { self.0.finish() } else { self.0.push(piece) };
        rows(taken.map_err(Error::from))
    }

    /// Answers a question of JavaScript with a text; see [`AskPartial`]. One door for all of them, as in [`Reader`](crate::Reader).
    pub fn ask(&mut self, what: AskPartial) -> String {
        let answer = match what {
            AskPartial::Value => return self.0.value().map_or_else(String::new, ToString::to_string),
            AskPartial::Complete => Value::from(self.0.is_complete()),
            AskPartial::Changes => {
                let changes = self.0.changes().map(|change: Change<'_>| change.to_value()).collect();
                self.0.clear_changes();
                Value::Array(changes)
            }
            AskPartial::Unfinished => match self.0.unfinished() {
                Some((pointer, tag)) => Value::Array([Value::from(pointer), Value::from(tag.exact_name())].into()),
                None => Value::Null,
            },
        };
        answer.to_string()
    }
}
