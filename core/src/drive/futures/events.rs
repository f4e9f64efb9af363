//! [`ResponseEvents`]: the events of a stream of byte chunks.

use alloc::boxed::Box;
use core::fmt;
use core::pin::Pin;
use core::task::{ready, Context, Poll};

use futures_core::{FusedStream, Stream};

use super::convert::ConvertedBytes;
use crate::accumulate::Response;
use crate::adapter::Converter;
use crate::drive::events::{after, SourceState};
use crate::drive::ReadError;
use crate::error::Error;
use crate::event::OwnedEvent;
use crate::finding::Finding;
use crate::outcome::Outcome;
use crate::reader::Reader;

/// The events of a stream of byte chunks, such as `reqwest::Response::bytes_stream()`.
///
/// After the last event, [`outcome`](Self::outcome) returns how the stream ended. An error of the source is returned once, after the
/// events before it; then [`resume`](Self::resume) continues with a new source, or the next poll ends the stream. A limit or, in strict
/// mode, a broken rule ends the stream. The response so far stays readable.
///
/// `Unpin` whatever the source is: the source is boxed once.
pub struct ResponseEvents<S> {
    source: Pin<Box<S>>,
    reader: Reader,
    input: SourceState,
}

impl<S> ResponseEvents<S> {
    /// Reads from a source with a tolerant reader and default limits.
    pub fn new(source: S) -> Self {
        Self::with_reader(source, Reader::new())
    }

    /// Reads from a source with a reader that the caller configured.
    pub fn with_reader(source: S, reader: Reader) -> Self {
        Self { source: Box::pin(source), reader, input: SourceState::Open }
    }

    /// Continues with a new source after the old one failed or ended early, as [`Reader::reconnect`] does: the incomplete event of the old
    /// connection is discarded, and events with a sequence number that was already read are skipped. Ask the server for the events
    /// after [`Reader::last_sequence_number`], or for all of them.
    ///
    /// # Errors
    ///
    /// As for [`Reader::reconnect`]: the stream has returned `None`, or a limit or a broken rule ended reading.
    pub fn resume(&mut self, source: S) -> Result<(), Error> {
        self.reader.reconnect()?;
        self.source = Box::pin(source);
        self.input = SourceState::Open;
        Ok(())
    }

    /// Returns the response so far.
    pub fn response(&self) -> Response<'_> {
        self.reader.response()
    }

    /// Returns the findings so far.
    pub fn findings(&self) -> &[Finding] {
        self.reader.findings()
    }

    /// Returns how the stream ended; `None` before the stream has ended, unless the terminal event was read.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.reader.outcome()
    }

    /// Returns the reader.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Returns the reader, for example to note the response's headers before the first event.
    pub fn reader_mut(&mut self) -> &mut Reader {
        &mut self.reader
    }

    /// Returns the reader, with the response so far.
    pub fn into_reader(self) -> Reader {
        self.reader
    }
}

impl<S, B, E> Stream for ResponseEvents<S>
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
{
    type Item = Result<OwnedEvent, ReadError<E>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        while this.input != SourceState::Finished {
            match this.reader.poll_event() {
                Ok(Some(event)) => return Poll::Ready(Some(Ok(event.to_owned()))),
                Ok(None) if this.input == SourceState::Open => {
                    let fed = match ready!(this.source.as_mut().poll_next(context)) {
                        None => {
                            this.reader.end();
                            this.input = SourceState::Ended;
                            Ok(())
                        }
                        Some(Ok(chunk)) => this.reader.feed(chunk.as_ref()).map_err(ReadError::Reader),
                        Some(Err(error)) => Err(ReadError::Source(error)),
                    };
                    if let Err(error) = fed {
                        this.input = after(&error, &mut this.reader);
                        return Poll::Ready(Some(Err(error)));
                    }
                }
                // An error of `poll_event` is returned again by `finish`.
                Ok(None) | Err(_) => {
                    this.input = SourceState::Finished;
                    return Poll::Ready(this.reader.finish().err().map(|error| Err(error.into())));
                }
            }
        }
        Poll::Ready(None)
    }
}

impl<S, B, E> FusedStream for ResponseEvents<S>
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
{
    fn is_terminated(&self) -> bool {
        self.input == SourceState::Finished
    }
}

impl<S> fmt::Debug for ResponseEvents<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseEvents")
            .field("reader", &self.reader)
            .field("input", &self.input)
            .finish_non_exhaustive()
    }
}

