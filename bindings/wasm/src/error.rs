//! Core errors as rows `[class, code, message, offset, sequence number]`, as JSON text; the JavaScript side makes its
//! `Error` classes from them.

use alloc::string::ToString;

use deltafold::json::Value;
use deltafold::{Class, Error};
use wasm_bindgen::JsValue;

/// Makes the row for a core error.
pub(crate) fn row(error: &Error) -> JsValue {
    let class = match error.class() {
        Class::Limit => "limit",
        Class::Violation => "violation",
        Class::Misuse => "misuse",
        _ => "malformed",
    };
    let row = [
        class.into(),
        error.code().name().into(),
        error.to_string().into(),
        error.offset().into(),
        error.sequence_number().into(),
    ];
    JsValue::from_str(&Value::Array(row.into()).to_string())
}

/// The same as a function that turns a whole result.
pub(crate) fn rows<T>(result: Result<T, Error>) -> Result<T, JsValue> {
    result.map_err(|error| row(&error))
}
