//! The ways to read a stream that are compared, each with a name.
//!
//! A [`StreamRoad`] takes chunks of bytes, an [`EventRoad`] payloads that are cut out already. All of them look at every
//! event, join the deltas of each part, and note the completed response.

mod event;
mod split;
mod stream;
mod typed;

pub use self::event::{payloads, EventRoad, Payloads};
pub use self::split::Splitter;
pub use self::stream::{reader_members, reader_unlimited, StreamRoad};
pub use self::typed::Payload;
