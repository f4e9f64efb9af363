//! The core as a wasm module. `npm/src` is what users import; nothing here is public API.
//!
//! A bound method converts its arguments, calls one core method, converts the result and maps the error. Values cross the boundary
//! as JSON text, because objects in wasm memory would have to be freed one by one. Events are the exception: see `batch.rs`.
//! The module returns addresses for JavaScript to read its memory. `unsafe` code is only in `mem.rs`.

#![cfg_attr(target_arch = "wasm32", no_std)]

extern crate alloc;

use alloc::borrow::ToOwned;
use alloc::string::String;

use wasm_bindgen::prelude::*;

mod batch;
#[cfg(feature = "full")]
mod check;
#[cfg(feature = "full")]
mod clock;
#[cfg(feature = "full")]
mod convert;
mod error;
mod growing;
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
pub use check::{explain, is_final_status, is_valid_extension_type, profiles, validate_named};
#[cfg(feature = "full")]
pub use convert::{detect_dialect, dialects, Converter};
pub use partial::{PartialJson, PartialQuery};
pub use reader::{kind_names, Reader, ReaderQuery};
#[cfg(feature = "full")]
pub use request::{request_named, ToolLoop};
pub use sse::SseDecoder;
#[cfg(feature = "full")]
pub use writer::Writer;

/// Returns the version of the library.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The allocator of the module.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static MEMORY: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// A panic is a bug and becomes a trap. Formatting its message would take a fifth of the module.
#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
