//! The reader: takes a chunk and returns its events; the response is readable after each chunk.

use std::collections::HashMap;
use std::sync::Arc;

use deltafold::Error;

use crate::error::DeltafoldError;
use crate::event::Event;
use crate::finding::{json, Finding, FindingCounts, Outcome};
use crate::int;
use crate::lock::Lock;
use crate::options::ReaderOptions;
use crate::packed::Packed;
use crate::response::{Response, Usage};

/// Rate limits from headers and events.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct RateLimits {
    /// The headers with rate limits, as a JSON object; null if there were none.
    pub headers: Option<String>,
    /// The last `rate_limits` event, as JSON text; null if there was none.
    pub event: Option<String>,
    /// The recommended delay before a retry, in seconds.
    pub retry_after_seconds: Option<f64>,
}

/// Reads a stream: takes bytes, split anywhere; returns events, findings and the response.
///
/// Invalid data from a server is not an error: it becomes a finding, and reading continues. Only an exceeded limit or, if
/// `strict`, a broken rule ends reading; then every call fails with the same error until `reset`. A reader reads one
/// stream. Threads may share it, one call at a time; one reader per thread is faster.
#[derive(Debug, uniffi::Object)]
pub struct Reader(Arc<Lock<ReaderState>>);

#[derive(Debug)]
pub(crate) struct ReaderState {
    pub(crate) core: deltafold::Reader,
    /// The error that ended reading. If events came before it, the next call reports it.
    error: Option<Error>,
}

