//! Writing: turns intents such as "append text" into a valid stream of events.
//!
//! - **Input:** intents ([`Writer::message`], [`Writer::text`], [`Writer::complete`], …), as method calls or as JSON
//!   ([`Writer::apply_json`]).
//! - **Output:** SSE bytes or single JSON events, and the response object.
//! - **Promises:**
//!   - An intent that is invalid in the current state returns an error and writes nothing.
//!   - Sequence numbers count every event from 0, extension events and errors included.
//!   - The `output` of a snapshot equals the accumulation of all earlier events.
//!   - Every response object has all required fields of the edition.
//!   - The stream passes [`validate`](crate::validate) without errors. The tests validate all output of random sessions
//!     (`tests/rust/write/properties.rs`) and of every vector (`tests/rust/write/vectors.rs`).
//! - **Cost:** a delta is linear in its length, setting a field in the size of its value, closing an item in the size of the item,
//!   and the terminal event copies all items.
//!
//! ```text
//! intent ─▶ Writer ─▶ event text ─▶ frame ─▶ take() / write_into()   SSE bytes
//!                                └────────▶ poll_event()             JSON, one event at a time
//! ```
//!
//! Values from the caller (fields of items, annotations, the template) are checked against the contract of the chosen
//! [`Edition`](crate::Edition) before anything is written.

#[cfg(feature = "__inbound")]
#[cfg_attr(not(feature = "adapters"), allow(dead_code))]
mod adapter_hooks;
mod api_error;
mod complete_item;
mod echo_request;
mod emitter;
mod field_map;
mod hosted_items;
mod hosted_progress;
mod ids;
pub(crate) mod item_definitions;
mod items;
pub(crate) mod json_intents;
mod open_item;
mod options;
mod parts;
mod snapshot;
mod usage;
mod writer;

pub use api_error::{ApiError, ErrorType};
pub use echo_request::echo_request;
#[cfg(feature = "__inbound")]
pub(crate) use emitter::push_u64;
pub use ids::{response_id, suffix};
#[cfg(feature = "validate")]
pub(crate) use item_definitions::id_prefix;
pub use item_definitions::{ItemStatus, ToolState};
pub use items::ItemHandle;
pub use open_item::PartKind;
pub use options::{Heartbeat, ReasoningNames, WriterOptions};
pub use usage::Usage;
pub use writer::Writer;
