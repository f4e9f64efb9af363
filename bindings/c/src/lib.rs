//! deltafold for C: `include/deltafold.h` is generated from the items of this crate.
//!
//! # Contract of every function
//! - A function that can fail returns a [`dfold_status`]; outputs come last, are called `out_*`, and are written only on
//!   success. Bytes are a pointer and a length, never NUL-terminated input; NULL is allowed only with length 0.
//! - A handle is made by `_new` and ended by `_free`, which takes NULL. A view is valid until the next call on the handle
//!   that gave it.
//! - A handle is used by one thread at a time and may move between threads. Different handles are independent. There is
//!   no global state, and nothing is printed.
//! - Every entry point stands inside the panic boundary (`panic.rs`), and only `ffi.rs` turns pointers into references.

// The names are those of the header.
#![allow(non_camel_case_types)]

mod bytes;
mod ffi;
mod panic;
mod sse;
mod status;
mod version;

pub use bytes::dfold_bytes;
pub use sse::{
    dfold_signal, dfold_signal_kind, dfold_sse, dfold_sse_free, dfold_sse_new, dfold_sse_next, dfold_sse_reset,
};
pub use status::{dfold_status, dfold_status_str};
pub use version::{
    dfold_abi_version, dfold_version, DFOLD_ABI_VERSION, DFOLD_VERSION_MAJOR, DFOLD_VERSION_MINOR, DFOLD_VERSION_PATCH,
};
