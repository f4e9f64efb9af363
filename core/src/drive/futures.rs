//! Streams of the `futures` ecosystem: events from byte chunks, and byte chunks from a converter or a writer.
//!
//! - *Takes*: a `Stream` of byte chunks, a converter or a writer.
//! - *Gives*: a `Stream` of owned events, or of `Bytes`.
//! - *Promises*: the same results as feeding by hand; an error of the source comes once, after the events before it.
//! - *Costs*: a copy of each event; no task, timer or thread.
//!
//! Built on `futures_core::Stream` and `bytes::Bytes` alone, so it runs on every executor and fits `reqwest`, `hyper` and `axum`.
//!
//! ```
//! use deltafold::futures::ResponseEventsExt;
//! use futures_util::{stream, StreamExt};
//!
//! # futures_executor::block_on(async {
//! // In a program: `let chunks = reqwest_response.bytes_stream();`
//! let delta = "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hi\"}\n\n";
//! let chunks = stream::iter([Ok::<_, std::io::Error>(delta)]);
//!
//! let mut events = chunks.response_events();
//! while let Some(event) = events.next().await {
//!     print!("{}", event?.as_event().delta());
//! }
//! assert_eq!(events.response().output_text(), "Hi");
//! assert_eq!(events.outcome().map(|outcome| outcome.name()), Some("truncated"));
//! # Ok::<(), deltafold::ReadError<std::io::Error>>(())
//! # }).unwrap();
//! ```

mod body;
mod convert;
mod events;

pub use body::{writer_body, Drained, WriterBody, WriterSender};
pub use convert::ConvertedBytes;
pub use events::{ResponseEvents, ResponseEventsExt};
