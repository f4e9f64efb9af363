//! Core errors as rows: the JSON text of `[class, code, message, offset, sequence number]`, from which JavaScript creates its `Error`
//! classes.

use alloc::string::ToString;

use deltafold::json::Value;
use deltafold::Error;
use wasm_bindgen::JsValue;

/// Makes the row for a core error.
pub(crate) fn row(error: &Error) -> JsValue {
    let row = [
        error.class().name().into(),
        error.code().name().into(),
        error.to_string().into(),
        error.offset().into(),
        error.sequence_number().into(),
    ];
    JsValue::from_str(&Value::Array(row.into()).to_string())
}

/// Converts the error of a result to a row.
pub(crate) fn rows<T>(result: Result<T, Error>) -> Result<T, JsValue> {
    result.map_err(|error| row(&error))
}