/// A list of events: a `Vec`, or packed for Ruby.
trait EventList: Default {
    fn push(&mut self, event: &deltafold::Event<'_>);
    fn is_empty(&self) -> bool;
}

impl EventList for Vec<Event> {
    fn push(&mut self, event: &deltafold::Event<'_>) {
        self.push(Event::of(event));
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

impl EventList for Packed {
    fn push(&mut self, event: &deltafold::Event<'_>) {
        self.push(event);
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

impl ReaderState {
    /// Reads the fed events. If events came before an error, the next call reports the error.
    fn read<L: EventList>(&mut self, fed: Result<(), Error>) -> Result<L, Error> {
        fed?;
        let mut events = L::default();
        loop {
            match self.core.poll_event() {
                Ok(Some(event)) => events.push(&event),
                Ok(None) => return Ok(events),
                Err(error) => {
                    self.error = Some(error.clone());
                    return if events.is_empty() { Err(error) } else { Ok(events) };
                }
            }
        }
    }

    /// Feeds a chunk and packs the events that it completes.
    pub(crate) fn feed_packed(&mut self, chunk: &[u8]) -> Result<Packed, Error> {
        self.ended()?;
        let fed = self.core.feed(chunk);
        self.read(fed)
    }

    fn ended(&self) -> Result<(), Error> {
        self.error.clone().map_or(Ok(()), Err)
    }
}

impl Reader {
    fn from_core(core: deltafold::Reader) -> Self {
        Self(Arc::new(Lock::new(ReaderState { core, error: None })))
    }

    fn read<R>(&self, read: impl FnOnce(&deltafold::Reader) -> R) -> Result<R, DeltafoldError> {
        self.0.with(|state| read(&state.core))
    }

    fn read_packed(
        &self,
        feed: impl FnOnce(&mut deltafold::Reader) -> Result<(), Error>,
    ) -> Result<Vec<u8>, DeltafoldError> {
        self.0.attempt(|state| {
            state.ended()?;
            let fed = feed(&mut state.core);
            state.read::<Packed>(fed).map(Packed::into_bytes)
        })
    }
}

#[uniffi::export]
impl Reader {
    /// Creates a reader.
    #[uniffi::constructor(default(options = None))]
    pub fn new(options: Option<ReaderOptions>) -> Result<Self, DeltafoldError> {
        let options = options.unwrap_or_default().read()?;
        Ok(Self::from_core(deltafold::Reader::with_options(options)))
    }

    /// Creates a reader from options as JSON text, the same form as in every binding; an empty text means no options.
    #[uniffi::constructor]
    pub fn from_json(options: &str) -> Result<Self, DeltafoldError> {
        let options = deltafold::ReaderOptions::from_json(options)?;
        Ok(Self::from_core(deltafold::Reader::with_options(options)))
    }

    /// Restores a reader from a saved state, with options as JSON text. Feed it the bytes of the new connection: events
    /// that were already read are dropped with a finding.
    #[uniffi::constructor(default(options = ""))]
    pub fn restore(saved: Vec<u8>, options: &str) -> Result<Self, DeltafoldError> {
        let options = deltafold::ReaderOptions::from_json(options)?;
        Ok(Self::from_core(deltafold::Reader::restore(&saved, options)?))
    }

    /// Feeds a chunk, split anywhere, and returns the events that it completes.
    ///
    /// If reading ends within the chunk, the events before that are returned; the next call fails, and so does
    /// `ensure_reading`.
    pub fn feed(&self, chunk: Vec<u8>) -> Result<Vec<Event>, DeltafoldError> {
        self.0.attempt(|state| {
            state.ended()?;
            let fed = state.core.feed(&chunk);
            state.read(fed)
        })
    }

    /// Feeds one JSON message without SSE framing: a WebSocket message, a line of a log.
    pub fn feed_json(&self, message: &str) -> Result<Vec<Event>, DeltafoldError> {
        self.0.attempt(|state| {
            state.ended()?;
            let fed = state.core.feed_json(message);
            state.read(fed)
        })
    }

    /// Ends the input and returns the last events.
    pub fn end(&self) -> Result<Vec<Event>, DeltafoldError> {
        self.0.attempt(|state| {
            state.ended()?;
            state.core.end();
            state.read(Ok(()))
        })
    }

    /// Like `feed`, with the events packed into one buffer; the Ruby package unpacks it.
    pub fn feed_packed(&self, chunk: Vec<u8>) -> Result<Vec<u8>, DeltafoldError> {
        self.0.attempt(|state| state.feed_packed(&chunk).map(Packed::into_bytes))
    }

    /// The reader as a number, for the C functions of the Ruby package. Valid as long as the reader.
    pub fn packed_handle(&self) -> u64 {
        Arc::as_ptr(&self.0).expose_provenance() as u64
    }

    /// Like `feed_json`, with the events packed into one buffer; the Ruby package unpacks it.
    pub fn feed_json_packed(&self, message: &str) -> Result<Vec<u8>, DeltafoldError> {
        self.read_packed(|core| core.feed_json(message))
    }

    /// Like `end`, with the events packed into one buffer; the Ruby package unpacks it.
    pub fn end_packed(&self) -> Result<Vec<u8>, DeltafoldError> {
        self.read_packed(|core| {
            core.end();
            Ok(())
        })
    }

    /// Ends the input and returns how the stream ended. Later calls return the same outcome. Fails with the error that
    /// ended reading, if there was one; `outcome` has the outcome then, too.
    pub fn finish(&self) -> Result<Outcome, DeltafoldError> {
        self.0.attempt(|state| {
            let finished = state.core.finish();
            state.ended()?;
            finished.map(|outcome| Outcome::of(&outcome))
        })
    }

    /// Continues the stream over a new connection, after the old one broke. Feed the bytes of the new connection next.
    ///
    /// Discards bytes that were not read, including an incomplete block. Events with a sequence number up to
    /// `last_sequence_number` are dropped with a finding, so the server may replay them. Offsets count the bytes of the new
    /// connection. Fails after `finish`.
    pub fn reconnect(&self) -> Result<(), DeltafoldError> {
        self.0.attempt(|state| {
            state.ended()?;
            state.core.reconnect()
        })
    }

    /// Fails with the error that ended reading, if there was one.
    pub fn ensure_reading(&self) -> Result<(), DeltafoldError> {
        self.0.attempt(|state| state.ended())
    }

    /// Resets the reader to its initial state; the options stay.
    pub fn reset(&self) -> Result<(), DeltafoldError> {
        self.0.with(|state| {
            state.core.reset();
            state.error = None;
        })
    }

    /// Frees the reader; every later call fails with `misuse.after_finish`, also calls on its response.
    pub fn release(&self) {
        self.0.release();
    }

    /// Saves the state as bytes for `restore`.
    pub fn save(&self) -> Result<Vec<u8>, DeltafoldError> {
        self.read(deltafold::Reader::save)
    }

    /// Sets the request of the stream, as JSON text, for the rules that compare request and response.
    pub fn note_request(&self, request: &str) -> Result<(), DeltafoldError> {
        self.0.attempt(|state| state.core.note_request(request))
    }

    /// Sets the HTTP headers. The reader records rate limits; with a status the validator also checks the transport rules.
    #[uniffi::method(default(status = None))]
    pub fn note_headers(&self, headers: HashMap<String, String>, status: Option<i32>) -> Result<(), DeltafoldError> {
        let pairs = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        self.0.with(|state| match status.map(u16::try_from) {
            Some(Ok(status)) => state.core.note_head(status, pairs),
            _ => state.core.note_headers(pairs),
        })
    }

    /// The response so far, as a live view on the reader.
    pub fn response(&self) -> Response {
        Response::new(Arc::clone(&self.0))
    }

    /// The findings so far; the limit `findings` bounds how many are kept.
    pub fn findings(&self) -> Result<Vec<Finding>, DeltafoldError> {
        self.read(|core| core.findings().iter().map(Finding::of).collect())
    }

    /// The findings as JSON text.
    pub fn findings_json(&self) -> Result<String, DeltafoldError> {
        self.read(|core| json(core.findings()))
    }

    /// Number of findings, kept or not.
    pub fn finding_counts(&self) -> Result<FindingCounts, DeltafoldError> {
        self.read(|core| FindingCounts::of(core.all_findings()))
    }

    /// How the stream ended; null before a terminal event or `finish`.
    pub fn outcome(&self) -> Result<Option<Outcome>, DeltafoldError> {
        self.read(|core| core.outcome().map(Outcome::of))
    }

    /// The outcome as JSON text.
    pub fn outcome_json(&self) -> Result<Option<String>, DeltafoldError> {
        self.read(|core| core.outcome().map(|outcome| outcome.to_value().to_string()))
    }

    /// Token counts, once a terminal event has them.
    pub fn usage(&self) -> Result<Option<Usage>, DeltafoldError> {
        self.read(|core| core.response().usage().map(Usage::of))
    }

    /// The newest sequence number; a resumed stream starts after it.
    pub fn last_sequence_number(&self) -> Result<Option<i64>, DeltafoldError> {
        self.read(|core| core.last_sequence_number().map(int))
    }

    /// Number of events that were read.
    pub fn event_count(&self) -> Result<i64, DeltafoldError> {
        self.read(|core| int(core.event_count()))
    }

    /// A counter that grows with any input, including comments and keepalives. While it grows, the connection is alive.
    pub fn activity(&self) -> Result<i64, DeltafoldError> {
        self.read(|core| int(core.activity()))
    }

    /// True if `[DONE]` arrived.
    pub fn saw_done(&self) -> Result<bool, DeltafoldError> {
        self.read(deltafold::Reader::saw_done)
    }

    /// The last SSE id, for the header `Last-Event-ID`.
    pub fn last_event_id(&self) -> Result<String, DeltafoldError> {
        self.read(|core| core.last_event_id().to_owned())
    }

    /// Number of bytes that were read.
    pub fn offset(&self) -> Result<i64, DeltafoldError> {
        self.read(|core| int(core.offset()))
    }

    /// Rate limits from headers and events.
    pub fn rate_limits(&self) -> Result<RateLimits, DeltafoldError> {
        self.read(|core| {
            let rates = core.rate_limits();
            let text = |value: String| (value != "null" && value != "{}").then_some(value);
            RateLimits {
                headers: text(deltafold::json::Value::from(rates.headers.clone()).to_string()),
                event: text(rates.event.to_string()),
                retry_after_seconds: rates.retry_after_seconds(),
            }
        })
    }
}
