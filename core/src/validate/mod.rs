//! Validation: every rule, with its name and the byte where it broke.
//!
//! Three layers, each usable alone. *Framing* looks at lines and frames, *schema* at one object at a time, *stream* at the
//! order of events and at what they say of each other. All of them report to one list of
//! [`Findings`](crate::Findings), which weighs each [`Rule`] by its level and a profile.

mod agree;
mod channel;
mod cuts;
mod digest;
#[cfg(feature = "explain")]
mod explain;
mod framing;
mod items;
mod late;
mod logprob;
mod named;
mod object;
mod options;
pub(crate) mod own;
mod parts;
mod request;
mod rule;
mod said;
pub(crate) mod schema;
mod slots;
mod state;
mod terminal;
mod tools;
mod transport;
mod validator;

#[cfg(feature = "explain")]
pub use explain::{markdown, Explanation};
pub use named::{validate_named, NAMED};
pub use options::{Layers, ValidateOptions};
pub use own::ExtensionSchemas;
pub use rule::{Binds, Level, Rule, Scope, Seen};
pub use schema::{
    validate_as, validate_compact_request, validate_compact_response, validate_error, validate_event,
    validate_input_item, validate_item, validate_request, validate_response, validate_token_count,
    validate_websocket_create, validate_websocket_error, Extensions,
};
pub use transport::{validate_request_head, validate_response_head};
pub use validator::Validator;
