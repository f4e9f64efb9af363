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

/// A conversation with tools.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ToolLoop(request::ToolLoop);

#[wasm_bindgen]
impl ToolLoop {
    /// Creates a loop from options as JSON text.
    ///
    /// # Errors
    /// An invalid option.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Result<Self, JsValue> {
        rows(request::ToolLoop::from_json(options)).map(Self)
    }

    /// Takes a response as JSON text, or with the id of a call its result.
    ///
    /// # Errors
    /// A step that the loop does not take now; it changes nothing.
    pub fn take(&mut self, json: &str, call_id: Option<String>) -> Result<(), JsValue> {
        let taken = match call_id {
            Some(call_id) => self.0.result_json(&call_id, json),
            None => self.0.apply_json(json),
        };
        rows(taken).map(drop)
    }

    /// Ends the loop.
    pub fn stop(&mut self) {
        self.0.stop();
    }

    /// The next request as JSON text, or the state.
    pub fn query(&self, request: bool) -> String {
        if request {
            self.0.request().to_json()
        } else {
            self.0.to_json()
        }
    }
}
