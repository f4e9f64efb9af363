//! The core as a wasm module. `npm/src` is what users import; nothing here is public API.
//!
//! A bound method converts in, calls one core method, converts out and maps the error. Rows of plain values cross the
//! border, because objects that live in wasm memory would have to be freed one by one.

use wasm_bindgen::prelude::*;

mod error;
mod sse;

pub use sse::SseDecoder;

/// Returns the version of the library.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
