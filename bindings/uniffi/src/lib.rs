//! The core for Kotlin, Swift and Ruby, as objects, records and sealed types of UniFFI.
//!
//! A bound method converts its arguments, calls one core method, converts the result and maps the error. `feed` takes a
//! chunk and returns a list of events. Options are a JSON object with the names of the core, or a record. Numbers are
//! signed because Java has no unsigned ones; only `retry` of a frame can exceed 63 bits.
//!
//! Every object has a lock (`lock.rs`), so threads may share it; `release` frees its contents, and every later call fails.
//! The folders `kotlin`, `swift` and `ruby` have the hand-written code of each language.

mod clock;
mod convert;
mod error;
mod event;
mod finding;
mod lock;
mod names;
mod options;
mod packed;
mod partial;
mod reader;
mod request;
mod response;
mod sse;
mod validate;
mod writer;

pub use convert::{convert, Conversion, Converter};
pub use error::DeltafoldError;
pub use event::{Event, EventInfo};
pub use finding::{Failure, Finding, FindingCounts, Outcome, Severity};
pub use names::{
    codes, detect_dialect, dialects, explain, is_success_status, is_terminal_status, is_valid_extension_type, kinds,
    profiles, version, CodeInfo, DialectInfo, RuleInfo,
};
pub use options::ReaderOptions;
pub use partial::{partial_json, PartialJson, Unfinished};
pub use reader::{RateLimits, Reader};
pub use request::{advice, api_error, create_message, enforce, history, request_named, tool_results, ToolLoop};
pub use response::{Item, Part, Response, Usage};
pub use sse::{Frame, SseDecoder};
pub use validate::{check, validate_event, validate_item, validate_named, validate_request, validate_response, Report};
pub use writer::Writer;

uniffi::setup_scaffolding!("deltafold");

/// Converts a count or position to the signed integer that every language has.
pub(crate) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
