//! Events: JSON text in, typed views out.
//!
//! Takes the payloads of frames or messages. Gives an [`Event`] for each: kind, routing fields, delta, and the exact payload.
//!
//! Promises: no payload is lost; a payload that cannot be read is an event with its raw text and a [`Fault`]. The layer knows the event
//! names and the routing fields of the contract; it knows no order of events, and of SSE only what `block_template.rs` states.
//!
//! Costs: linear in the payload, no allocation for a delta after warm-up. Nested objects are read on demand.

mod block_template;
mod fields;
mod foreign;
mod kind;
pub(crate) mod parse;
pub(crate) mod payload;
mod span;
mod typed;
mod write;

pub use crate::contract::{Group, Kind};
pub(crate) use block_template::BlockHead;
pub(crate) use fields::{Fields, Index};
pub(crate) use foreign::{identify_bytes, identify_event};
pub(crate) use parse::BlockMatch;
pub use parse::{Fault, Origin, Parser};
pub use payload::{Event, OwnedEvent};
pub use typed::{Address, Payload};
pub use write::{summary, write};
