//! deltafold for C: `include/deltafold.h` is generated from the items of this crate.
//!
//! # Contract of every function
//! - A function that can fail returns a [`dfold_status`]; outputs come last, are called `out_*`, and are written only on
//!   success. Bytes are a pointer and a length, never NUL-terminated input; NULL is allowed only with length 0.
//! - A handle is made by `_new` and freed by `_free`, which accepts NULL. A view is valid until the next call on the handle
//!   that gave it.
//! - A handle is used by one thread at a time and may move between threads. Different handles are independent. There is
//!   no global state, and nothing is printed.
//! - Every entry point runs inside the panic boundary (`panic.rs`), and only `ffi.rs` turns pointers into references.

// The types have the names of the C header.
#![allow(non_camel_case_types)]
// The lines Ownership, NULL, Threads and Views of every function state its safety contract; a test checks that they exist.
#![allow(clippy::missing_safety_doc)]

mod bytes;
mod clock;
mod converter;
mod error;
mod event;
mod ffi;
mod finding;
mod intent;
mod kind;
mod note;
mod options;
mod outcome;
mod panic;
mod partial;
mod reader;
mod report;
mod request;
mod response;
mod sse;
mod state;
mod status;
mod tool_loop;
mod usage;
mod value;
mod version;
mod writer;

pub use bytes::*;
pub use converter::*;
pub use error::{dfold_error, dfold_problem, DFOLD_PROBLEM_BYTES};
pub use event::*;
pub use finding::*;
pub use intent::*;
pub use kind::*;
pub use note::*;
pub use options::*;
pub use outcome::*;
pub use partial::*;
pub use reader::*;
pub use report::*;
pub use request::*;
pub use response::*;
pub use sse::*;
pub use state::dfold_state;
pub use status::*;
pub use tool_loop::*;
pub use usage::dfold_usage;
pub use value::*;
pub use version::*;
pub use writer::*;
