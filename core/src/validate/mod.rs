//! Validation: every rule, with its name and the byte where it broke.

#[cfg(feature = "explain")]
mod explain;
mod rule;
pub(crate) mod schema;

#[cfg(feature = "explain")]
pub use explain::{markdown, Explanation};
pub use rule::{Binds, Level, Rule, Scope, Seen};
pub use schema::{
    validate_as, validate_compact_request, validate_compact_response, validate_event, validate_input_item,
    validate_item, validate_request, validate_response, validate_websocket_create, validate_websocket_error,
    Extensions,
};
