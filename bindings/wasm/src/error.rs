//! Core errors as rows `[class, code, message, offset, sequence number]`; the JavaScript side makes its `Error` classes
//! from them.

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
    vec![
        JsValue::from_str(class),
        JsValue::from_str(error.code().name()),
        JsValue::from_str(&error.to_string()),
        JsValue::from_f64(error.offset() as f64),
        error.sequence_number().map_or(JsValue::NULL, |number| JsValue::from_f64(number as f64)),
    ]
    .into()
}

/// The same as a function that turns a whole result.
pub(crate) fn rows<T>(result: Result<T, Error>) -> Result<T, JsValue> {
    result.map_err(|error| row(&error))
}
