//! The core as a wasm module. `npm/src` is what users import; nothing here is public API.
//!
//! A bound method converts in, calls one core method, converts out and maps the error. Plain values cross the border,
//! most of them JSON text, because objects that live in wasm memory would have to be freed one by one. Only the way from a
//! chunk to its events is different: see `batch.rs`. Addresses are only given away, for JavaScript to
//! look at this module's memory; `unsafe` is in `mem.rs` alone.

#![cfg_attr(target_arch = "wasm32", no_std)]

extern crate alloc;

use alloc::borrow::ToOwned;
use alloc::string::String;

use wasm_bindgen::prelude::*;

mod batch;
#[cfg(feature = "full")]
mod check;
#[cfg(feature = "full")]
mod convert;
mod error;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod mem;
mod outline;
mod page;
mod partial;
mod reader;
#[cfg(feature = "full")]
mod request;
mod snapshot;
mod sse;
#[cfg(feature = "full")]
mod writer;

#[cfg(feature = "full")]
pub use check::{explain, profiles, validate_named};
#[cfg(feature = "full")]
pub use convert::{detect_dialect, dialects, Converter};
pub use partial::{AskPartial, PartialJson};
pub use reader::{kind_names, Ask, Reader};
#[cfg(feature = "full")]
pub use request::request_named;
pub use sse::SseDecoder;
#[cfg(feature = "full")]
pub use writer::Writer;

/// Returns the version of the library.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Where the memory of the module comes from.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static MEMORY: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// A panic is a trap: it is a bug, nobody sees its words, and the code that would make them is a fifth of a module.
#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
