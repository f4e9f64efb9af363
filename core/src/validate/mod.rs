//! Validation: checks a stream, a response or a request against every [`Rule`].
//!
//! - **Input:** for a stream, the frames and events that the reader decodes, in order ([`Validator`]); for a single object, its
//!   JSON text ([`validate_event`], [`validate_response`] and others).
//! - **Output:** findings. Each one names the rule, the byte offset, the event, a JSON pointer and a message with the expected
//!   and the found value. A [`Profile`](crate::Profile) decides how severe a finding is.
//! - **Promises:** validation never changes an event and never stops a stream. Findings do not depend on how the input is split
//!   into chunks. No message repeats payload text unless [`ValidateOptions::quote`] allows it.
//! - **Cost:** linear in the input. A delta that continues the previous one costs a few comparisons and the digest of its text.
//!   The stream layer stores states and digests, never texts; `Limits` bound their number.
//!
//! The checks form three layers, and each layer can run alone:
//!
//! | layer | checks | files |
//! | --- | --- | --- |
//! | framing | lines and frames of the event stream | `framing.rs` |
//! | schema | one object at a time, against the contract tables and the rules about one object | `schema/`, `extension_schema/`, `object.rs` |
//! | stream | the order of events, and whether done events agree with deltas | `validator.rs`, `state.rs`, `items.rs`, `parts.rs`, `compare.rs`, `terminal.rs` |
//!
//! `rule.rs` is the table of rules; `explain/` holds their texts, and `docs/rules.md` is generated from both.

pub(crate) mod by_name;
mod channel;
mod clients;
mod compare;
mod digest;
#[cfg(feature = "explain")]
mod explain;
pub(crate) mod extension_schema;
mod framing;
mod incomplete_items;
mod items;
mod logprob_entry;
mod object;
mod options;
mod parts;
mod records;
mod request;
mod response_members;
mod rule;
pub(crate) mod schema;
mod state;
mod terminal;
mod text_digest;
mod tool_calls;
mod transport;
mod validator;

pub use clients::Client;
#[cfg(feature = "explain")]
pub use explain::{rules_markdown, Explanation};
pub use extension_schema::ExtensionSchemas;
pub use options::{Layers, ValidateOptions};
pub use rule::{EditionScope, Party, ReportedBy, Rule, RuleLevel};
pub use schema::{
    validate_as, validate_compact_request, validate_compact_response, validate_error, validate_event,
    validate_input_item, validate_item, validate_request, validate_response, validate_token_count,
    validate_websocket_create, validate_websocket_error, Extensions,
};
pub use transport::{validate_request_head, validate_response_head};
pub use validator::Validator;
