//! Events: what one payload of the stream says.

mod kind;

pub use crate::contract::Kind;
