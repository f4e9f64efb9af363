//! Intents → events → bytes: the producing side.
//!
//! Servers that assemble events by hand forget parts, repeat numbers and send empty outputs. A [`Writer`] takes what the
//! caller means and writes every event that follows from it; a wrong order cannot be expressed or is refused at the call.
//!
//! ```text
//! intent ─▶ Writer ─▶ event text ─▶ frame ─▶ take() / write_into()   SSE bytes
//!                                └────────▶ poll_event()             JSON, one event at a time
//! ```
//!
//! What it promises:
//!
//! - **One numbering.** Every event has the next number, from 0, extension events and errors included.
//! - **Snapshot = fold.** The `output` of a snapshot is what the events before it add up to.
//! - **Refusals are free.** A refused intent writes nothing and changes nothing.
//! - **Whole objects.** Every response object has all required fields of the edition, items have their zero values.
//! - **Linear.** A delta costs O(its length); closing an item costs O(the item); the terminal event copies the items.
//!
//! Values that the caller gives (fields of items, annotations, the template) are checked against the contract of the
//! chosen [`Edition`](crate::Edition) before anything is written.

#[cfg(feature = "__inbound")]
#[cfg_attr(not(feature = "adapters"), allow(dead_code))]
mod adapt;
mod api_error;
mod echo;
mod emit;
mod hosted;
mod ids;
mod intent;
mod items;
mod options;
mod parts;
mod shape;
mod slot;
mod snapshot;
mod tools;
mod usage;
mod whole;
mod writer;

pub use api_error::{ApiError, ErrorType};
pub use echo::echo;
pub use ids::{response_id, suffix};
pub use intent::INTENTS;
pub use items::ItemHandle;
pub use options::{Dialect, Heartbeat, WriterOptions};
pub use shape::{ItemStatus, ToolState};
pub use slot::PartKind;
pub use usage::Usage;
pub use writer::Writer;
