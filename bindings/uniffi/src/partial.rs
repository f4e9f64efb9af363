//! Incomplete JSON.

use deltafold::json::{self, PartialOptions, Value};
use deltafold::Error;

use crate::error::DeltafoldError;
use crate::lock::Lock;

/// The innermost unfinished value.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Unfinished {
    /// JSON pointer to it.
    pub path: String,
    /// Its type.
    pub r#type: String,
}

/// Parses a JSON text that arrives in pieces, such as the arguments of a call.
#[derive(Debug, uniffi::Object)]
pub struct PartialJson(Lock<json::PartialJson>);

#[uniffi::export]
impl PartialJson {
    /// Creates a parser with options as JSON text.
    #[uniffi::constructor(default(options = ""))]
    pub fn new(options: &str) -> Result<Self, DeltafoldError> {
        Ok(Self(Lock::new(json::PartialJson::new(PartialOptions::from_json(options)?))))
    }

    /// Adds the next piece. Fails if the text is not JSON; every later call then fails, too.
    pub fn push(&self, piece: &str) -> Result<(), DeltafoldError> {
        self.0.attempt(|core| core.push(piece).map_err(Error::from))
    }

    /// Ends the text.
    pub fn finish(&self) -> Result<(), DeltafoldError> {
        self.0.attempt(|core| core.finish().map_err(Error::from))
    }

    /// Discards the text.
    pub fn reset(&self) -> Result<(), DeltafoldError> {
        self.0.with(json::PartialJson::reset)
    }

    /// The value so far as JSON text; null without one.
    pub fn value(&self) -> Result<Option<String>, DeltafoldError> {
        self.0.with(|core| core.value().map(ToString::to_string))
    }

    /// Returns whether the value is complete.
    pub fn is_complete(&self) -> Result<bool, DeltafoldError> {
        self.0.with(|core| core.is_complete())
    }

    /// The changes since the last call as JSON text; empty unless the option `record_changes` is on.
    pub fn take_changes(&self) -> Result<String, DeltafoldError> {
        self.0.with(|core| {
            let changes = Value::Array(core.changes().map(|change| change.to_value()).collect()).to_string();
            core.clear_changes();
            changes
        })
    }

    /// The innermost unfinished value; null without one.
    pub fn unfinished(&self) -> Result<Option<Unfinished>, DeltafoldError> {
        let row = |(path, tag): (String, json::ValueKind)| Unfinished { path, r#type: tag.exact_name().into() };
        self.0.with(|core| core.unfinished().map(row))
    }

    /// Frees the contents of the object; every later call fails with `misuse.after_finish`.
    pub fn release(&self) {
        self.0.release();
    }
}

/// Parses a JSON text that may be incomplete and returns the value as JSON text; null without one. Options are JSON text.
#[uniffi::export(default(options = ""))]
pub fn partial_json(text: &str, options: &str) -> Result<Option<String>, DeltafoldError> {
    let options = PartialOptions::from_json(options)?;
    Ok(json::partial_json(text, options).map(|value| value.to_string()))
}
