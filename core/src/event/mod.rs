//! Events: JSON text in, typed views out.
//!
//! This layer knows the wire contract's event names and the fields that route them; it knows no order and no SSE. A payload
//! is never lost: what cannot be read is an event with its raw text and a [`Fault`]. Reading is linear in the payload and
//! allocates nothing for a delta after warm-up; nested objects are looked at only when somebody asks.

mod fields;
mod foreign;
mod kind;
mod parse;
mod payload;
mod span;
mod steady;
mod template;
mod typed;
mod write;

pub use crate::contract::{Group, Kind};
pub(crate) use fields::{Fields, Index};
pub(crate) use foreign::{recognise, recognise_bytes};
pub(crate) use parse::DeltaMatch;
pub use parse::{Fault, Levels, Origin, Parser};
pub use payload::{Event, OwnedEvent, RawFields, TemplateMatch};
pub(crate) use span::Source;
pub use typed::{Address, Payload};
pub use write::{summary, write};
