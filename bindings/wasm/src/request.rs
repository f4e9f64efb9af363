//! Requests: history, tool loops, errors. The words are in `npm/src/request.ts`.

use alloc::string::String;

use deltafold::request;
use wasm_bindgen::prelude::*;

use crate::error::rows;

/// Does what a name says, from JSON text to JSON text.
///
/// # Errors
/// Text that is not JSON, a name that is not known, or a value that cannot be used.
#[wasm_bindgen]
pub fn request_named(what: &str, json: &str) -> Result<String, JsValue> {
    rows(request::request_named(what, json))
}
