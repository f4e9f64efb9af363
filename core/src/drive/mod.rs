//! Drivers: connect a [`Reader`](crate::Reader), a [`Writer`](crate::Writer) or a [`Converter`](crate::adapter::Converter) to the
//! common types for I/O in Rust programs.
//!
//! - *Takes*: a source that the caller opened: [`std::io::Read`], or a `Stream` of byte chunks (feature `futures`).
//! - *Gives*: an iterator or a `Stream` of [`OwnedEvent`](crate::OwnedEvent)s, or a `Stream` of bytes for an HTTP body.
//! - *Promises*: the same events, findings and response as feeding the bytes by hand. An error of the source is returned once,
//!   after every event that arrived before it; the response so far stays readable.
//! - *Costs*: one copy of each event, because the item of an iterator cannot borrow from it. A program that must avoid the copy
//!   feeds a `Reader` itself.
//!
//! Nothing here opens a connection, waits or retries: the source does its own I/O, and the drivers only poll it.

mod error;
mod events;
#[cfg(feature = "futures")]
pub mod futures;

pub use error::ReadError;
pub use events::EventReader;
