//! Incomplete JSON.

use alloc::string::{String, ToString};

use deltafold::__bindings::SeenValue;
use deltafold::json::{self, Change, PartialOptions, Value};
use deltafold::Error;
use wasm_bindgen::prelude::*;

use crate::error::rows;
use crate::growing::write_growth;

/// Parses JSON text that arrives in pieces.
#[wasm_bindgen]
#[derive(Debug)]
pub struct PartialJson(json::PartialJson, SeenValue);

/// The queries of [`PartialJson::query`]. The results are JSON text.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug)]
pub enum PartialQuery {
    /// The value so far; empty without one.
    Value,
    /// What is new in the value since the last query of this kind, as a list. Empty without a value.
    Update,
    /// Whether the value is complete.
    Complete,
    /// The changes since the last query, if the option `record_changes` is set.
    Changes,
    /// Pointer and type of the innermost incomplete value; null without one.
    Unfinished,
}

#[wasm_bindgen]
impl PartialJson {
    /// Creates a parser with no text, from options as JSON text.
    ///
    /// # Errors
    /// An invalid option.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Result<Self, JsValue> {
        rows(PartialOptions::from_json(options))
            .map(|options| Self(json::PartialJson::new(options), SeenValue::default()))
    }

    /// Takes the next piece, or ends the text if `end` is set.
    ///
    /// # Errors
    /// Text that is not JSON, then also at every later call; at the end, text that is not one complete JSON value.
    pub fn push(&mut self, piece: &str, end: bool) -> Result<(), JsValue> {
        let taken = if end { self.0.finish() } else { self.0.push(piece) };
        rows(taken.map_err(Error::from))
    }

    /// Returns the result of a query as text. One function for all queries keeps the generated code small, as in [`Reader`](crate::Reader).
    pub fn query(&mut self, what: PartialQuery) -> String {
        let answer = match what {
            PartialQuery::Value => return self.0.value().map_or_else(String::new, ToString::to_string),
            PartialQuery::Update => {
                let Some(value) = self.0.value() else { return String::new() };
                let mut update = String::from("[");
                write_growth(&self.1.look(value), &mut update);
                update.push(']');
                return update;
            }
            PartialQuery::Complete => Value::from(self.0.is_complete()),
            PartialQuery::Changes => {
                let changes = self.0.changes().map(|change: Change<'_>| change.to_value()).collect();
                self.0.clear_changes();
                Value::Array(changes)
            }
            PartialQuery::Unfinished => match self.0.unfinished() {
                Some((pointer, tag)) => Value::Array([Value::from(pointer), Value::from(tag.exact_name())].into()),
                None => Value::Null,
            },
        };
        answer.to_string()
    }
}
