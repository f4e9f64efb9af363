//! The schema layer: one JSON value against the contract, in one pass over its tape.
//!
//! Generated tables say what each schema demands in each edition; `walk` follows value and table together. Every union
//! knows from which field its variants are told apart, so a problem is about the variant that was meant and not about all
//! of them. Nothing is allocated while the value is right; a path and a message are made for each problem only. Time is
//! linear in the value; recursion goes as deep as the value, which the tape's depth limit bounds.
//!
//! The verdict is that of the published JSON Schemas, except where those contradict themselves; the tests list these
//! places. On top of it stands one policy, [`Extensions`]: a type named `slug:name` is allowed where items and tools
//! stand.

mod blame;
mod event;
mod logprobs;
mod number;
mod path;
mod problem;
mod walk;
mod whole;

pub(crate) use event::EventSchema;
pub(crate) use number::is_whole;
pub(crate) use path::Path;
pub use walk::Extensions;
pub use whole::{
    validate_as, validate_compact_request, validate_compact_response, validate_error, validate_event,
    validate_input_item, validate_item, validate_request, validate_response, validate_token_count,
    validate_websocket_create, validate_websocket_error,
};