/// Converts a stream of byte chunks to events, or to the bytes of another dialect.
pub trait ResponseEventsExt: Stream + Sized {
    /// Reads these bytes as events, tolerantly and with default limits.
    fn response_events(self) -> ResponseEvents<Self> {
        ResponseEvents::new(self)
    }

    /// Reads these bytes as events with a reader that the caller configured.
    fn response_events_with(self, reader: Reader) -> ResponseEvents<Self> {
        ResponseEvents::with_reader(self, reader)
    }

    /// Converts these bytes to another dialect, chunk by chunk: the response body of a gateway.
    fn convert_with<B, E>(self, converter: Converter) -> ConvertedBytes<Self, E>
    where
        Self: Stream<Item = Result<B, E>>,
        B: AsRef<[u8]>,
    {
        ConvertedBytes::new(self, converter)
    }
}

impl<S: Stream> ResponseEventsExt for S {}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use futures_executor::block_on;
    use futures_util::{stream, StreamExt};

    use super::*;
    use crate::adapter::Dialect;
    use crate::json::Value;
    use crate::limits::Limits;

    const DELTA: &str =
        "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"x\"}\n\n";

    fn is_send<T: Send>(value: T) -> T {
        value
    }

    #[test]
    fn a_failing_source_ends_the_stream_after_the_events_before_it() {
        let steps = [Ok(DELTA), Err("reset"), Ok(DELTA)];
        let mut events = is_send(stream::iter(steps).response_events());
        assert!(block_on(events.next()).is_some_and(|event| event.is_ok()));
        assert!(matches!(block_on(events.next()), Some(Err(ReadError::Source("reset")))));
        assert!(block_on(events.next()).is_none() && events.is_terminated());
        assert_eq!(events.outcome().map(Outcome::name), Some("truncated"));
        assert_eq!(events.response().output_text(), "x");
    }

    #[test]
    fn a_new_source_continues_after_a_broken_one() {
        let event = |number: u32| {
            alloc::format!("data: {{\"type\":\"response.output_text.delta\",\"sequence_number\":{number},\"output_index\":0,\"delta\":\"{number}\"}}\n\n")
        };
        let mut events =
            stream::iter([Ok(event(0)), Ok(event(1)[..9].to_string()), Err("reset")].to_vec()).response_events();
        while let Some(Ok(_)) = block_on(events.next()) {}
        assert!(!events.is_terminated());
        events.resume(stream::iter([Ok(event(0)), Ok(event(1))].to_vec())).expect("not finished");
        while let Some(event) = block_on(events.next()) {
            event.expect("the new connection is complete");
        }
        assert_eq!(events.response().output_text(), "01");
        assert_eq!(events.resume(stream::iter(Vec::new())).unwrap_err().code(), crate::Code::AfterFinish);
    }

    #[test]
    fn a_source_that_is_pending_is_polled_again() {
        let mut waits = 3;
        let chunks = stream::poll_fn(move |context| {
            waits -= 1;
            if waits > 0 {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready((waits == 0).then_some(Ok::<_, Error>(DELTA)))
        });
        let events: Vec<_> = block_on(chunks.response_events().collect());
        assert_eq!(events.len(), 1);
    }

    #[test]
    fn a_limit_ends_the_stream_with_an_error() {
        let limits = Limits { line_bytes: 8, ..Limits::default() };
        let reader = Reader::builder().limits(limits).build();
        let chunks = stream::iter([Ok::<_, Error>(DELTA)]);
        let found: Vec<_> = block_on(chunks.response_events_with(reader).collect());
        assert!(matches!(found.as_slice(), [Err(ReadError::Reader(_))]));
    }

    #[test]
    fn a_converted_stream_ends_with_its_terminal_event_when_the_source_fails() {
        let options = Value::parse(r#"{"now":1}"#, 8).expect("JSON");
        let converter =
            Converter::new(Some(Dialect::Anthropic), Dialect::OpenResponses, &options).expect("known dialects");
        let start = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n";
        let converted = is_send(stream::iter([Ok(start), Err("reset")]).convert_with(converter));
        let items: Vec<_> = block_on(converted.collect());
        let (last, chunks) = items.split_last().expect("items");
        assert!(matches!(last, Err(ReadError::Source("reset"))));
        let text: Vec<u8> = chunks.iter().flat_map(|chunk| chunk.as_ref().expect("bytes").to_vec()).collect();
        let mut reader = Reader::new();
        reader.feed(&text).expect("within limits");
        while reader.poll_event().expect("tolerant").is_some() {}
        let _ = reader.finish();
        assert_eq!(reader.outcome().map(|outcome| outcome.name().to_string()).as_deref(), Some("failed"));
    }
}
