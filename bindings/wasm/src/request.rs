//! Requests: history, tool loops, errors. `npm/src/request.ts` has the names and types.

use alloc::string::String;

use deltafold::request;
use wasm_bindgen::prelude::*;

use crate::error::rows;

/// Calls the request function with this name, from JSON text to JSON text.
///
/// # Errors
/// Text that is not JSON, an unknown name, or an invalid value.
#[wasm_bindgen]
pub fn request_named(name: &str, json: &str) -> Result<String, JsValue> {
    rows(deltafold::__bindings::request_named(name, json))
}
