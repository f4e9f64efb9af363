//! The schema layer: checks one JSON value against the contract in one pass.
//!
//! - **Input:** a parsed value, and the schema tables that are generated from the contract.
//! - **Output:** problems with rule, byte offset, JSON pointer and message.
//! - **Promise:** the results are those of the published JSON Schemas, except where these contradict themselves (listed in
//!   `tests/rust/validate/schema_agreement.rs`), plus one policy: [`Extensions`] allows types named `slug:name` for items and tools.
//! - **Cost:** linear in the value; nothing is allocated for a valid value. Recursion depth is that of the value, which the
//!   parser limits.
//!
//! [`SchemaWalk`] visits the value and the tables together. A union selects its variant by a discriminator field, so that a
//! problem concerns the intended variant only. Extension schemas use the same walk (`extension_schema/walk.rs`).

mod event;
mod logprobs;
pub(super) mod number;
mod path;
mod problem;
mod rule_for;
mod standalone;
mod walk;

pub(crate) use event::EventSchema;
pub(crate) use path::Path;
pub(super) use problem::{Interval, Measure, ProblemKind};
pub use standalone::{
    validate_as, validate_compact_request, validate_compact_response, validate_error, validate_event,
    validate_input_item, validate_item, validate_request, validate_response, validate_token_count,
    validate_websocket_create, validate_websocket_error,
};
pub use walk::Extensions;
pub(super) use walk::SchemaWalk;
