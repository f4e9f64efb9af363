//! The ways to read a stream that are compared, each with a name.
//!
//! A [`StreamReader`] takes chunks of bytes, a [`PayloadReader`] takes payloads. All of them read every event, join the deltas of each
//! part, and note the completed response.

mod event;
mod split;
mod stream;
mod typed;

pub use self::event::{payloads, PayloadReader, Payloads};
pub use self::split::Splitter;
pub use self::stream::{reader_members, reader_unlimited, StreamReader};
pub use self::typed::Payload;
