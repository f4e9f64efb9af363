//! The core for Kotlin, Swift and Ruby: objects, records and sealed types that UniFFI carries over.
//!
//! A bound method converts in, calls one core method, converts out and maps the error. Bytes come in whole chunks, events
//! go out as one list for each chunk. Options are one JSON object, whose names are the core's, or a record for people.
//! Numbers are signed, because Java has no others: none that a stream can carry is beyond 63 bits but `retry` of a frame.
//!
//! Every object stands behind a lock (`lock.rs`), so threads may share it; `release` lets go of what it holds, and every
//! later call is refused. The folders `kotlin`, `swift` and `ruby` make the generated half feel at home in its language.

mod convert;
mod error;
mod event;
mod finding;
mod lock;
mod names;
mod options;
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
pub use names::{codes, detect_dialect, dialects, explain, kinds, profiles, version, CodeInfo, DialectInfo, RuleInfo};
pub use options::ReaderOptions;
pub use partial::{partial_json, PartialJson, Unfinished};
pub use reader::{RateLimits, Reader};
pub use request::{advice, create_message, enforce, history, request_named, ToolLoop};
pub use response::{Item, Part, Response};
pub use sse::{Frame, SseDecoder};
pub use validate::{check, validate_event, validate_item, validate_named, validate_request, validate_response, Report};
pub use writer::Writer;

uniffi::setup_scaffolding!("deltafold");

/// A count or position as every language can hold it.
pub(crate) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
